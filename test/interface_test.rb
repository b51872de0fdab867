# frozen_string_literal: true

require_relative "test_helper"
require_relative "../ext/interface"

# lib/ and an extension that was built from other sources (a developer pulled and did not build): a line, and plain
# Ruby.
class InterfaceTest < TestCase
  LINE =
    %r{\Awarmstart: install the gem again \(or run bin/setup\): (?:[A-Z]:)?/.*/warmstart is of another version than lib/; Ruby starts as usual\n\z}

  FILES = {
    "a.rb" => "A = 1\n",
    "main.rb" =>
      "require 'a'\np A, defined?(Warmstart::Native), Warmstart.session\nat_exit { puts :end }\nWarmstart.boot_complete!\nWarmstart.unload!\n"
  }.freeze

  # lib/ and exe/ with the extension that is built; the block changes the copy.
  def other_version
    folder = temporary_folder
    %w[lib exe].each { |name| FileUtils.cp_r(File.join(Program::REPOSITORY, name), folder) }
    yield File.join(folder, "lib/warmstart")
    folder
  end

  def change(path)
    text = File.read(path)
    refute_equal text, changed = text.sub(/(?<=interface = )0x\h+/i, "0x1")
    File.write(path, changed)
  end

  def native_folder(library) = File.join(library, "native", "ruby-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}")

  def assert_plain(folder)
    program = program(FILES, witness: false)
    run = program.ruby("-I", program.folder, "-r", File.join(folder, "lib/warmstart/setup"), program.path("main.rb"))
    assert_equal ["1\nnil\nnil\nend\n", "exit 0"], [run.stdout, run.status]
    assert_match LINE, run.stderr
    assert_empty program.manifests
  end

  test "lib/ has the number of the sources" do
    Interface::FILES.each_key do |file|
      assert_match(
        /^ *interface = 0x#{Interface.number(file).to_s(16)}$/i,
        File.read(File.join(Program::REPOSITORY, "lib", file))
      )
    end
  end

  # (A change of the extension's functions: bin/setup changes no file that is under version control.)
  test "bin/setup names the task that writes the number" do
    folder = temporary_folder
    %w[bin/setup Rakefile ext lib/warmstart/native.rb lib/warmstart/profiler/native.rb].each do |name|
      FileUtils.mkdir_p(File.dirname(File.join(folder, name)))
      FileUtils.cp_r(File.join(Program::REPOSITORY, name), File.join(folder, name))
    end
    path = File.join(folder, "lib/warmstart/native.rb")
    change(path)
    output, status = Open3.capture2e(RbConfig.ruby, File.join(folder, "bin/setup"))
    assert_equal [
                   "warmstart: lib/warmstart/native.rb has the number of another interface than that of ext/: run `rake interface`\n",
                   1
                 ],
                 [output, status.exitstatus]
    task = 'Interface.write("lib")'
    assert_includes File.read(File.join(folder, "Rakefile")), task
    system(RbConfig.ruby, "-r./ext/interface", "-e", task, chdir: folder, exception: true)
    assert_equal File.read(File.join(Program::REPOSITORY, "lib/warmstart/native.rb")), File.read(path)
  end

  test "an extension with another number" do
    assert_plain(other_version { |library| change(File.join(library, "native.rb")) })
  end

  test "an extension from before there was a number" do
    assert_plain(
      other_version do |library|
        FileUtils.rm(Dir[File.join(native_folder(library), "warmstart.*")])
        File.write(File.join(native_folder(library), "warmstart.rb"), "module Warmstart; module Native; end; end\n")
      end
    )
  end

  test "commands say so, too" do
    folder = other_version { |library| change(File.join(library, "native.rb")) }
    program = program({}, witness: false)
    run = program.ruby(File.join(folder, "exe/warmstart"), "status")
    assert_equal "exit 1", run.status
    assert_match(%r{ is of another version than lib/.*\n.*run bin/setup$}, run.stderr)
    run = program.ruby(File.join(folder, "exe/warmstart"), "exec", RbConfig.ruby, "-e", "puts :fine")
    assert_equal "fine\n", run.stdout
  end

  test "the profiler's extension" do
    folder = other_version { |library| change(File.join(library, "profiler/native.rb")) }
    program = program({ "main.rb" => "puts :fine\n" }, witness: false)
    run = program.ruby(File.join(folder, "exe/warmstart"), "profile", "--", RbConfig.ruby, program.path("main.rb"))
    assert_equal [
                   "fine\n",
                   "warmstart: the profiler's extension is of another version than lib/; run bin/setup (or install the gem again)\n",
                   "exit 1"
                 ],
                 [run.stdout, run.stderr, run.status]
    run =
      program.ruby(
        "-r",
        File.join(folder, "lib/warmstart/profiler"),
        "-e",
        "begin; Warmstart::Profiler.profile { }; rescue Warmstart::Profiler::Unavailable => error; puts error.message; end"
      )
    assert_equal "the profiler's extension is of another version than lib/; run bin/setup (or install the gem again)\n",
                 run.stdout
  end
end
