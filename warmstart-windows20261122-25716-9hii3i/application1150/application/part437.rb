require "application/part875" if 875 < 1150
require "application/part876" if 876 < 1150
class Part437
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 437
  def to_s = "part #{name} of #{size}"
end
