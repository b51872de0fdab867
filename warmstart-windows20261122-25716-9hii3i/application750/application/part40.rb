require "application/part81" if 81 < 750
require "application/part82" if 82 < 750
class Part40
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 40
  def to_s = "part #{name} of #{size}"
end
