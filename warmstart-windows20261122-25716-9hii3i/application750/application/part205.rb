require "application/part411" if 411 < 750
require "application/part412" if 412 < 750
class Part205
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 205
  def to_s = "part #{name} of #{size}"
end
