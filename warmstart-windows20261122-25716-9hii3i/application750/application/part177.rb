require "application/part355" if 355 < 750
require "application/part356" if 356 < 750
class Part177
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 177
  def to_s = "part #{name} of #{size}"
end
