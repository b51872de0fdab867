# frozen_string_literal: true

require_relative "memory_limits"

module Warmstart
  # Postpones garbage collection during the boot: there is one collection each time the process has grown by a step.
  # This class decides whether to postpone and how far; the extension (ruby/collector/governor.c) does it. A process has
  # one governor. It ends when the boot is complete, after a pause, after the time BUDGET, in each forked child, and
  # when the program itself configures the collector. docs/gc.md has the measurements behind these numbers.
  # @api private
  class GCGovernor
    # Megabytes of growth between two collections.
    STEP = 112

    # Both in megabytes, for a step of STEP. MARGIN: the first collection is due when the process exceeds the size that
    # it is known to keep by this much. REGROWTH: the second is due when the process has grown again by what the first
    # one freed and this much.
    MARGIN = 15
    REGROWTH = 16

    # An object is old when it has lived through so many collections (gc.c: RVALUE_OLD_AGE).
    OLD = 3

    # A command (a process that has not served) whose boot makes less than MOST times what it keeps does not collect:
    # that is at most one and a half times its size with Ruby's own collector. If it would grow further, it collects
    # once, early: that is cheaper than later, and it comes when enough garbage is there to end at AIM times what is
    # kept. A command that is only estimated may grow to AIM times the estimate, which may be too high.
    MOST = 1.65
    AIM = 1.5

    # A process is 6 % larger than the bytes that are in use in it, and a boot that uses up to a tenth more than the
    # recorded one does not count as changed (BootSizes::CHANGED_COUNT). Both together:
    SPARE = 1.15

    # Collection is not postponed before the program has loaded this many files: a smaller program has a small heap,
    # where collections cost little, and it keeps the size that Ruby gives it. The governor does not wait if the image
    # knows how much memory such a boot keeps, or if the user asks for a step. Where it has waited, it waits again after
    # a pause.
    FILES = 150

    # In megabytes: a smaller step saves nothing.
    LEAST_STEP = 16

    # When the application is ready, the process may still grow by a step divided by this.
    LANDING = 4

    # The governor takes the boot to be over after this many milliseconds without a require. (For others it is not: the
    # index answers on.)
    IDLE = 1000

    # The governor ends after this many milliseconds in any case.
    BUDGET = 60_000

    # The process may grow in all by the available memory divided by SHARE; a step is at most half of that, and a command
    # takes at most what COMMAND_SHARE leaves without a collection.
    SHARE = 2
    COMMAND_SHARE = 4

    # In megabytes: if less is available, memory is short.
    SHORT = 512

    MEGABYTE = 1 << 20

    # Servers that load the application and then fork their workers, each with the file that defines it and is loaded
    # only where the server runs.
    PRELOADING_SERVERS = {
      "Puma::Launcher" => "puma/launcher",
      "Unicorn::HttpServer" => "unicorn/http_server",
      "Pitchfork::HttpServer" => "pitchfork/http_server",
      "PhusionPassenger" => "phusion_passenger",
      "Async::Container" => "async/container/forked",
      "Iodine" => "iodine"
    }.freeze

    # @param setting [true, Integer] Configuration#gc: on, or a step in megabytes
    # @param known [BootSizes::Known, nil] what is known of earlier boots with the same command
    # @param limits [#available, #pressed?] tells how much memory there is
    # @param ours [Boolean] whether Warmstart has switched the collector off while it is being set up
    def initialize(setting, known: nil, limits: MemoryLimits, ours: false)
      @setting = setting
      @known = known
      @limits = limits
      @ours = ours
    end

    # @yield when a server is about to fork its first worker, which means that the boot is complete
    # @return [Boolean] whether it governs, or will when enough files have been loaded
    def start(&complete)
      return refuse("the program has configured the collector itself") if own_mind?

      extent = waits? ? {} : extent()
      return false unless extent

      govern(extent).tap { |governs| expect_server(&complete) if governs }
    end

    # The application is ready, as far as that can be seen from outside: the governor ends after a little more growth (a
    # command's, when it is as large as it may become) or a pause.
    # @param serves [Boolean] whether the process has turned out to be a server
    def land(serves: false)
      @serves ||= serves
      Native.land_governor(serves)
    end

    # Whether the process has turned out to be a server.
    def serves? = @serves || false

    # The boot is over.
    def finish(reason = :complete) = Native.end_governor(reason)

    # The process is about to fork children, which share the memory pages that nobody writes. A collection writes all
    # objects that grow older, and there were few in this boot, so all that are kept grow old here. (Nothing is moved, as
    # Process.warmup would do: plain Ruby moves nothing in a command.)
    def share_heap
      return unless Native.young_heap?

      finish
      OLD.times { GC.start }
      Native.settle_malloc
    end

    # Whether the boot is so large that there may be a collection. If the governor ended before the boot did (:grown),
    # this is not known.
    def matters? =
      Native.governor.then do |facts|
        !facts[:ended_by].equal?(:grown) && facts[:peak] - facts[:first] > STEP / 2 * MEGABYTE
      end

    def ended? = !Native.governor[:ended_by].nil?

    # Whether it waits until many files have been loaded, as at first and after a pause.
    def expects? = Native.governor[:expecting]

    # @return [Integer] bytes in use at the end, without garbage, so that the number does not depend on the step
    def size = Native.governor[:settled]

    # @return [Integer] bytes that would be in use at the end if nothing had been collected
    def uncollected = Native.governor[:uncollected]

    # Whether the governor has collected. If not, `size` is an upper limit.
    def collected? = Native.governor[:collections].positive?

    # @return [Array<String>] "name value" each, for the image's statistics and WARMSTART_STATS
    def statistics
      facts = Native.governor.merge(taken_for: server? ? "server" : "command", because: reason)
      %i[taken_for because step collections first peak milliseconds ended_by].filter_map do |name|
        "governor.#{name} #{facts[name]}" if facts[name]
      end
    end

    private

    def server? = @serves || @known&.server || false

    # Whether this is a command that may grow by what is known of it.
    def grows? = !wished? && !server? && !@known.nil?

    # Whether it begins only when FILES have been loaded. (A program that ends before that does not pay for the
    # question how much memory there is.)
    def waits? = !wished? && @known.nil?

    # @return [Hash, nil] how far the process may grow, in megabytes, as Native.govern takes it; nil: memory is short
    def extent
      left = megabytes_left
      return refuse("there is too little memory left (#{left} MB)") || nil if short?(left)
      return refuse("processes wait for memory") || nil if !wished? && @limits.pressed?

      step = step(left)
      { step: step, landing_step: step / LANDING, allowed: left / SHARE, floor: floor(step, left) }
    end

    # Why the process is taken for what it is taken for.
    def reason
      return "it_served_before" if @known&.server
      return "it_serves" if @serves

      @known ? "it_has_not_served" : "it_is_new"
    end

    # Meanwhile C functions in the place of GC.enable, GC.disable and GC.stress= note what the program asks of the
    # collector.
    # @return [Boolean] whether it governs. If not, or if something raises, these methods are Ruby's own again.
    def govern(extent)
      Native.define_collector
      governs =
        Native.govern(
          **extent,
          extent: -> { Failsafe.guard(->(_error) {}) { extent() } },
          early: early,
          command: grows?,
          regrowth: REGROWTH,
          files: waits? ? FILES : 0,
          careful: !wished?,
          ours: @ours,
          idle: IDLE,
          budget: BUDGET,
          page_size: page_size
        )
    ensure
      Native.undefine_collector unless governs
    end

    # The server has mostly been loaded before the application, and so before Warmstart.
    def expect_server(&complete)
      return serve(&complete) if PRELOADING_SERVERS.any? { |name, feature| there?(name, feature) }

      PRELOADING_SERVERS.each { |name, feature| wait_for(name, feature, &complete) }
    end

    # (A program may have a file of its own with the feature's name; then the wait goes on.)
    def wait_for(name, feature, &complete)
      Native.landmark(
        feature,
        lambda do
          Failsafe.run("waiting for workers") do
            there?(name, feature) ? serve(&complete) : wait_for(name, feature, &complete)
          end
        end
      )
    end

    # Whether the constant is the server's, and not one of the program's own. (const_source_location does not tell: a
    # constant that is made in C has no file, one that an autoload has defined has that of the autoload, and on Ruby 3.1
    # false.)
    def there?(name, feature)
      return false if Object.autoload?(name[/\w+/].to_s) || !Object.const_defined?(name)

      $LOADED_FEATURES.any? do |path|
        path.is_a?(String) && path.end_with?("/#{feature}.rb") && Location.means?(feature, path)
      end
    end

    # Workers share the memory pages that are not written any more, so Ruby prepares its heap for the fork. (A C function
    # in the place of Process._fork, which every fork of Ruby's calls, calls this and takes itself out.)
    def serve
      make_ready =
        lambda do
          Failsafe.run("making ready for workers") do
            yield
            next unless Native.young_heap?

            Process.respond_to?(:warmup) ? Process.warmup : GC.start
            Native.settle_malloc
          end
        end
      Native.define_fork(make_ready)
    end

    # @return [Integer] the step in megabytes, before the limits of memory
    def wish
      setting = @setting
      setting.is_a?(Integer) ? setting : STEP
    end

    # Whether the user names a step. Then the governor does not wait for FILES.
    def wished? = @setting != true

    def step(left) = [wish, left / SHARE / 2].min

    # Whether memory is short. Who names a step has it if there is memory for the least one.
    def short?(left) = wished? ? step(left) < [LEAST_STEP, wish].min : left < SHORT

    # Megabytes below which no collection is due, if the size at the end is known: a collection before that would not
    # keep the process smaller. Smaller steps have a smaller margin.
    def floor(step, left)
      known = @known or return 0
      kept = known.kept / MEGABYTE
      floor = kept + [MARGIN * step / STEP, kept / 2].min
      grows? ? [floor, [growth_of(known) / MEGABYTE, left / COMMAND_SHARE].min.to_i].max : floor
    end

    # @return [Float] bytes that a command may take before a late collection: one that needs none is not to collect at
    #   the very end, where that costs most and is of no use
    def growth_of(known)
      return known.kept * AIM if known.uncollected.zero?

      too_large?(known) ? known.kept * AIM * SPARE : [known.kept * MOST, known.uncollected * SPARE].max
    end

    def too_large?(known) = known.uncollected > known.kept * MOST

    # @return [Integer] the growth in megabytes after which a command collects that would otherwise become too large; 0:
    #   there is no such collection
    def early
      known = @known
      return 0 if !known || !grows? || !too_large?(known)

      garbage = 1 - (known.kept / known.uncollected.to_f)
      ((known.uncollected - (known.kept * AIM)) / garbage / MEGABYTE).ceil
    end

    def megabytes_left = (@limits.available || (1 << 40)) / MEGABYTE

    # Whether the program has configured the collector: made it run at every opportunity (GC.stress), chosen another one
    # than Ruby's default, or told it to leave out major collections.
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
