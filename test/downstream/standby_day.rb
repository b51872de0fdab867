# frozen_string_literal: true

require "json"
require_relative "new_application"

module Downstream
  # The same day's work by standby: each command is typed twice, so that the second time it may come from a standby. In
  # plain Ruby it is typed twice as well. Report and table count as "warm" what came from a standby.
  class StandbyDay < NewApplication
    # Seconds until a standby begins to boot, and until it waits or is known to be unfit.
    APPEARING, SETTLING = 10, 60

    # @yield [String, Run]
    def each_run
      FileUtils.rm_rf([cache, texts])
      @client = nil
      yield "plain", run("plain", "WARMSTART" => "0")
      yield "plain again", run("plain_again", "WARMSTART" => "0")
      @client =
        Dir[File.join(Suite::ROOT, "lib/warmstart/native/ruby-#{RUBY_VERSION[/\A\d+\.\d+/]}-*/standby")].first or
        raise Unavailable, "#{name}: standbys exist on Linux only"
      @served = []
      yield(
        "warm",
        run("standby", "WARMSTART_STANDBY" => "1", "XDG_RUNTIME_DIR" => runtime).tap { |run| run.hits = @served.size }
      )
    ensure
      told("--stop") if @client
      File.write(File.join(texts, "served.txt"), @served.join("\n")) if @served
    end

    private

    def locked = Lock.new("new-rails-application", "ROOT" => Suite::ROOT)

    def runtime = File.join(work, "runtime").tap { |folder| FileUtils.mkdir_p(folder, mode: 0o700) }

    # (Spring is a preloader of its own.)
    def commands = [*daily, *reading, *generators, *programs, *terminals, *servers, *versions, *ending[0..-2]]

    def before = @client ? [@client, "--"] : []

    def ask(*command, **how) = twice(command) { super(*command, **how) }

    def converse(terminal, command, talk) = twice(command) { super }

    def twice(command)
      first = yield
      if @client
        settle(command)
        counts = answered
      end
      second = yield
      @served << command.join(" ") if counts && answered.any? { |pid, count| count > counts.fetch(pid, 0) }
      all(first, ["---- once more", first.last], second)
    end

    def told(word, *more) = capture([@client, word, *more], more: { "XDG_RUNTIME_DIR" => runtime }).first

    def status = JSON.parse(told("--status", "--json"))

    def answered = status.to_h { |one| one.values_at("pid", "commands") }

    # Waits until a standby of the command waits, or is known to be unfit. (Some commands never get one.)
    def settle(command)
      appeared, ended = [APPEARING, SETTLING].map { |seconds| now + seconds }
      loop do
        states = status.filter_map { |one| one["state"] if one["command"] == command.join(" ") }
        return if states.any? && !states.include?("boots")
        return if now > (states.any? ? ended : appeared)

        sleep 0.1
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
