require "application/part141" if 141 < 750
require "application/part142" if 142 < 750
class Part70
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 70
  def to_s = "part #{name} of #{size}"
end
