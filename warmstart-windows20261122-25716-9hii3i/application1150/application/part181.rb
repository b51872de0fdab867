require "application/part363" if 363 < 1150
require "application/part364" if 364 < 1150
class Part181
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 181
  def to_s = "part #{name} of #{size}"
end
