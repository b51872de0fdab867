require "application/part855" if 855 < 750
require "application/part856" if 856 < 750
class Part427
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 427
  def to_s = "part #{name} of #{size}"
end
