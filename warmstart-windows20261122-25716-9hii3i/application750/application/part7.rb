require "application/part15" if 15 < 750
require "application/part16" if 16 < 750
class Part7
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 7
  def to_s = "part #{name} of #{size}"
end
