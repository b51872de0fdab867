require "application/part307" if 307 < 750
require "application/part308" if 308 < 750
class Part153
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 153
  def to_s = "part #{name} of #{size}"
end
