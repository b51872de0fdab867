require "application/part243" if 243 < 750
require "application/part244" if 244 < 750
class Part121
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 121
  def to_s = "part #{name} of #{size}"
end
