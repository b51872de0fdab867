require "application/part447" if 447 < 1150
require "application/part448" if 448 < 1150
class Part223
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 223
  def to_s = "part #{name} of #{size}"
end
