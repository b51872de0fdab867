require "application/part67" if 67 < 750
require "application/part68" if 68 < 750
class Part33
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 33
  def to_s = "part #{name} of #{size}"
end
