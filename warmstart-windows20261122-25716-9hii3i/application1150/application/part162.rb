require "application/part325" if 325 < 1150
require "application/part326" if 326 < 1150
class Part162
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 162
  def to_s = "part #{name} of #{size}"
end
