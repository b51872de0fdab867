require "application/part241" if 241 < 1150
require "application/part242" if 242 < 1150
class Part120
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 120
  def to_s = "part #{name} of #{size}"
end
