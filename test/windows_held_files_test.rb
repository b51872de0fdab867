# frozen_string_literal: true

require_relative "test_helper"

# On Windows a file that somebody has open may not be replaced: the thread that writes the image tries again and again,
# and waits in between, which it must not do as Ruby's own threads do: that crashed (docs/windows_and_files.md,
# "Names that Ruby has taken").
class WindowsHeldFilesTest < TestCase
  def setup
    skip "this is not Windows" unless Program::WINDOWS
  end

  # (Who opens a file by Ruby lets nobody rename or remove it either.)
  test "where somebody has the manifest open nothing is recorded, and the program ends as ever" do
    program =
      program(
        { "main.rb" => "require 'a'\nrequire 'b' if ARGV.any?\nputs :fine\n", "a.rb" => "A = 1\n", "b.rb" => "B = 1\n" }
      )
    program.boot
    File.open(program.manifests.first, "rb") do
      run = program.boot(arguments: ["b"], env: { "WARMSTART_LOG" => "1" })
      assert_equal ["fine\n", "exit 0"], [run.stdout, run.status]
      assert_match(/^warmstart: cannot rename .*; nothing was recorded/, run.stderr)
    end
    program.boot(arguments: ["b"])
    assert_includes program.boot(arguments: ["b"]).hits, "b.rb"
  end
end
