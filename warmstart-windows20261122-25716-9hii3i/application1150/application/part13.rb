require "application/part27" if 27 < 1150
require "application/part28" if 28 < 1150
class Part13
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 13
  def to_s = "part #{name} of #{size}"
end
