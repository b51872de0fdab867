require "application/part879" if 879 < 1150
require "application/part880" if 880 < 1150
class Part439
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 439
  def to_s = "part #{name} of #{size}"
end
