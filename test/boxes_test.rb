# frozen_string_literal: true

require_relative "test_helper"

# Where boxes are on (RUBY_BOX=1), each has its own features, load path and table of loads, of which an extension knows
# nothing: Warmstart stays off.
class BoxesTest < TestCase
  FILES = { "thing.rb" => "module Thing; def self.size = $LOADED_FEATURES.size; end\n", "main.rb" => <<~RUBY }.freeze
      box = Ruby::Box.new
      box.require(File.join(__dir__, "thing.rb"))
      p box::Thing.size, box.eval("$LOADED_FEATURES.size"), defined?(Thing)
      require "json"
      p box.require("json"), box::JSON.equal?(JSON), require("thing"), Thing.equal?(box::Thing)
    RUBY

  test "a program with boxes is plain Ruby's, and nothing is recorded" do
    skip "no boxes" unless defined?(Ruby::Box)

    program = program(FILES, witness: false, env: { "RUBY_BOX" => "1" })
    plain = program.plain
    assert_equal 0, plain.status.delete_prefix("exit ").to_i, plain.stderr
    2.times { assert_same_run plain, program.boot }
    assert_empty program.manifests
  end

  # (The file is loaded before Warmstart.)
  test "a Ruby::Box of the program's own is not asked, a Ruby without one is not missed" do
    {
      "module Ruby; class Box; def self.enabled? = warn('asked'); end; end" => "Ruby::Box.enabled?",
      "module Ruby; Box = 1; end" => "Ruby::Box",
      "class Object; remove_const :Ruby if const_defined?(:Ruby); end" => "Object.const_defined?(:Ruby)"
    }.each do |early, asked|
      next if early.include?("Box") && defined?(Ruby::Box)

      program =
        program(
          { "thing.rb" => "p 1\n", "main.rb" => "require 'thing'\np #{asked}\n", "early.rb" => early },
          args: ["-rearly"],
          witness: false
        )
      plain = program.plain
      2.times { assert_same_run plain, program.boot }
      refute_empty program.manifests, early
    end
  end

  test "status says so" do
    skip "no boxes" unless defined?(Ruby::Box)

    output, status =
      Open3.capture2e(
        { "RUBY_BOX" => "1" },
        RbConfig.ruby,
        "-W0",
        File.join(Program::REPOSITORY, "exe/warmstart"),
        "status"
      )
    assert_equal ["warmstart: Warmstart is off where boxes are on (RUBY_BOX=1)\n", 1], [output, status.exitstatus]
  end
end
