require "application/part327" if 327 < 750
require "application/part328" if 328 < 750
class Part163
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 163
  def to_s = "part #{name} of #{size}"
end
