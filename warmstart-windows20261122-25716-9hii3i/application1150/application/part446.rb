require "application/part893" if 893 < 1150
require "application/part894" if 894 < 1150
class Part446
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 446
  def to_s = "part #{name} of #{size}"
end
