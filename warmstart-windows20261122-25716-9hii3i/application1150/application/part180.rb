require "application/part361" if 361 < 1150
require "application/part362" if 362 < 1150
class Part180
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 180
  def to_s = "part #{name} of #{size}"
end
