require "application/part585" if 585 < 750
require "application/part586" if 586 < 750
class Part292
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 292
  def to_s = "part #{name} of #{size}"
end
