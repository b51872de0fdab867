require "application/part767" if 767 < 1150
require "application/part768" if 768 < 1150
class Part383
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 383
  def to_s = "part #{name} of #{size}"
end
