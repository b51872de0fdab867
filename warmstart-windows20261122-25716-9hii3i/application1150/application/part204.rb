require "application/part409" if 409 < 1150
require "application/part410" if 410 < 1150
class Part204
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 204
  def to_s = "part #{name} of #{size}"
end
