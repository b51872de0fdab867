require "application/part941" if 941 < 1150
require "application/part942" if 942 < 1150
class Part470
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 470
  def to_s = "part #{name} of #{size}"
end
