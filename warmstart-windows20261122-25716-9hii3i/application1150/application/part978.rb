require "application/part1957" if 1957 < 1150
require "application/part1958" if 1958 < 1150
class Part978
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 978
  def to_s = "part #{name} of #{size}"
end
