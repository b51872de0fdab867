require "application/part945" if 945 < 1150
require "application/part946" if 946 < 1150
class Part472
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 472
  def to_s = "part #{name} of #{size}"
end
