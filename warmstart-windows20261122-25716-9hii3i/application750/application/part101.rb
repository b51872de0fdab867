require "application/part203" if 203 < 750
require "application/part204" if 204 < 750
class Part101
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 101
  def to_s = "part #{name} of #{size}"
end
