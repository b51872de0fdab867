# frozen_string_literal: true

require "fiddle"
require_relative "section"
require_relative "edits/history"

module Attack
  # What is changed between two boots (and by the program itself, between two requires) must be seen by the second one:
  # content, names, links, mounts, modes, gems installed anew, branches. A case is one program: rounds of some edits
  # each, after each of which it must show what plain Ruby shows. --count counts cases, each of EDITS edits. A failure
  # names the least that shows it: its id is the case and what was left of it.
  class Edits < Section
    SLICE = 12
    LONG = 200
    EDITS = History::EDITS

    CLONE_NEWNS = 0x00020000

    def prepare
      $stdout.puts "edits: each case is #{EDITS} edits" if $stdout.tty?
    end

    def play(id)
      number, kept = id.split("/", 2)
      history = History.draw(random(number))
      history = history.only(kept) if kept
      problem = failure_of(number, history) or return
      return failed(problem.message, "#{history.describe}\n#{problem.details}") if kept

      least, problem = shrink(number, history, problem)
      failed("#{problem.message}; least: --only #{number}/#{least.name}", "#{least.describe}\n#{problem.details}")
    end

    private

    # Mounts are made where only this process and its children see them.
    def namespace?
      return @namespace unless @namespace.nil?

      @namespace = Process.uid.zero? && RUBY_PLATFORM.include?("linux") &&
                   Fiddle::Function.new(Fiddle.dlopen(nil)["unshare"], [Fiddle::TYPE_INT], Fiddle::TYPE_INT).call(CLONE_NEWNS).zero? &&
                   system("mount", "--make-rprivate", "/", err: File::NULL)
      @namespace ? true : (@namespace = false)
    end

    # The Failed of this history, or nil.
    def failure_of(number, history)
      folder do |base|
        File.chmod(0o755, base)
        history.replay(base, random("tree #{number}"), namespace: namespace?) { |plain, run, what| compare(plain, run, what) }
      end
      nil
    rescue Failed => error
      error
    end

    def compare(plain, run, what)
      same(plain, run, what)
      quiet(run, what)
    rescue Failed => error
      raise error if plain.status == run.status

      raise Failed.new("#{error.message} (#{run.stderr.lines.first.to_s.chomp})", error.details)
    end

    # Leaves out what is not needed, as long as some difference is there.
    def shrink(number, history, problem)
      history = history.up_to(problem.message)
      last = now + (long? ? 300 : 120)
      smaller = true
      while smaller && now < last
        smaller = history.smaller.lazy.filter_map { |less| (found = failure_of(number, less)) && [less, found] }.find { true }
        history, problem = smaller if smaller
      end
      [history, problem]
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
