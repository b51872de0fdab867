require "application/part807" if 807 < 1150
require "application/part808" if 808 < 1150
class Part403
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 403
  def to_s = "part #{name} of #{size}"
end
