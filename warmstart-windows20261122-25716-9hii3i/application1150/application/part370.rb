require "application/part741" if 741 < 1150
require "application/part742" if 742 < 1150
class Part370
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 370
  def to_s = "part #{name} of #{size}"
end
