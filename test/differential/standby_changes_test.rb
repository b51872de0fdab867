# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/exactness/standby/comparison"

# Generated applications, and changes between their commands: whatever changes, a command by the standby's client prints
# what plain Ruby prints then. How many commands came from a standby is counted, so that this cannot pass because none
# ever did. `bin/exactness --standby` plays more of them.
class StandbyChangesTest < TestCase
  # (One of them has a bundle. All of them can be served; other worlds ask what makes every standby ineligible.)
  SEEDS = [1, 2, 4, 7].freeze

  def setup
    skip "Linux only" unless RUBY_PLATFORM.include?("linux")
  end

  SEEDS.each do |seed|
    test "the changes from seed #{seed}: each command is as in plain Ruby" do
      played = Exactness::Standby::Comparison.new(Exactness::Standby::World.new(seed)).play
      found = played.difference
      assert_nil found && [found.step, found.plain, found.ours],
                 "bin/exactness --standby --seed #{seed} --count 1 makes it smaller"
      assert_operator played.served, :>, played.commands / 4, "hardly any command came from a standby"
    end
  end
end
