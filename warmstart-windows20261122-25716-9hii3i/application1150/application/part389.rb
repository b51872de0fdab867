require "application/part779" if 779 < 1150
require "application/part780" if 780 < 1150
class Part389
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 389
  def to_s = "part #{name} of #{size}"
end
