require "application/part31" if 31 < 1150
require "application/part32" if 32 < 1150
class Part15
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 15
  def to_s = "part #{name} of #{size}"
end
