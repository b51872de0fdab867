1000.times { |n| require "empty#{n}" }
