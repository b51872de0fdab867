# frozen_string_literal: true

require_relative "standby_program"

# For tests of one script at a time that is served by a standby: makes it, and sees that it leaves no process behind.
module OneStandby
  HEAD = "$LOAD_PATH.unshift __dir__\nrequire 'foo'\n"
  MAIN = "#{HEAD}p X\n".freeze

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
end
