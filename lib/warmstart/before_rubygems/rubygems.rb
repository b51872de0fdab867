# frozen_string_literal: true

# `warmstart exec` puts this folder on the load path (-I in RUBYOPT). Ruby's prelude requires "rubygems" before it looks
# at any -r, and finds this file first: so the boot image can be open before RubyGems is loaded, and RubyGems comes from
# it, too. With --disable-gems nobody gets here; start.rb, required by -r, takes the folder away then.
#
# Ruby has not said yet which program it runs. `exec` says so, to the process that it becomes and to no other: "PID
# SCRIPT". (Where it can only start that process, PID is the parent's. Windows has no exec.) In every other process the
# image is opened by start.rb.
$LOAD_PATH.delete(__dir__)
pid, _, program = ENV.delete("WARMSTART_PROGRAM").to_s.partition(" ")
if [Process.pid, Process.ppid].include?(pid.to_i) && !program.empty?
  require_relative "../failsafe"
  Warmstart::Failsafe.run("setup") do
    require_relative "../../warmstart"
    Warmstart.setup_before_rubygems(program)
  end
end
require "rubygems"
if defined?(Warmstart::Failsafe)
  Warmstart::Failsafe.run("setup") { Warmstart.session&.know_ruby_folders if Warmstart.respond_to?(:session) }
end
