# frozen_string_literal: true

require "io/console"
require "io/wait"
require "pty"
require "shellwords"

# A shell in a terminal, as its user has it: all commands that are typed belong to one session, and a line editor finds
# a terminal that answers.
class Terminal
  PATIENCE = 120 # seconds
  READY = /the command has ended with (\d+)/
  SIZE = [40, 120].freeze

  # What a line editor sends to hear where the cursor is, and the answer.
  WHERE = "\e[6n"
  HERE = "\e[1;1R"

  # Something was not seen in time.
  class Silent < StandardError
  end

  # Opens a terminal for the block.
  def self.open(folder)
    terminal = new(folder)
    yield terminal
  ensure
    terminal&.close
  end

  # @param folder [String] where the commands run
  def initialize(folder)
    @output, @input, @pid = PTY.spawn({ "PS1" => "", "TERM" => "xterm" }, "sh", "-i")
    @output.winsize = SIZE
    @seen = +""
    type("stty -echo; cd #{folder.shellescape}")
    wait_for(READY)
  end

  # Types a command, then each of the keys as soon as what is before them is seen, and waits for the command's end.
  #
  # @param command [Array<String>]
  # @param talk [Array<Array(Regexp, String)>] what is waited for, and what is typed then
  # @return [Array(String, Integer)] what the terminal has shown, and the command's status
  def converse(command, talk)
    type(command.shelljoin)
    shown = talk.map { |mark, keys| wait_for(mark).tap { @input.write(keys) } }
    ended = wait_for(READY)
    [[*shown, ended.sub(READY, "")].join, ended[READY, 1].to_i]
  end

  def close
    @input.close
    @output.close
    Process.wait(@pid)
  end

  private

  # (What READY looks for is in two pieces, because the terminal may repeat what is typed.)
  def type(line) = @input.puts("#{line}; echo the command 'has ended' with $?")

  # Reads until the mark has been seen; what comes after it is left for the next call.
  # @return [String] what was read up to the mark
  def wait_for(mark)
    deadline = now + PATIENCE
    until (found = @seen.match(mark))
      more = read if @output.wait_readable([deadline - now, 0].max)
      raise Silent, "#{mark.inspect} was not seen, but #{(@seen[-200..] || @seen).inspect}" unless more

      @seen << more
      @input.write(HERE) if @seen.slice!(WHERE)
    end
    @seen = found.post_match
    found.pre_match + found[0]
  end

  # @return [String, nil] nil: the shell has ended
  def read
    @output.readpartial(4096)
  rescue Errno::EIO
    nil
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
