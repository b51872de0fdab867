require "application/part881" if 881 < 750
require "application/part882" if 882 < 750
class Part440
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 440
  def to_s = "part #{name} of #{size}"
end
