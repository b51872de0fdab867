require "application/part347" if 347 < 1150
require "application/part348" if 348 < 1150
class Part173
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 173
  def to_s = "part #{name} of #{size}"
end
