require "application/part995" if 995 < 1150
require "application/part996" if 996 < 1150
class Part497
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 497
  def to_s = "part #{name} of #{size}"
end
