# frozen_string_literal: true

require "etc"
require_relative "known"
require_relative "section"

module Attack
  # Runs a section's cases in as many processes as there are processors. If a worker dies or raises, its case counts as
  # failed, so that the attack itself hides nothing.
  class Runner
    # Raised if no case has this id.
    class NoSuchCase < StandardError
    end

    def initialize(klass, seed:, count: nil, only: nil, from: nil, long: false, jobs: nil)
      @klass = klass
      @seed = seed
      @count = count
      @only = only
      @from = from
      @long = long
      @jobs = jobs || Etc.nprocessors
      @lock = Mutex.new
    end

    # Yields each failure when it happens. Returns {tries:, survived:, failed:, seconds:, failures:}; after an
    # interruption also `interrupted`, the first case that has not been run.
    def run(&)
      start = now
      @tries = 0
      @failures = []
      @notes = Hash.new(0)
      Dir.mktmpdir("warmstart-attack-") { |base| play_all(File.realpath(base), &) }
      {
        tries: @tries,
        survived: @tries - @failures.size - @notes[:known],
        failed: @failures.size,
        seconds: (now - start).round,
        notes: @notes,
        failures: @failures,
        interrupted: @interrupted
      }.compact
    end

    private

    def play_all(base, &)
      File.chmod(0o755, base) # (some cases run as another user)
      section = @klass.new(seed: @seed, base: base, long: @long)
      section.prepare
      @ids = choose(section)
      @workers = []
      lists = Array.new([@jobs, @ids.size].min) { |number| @ids.each_slice(@jobs).filter_map { |slice| slice[number] } }
      lists.map { |list| Thread.new { play_list(section, list, &) } }.each(&:join)
    rescue SignalException
      @interrupted = first_left || @ids.first # (the results so far are printed)
    ensure
      @workers&.each { |worker| stop(worker) }
      section&.finish
    end

    def choose(section)
      return [@only] if @only

      ids = section.ids(@count)
      return ids unless @from

      ids.drop_while { |id| id != @from }.tap { |left| raise NoSuchCase, "there is no case #{@from}" if left.empty? }
    end

    # The first case that has not been run. Workers take cases in turn, so of the cases after it at most one for each
    # worker has been run.
    def first_left
      left = @workers.filter_map { |worker| worker[:left].first }
      @ids.find { |id| left.include?(id) }
    end

    def stop(worker)
      return if worker[:ended]

      Process.kill(:KILL, worker[:pid])
      Process.wait(worker[:pid])
    rescue SystemCallError
      nil # (the thread that listens to it has seen it end)
    end

    # If a worker dies, another one runs the rest of its cases.
    def play_list(section, ids, &)
      while ids.any? && !@interrupted
        worker = @lock.synchronize { start_worker(section, ids).tap { |started| @workers << started } }
        listen(worker, &)
        ids = worker[:left].drop(1)
      end
    end

    def start_worker(section, ids)
      reader, writer = IO.pipe(binmode: true)
      pid =
        fork do
          reader.close
          Process.exit!(play_some(section, ids, writer) ? 0 : 1)
        end
      writer.close
      { pid: pid, reader: reader, left: ids.dup }
    end

    # Writes a line of text for each case: the bytes of Marshal in base 64.
    def play_some(section, ids, writer)
      ids.each do |id|
        writer.puts([Marshal.dump(outcome(section, id))].pack("m0"))
        writer.flush
      end
    rescue Interrupt
      false
    end

    def outcome(section, id)
      note = section.play(id)
      { id: id, note: (note if note.is_a?(Symbol)) }
    rescue Failed => error
      { id: id, message: error.message, details: error.details }
    rescue StandardError, NotImplementedError => error
      {
        id: id,
        message: "the attack itself: #{error.class}: #{error.message.lines.first.to_s.chomp}",
        details: error.full_message(highlight: false)
      }
    end

    def listen(worker, &)
      while (line = worker[:reader].gets)
        worker[:left].shift
        count(Marshal.load(line.chomp.unpack1("m0")), &)
      end
      return if @interrupted # (after Ctrl-C the workers are killed)

      Process.wait(worker[:pid])
      worker[:ended] = true
      count({ id: worker[:left].first, message: "the attack itself: a worker ended (#{$?})" }, &) if worker[:left].any?
    end

    def count(outcome)
      @lock.synchronize do
        @tries += 1
        @notes[outcome[:note]] += 1 if outcome[:note]
        next unless outcome[:message]
        next @notes[:known] += 1 if !@only && Attack.known?(@klass.title, outcome)

        @failures << outcome
        yield outcome
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
