require "application/part637" if 637 < 1150
require "application/part638" if 638 < 1150
class Part318
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 318
  def to_s = "part #{name} of #{size}"
end
