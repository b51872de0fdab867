require "application/part377" if 377 < 750
require "application/part378" if 378 < 750
class Part188
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 188
  def to_s = "part #{name} of #{size}"
end
