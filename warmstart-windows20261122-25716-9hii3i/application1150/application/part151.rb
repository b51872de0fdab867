require "application/part303" if 303 < 1150
require "application/part304" if 304 < 1150
class Part151
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 151
  def to_s = "part #{name} of #{size}"
end
