require "application/part975" if 975 < 750
require "application/part976" if 976 < 750
class Part487
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 487
  def to_s = "part #{name} of #{size}"
end
