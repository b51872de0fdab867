require "application/part105" if 105 < 750
require "application/part106" if 106 < 750
class Part52
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 52
  def to_s = "part #{name} of #{size}"
end
