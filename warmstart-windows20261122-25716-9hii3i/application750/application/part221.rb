require "application/part443" if 443 < 750
require "application/part444" if 444 < 750
class Part221
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 221
  def to_s = "part #{name} of #{size}"
end
