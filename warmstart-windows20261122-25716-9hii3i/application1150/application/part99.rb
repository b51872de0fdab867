require "application/part199" if 199 < 1150
require "application/part200" if 200 < 1150
class Part99
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 99
  def to_s = "part #{name} of #{size}"
end
