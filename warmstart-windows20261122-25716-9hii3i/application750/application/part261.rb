require "application/part523" if 523 < 750
require "application/part524" if 524 < 750
class Part261
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 261
  def to_s = "part #{name} of #{size}"
end
