require "application/part691" if 691 < 750
require "application/part692" if 692 < 750
class Part345
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 345
  def to_s = "part #{name} of #{size}"
end
