require "application/part597" if 597 < 1150
require "application/part598" if 598 < 1150
class Part298
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 298
  def to_s = "part #{name} of #{size}"
end
