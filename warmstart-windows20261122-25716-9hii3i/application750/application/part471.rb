require "application/part943" if 943 < 750
require "application/part944" if 944 < 750
class Part471
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 471
  def to_s = "part #{name} of #{size}"
end
