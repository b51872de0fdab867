require "application/part955" if 955 < 750
require "application/part956" if 956 < 750
class Part477
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 477
  def to_s = "part #{name} of #{size}"
end
