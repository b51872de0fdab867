require "application/part575" if 575 < 1150
require "application/part576" if 576 < 1150
class Part287
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 287
  def to_s = "part #{name} of #{size}"
end
