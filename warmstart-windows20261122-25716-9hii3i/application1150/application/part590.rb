require "application/part1181" if 1181 < 1150
require "application/part1182" if 1182 < 1150
class Part590
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 590
  def to_s = "part #{name} of #{size}"
end
