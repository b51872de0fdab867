require "application/part191" if 191 < 1150
require "application/part192" if 192 < 1150
class Part95
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 95
  def to_s = "part #{name} of #{size}"
end
