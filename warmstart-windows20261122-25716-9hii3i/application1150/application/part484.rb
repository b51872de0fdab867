require "application/part969" if 969 < 1150
require "application/part970" if 970 < 1150
class Part484
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 484
  def to_s = "part #{name} of #{size}"
end
