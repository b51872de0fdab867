require "application/part865" if 865 < 750
require "application/part866" if 866 < 750
class Part432
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 432
  def to_s = "part #{name} of #{size}"
end
