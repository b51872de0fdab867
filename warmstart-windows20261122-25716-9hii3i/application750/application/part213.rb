require "application/part427" if 427 < 750
require "application/part428" if 428 < 750
class Part213
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 213
  def to_s = "part #{name} of #{size}"
end
