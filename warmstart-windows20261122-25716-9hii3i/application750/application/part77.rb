require "application/part155" if 155 < 750
require "application/part156" if 156 < 750
class Part77
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 77
  def to_s = "part #{name} of #{size}"
end
