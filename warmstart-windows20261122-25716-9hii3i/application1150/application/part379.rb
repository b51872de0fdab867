require "application/part759" if 759 < 1150
require "application/part760" if 760 < 1150
class Part379
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 379
  def to_s = "part #{name} of #{size}"
end
