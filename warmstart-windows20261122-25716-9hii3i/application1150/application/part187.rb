require "application/part375" if 375 < 1150
require "application/part376" if 376 < 1150
class Part187
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 187
  def to_s = "part #{name} of #{size}"
end
