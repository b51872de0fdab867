require "application/part489" if 489 < 1150
require "application/part490" if 490 < 1150
class Part244
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 244
  def to_s = "part #{name} of #{size}"
end
