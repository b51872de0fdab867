require "application/part181" if 181 < 750
require "application/part182" if 182 < 750
class Part90
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 90
  def to_s = "part #{name} of #{size}"
end
