require "application/part679" if 679 < 750
require "application/part680" if 680 < 750
class Part339
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 339
  def to_s = "part #{name} of #{size}"
end
