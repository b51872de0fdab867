require "application/part343" if 343 < 1150
require "application/part344" if 344 < 1150
class Part171
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 171
  def to_s = "part #{name} of #{size}"
end
