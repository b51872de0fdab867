require "application/part937" if 937 < 1150
require "application/part938" if 938 < 1150
class Part468
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 468
  def to_s = "part #{name} of #{size}"
end
