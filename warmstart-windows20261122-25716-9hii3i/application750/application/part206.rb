require "application/part413" if 413 < 750
require "application/part414" if 414 < 750
class Part206
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 206
  def to_s = "part #{name} of #{size}"
end
