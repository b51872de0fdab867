require "application/part405" if 405 < 750
require "application/part406" if 406 < 750
class Part202
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 202
  def to_s = "part #{name} of #{size}"
end
