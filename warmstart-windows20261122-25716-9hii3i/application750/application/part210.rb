require "application/part421" if 421 < 750
require "application/part422" if 422 < 750
class Part210
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 210
  def to_s = "part #{name} of #{size}"
end
