require "application/part553" if 553 < 1150
require "application/part554" if 554 < 1150
class Part276
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 276
  def to_s = "part #{name} of #{size}"
end
