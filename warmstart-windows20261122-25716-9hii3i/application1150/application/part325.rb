require "application/part651" if 651 < 1150
require "application/part652" if 652 < 1150
class Part325
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 325
  def to_s = "part #{name} of #{size}"
end
