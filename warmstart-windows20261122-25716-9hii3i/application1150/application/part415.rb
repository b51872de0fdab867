require "application/part831" if 831 < 1150
require "application/part832" if 832 < 1150
class Part415
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 415
  def to_s = "part #{name} of #{size}"
end
