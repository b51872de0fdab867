require "application/part1991" if 1991 < 1150
require "application/part1992" if 1992 < 1150
class Part995
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 995
  def to_s = "part #{name} of #{size}"
end
