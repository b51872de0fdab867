require "application/part61" if 61 < 1150
require "application/part62" if 62 < 1150
class Part30
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 30
  def to_s = "part #{name} of #{size}"
end
