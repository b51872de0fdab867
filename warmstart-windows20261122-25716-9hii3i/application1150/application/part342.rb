require "application/part685" if 685 < 1150
require "application/part686" if 686 < 1150
class Part342
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 342
  def to_s = "part #{name} of #{size}"
end
