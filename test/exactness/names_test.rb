# frozen_string_literal: true

require_relative "../test_helper"

# Names that are no text, or that mean something elsewhere: what `bin/attack names` has found.
class NamesTest < TestCase
  test "a program whose name is no valid text" do
    assert_same_behaviour({ "a.rb" => "p __FILE__\n", "\xff\x01.rb" => "require 'a'\np __FILE__, $0\n" }, main: "\xff\x01.rb", misses: :any)
  end

  test "a first argument that is no valid text" do
    program = program({ "main.rb" => "p ARGV\n" })
    plain = program.plain(arguments: ["\xff\n"])
    2.times { assert_same_run plain, program.boot(arguments: ["\xff\n"]) }
  end

  # (one that looked like a drive's root made the search for a parent folder that exists endless)
  test "a cache folder whose name means something elsewhere" do
    program = program({ "a.rb" => "p __FILE__\n", "main.rb" => "require_relative 'a'\n" }, witness: false)
    plain = program.plain
    ["C:", "C:/x", "x:/y:/z"].each do |name|
      cache = { "WARMSTART_CACHE_DIR" => program.path(name) }
      2.times { assert_same_run plain, program.boot(env: cache) }
      assert_match(/hit .*a\.rb/, program.boot(env: cache.merge("WARMSTART_LOG" => "1")).stderr, name)
    end
  end
end
