require "application/part615" if 615 < 750
require "application/part616" if 616 < 750
class Part307
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 307
  def to_s = "part #{name} of #{size}"
end
