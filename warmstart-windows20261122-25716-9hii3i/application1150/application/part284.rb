require "application/part569" if 569 < 1150
require "application/part570" if 570 < 1150
class Part284
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 284
  def to_s = "part #{name} of #{size}"
end
