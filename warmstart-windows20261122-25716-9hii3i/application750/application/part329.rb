require "application/part659" if 659 < 750
require "application/part660" if 660 < 750
class Part329
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 329
  def to_s = "part #{name} of #{size}"
end
