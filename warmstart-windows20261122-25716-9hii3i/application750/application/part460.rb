require "application/part921" if 921 < 750
require "application/part922" if 922 < 750
class Part460
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 460
  def to_s = "part #{name} of #{size}"
end
