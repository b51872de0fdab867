require "application/part889" if 889 < 750
require "application/part890" if 890 < 750
class Part444
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 444
  def to_s = "part #{name} of #{size}"
end
