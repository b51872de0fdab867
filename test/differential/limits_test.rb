# frozen_string_literal: true

require "etc"
require_relative "../test_helper"

# A limit is used up: of threads and processes, of address space, of descriptors. What a program then still can do (end,
# become another program, handle a signal, fork) it can do with Warmstart, too, which may say one line about its image.
class LimitsTest < TestCase
  # Of address space a little is left: how much memory a program has in use differs a little with Warmstart, and what it
  # needs for its end must be there. It is less than any thread takes (Ruby's have a megabyte of stack).
  ROOM = 768 << 10
  SPACE = "space = File.read('/proc/self/statm').to_i * #{Etc.sysconf(Etc::SC_PAGESIZE)} + #{ROOM}\n"

  # The limit of processes holds for unprivileged users only.
  THREADS = "Process.setrlimit(:NPROC, 1)"
  ADDRESS_SPACE = "Process.setrlimit(:AS, space)"
  DESCRIPTORS =
    "Process.setrlimit(:NOFILE, 64)\nfiles = []\nbegin; loop { files << File.open(__FILE__) }; rescue Errno::EMFILE; end"
  LIMITS = {
    "threads" => THREADS,
    "address space" => "#{SPACE}#{ADDRESS_SPACE}",
    "descriptors" => DESCRIPTORS,
    "all of them" =>
      "#{DESCRIPTORS}\nfiles.pop.close\n#{SPACE}files << File.open(__FILE__)\n#{THREADS}\n#{ADDRESS_SPACE}",
    "size of files" => "trap(:XFSZ, 'IGNORE')\nProcess.setrlimit(:FSIZE, 0)"
  }.freeze
  ENDS = {
    "the end" => "puts A",
    "exit" => "at_exit { puts A }\nexit 3",
    "exit!" => "exit!(4)",
    "abort" => "abort 'x'",
    "an error" => "raise 'x'",
    "exec" => "exec('/bin/echo', 'hi')",
    "a signal" => "Process.kill(:TERM, $$)\nputs :alive",
    "a handler" => "trap(:USR1) { puts A; exit 5 }\nProcess.kill(:USR1, $$)\nputs :alive",
    "a fork" =>
      "begin; Process.wait(fork { puts A; exit 6 }); p $?.exitstatus; rescue SystemCallError, NoMemoryError => e; p e.class; end",
    "a file that is required" =>
      "begin; require 'b'; rescue SystemCallError, NoMemoryError, LoadError => e; p e.class, e.message; end",
    "a file that is required by its path" =>
      "begin; require File.join(__dir__, 'lib/b'); rescue SystemCallError, NoMemoryError, LoadError => e; p e.class, e.message; end",
    "a library that is required" =>
      "begin; require 'etc'; rescue SystemCallError, NoMemoryError, LoadError => e; p e.class, e.message; end"
  }.freeze

  LIMITS.each do |limit, code|
    ENDS.each do |name, ends|
      next if name == "a fork" && code.include?(":NPROC") # (Ruby tries again for ever: retry_fork_async_signal_safe)

      test "a program that has no more #{limit}: #{name}" do
        skip "needs /proc" unless File.exist?("/proc/self/statm")
        program =
          program(
            { "lib/a.rb" => "A = 1\n", "lib/b.rb" => "B = 2\n", "main.rb" => "require 'a'\n#{code}\n#{ends}\n" },
            load_path: %w[lib],
            witness: false
          )
        program.as_nobody
        plain = program.plain(timeout: 10)
        3.times do |number|
          run = program.boot(timeout: 20)
          lines = run.stderr.lines
          ours = lines.grep(/\Awarmstart: /)
          assert_operator ours.size, :<=, 1, run.stderr
          assert_equal [plain.status, plain.stdout, plain.stderr],
                       [run.status, run.stdout, (lines - ours).join],
                       "boot #{number + 1}"
        end
      end
    end
  end
end
