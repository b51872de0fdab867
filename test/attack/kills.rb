# frozen_string_literal: true

require_relative "scenario"
require_relative "section"

module Attack
  # Kills a process that writes an image by SIGKILL: before, in the middle of and after every call that changes the
  # disk, and at any other call that it makes. Afterwards the image is whole, or does not exist; what it had before, it
  # still has; the next boots are right and warm; and what the killed writer has left is removed after the time of grace.
  class Kills < Section
    SLICE = 150
    LONG = 2000
    WRITERS = %w[recording delta compaction build bundler].freeze
    CALLS = %w[
      open
      openat
      mkdir
      mkdirat
      write
      writev
      pwrite
      ftruncate
      fallocate
      rename
      renameat
      unlink
      unlinkat
      link
      linkat
      fchmod
      fchown
      fsync
      flock
      utimensat
      close
    ].freeze
    HALVES = %w[write writev pwrite].freeze
    GRACE = 3600 # (WS_STORE_GRACE; but a folder of `build` is kept for a day)

    # Ids: "delta-12-KILL_AFTER" names a call that changes the disk; "delta-at-137" a call of any kind, memory included,
    # so that a case is the same on each machine.
    def ids(count)
      points = WRITERS.flat_map { |name| points_of(name) }
      points = points.sample((count || self.class::SLICE) / 2, random: Random.new(seed)) unless long? && count.nil?
      points + Array.new([(count || default_count) - points.size, 0].max) { |index| moment(index) }
    end

    def play(id)
      name, number, what = id.match(/\A([a-z]+)-(\d+)-(KILL\w*)\z/)&.captures
      name, moment = id.match(/\A([a-z]+)-at-(\d+)\z/)&.captures unless name
      raise ArgumentError, "no such case: #{id}" unless WRITERS.include?(name)

      scenario = scenario(name)
      killed =
        if number
          kill_at_call(scenario, Integer(number), what, CALLS)
        else
          kill_at_call(scenario, Integer(moment), "KILL")
        end
      look_after(scenario)
      killed ? nil : :ended_before
    end

    private

    # (each worker needs its own, not that of the process that forked it)
    def scenario(name) =
      (@scenarios ||= {})[[name, Process.pid]] ||= Scenario.new(name, File.join(base, "#{name}-#{Process.pid}"))

    def points_of(name)
      scenario = scenario(name)
      scenario.interposer.arm(nil, counted: CALLS)
      scenario.disturbed
      scenario
        .interposer
        .log
        .flat_map
        .with_index(1) do |function, number|
          ["KILL", *("KILL_HALF" if HALVES.include?(function)), "KILL_AFTER"].map { |what| "#{name}-#{number}-#{what}" }
        end
    end

    def moment(index)
      random = random("moment #{index}")
      name = WRITERS.sample(random: random)
      "#{name}-at-#{1 + random.rand(calls_of(name))}"
    end

    # How many calls of all kinds the writer makes.
    def calls_of(name)
      (@calls ||= {})[name] ||= begin
        scenario = scenario(name)
        scenario.interposer.arm(nil)
        scenario.disturbed
        scenario.interposer.count
      end
    end

    def kill_at_call(scenario, number, what, counted = Interposer::FUNCTIONS)
      scenario.interposer.arm(number, action: what.downcase.to_sym, counted: counted)
      scenario.disturbed
      scenario.interposer.hit
    end

    def look_after(scenario)
      whole(scenario)
      run = same(scenario.plain, scenario.ordinary, "the boot after it")
      lost = scenario.hits_before - run.hits
      if lost.any?
        failed(
          "lost: #{lost.size} of #{scenario.hits_before.size} files that came from the image before, #{lost.first}",
          run.events.join("\n")
        )
      end
      warm(scenario.plain, scenario.hits_after, scenario.ordinary)
      swept(scenario)
    end

    # Verifies every checksum of the image, if there is one.
    def whole(scenario)
      folder = scenario.image_folder or return
      run = scenario.program.ruby(Scenario::WARMSTART, "verify", "--image", folder)
      failed("the image is damaged: #{run.stderr.lines.first}", run.transcript) unless run.status == "exit 0"
    end

    def swept(scenario)
      garbage = scenario.garbage
      return if garbage.empty? || scenario.name == "bundler" # (it has nothing new to write)

      old = Time.now - ((scenario.build? ? 25 : 2) * GRACE)
      garbage.each { |path| File.utime(old, old, path) }
      scenario.publish
      left = garbage.select { |path| File.exist?(path) }
      failed("kept for more than its time: #{File.basename(left.first)}") if left.any?
    end
  end
end
