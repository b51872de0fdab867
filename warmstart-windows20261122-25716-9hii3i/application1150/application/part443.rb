require "application/part887" if 887 < 1150
require "application/part888" if 888 < 1150
class Part443
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 443
  def to_s = "part #{name} of #{size}"
end
