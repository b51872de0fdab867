# frozen_string_literal: true

require_relative "memory_limits"

module Warmstart
  # Collections during the boot: none but one each time the process has grown by a step. Decides whether and how far;
  # the extension (ruby/collector/governor.c) does it. There is one a process. It ends when the boot is complete, after
  # a pause, at the budget, in each forked child, and whenever the program says what it wants of the collector.
  # docs/gc.md has the figures behind the numbers.
  class GCGovernor
    # Megabytes of growth between two collections.
    STEP = 112

    # With a step as large as that: megabytes beyond what the process is known to keep that it may become large before
    # the first collection is due, and that it may take before the second beside what the first has freed. A process
    # whose collector is left alone becomes larger on 3.1 than on the others.
    MARGIN = (RUBY_VERSION.split(".").map(&:to_i) <=> [3, 2]).to_i.negative? ? 95 : 15
    REGROWTH = 16

    # A program that has loaded fewer files is left to Ruby: its heap is small, so that collections cost little, and
    # stays as small as Ruby makes it. Where the image knows how much such a boot keeps, or a step is asked for, there
    # is no need to wait.
    FILES = 150

    # A step that small saves nothing.
    LEAST_STEP = 16

    # After the application has said that it is ready it may grow by this part of a step.
    LANDING = 4

    # Milliseconds without a require that mean that the boot is over.
    IDLE = 1000

    # Milliseconds after which it ends in any case.
    BUDGET = 60_000

    # Of the memory that is left, the process may grow by this part in all, and a step may be this part of that.
    SHARE = 2

    MEGABYTE = 1 << 20

    # Servers that load the application and then fork their workers, and the file that makes each: loaded only where it
    # runs.
    PRELOADING_SERVERS = {
      "Puma::Launcher" => "puma/launcher",
      "Unicorn::HttpServer" => "unicorn/http_server",
      "Pitchfork::HttpServer" => "pitchfork/http_server",
      "PhusionPassenger" => "phusion_passenger",
      "Async::Container" => "async/container/forked",
      "Iodine" => "iodine"
    }.freeze

    # @param setting [true, Integer] Configuration#gc: on, or a step in megabytes
    # @param expected [Integer, nil] bytes: what was in use at the end of such a boot, up to now
    # @param limits [#available] how much memory there is
    def initialize(setting, expected: nil, limits: MemoryLimits)
      @setting = setting
      @expected = expected
      @limits = limits
    end

    # @yield when a server forks its first worker: the boot is complete
    # @return [Boolean] does it govern, or will it when enough files have been loaded?
    def start(&complete)
      return refuse("the program has its own mind about collections") if own_mind?

      left = megabytes_left
      return refuse("there is too little memory left (#{left} MB)") if step(left) < [LEAST_STEP, wish].min

      govern(step(left), left / SHARE).tap { |governs| expect_server(&complete) if governs }
    end

    # The application is ready, as far as can be told from outside: the collector is as usual after a little growth or a
    # pause.
    def land = Native.land_governor

    # The boot is over.
    def finish(reason = :complete) = Native.end_governor(reason)

    # Is the boot so large that it may come to a collection? Where the governor did not see its end, nobody knows.
    def matters? =
      Native.governor.then { |facts| facts[:ended_by] != :grown && facts[:peak] - facts[:first] > STEP / 2 * MEGABYTE }

    # Bytes that are in use at the end, garbage not counted, so that it is the same whatever the step.
    def size = Native.governor[:settled]

    # Has it collected? Where the end is known and it has not, size is the most that it can be.
    def collected? = Native.governor[:collections].positive?

    # What it did, "name value" each: for the image's statistics and WARMSTART_STATS.
    def statistics
      facts = Native.governor
      %i[step collections first peak milliseconds ended_by].filter_map do |name|
        "governor.#{name} #{facts[name]}" if facts[name]
      end
    end

    private

    # @return [Boolean] does it govern? Where it does not, or something is raised, GC.enable and GC.disable are Ruby's
    #   own again.
    def govern(step, allowed)
      CoreExt::Collector.install
      governs =
        Native.govern(
          step: step,
          landing_step: step / LANDING,
          allowed: allowed,
          floor: floor(step),
          regrowth: REGROWTH,
          files: wished? || @expected ? 0 : FILES,
          careful: !wished?,
          idle: IDLE,
          budget: BUDGET,
          page_size: page_size
        )
    ensure
      CoreExt::Collector.uninstall unless governs
    end

    # Mostly it has been loaded before the application, and so before us.
    def expect_server(&complete)
      there = PRELOADING_SERVERS.each_key.any? { |name| !Object.autoload?(name[/\w+/]) && Object.const_defined?(name) }
      return serve(&complete) if there

      PRELOADING_SERVERS.each_value do |feature|
        Native.landmark(feature, -> { Failsafe.run("waiting for workers") { serve(&complete) } })
      end
    end

    # The workers share what is not touched any more: Ruby makes its heap ready for that.
    def serve
      Native.require_own("core_ext/fork")
      CoreExt::Fork.install do
        Failsafe.run("making ready for workers") do
          yield
          Process.respond_to?(:warmup) ? Process.warmup : GC.start
        end
      end
    end

    # megabytes of a step that are asked for
    def wish = wished? ? @setting : STEP

    # Whoever names a step wants it, whatever is loaded.
    def wished? = @setting != true

    def step(left) = [wish, left / SHARE / 2].min

    # Megabytes below which no collection is due, where the end is known: the earlier ones would keep nothing small.
    # Smaller steps have a smaller margin.
    def floor(step)
      return 0 unless @expected

      expected = @expected / MEGABYTE
      expected + [MARGIN * step / STEP, expected / 2].min
    end

    def megabytes_left = (@limits.available || (1 << 40)) / MEGABYTE

    # The collector is off, or made to run at every opportunity, or another one than Ruby's, or told to leave out major
    # collections.
    def own_mind?
      return true if GC.stress
      return false unless GC.respond_to?(:config)

      configuration = GC.config
      configuration[:rgengc_allow_full_mark] == false || configuration.fetch(:implementation, "default") != "default"
    end

    def page_size = GC::INTERNAL_CONSTANTS[:HEAP_PAGE_SIZE] || 65_536

    def refuse(why)
      Native.log("the collector stays as it is: #{why}")
      false
    end
  end
end
