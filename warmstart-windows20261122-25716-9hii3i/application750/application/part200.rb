require "application/part401" if 401 < 750
require "application/part402" if 402 < 750
class Part200
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 200
  def to_s = "part #{name} of #{size}"
end
