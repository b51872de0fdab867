require "application/part903" if 903 < 750
require "application/part904" if 904 < 750
class Part451
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 451
  def to_s = "part #{name} of #{size}"
end
