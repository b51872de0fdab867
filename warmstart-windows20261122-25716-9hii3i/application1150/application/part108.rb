require "application/part217" if 217 < 1150
require "application/part218" if 218 < 1150
class Part108
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 108
  def to_s = "part #{name} of #{size}"
end
