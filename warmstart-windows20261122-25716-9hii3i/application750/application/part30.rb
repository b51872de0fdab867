require "application/part61" if 61 < 750
require "application/part62" if 62 < 750
class Part30
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 30
  def to_s = "part #{name} of #{size}"
end
