# frozen_string_literal: true

require_relative "../test_helper"

# Warnings at parse time are not in compiled code: a file that warns is compiled each time, where warnings are heard.
class WarningsTest < TestCase
  NOISY = "def f\n  unused = 1\nend\nif a = 1\nend\n"

  test "under -w" do
    assert_same_behaviour(
      { "a.rb" => NOISY, "b.rb" => "B = 1\n", "main.rb" => "require 'a'; require 'b'\n" },
      args: %w[-w],
      misses: %w[a.rb]
    )
  end

  test "recorded silently, heard under -w" do
    program = program({ "a.rb" => NOISY, "b.rb" => "B = 1\n", "main.rb" => "require 'a'; require 'b'\n" })
    program.boot(args: %w[-W0])
    assert_equal %w[a.rb b.rb], program.boot(args: %w[-W0]).hits
    [%w[-w], %w[-W1], %w[-W:deprecated], %w[-w -W:no-experimental]].each do |args|
      assert_same_boots program, 2, args: args
    end
    assert_equal %w[a.rb b.rb], program.boot(args: %w[-W0]).hits
  end

  test "at every level" do
    [%w[-W0], %w[-W1], %w[-W2], %w[-w -W:no-deprecated], %w[-W:deprecated], %w[-W:no-experimental]].each do |args|
      program = program({ "a.rb" => "#{NOISY}case [0, 1]; in [*, 1, *]; end\n", "main.rb" => "require 'a'\n" })
      plain = program.plain(args: args)
      3.times { assert_same_run plain, program.boot(args: args) }
    end
  end

  test "$VERBOSE and Warning[] that change in the middle of a boot" do
    assert_same_behaviour(
      { "a.rb" => NOISY, "b.rb" => NOISY, "c.rb" => NOISY, "main.rb" => <<~RUBY },
        $VERBOSE = nil; require "a"
        $VERBOSE = true; require "b"
        $VERBOSE = false; Warning[:deprecated] = true; require "c"
        load "a.rb"
        $VERBOSE = true; load "a.rb"
      RUBY
      misses: %w[b.rb c.rb]
    )
  end

  test "at run time: redefinition, deprecated methods, constants" do
    assert_same_behaviour(
      {
        "a.rb" => "def f = 1\ndef f = 2\nA = 1\nA = 2\nwarn 'said'\nwarn 'with place', uplevel: 0\n$; = ','\n",
        "main.rb" => "require 'a'\n"
      },
      args: %w[-w]
    )
  end

  test "Warning.warn with one argument" do
    assert_same_behaviour(
      {
        "a.rb" => NOISY,
        "main.rb" =>
          "def Warning.warn(message) = puts(\"heard \#{message}\")\nrequire 'a'\nwarn 'x', category: :deprecated\n"
      },
      args: %w[-w],
      misses: %w[a.rb]
    )
  end

  test "Warning.warn with a category" do
    assert_same_behaviour(
      {
        "a.rb" => "#{NOISY}case [0, 1, 2]; in [*, 1, *]; end\n",
        "main.rb" =>
          "def Warning.warn(message, category: nil) = puts(\"heard \#{category.inspect} \#{message}\")\nrequire 'a'\nwarn 'x', category: :deprecated\n"
      },
      args: %w[-w],
      misses: %w[a.rb]
    )
  end

  test "Warning extended by modules of both shapes" do
    [
      "def warn(message) = super(message.upcase)",
      "def warn(message, category: nil) = super(\"\#{category.inspect} \#{message}\")",
      "def warn(message, *rest, **keywords) = super",
      "def warn(*) = nil"
    ].each do |definition|
      assert_same_behaviour(
        {
          "a.rb" => NOISY,
          "b.rb" => NOISY,
          "main.rb" =>
            "require 'a'\nmodule Loud; #{definition}; end\nWarning.extend(Loud)\nrequire 'b'\nwarn 'x', category: :experimental\n"
        },
        args: %w[-w],
        misses: %w[a.rb b.rb]
      )
    end
  end

  test "Warning.warn prepended, and $stderr replaced" do
    assert_same_behaviour({ "a.rb" => NOISY, "main.rb" => <<~RUBY }, args: %w[-w], misses: %w[a.rb])
        require "stringio"
        module Loud; def warn(message, ...) = (print "loud "; super); end
        Warning.singleton_class.prepend(Loud)
        $stderr = StringIO.new
        require "a"
        p $stderr.string
      RUBY
  end

  # (Where a.rb is compiled anew there is one frame more, `warn`, at the line of the require: docs/semantics.md, 4.)
  test "a Warning.warn that raises" do
    assert_same_behaviour({ "a.rb" => NOISY, "main.rb" => <<~RUBY }, args: %w[-w], misses: %w[a.rb])
        def Warning.warn(message) = raise(message)
        2.times do
          begin; require "a"; rescue RuntimeError => error; puts error.class, error.message, error.backtrace.grep_v(/:3:in .*warn'/); end
        end
        p Witness.features
      RUBY
  end

  test "a Warning.warn that requires" do
    program =
      program(
        {
          "a.rb" => NOISY,
          "b.rb" => "B = 1\n",
          "main.rb" => "def Warning.warn(message) = (require('b'); print message)\nrequire 'a'\np Witness.features\n"
        },
        args: %w[-w]
      )
    assert_same_boots program, 3
  end

  test "a file that warns only in another's context" do
    assert_same_behaviour(
      { "a.rb" => "p(*[1]); p *[2]\nputs (1).to_s\n", "main.rb" => "require 'a'\n" },
      args: %w[-w],
      misses: %w[a.rb]
    )
  end
end
