require "application/part927" if 927 < 750
require "application/part928" if 928 < 750
class Part463
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 463
  def to_s = "part #{name} of #{size}"
end
