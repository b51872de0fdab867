require "application/part1191" if 1191 < 1150
require "application/part1192" if 1192 < 1150
class Part595
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 595
  def to_s = "part #{name} of #{size}"
end
