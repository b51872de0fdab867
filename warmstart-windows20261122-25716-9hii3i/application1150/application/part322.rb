require "application/part645" if 645 < 1150
require "application/part646" if 646 < 1150
class Part322
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 322
  def to_s = "part #{name} of #{size}"
end
