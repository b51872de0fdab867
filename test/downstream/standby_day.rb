# frozen_string_literal: true

require "json"
require_relative "new_application"

module Downstream
  # The same day's work by standby: each command is typed twice, so that the second time it may come from a standby. In
  # plain Ruby it is typed twice as well. Report and table count as "warm" what came from a standby.
  class StandbyDay < NewApplication
    # Seconds until a standby waits, or is known to be unfit.
    SETTLING = 60

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

    # (Servers have no standbys; preloaders are preloaders of their own.)
    def commands = [*daily, *reading, *generators, *versions, *ending[0..-2]]

    def typed(*command, input: "", **variables)
      label, = super
      [label, -> { twice(label, command, input, @more.merge(variables.transform_keys(&:to_s))) }]
    end

    def twice(label, command, input, more)
      return plain_twice(command, input, more) unless @client

      first = capture([@client, "--", *command], input: input, more: more)
      settle
      before = answered
      second = capture([@client, "--", *command], input: input, more: more)
      @served << label if answered.any? { |pid, count| count > before.fetch(pid, 0) }
      both(first, second)
    end

    def plain_twice(command, input, more) = both(*Array.new(2) { capture(command, input: input, more: more) })

    def both(first, second) =
      [[first, second].map(&:first).join("---- once more\n"), [first, second].map(&:last).uniq.join(", then ")]

    def told(word, *more) = capture([@client, word, *more], more: { "XDG_RUNTIME_DIR" => runtime }).first

    def status = JSON.parse(told("--status", "--json"))

    def answered = status.to_h { |one| one.values_at("pid", "commands") }

    def settle
      deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + SETTLING
      sleep 0.1
      while status.any? { |one| one["state"] == "boots" } && Process.clock_gettime(Process::CLOCK_MONOTONIC) < deadline
        sleep 0.1
      end
    end
  end
end
