require "application/part485" if 485 < 750
require "application/part486" if 486 < 750
class Part242
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 242
  def to_s = "part #{name} of #{size}"
end
