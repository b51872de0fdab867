require "application/part747" if 747 < 750
require "application/part748" if 748 < 750
class Part373
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 373
  def to_s = "part #{name} of #{size}"
end
