require "application/part545" if 545 < 1150
require "application/part546" if 546 < 1150
class Part272
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 272
  def to_s = "part #{name} of #{size}"
end
