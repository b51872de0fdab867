# frozen_string_literal: true

require "json"
require "timeout"
require_relative "test_helper"
require_relative "support/standby_program"

# What the standby's client, and the process that stays behind it, do to a command: it runs once, gets the signals that
# it would get, and whoever waits for its descriptors waits for nobody else.
class StandbyClientTest < TestCase
  MAIN = "$LOAD_PATH.unshift __dir__\nrequire 'foo'\np X\n"

  def setup
    skip "Linux only" unless RUBY_PLATFORM.include?("linux")
  end

  def teardown
    assert_empty @program.stop if @program
  end

  # boot: the contents of foo.rb, at whose end a standby waits.
  def program(boot, main = MAIN, files = {})
    @program&.stop
    @program = StandbyProgram.new(temporary_folder, { "foo" => main, "foo.rb" => boot, **files })
    sleep 0.03 # (a file that was changed just before it is read makes no standby)
    @program
  end

  # Whether it is so in the end, on a machine that is busy, too.
  def eventually
    Program.patience(100).to_i.times { yield ? (return true) : sleep(0.1) }
    false
  end

  # How often the program has run: each run adds a line.
  def effects
    assert eventually { @program.left.empty? || @program.status.any? { |one| one["state"] != "boots" } }
    File.readlines(@program.path("effects")).size
  end

  test "a client in a folder whose name the dynamic linker would take apart makes no standby" do
    ["with space", "with:colon", "with$LIB"].each do |name|
      program("", "File.write(File.join(__dir__, 'effects'), \"one\\n\", mode: 'a')\n")
      folder = File.join(@program.base, name)
      Dir.mkdir(folder)
      FileUtils.cp(Dir[File.join(File.dirname(StandbyProgram::CLIENT), "{standby,interposer.so}")], folder)
      # (Nothing of Warmstart's runs in the program, so nothing there could end a boot without the interposer.)
      environment = @program.environment.except("RUBYOPT")
      client = File.join(folder, "standby")
      assert_equal 0, @program.execute([client, "--", @program.path("foo")], environment).status
      assert_equal 1, effects, name
      assert_empty @program.status
    end
  end
end
