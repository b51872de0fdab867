require "application/part719" if 719 < 750
require "application/part720" if 720 < 750
class Part359
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 359
  def to_s = "part #{name} of #{size}"
end
