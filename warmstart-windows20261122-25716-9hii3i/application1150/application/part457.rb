require "application/part915" if 915 < 1150
require "application/part916" if 916 < 1150
class Part457
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 457
  def to_s = "part #{name} of #{size}"
end
