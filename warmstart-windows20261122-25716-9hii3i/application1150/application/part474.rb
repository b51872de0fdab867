require "application/part949" if 949 < 1150
require "application/part950" if 950 < 1150
class Part474
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 474
  def to_s = "part #{name} of #{size}"
end
