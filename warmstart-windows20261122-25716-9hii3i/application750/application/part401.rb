require "application/part803" if 803 < 750
require "application/part804" if 804 < 750
class Part401
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 401
  def to_s = "part #{name} of #{size}"
end
