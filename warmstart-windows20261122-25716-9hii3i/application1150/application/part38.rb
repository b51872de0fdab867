require "application/part77" if 77 < 1150
require "application/part78" if 78 < 1150
class Part38
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 38
  def to_s = "part #{name} of #{size}"
end
