require "application/part207" if 207 < 750
require "application/part208" if 208 < 750
class Part103
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 103
  def to_s = "part #{name} of #{size}"
end
