# frozen_string_literal: true

require_relative "../test_helper"

# Kernel#load: evaluated each time, never a feature, always the file as it is now.
class LoadTest < TestCase
  with_rubygems

  test "by name, relative and absolute, found on the load path" do
    assert_same_behaviour(
      {
        "a.rb" => "$n = $n.to_i + 1; p [$n, __FILE__, caller(0).first(2)]\n",
        "lib/b.rb" => "p __FILE__\n",
        "main.rb" => <<~'RUBY'
        $LOAD_PATH << "#{__dir__}/lib"
        p load("a.rb"), load("./a.rb"), load("#{__dir__}/a.rb"), load("b.rb"), Witness.features
        %w[a nope.rb ./nope.rb b].each { |name| begin; load(name); rescue LoadError => error; p error.message, error.path, error.backtrace; end }
      RUBY
      }
    )
  end

  test "load and require of the same file" do
    assert_same_behaviour(
      {
        "a.rb" => "$n = $n.to_i + 1; if $n == 1 then load(__FILE__); p require(__FILE__) end\n",
        "main.rb" => "p require('a'), $n, Witness.features, load('a.rb'), $n, Witness.features\n"
      },
      args: %w[-w]
    )
  end

  test "wrapped in an anonymous module" do
    assert_same_behaviour(
      {
        "w.rb" =>
          "class W; end; p self, Module.nesting.size, self.singleton_class.include?(Kernel); require 'v'; def helper = 1\n",
        "v.rb" => "class V; end; p self.inspect, self.equal?(TOPLEVEL_BINDING.receiver)\n",
        "main.rb" => <<~'RUBY'
        p load("#{__dir__}/w.rb", true), defined?(::W), defined?(::V), Witness.features, (helper rescue :no_helper)
        module Wrap; end
        p((load("w.rb", Wrap) rescue $!.class), Wrap.constants, defined?(::W))
        p load("w.rb"), defined?(::W)
      RUBY
      }
    )
  end

  test "a file that is not Ruby by its name" do
    assert_same_behaviour(
      {
        "script" => "p __FILE__\n",
        "data.txt" => "p :data\n",
        "main.rb" => "p load('script'), load('./data.txt'), Witness.features\n"
      }
    )
  end

  test "a file that changes between two loads" do
    assert_same_behaviour(
      { "a.rb" => "puts :one\n", "main.rb" => <<~'RUBY' },
        path = "#{__dir__}/a.rb"
        load path
        File.write(path, "puts :two\n"); load path
        File.write(path, "puts :six\n"); load path
        File.unlink(path); begin; load path; rescue LoadError => error; puts error.message; end
        File.write(path, "puts :one\n"); load path
      RUBY
      variants: %i[recording warm],
      misses: %w[a.rb]
    )
  end

  test "a syntax error" do
    assert_same_behaviour(
      {
        "bad.rb" => "1 +\n",
        "main.rb" => "2.times { begin; load('bad.rb'); rescue SyntaxError => error; puts error.message; end }\n"
      },
      misses: %w[bad.rb]
    )
  end

  test "arguments of other classes" do
    assert_same_behaviour({ "a.rb" => "puts :a\n", "main.rb" => <<~RUBY })
        require "pathname"
        p load(Pathname("a.rb"))
        [nil, 1, "a\\0", ""].each { |name| begin; load(name); rescue TypeError, ArgumentError, LoadError => error; p error.class, error.message; end }
        p Kernel.load("a.rb"), method(:load).owner, method(:load).arity
      RUBY
  end
end
