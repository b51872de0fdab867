require "application/part125" if 125 < 750
require "application/part126" if 126 < 750
class Part62
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 62
  def to_s = "part #{name} of #{size}"
end
