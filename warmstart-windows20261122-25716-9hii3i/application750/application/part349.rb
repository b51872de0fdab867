require "application/part699" if 699 < 750
require "application/part700" if 700 < 750
class Part349
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 349
  def to_s = "part #{name} of #{size}"
end
