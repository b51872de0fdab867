# frozen_string_literal: true

require_relative "memory_limits"

module Warmstart
  # Collections during the boot: none but one each time memory has grown by a step. Decides whether and how far; the extension
  # (ruby/governor.c) does it. There is one a process; it ends when the boot is complete, after a pause, at the budget, in each
  # forked child, and whenever the program says what it wants of the collector.
  class GCGovernor
    # Megabytes of growth between two collections, where nothing was learned.
    STEP = 48

    # A step that small would save nothing.
    LEAST_STEP = 16

    # After the application has said that it is ready: a quarter of a step, then the collector is as usual.
    LANDING = 4

    # Milliseconds without a require that mean that the boot is over.
    IDLE = 1000

    # Milliseconds after which it ends in any case.
    BUDGET = 60_000

    # Of the memory that is left, growth may take this part in all, and a step this part of that.
    SHARE = 2

    MEGABYTE = 1 << 20

    # @param setting [true, Integer] Configuration#gc: on, or a step in megabytes
    # @param limits [#available] how much memory there is
    def initialize(setting, limits: MemoryLimits)
      @setting = setting
      @limits = limits
    end

    # @yield before a fork while it governs
    # @return [Boolean] does it govern?
    def start(&before_fork)
      return refuse("the program has its own mind about collections") if own_mind?

      left = megabytes_left
      return refuse("there is too little memory left (#{left} MB)") if step(left) < [LEAST_STEP, wish].min

      Native.govern(step: step(left), landing_step: step(left) / LANDING, allowed: left / SHARE, idle: IDLE, budget: BUDGET,
                    first: 0, before_fork: before_fork)
    end

    # The application is ready, as far as can be told from outside: the collector is as usual after a little growth or a pause.
    def land = Native.land_governor

    # The boot is over.
    def finish(reason = :complete) = Native.end_governor(reason)

    private

    # megabytes of a step that are asked for
    def wish = @setting == true ? STEP : @setting

    def step(left) = [wish, left / SHARE / 2].min

    def megabytes_left = (@limits.available || (1 << 40)) / MEGABYTE

    # The collector is off, or made to run at every opportunity, or another one than Ruby's, or told to leave out major collections.
    def own_mind?
      return true if GC.stress
      return false unless GC.respond_to?(:config)

      configuration = GC.config
      configuration[:rgengc_allow_full_mark] == false || configuration.fetch(:implementation, "default") != "default"
    end

    def refuse(why)
      Native.log("the collector stays as it is: #{why}")
      false
    end
  end
end
