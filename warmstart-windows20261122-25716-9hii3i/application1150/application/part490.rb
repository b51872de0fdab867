require "application/part981" if 981 < 1150
require "application/part982" if 982 < 1150
class Part490
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 490
  def to_s = "part #{name} of #{size}"
end
