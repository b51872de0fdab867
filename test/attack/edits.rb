# frozen_string_literal: true

require "fiddle"
require_relative "section"
require_relative "edits/history"

module Attack
  # The second of two boots must notice everything that changed between them (and between two requires, when the program
  # itself changes it): content, names, links, mounts, modes, reinstalled gems, branches. A case is one program with
  # several rounds of edits. After each round the program must show what plain Ruby shows. --count counts cases, each of
  # EDITS edits. A failure is reduced to the fewest edits that show it; its id is the case and those edits.
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

    # Mounts are made in a mount namespace, so that only this process and its children see them.
    def namespace?
      return @namespace unless @namespace.nil?

      @namespace =
        Process.uid.zero? && RUBY_PLATFORM.include?("linux") &&
          Fiddle::Function
            .new(Fiddle.dlopen(nil)["unshare"], [Fiddle::TYPE_INT], Fiddle::TYPE_INT)
            .call(CLONE_NEWNS)
            .zero? && system("mount", "--make-rprivate", "/", err: File::NULL)
      @namespace ? true : (@namespace = false)
    end

    # @return [Failed, nil] the failure of this history
    def failure_of(number, history)
      folder do |base|
        File.chmod(0o755, base)
        history.replay(base, random("tree #{number}"), namespace: namespace?) do |plain, run, what|
          compare(plain, run, what)
        end
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

    # Removes what is not needed for a difference.
    def shrink(number, history, problem)
      history = history.up_to(problem.message)
      last = now + (long? ? 300 : 120)
      smaller = true
      while smaller && now < last
        smaller =
          history.smaller.lazy.filter_map { |less| (found = failure_of(number, less)) && [less, found] }.find { true }
        history, problem = smaller if smaller
      end
      [history, problem]
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
