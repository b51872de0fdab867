# frozen_string_literal: true

require_relative "test_helper"

# What Ruby 3.1 leaves of $LOADED_FEATURES with each require is freed (ext/warmstart/ruby/private/features_copies.c).
# Whoever shares elements with it keeps them.
class FeaturesCopiesTest < TestCase
  # (Positions in $LOADED_FEATURES are counted here; without RubyGems there are fewer than the counts.)
  with_rubygems

  FILES = (0...60).to_h { |i| ["f#{i}.rb", "F#{i} = #{i}\nSEEN.call(#{i})\n"] }.freeze

  # Much that is allocated takes the place of what was freed.
  AFTER = <<~RUBY
    churn = Array.new(300) { |i| Array.new(100 + i) { |j| "\#{i} \#{j}" } }
    GC.start
    GC.verify_internal_consistency
    names = ->(list) { list.map { |feature| File.basename(feature.to_s) }.grep(/\\A(?:f\\d+|x\\d*|other)\\b/) }
    p KEPT.map { |list| names.call(list) }, names.call($LOADED_FEATURES), churn.size
    GC.compact if GC.respond_to?(:compact)
    GC.verify_internal_consistency
    p KEPT.sum { |list| names.call(list).size }
  RUBY

  def assert_kept(seen, between = "")
    main = "KEPT = []\nSEEN = ->(i) { #{seen} }\n60.times { |i| require \"f\#{i}\"; #{between} }\n#{AFTER}"
    assert_same_behaviour(FILES.merge("main.rb" => main), misses: :any, witness: false)
  end

  test "copies and parts that the program keeps stay as they are" do
    assert_kept("KEPT << $LOADED_FEATURES.dup")
    assert_kept(
      "KEPT << $LOADED_FEATURES.last(20) << $LOADED_FEATURES.drop(10) << $LOADED_FEATURES[3..] << $LOADED_FEATURES.first($LOADED_FEATURES.size - 1)"
    )
    assert_kept("KEPT << $LOADED_FEATURES.dup if i % 7 == 0; KEPT.shift if i % 5 == 0; GC.start if i % 20 == 0")
    assert_kept(
      "KEPT << $LOADED_FEATURES.dup.push('other') << $LOADED_FEATURES.dup.freeze",
      "KEPT.last.frozen? && KEPT << KEPT.last.dup.shift(4)"
    )
  end

  test "a copy that becomes $LOADED_FEATURES again" do
    assert_kept(
      "KEPT << $LOADED_FEATURES.dup",
      "if i % 4 == 0 then copy = $LOADED_FEATURES.dup; $LOADED_FEATURES << \"x\#{i}\"; require \"f\#{i}\"; $LOADED_FEATURES.replace(copy); KEPT << copy end"
    )
    assert_kept(
      "",
      "copy = $LOADED_FEATURES.dup; $LOADED_FEATURES << 'x'; require 'f0'; $LOADED_FEATURES.replace(copy); KEPT << copy << KEPT.last.to_a.dup"
    )
    assert_kept(
      "KEPT << $LOADED_FEATURES.dup",
      "$LOADED_FEATURES.pop if i % 3 == 0; $LOADED_FEATURES.shift if i % 10 == 0"
    )
    assert_kept(
      "KEPT << $LOADED_FEATURES.dup",
      "$LOADED_FEATURES.clear if i == 30; $LOADED_FEATURES.concat(KEPT[3]) if i == 35"
    )
  end

  test "while it is read" do
    assert_kept(
      "$LOADED_FEATURES.each { |feature| require \"f\#{i + 1}\" if i < 50 && feature.end_with?(\"f\#{i}.rb\") }; KEPT << $LOADED_FEATURES.map { |feature| feature.dup }"
    )
    assert_kept("KEPT << $LOADED_FEATURES.sort_by { |feature| require \"f\#{i + 1}\" if i < 50; feature }")
    assert_kept(
      "KEPT << $LOADED_FEATURES.each_slice(4).flat_map { |features| require \"f\#{i + 1}\" if i < 50; features }"
    )
  end

  test "with a collection at each allocation" do
    main =
      "KEPT = []\nSEEN = ->(i) { KEPT << $LOADED_FEATURES.dup if i.even? }\nGC.stress = true\n6.times { |i| require \"f\#{i}\" }\nGC.stress = false\n#{AFTER}"
    assert_same_behaviour(
      FILES.merge("main.rb" => main),
      misses: :any,
      witness: false,
      variants: %i[recording warm native]
    )
  end

  test "on Ruby 3.1 the elements are freed, for each file; later Rubies leave nothing" do
    main =
      "SEEN = ->(i) {}\n60.times { |i| require \"f\#{i}\" }\np Warmstart::Native.respond_to?(:freed_features_copies) && Warmstart::Native.freed_features_copies\n"
    run = program(FILES.merge("main.rb" => main), witness: false).boot
    assert_equal "", run.stderr
    return assert_equal "false\n", run.stdout unless Program::RUBY_NUMBER < "3.2"

    assert_operator Integer(run.stdout), :>=, 59
  end
end
