# frozen_string_literal: true

require_relative "scenario"
require_relative "section"

module Attack
  # Makes each call of Warmstart's in some boots, one after the other, fail with each of several errors, end early, come
  # late, or kill the process. A failure, once or lasting, may cost at most one line on stderr, and nothing that existed
  # before: the next boot has everything that the image had, and the boot after that is warm and quiet.
  class Faults < Section
    SLICE = 240
    LONG = 1 << 30 # (all of them)
    ERRORS = %w[EIO ENOSPC EMFILE ENOMEM EINTR EACCES EPERM].freeze
    ALLOCATIONS = %w[malloc calloc realloc posix_memalign strdup].freeze
    READS = %w[read pread].freeze
    WRITES = %w[write writev pwrite].freeze
    OPENS = %w[open openat opendir fdopendir pipe].freeze

    # Failures that last: no room on the disk, no descriptor, a broken disk. {action => the functions that fail from
    # then on}
    LASTING = {
      "ENOSPC+" => [*WRITES, "mkdir", "mkdirat", "rename", "renameat", "link", "linkat", "ftruncate", "fallocate"],
      "EMFILE+" => OPENS,
      "EIO+" => Interposer::FUNCTIONS - ALLOCATIONS - %w[close munmap madvise sysconf pthread_create getcwd getrandom],
      "ENOMEM+" => [*ALLOCATIONS, "mmap"]
    }.freeze

    # Id: scenario, number of the call, and what happens to it ("delta-17-EIO").
    def ids(count)
      all = Scenario::NAMES.flat_map { |name| ids_of(name) }
      long? && count.nil? ? all : all.sample(count || self.class::SLICE, random: Random.new(seed))
    end

    def play(id)
      name, number, what = id.match(/\A([a-z]+)-(\d+)-([A-Z+_]+)\z/)&.captures
      raise ArgumentError, "no such case: #{id}" unless Scenario::NAMES.include?(name)

      scenario = scenario(name)
      arm(scenario.interposer, Integer(number), what)
      run = scenario.disturbed
      hit = scenario.interposer.hit or return :not_reached
      look_at(scenario, run)
      look_after(scenario, what)
      nil
    rescue Failed => error
      raise Failed.new("#{hit}: #{error.message}", error.details)
    end

    private

    # (each worker needs its own, not that of the process that forked it)
    def scenario(name) =
      (@scenarios ||= {})[[name, Process.pid]] ||= Scenario.new(name, File.join(base, "#{name}-#{Process.pid}"))

    def ids_of(name)
      scenario = scenario(name)
      scenario.interposer.arm(nil)
      scenario.disturbed
      scenario
        .interposer
        .log
        .flat_map
        .with_index(1) { |function, number| actions(function).map { |action| "#{name}-#{number}-#{action}" } }
    end

    def actions(function)
      lasting = LASTING.filter_map { |action, functions| action if functions.include?(function) }
      return "ENOMEM", *lasting if ALLOCATIONS.include?(function)

      [
        *ERRORS,
        *lasting,
        "DELAY",
        "KILL",
        *("SHORT" if READS.include?(function) || WRITES.include?(function)),
        *("KILL_HALF" if WRITES.include?(function))
      ]
    end

    def arm(interposer, number, what)
      return interposer.arm(number, action: what.downcase.to_sym) unless what.start_with?("E")

      interposer.arm(number, error: Errno.const_get(what.delete("+")), lasting: LASTING.fetch(what, []))
    end

    def look_at(scenario, run)
      return if run.status == "signal KILL"
      return look_at_build(scenario, run) if scenario.build?

      same(scenario.plain, run, "the disturbed boot")
    end

    # `build` may report in one line that it failed, and so may the process by which it trains.
    def look_at_build(_scenario, run)
      answered(run, "build")
      # (137: that process was killed)
      unless ["exit 0", "exit 1", "exit 137"].include?(run.status)
        failed("build ends with #{run.status}", run.transcript)
      end
      if run.complaints.size > 2 || run.stderr.lines.size > run.complaints.size
        failed("build: more than one line: #{run.stderr.dump}", run.stderr)
      end
    end

    # Whether no leftovers are expected. (They are if removing files was what failed.)
    def clean?(scenario, what) = !what.match?(/\AKILL|\+\z/) && !scenario.interposer.hit.function.start_with?("unlink")

    def look_after(scenario, what)
      if clean?(scenario, what) && scenario.leftovers.any?
        failed("left over: #{File.basename(scenario.leftovers.first)}")
      end
      run = same(scenario.plain, scenario.ordinary, "the boot after it")
      # (If `build` could not read a file, the next boot records it.)
      lost = scenario.build? ? [] : scenario.hits_before - run.hits
      if lost.any?
        failed(
          "lost: #{lost.size} of #{scenario.hits_before.size} files that came from the image before, #{lost.first}",
          run.events.join("\n")
        )
      end
      warm(scenario.plain, scenario.hits_after, scenario.ordinary)
    end
  end
end
