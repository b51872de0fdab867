require "application/part797" if 797 < 750
require "application/part798" if 798 < 750
class Part398
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 398
  def to_s = "part #{name} of #{size}"
end
