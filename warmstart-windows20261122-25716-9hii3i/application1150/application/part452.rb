require "application/part905" if 905 < 1150
require "application/part906" if 906 < 1150
class Part452
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 452
  def to_s = "part #{name} of #{size}"
end
