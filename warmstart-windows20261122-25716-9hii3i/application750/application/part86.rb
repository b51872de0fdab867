require "application/part173" if 173 < 750
require "application/part174" if 174 < 750
class Part86
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 86
  def to_s = "part #{name} of #{size}"
end
