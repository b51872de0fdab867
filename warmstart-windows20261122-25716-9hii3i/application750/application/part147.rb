require "application/part295" if 295 < 750
require "application/part296" if 296 < 750
class Part147
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 147
  def to_s = "part #{name} of #{size}"
end
