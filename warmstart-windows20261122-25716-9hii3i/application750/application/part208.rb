require "application/part417" if 417 < 750
require "application/part418" if 418 < 750
class Part208
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 208
  def to_s = "part #{name} of #{size}"
end
