require "application/part473" if 473 < 1150
require "application/part474" if 474 < 1150
class Part236
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 236
  def to_s = "part #{name} of #{size}"
end
