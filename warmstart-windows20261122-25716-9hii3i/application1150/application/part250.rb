require "application/part501" if 501 < 1150
require "application/part502" if 502 < 1150
class Part250
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 250
  def to_s = "part #{name} of #{size}"
end
