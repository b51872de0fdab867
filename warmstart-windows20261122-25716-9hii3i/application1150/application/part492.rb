require "application/part985" if 985 < 1150
require "application/part986" if 986 < 1150
class Part492
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 492
  def to_s = "part #{name} of #{size}"
end
