require "application/part891" if 891 < 1150
require "application/part892" if 892 < 1150
class Part445
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 445
  def to_s = "part #{name} of #{size}"
end
