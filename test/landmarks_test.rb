# frozen_string_literal: true

require_relative "test_helper"

# Features after or before which Warmstart has something to do: told once, whatever the require is like.
class LandmarksTest < TestCase
  FILES = {
    "a.rb" => "puts :a\n",
    "deep/a.rb" => "puts :deep\n",
    "aa.rb" => "puts :aa\n",
    "outer.rb" => "require 'a'\nputs :outer\n",
    "throws.rb" => "puts :thrown\nthrow :out, 1\n",
    "fails.rb" => "$tries = $tries.to_i + 1\nraise 'no' if $tries == 1\nputs :tried\n"
  }.freeze

  # One run that records, and one from the image.
  def assert_output(expected, main)
    program =
      program(
        FILES.merge("main.rb" => "N = Warmstart::Native\ndef after(name) = -> { puts \"after \#{name}\" }\n#{main}"),
        witness: false
      )
    2.times do
      run = program.boot
      assert_equal [expected, "", "exit 0"], [run.stdout.split("\n"), run.stderr, run.status]
    end
  end

  test "after a file is loaded, once: by its name, with its extension, by an absolute path, relatively" do
    [
      "require 'a'",
      "require 'a.rb'",
      "require File.join(__dir__, 'a')",
      "require_relative 'a.rb'",
      "require 'a'.encode('Windows-1252')"
    ].each do |form|
      assert_output ["aa", "a", "after a", "deep"],
                    "N.landmark('a', after(:a))\nrequire 'aa'\n#{form}\n#{form}\nrequire 'deep/a'\n"
    end
  end

  test "another file whose path ends so is another file" do
    assert_output ["deep", "a", "after a"], "N.landmark('a', after(:a))\nrequire 'deep/a'\nrequire 'a'\n"
    assert_output %w[deep a], "N.landmark('x/a', after(:a))\nrequire 'deep/a'\nrequire 'a'\n"
    assert_output ["deep", "a", "after a"],
                  "N.landmark('a', after(:a))\nrequire_relative 'deep/a'\nrequire_relative 'a'\n"
  end

  test "a file's path, whatever it is required by" do
    ["require 'a'", "require 'a.rb'", "require File.join(__dir__, 'a')", "require_relative 'a'"].each do |form|
      assert_output ["deep", "a", "after a"],
                    "N.landmark(File.join(__dir__, 'a'), after(:a))\nrequire 'deep/a'\n#{form}\n"
    end
    assert_output ["a", "deep", "after deep"],
                  "N.landmark(File.join(__dir__, 'deep/a.rb'), after(:deep))\nrequire 'a'\nrequire 'deep/a'\n"
  end

  test "a file that fails may be tried again" do
    assert_output ["no", "tried", "after fails"], <<~RUBY
      N.landmark("fails", after(:fails))
      begin; require "fails"; rescue => error; puts error.message; end
      require "fails"
    RUBY
  end

  test "a file that is there already is not loaded" do
    assert_output %w[a], "require 'a'\nN.landmark('a', after(:a))\nrequire 'a'\n"
  end

  test "landmarks within landmarks" do
    three = %w[a aa outer].map { |name| "N.landmark('#{name}', after(:#{name}))\n" }
    assert_output ["a", "after a", "outer", "after outer", "aa", "after aa", "deep"],
                  "#{three.join}require 'outer'\nrequire 'aa'\nload 'deep/a.rb'\nrequire 'outer'\n"
    assert_output ["a", "after a", "outer", "after outer"],
                  "N.landmark('outer', after(:outer))\nN.landmark('a', after(:a))\nrequire 'outer'\n"
    assert_output ["a", "after a", "outer", "after outer"],
                  "N.landmark('a', after(:a))\nN.landmark('outer', after(:outer))\nrequire 'outer'\n"
  end

  test "before a file, and after it, however it ends" do
    assert_output ["before", "a", "after a", "true", "false"],
                  "N.landmark('a', after(:a), ->(_) { puts :before; nil })\np require('a')\np require('a')\n"
    assert_output ["before", "after fails", "no"],
                  "N.landmark('fails', after(:fails), ->(_) { puts :before })\nbegin; require 'fails'; rescue => error; puts error.message; end\n"
  end

  test "a file that fails is loaded once more if that is the answer" do
    again = "N.landmark('fails', after(:fails), ->(_) { ->(error) { puts error.message; %s } })\n"
    assert_output ["no", "tried", "after fails", "true"], "#{again % "true"}p require('fails')\n"
    assert_output ["no", "after fails", "no", "nil"],
                  "#{again % "nil"}begin; require 'fails'; rescue => error; puts error.message; end\np $!\n"
    assert_output ["thrown", "after throws", "1"],
                  "N.landmark('throws', after(:throws), ->(_) { ->(error) { puts error.message; true } })\nputs catch(:out) { require 'throws' }\n"
  end

  test "what is done before a file may require it" do
    assert_output ["a", "outer", "after outer", "false"],
                  "N.landmark('outer', after(:outer), ->(name) { require name })\np require('outer')\n"
  end

  test "nobody is told after unload!" do
    assert_output ["a"], "N.landmark('a', after(:a))\nWarmstart.unload!\nrequire 'a'\n"
  end

  test "there is an end to it" do
    assert_output ["too many landmarks"],
                  "begin; 65.times { |i| N.landmark(i.to_s, after(i)) }; rescue ArgumentError => error; puts error.message; end\n"
  end
end
