require "application/part675" if 675 < 1150
require "application/part676" if 676 < 1150
class Part337
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 337
  def to_s = "part #{name} of #{size}"
end
