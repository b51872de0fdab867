require "application/part783" if 783 < 750
require "application/part784" if 784 < 750
class Part391
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 391
  def to_s = "part #{name} of #{size}"
end
