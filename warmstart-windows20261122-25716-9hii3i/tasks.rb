class Tasks
  ALL = {}
  def self.describe(name, text) = (ALL[name] = text)
end
require "optparse"
200.times { |n| require "tasks/task#{n}" }
Tasks::ALL.sort.each { |name, text| puts "rake #{name}  # #{text}" }
