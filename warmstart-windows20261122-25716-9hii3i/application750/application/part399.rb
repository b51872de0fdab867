require "application/part799" if 799 < 750
require "application/part800" if 800 < 750
class Part399
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 399
  def to_s = "part #{name} of #{size}"
end
