require "application/part983" if 983 < 1150
require "application/part984" if 984 < 1150
class Part491
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 491
  def to_s = "part #{name} of #{size}"
end
