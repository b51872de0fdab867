require "application/part423" if 423 < 750
require "application/part424" if 424 < 750
class Part211
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 211
  def to_s = "part #{name} of #{size}"
end
