require "application/part139" if 139 < 750
require "application/part140" if 140 < 750
class Part69
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 69
  def to_s = "part #{name} of #{size}"
end
