require "application/part829" if 829 < 1150
require "application/part830" if 830 < 1150
class Part414
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 414
  def to_s = "part #{name} of #{size}"
end
