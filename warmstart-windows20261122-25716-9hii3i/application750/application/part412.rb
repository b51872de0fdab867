require "application/part825" if 825 < 750
require "application/part826" if 826 < 750
class Part412
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 412
  def to_s = "part #{name} of #{size}"
end
