require "application/part603" if 603 < 750
require "application/part604" if 604 < 750
class Part301
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 301
  def to_s = "part #{name} of #{size}"
end
