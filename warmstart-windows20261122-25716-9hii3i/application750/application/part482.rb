require "application/part965" if 965 < 750
require "application/part966" if 966 < 750
class Part482
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 482
  def to_s = "part #{name} of #{size}"
end
