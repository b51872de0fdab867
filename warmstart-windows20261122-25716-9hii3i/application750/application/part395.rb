require "application/part791" if 791 < 750
require "application/part792" if 792 < 750
class Part395
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 395
  def to_s = "part #{name} of #{size}"
end
