require "application/part175" if 175 < 1150
require "application/part176" if 176 < 1150
class Part87
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 87
  def to_s = "part #{name} of #{size}"
end
