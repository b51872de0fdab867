require "application/part561" if 561 < 750
require "application/part562" if 562 < 750
class Part280
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 280
  def to_s = "part #{name} of #{size}"
end
