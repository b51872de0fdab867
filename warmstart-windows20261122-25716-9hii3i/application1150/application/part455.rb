require "application/part911" if 911 < 1150
require "application/part912" if 912 < 1150
class Part455
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 455
  def to_s = "part #{name} of #{size}"
end
