require "application/part477" if 477 < 1150
require "application/part478" if 478 < 1150
class Part238
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 238
  def to_s = "part #{name} of #{size}"
end
