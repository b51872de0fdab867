# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/generated_bundle"

# Bundles made from seeds, started in several states: the same bundle, output and status as Bundler's own, replayed or
# not. (docs/exactness.md)
class GeneratedBundlesTest < TestCase
  first, count = ENV.fetch("WARMSTART_BUNDLES", "1,4").split(",").map(&:to_i)

  test "generated bundles are as Bundler sets them up" do
    counts = Hash.new(0)
    first.upto(first + count - 1) do |seed|
      bundle = GeneratedBundle.new(temporary_folder, seed)
      assert_nil bundle.play
      bundle.counts.each { |kind, number| counts[kind] += number }
    end
    puts "#{count} bundles from seed #{first} on Ruby #{RUBY_VERSION}" if ENV["WARMSTART_BUNDLES"] # (bin/deep counts them)
    assert_operator counts["replayed"], :>, 0, counts.inspect
    assert_operator counts["real"], :>, 0, counts.inspect
  end
end
