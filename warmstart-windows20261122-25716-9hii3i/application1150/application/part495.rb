require "application/part991" if 991 < 1150
require "application/part992" if 992 < 1150
class Part495
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 495
  def to_s = "part #{name} of #{size}"
end
