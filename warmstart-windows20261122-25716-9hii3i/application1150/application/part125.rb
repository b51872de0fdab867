require "application/part251" if 251 < 1150
require "application/part252" if 252 < 1150
class Part125
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 125
  def to_s = "part #{name} of #{size}"
end
