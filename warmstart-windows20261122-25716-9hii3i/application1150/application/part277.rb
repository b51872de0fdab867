require "application/part555" if 555 < 1150
require "application/part556" if 556 < 1150
class Part277
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 277
  def to_s = "part #{name} of #{size}"
end
