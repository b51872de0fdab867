require "application/part813" if 813 < 750
require "application/part814" if 814 < 750
class Part406
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 406
  def to_s = "part #{name} of #{size}"
end
