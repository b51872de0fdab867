require "application/part507" if 507 < 750
require "application/part508" if 508 < 750
class Part253
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 253
  def to_s = "part #{name} of #{size}"
end
