require "application/part467" if 467 < 1150
require "application/part468" if 468 < 1150
class Part233
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 233
  def to_s = "part #{name} of #{size}"
end
