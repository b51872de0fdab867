require "application/part777" if 777 < 1150
require "application/part778" if 778 < 1150
class Part388
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 388
  def to_s = "part #{name} of #{size}"
end
