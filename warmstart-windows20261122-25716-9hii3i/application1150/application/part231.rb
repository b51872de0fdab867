require "application/part463" if 463 < 1150
require "application/part464" if 464 < 1150
class Part231
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 231
  def to_s = "part #{name} of #{size}"
end
