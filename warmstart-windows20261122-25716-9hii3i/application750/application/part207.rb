require "application/part415" if 415 < 750
require "application/part416" if 416 < 750
class Part207
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 207
  def to_s = "part #{name} of #{size}"
end
