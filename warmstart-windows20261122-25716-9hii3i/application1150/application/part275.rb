require "application/part551" if 551 < 1150
require "application/part552" if 552 < 1150
class Part275
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 275
  def to_s = "part #{name} of #{size}"
end
