# frozen_string_literal: true

# `warmstart exec` puts this folder on the load path (-I in RUBYOPT). Ruby's prelude requires "rubygems" before it
# handles any -r, and finds this file first. So the boot image is open before RubyGems is loaded, and RubyGems comes
# from the image, too. With --disable-gems this file is not loaded; then start.rb, required by -r, takes the folder off
# the path.
#
# Ruby has not told yet which program it runs. So `exec` puts "PID SCRIPT" into a variable, which is meant only for the
# process that `exec` becomes. (Windows has no exec: there it starts that process, and PID is the parent's.) In every
# other process start.rb opens the image.
$LOAD_PATH.delete(__dir__)
pid, _, program = ENV.delete("WARMSTART_PROGRAM").to_s.partition(" ")
if [Process.pid, Process.ppid].include?(pid.to_i) && !program.empty?
  require_relative "../first"
  if defined?(Warmstart.load_library)
    Warmstart::Failsafe.run("setup") do
      Warmstart.load_library
      Warmstart.setup_before_rubygems(program)
    end
  end
end
require "rubygems"
if defined?(Warmstart::Failsafe.run)
  Warmstart::Failsafe.run("setup") { Warmstart.session&.know_ruby_folders if Warmstart.respond_to?(:session) }
end
