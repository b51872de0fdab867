require "application/part1251" if 1251 < 750
require "application/part1252" if 1252 < 750
class Part625
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 625
  def to_s = "part #{name} of #{size}"
end
