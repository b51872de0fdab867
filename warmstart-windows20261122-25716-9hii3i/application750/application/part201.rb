require "application/part403" if 403 < 750
require "application/part404" if 404 < 750
class Part201
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 201
  def to_s = "part #{name} of #{size}"
end
