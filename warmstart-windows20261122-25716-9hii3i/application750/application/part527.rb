require "application/part1055" if 1055 < 750
require "application/part1056" if 1056 < 750
class Part527
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 527
  def to_s = "part #{name} of #{size}"
end
