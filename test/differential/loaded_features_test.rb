# frozen_string_literal: true

require_relative "../test_helper"

# $LOADED_FEATURES belongs to the program: whatever is done to it decides what is loaded next.
class LoadedFeaturesTest < TestCase
  FILES = { "a.rb" => "$a = $a.to_i + 1\n", "b.rb" => "$b = $b.to_i + 1\n" }.freeze

  def self.changes(sentence, code)
    test sentence do
      assert_same_behaviour(FILES.merge("main.rb" => <<~RUBY))
        a, b = "\#{__dir__}/a.rb", "\#{__dir__}/b.rb"
        p require("a"), require("b"), Witness.features
        #{code}
        p require("a"), require("b"), $a, $b, Witness.features
        p require("a.rb"), require(b), $a, $b, Witness.features
      RUBY
    end
  end

  changes "delete", "$LOADED_FEATURES.delete(a)"
  changes "reject!", "$LOADED_FEATURES.reject! { |feature| feature == a }"
  changes "delete_if and push", "$LOADED_FEATURES.delete_if { |feature| feature == b }; $LOADED_FEATURES.push(b)"
  changes "clear and replace",
          "saved = $LOADED_FEATURES.dup; $LOADED_FEATURES.clear; p require('a'); $LOADED_FEATURES.replace(saved)"
  changes "clear and concat",
          "saved = $LOADED_FEATURES.dup; $LOADED_FEATURES.clear; p require('a'); $LOADED_FEATURES.clear; $LOADED_FEATURES.concat(saved)"
  changes "slice!", "$LOADED_FEATURES.slice!(-2, 2)"
  changes "pop and unshift", "$LOADED_FEATURES.unshift($LOADED_FEATURES.pop)"
  changes "map!", "$LOADED_FEATURES.map! { |feature| feature == b ? '/else/where.rb' : feature }"
  changes "assignment of an element", "$LOADED_FEATURES[-1] = '/else/where.rb'"
  changes "an element changed in place", "($LOADED_FEATURES[-1] << 'x') rescue p $!.class"
  changes "sort!", "$LOADED_FEATURES.sort!"
  changes "uniq! and shuffle!", "$LOADED_FEATURES.concat([a, b]).uniq!; $LOADED_FEATURES.rotate!"
  changes "filling a gap", "$LOADED_FEATURES.delete(a); $LOADED_FEATURES.insert(3, a.dup)"
  changes "the same file in another folder",
          "$LOADED_FEATURES.delete(b); $LOADED_FEATURES.push('/other/b.rb'); $LOAD_PATH.push('/other')"
  changes "a feature without a folder", "$LOADED_FEATURES.delete(a); $LOADED_FEATURES << 'a'"
  changes "a feature without an extension", "$LOADED_FEATURES.delete(a); $LOADED_FEATURES << a.delete_suffix('.rb')"
  changes "a feature with .so", "$LOADED_FEATURES.delete(a); $LOADED_FEATURES << a.sub('.rb', '.so')"
  changes "its other name", "$\".delete(a); $\".delete(b)"

  test "a bare feature stands for a file" do
    plain = assert_same_behaviour({ "foo.rb" => "puts :foo\n", "main.rb" => <<~RUBY })
        $LOADED_FEATURES << "foo"
        p require("foo"), Witness.features
        $LOADED_FEATURES << "bar.so" << "baz.rb"
        %w[bar bar.so bar.rb baz baz.rb baz.so].each { |name| p [name, begin; require(name); rescue LoadError; $!.class; end] }
      RUBY

    assert_equal "exit 0", plain.status, plain.stderr
  end

  test "frozen" do
    assert_same_behaviour({ "a.rb" => "A = 1\n", "main.rb" => <<~RUBY })
        $LOADED_FEATURES.freeze
        begin; p require("a"); rescue => error; p error.class, error.message, error.backtrace; end
        p A
      RUBY
  end

  test "emptied inside a file that is being loaded" do
    assert_same_behaviour(
      {
        "a.rb" =>
          "require 'b'; $saved = $LOADED_FEATURES.dup; $LOADED_FEATURES.clear; require 'b'; $LOADED_FEATURES.concat($saved)\n",
        "b.rb" => "$b = $b.to_i + 1\n",
        "main.rb" => "p require('a'), $b, Witness.features, require('a'), require('b')\n"
      }
    )
  end

  test "an assignment to the variable raises" do
    assert_same_behaviour({ "main.rb" => <<~RUBY })
        %w[$LOADED_FEATURES $" $LOAD_PATH $: $-I].each { |name| eval("\#{name} = []") rescue p $!.class, $!.message }
      RUBY
  end

  test "an exit handler requires while an error is on its way, and the search raises" do
    assert_same_behaviour(
      { "main.rb" => <<~RUBY },
        $LOADED_FEATURES << Struct.new(:to_path).new(File.join(__dir__, "b.rb"))
        at_exit { begin; p require("a"); ensure; p $!.class, $!.cause; end }
        raise "the end"
      RUBY
      args: %w[--disable-gems -w],
      load_path: %w[lib other],
      misses: :any,
      ends: "exit 1"
    )
  end

  test "aliases are the same Array" do
    assert_same_behaviour(
      {
        "main.rb" =>
          "alias $features $LOADED_FEATURES; p $features.equal?($\"), $:.equal?($LOAD_PATH), $-I.equal?($:), defined?($\"), $LOADED_FEATURES.frozen?\n"
      }
    )
  end

  test "resolve_feature_path" do
    assert_same_behaviour(
      {
        "a.rb" => "",
        "main.rb" =>
          "p $LOAD_PATH.resolve_feature_path('a'), $LOAD_PATH.resolve_feature_path('etc')&.first, $LOAD_PATH.resolve_feature_path('nope'), require('a'), $LOAD_PATH.resolve_feature_path('a'), $:.singleton_methods\n"
      }
    )
  end

  test "a file that freezes the features while it runs" do
    assert_same_behaviour(
      { "a.rb" => "A = 1\n$LOADED_FEATURES.freeze\n", "b.rb" => "B = 1\n", "main.rb" => <<~RUBY },
        2.times { begin; p require("a"); rescue => error; p error.class, error.message, error.backtrace; end }
        begin; p require("b"); rescue => error; p error.class, error.message, error.backtrace; end
        p A, defined?(B), Witness.features
      RUBY
      misses: :any
    )
  end

  test "an autoload's target and a provided file of the same name elsewhere" do
    assert_same_behaviour(
      { "one/b.rb" => "ONE = 1\n", "two/b.rb" => "class Two; p require('b'); end\n", "main.rb" => <<~RUBY },
        $LOAD_PATH.unshift File.join(__dir__, "one")
        p require("b")
        autoload :Two, File.join(__dir__, "two/b")
        p Two, Witness.features
      RUBY
      args: %w[-w]
    )
  end

  # (When Ruby finds that an element is no String, it has or has not expanded the load path, which freezes its elements:
  # search_required.)
  test "an element that is no String, asked for by names with all kinds of endings" do
    plain = assert_same_behaviour(FILES.merge("a.b.rb" => "$ab = 1\n", "main.rb" => <<~RUBY), misses: :any)
      $LOAD_PATH.unshift(+"lib", +"other")
      $LOADED_FEATURES << nil
      %w[a a.b a.rb a.so a.b.rb nope no.pe ./a ./a.b].each do |name|
        p [name, require(name), $LOAD_PATH.map(&:frozen?).uniq]
      rescue TypeError, LoadError
        p [name, $!.class, $LOAD_PATH.map(&:frozen?).uniq]
        $LOAD_PATH.map!(&:dup)
      end
      $LOADED_FEATURES.compact! # (witness.rb takes Strings)
    RUBY
    assert_equal "exit 0", plain.status, plain.stderr
  end
end
