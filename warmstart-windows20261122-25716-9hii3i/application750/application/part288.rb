require "application/part577" if 577 < 750
require "application/part578" if 578 < 750
class Part288
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 288
  def to_s = "part #{name} of #{size}"
end
