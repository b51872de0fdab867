require "application/part287" if 287 < 1150
require "application/part288" if 288 < 1150
class Part143
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 143
  def to_s = "part #{name} of #{size}"
end
