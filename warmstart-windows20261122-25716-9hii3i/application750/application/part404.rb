require "application/part809" if 809 < 750
require "application/part810" if 810 < 750
class Part404
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 404
  def to_s = "part #{name} of #{size}"
end
