require "application/part395" if 395 < 1150
require "application/part396" if 396 < 1150
class Part197
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 197
  def to_s = "part #{name} of #{size}"
end
