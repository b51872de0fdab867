require "application/part873" if 873 < 1150
require "application/part874" if 874 < 1150
class Part436
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 436
  def to_s = "part #{name} of #{size}"
end
