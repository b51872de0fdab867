# frozen_string_literal: true

# The methods that a program may call. README and docs/configuration.md describe them.
module Warmstart
  # Under `warmstart exec` this folder comes first in the load path: its rubygems.rb is found before RubyGems' own.
  BEFORE_RUBYGEMS = File.join(FOLDER, "before_rubygems")

  class << self
    # The Session of this process, or nil when Warmstart is off.
    attr_reader :session

    # Starts Warmstart for the application whose code calls this.
    #
    # A setting that is unknown or not understood is reported on stderr and ignored. So is a setting that comes too late
    # because Warmstart is on already; this is reported once.
    # @param settings [Hash{Symbol => Object}] see docs/configuration.md (or `warmstart env`). `root:` names the
    #   application's folder; by default it is the nearest folder above the caller that has a Gemfile.
    # @return [Boolean] whether Warmstart is on
    def setup(**settings)
      setup_from(caller_locations(1), settings)
    end

    # Sets a callable that is called for each file. Its arguments are the event (:hit, :miss, :stale or :revalidated)
    # and the path, and also the reason if the callable takes a third argument.
    # @param callable [#call, nil] nil: stop calling
    def instrumentation=(callable)
      Native.instrumentation = callable if available?
    end

    # Reports each file that did not come from the image to a logger (by #debug) or to a callable. It replaces the
    # callable that `instrumentation=` has set.
    # @param logger [#debug, #call, nil]
    def logger=(logger)
      tell = logger.respond_to?(:debug) ? :debug : :call
      listener =
        lambda do |event, path, reason|
          logger.public_send(tell, "warmstart: #{event} #{path}#{" (#{reason})" if reason}") unless event == :hit
        end
      self.instrumentation = logger && listener
    end

    # Tells Warmstart that the boot is over. It then writes to the image what is new, in the background. Rails programs
    # need not call this: Warmstart hooks into Rails.
    def boot_complete!
      session&.boot_complete!
    end

    # Removes every patch. From here on this is plain Ruby.
    def unload!
      session&.stop
      @session = nil
    end

    # @return [Boolean] whether there is an extension for this Ruby
    def available?
      const_defined?(:Native, false)
    end

    # @api private
    # (Where another copy's warmstart/bundler has handed over to this one, `@asked` are the callers of that file.)
    def setup_from(locations, settings = {}, script: nil, early: false)
      locations = @asked || locations
      @asked = nil
      asked = Failsafe.run("setup") { ask(locations, settings, script, early) } or return false
      on, file = asked
      load_application_file(file) if file
      on
    end

    # @api private
    # Starts Warmstart before RubyGems is loaded, when Ruby has not yet told which program it will run.
    # @param program [String] the script, as whoever started this process knows it
    def setup_before_rubygems(program)
      return if !available? || session # (another copy of Warmstart was first)

      @program = program
      setup_from([], script: program, early: true)
      return unless session&.configuration&.default_gems

      Failsafe.run("the record of default gems") do
        require_relative "boot/default_gems"
        DefaultGems.expect
      end
    end

    # @api private
    # Called when Ruby has told which program it runs. If it is not the one that setup_before_rubygems was told, the
    # image belongs to another program, and Warmstart is switched off.
    def setup_after_rubygems(locations)
      program = @program
      return setup_from(locations) unless program && session

      unload! unless File.identical?(program, $PROGRAM_NAME)
      false
    end

    private

    # Garbage collection is off meanwhile: the objects that are made here live on, so a collection would find little.
    # @return [Array(Boolean, String), Array(Boolean), nil] whether Warmstart is on now, and the application's file that
    #   is to be loaded
    def ask(locations, settings, script, early)
      was_off = true
      return if !available? || @failed
      if (working = session)
        return true, Failsafe.run("setup") { asked_later(locations, settings, working) }
      end

      was_off = GC.disable
      Failsafe.run("setup", -> { undo }) { set_up(locations, settings, script, early, was_off) }
    ensure
      collect_again unless was_off || session # (if there is a session, Session#start has done it)
    end

    def set_up(locations, settings, script, early, was_off)
      # Ruby hands out variables and contents of files in this encoding (-E UTF-8:UTF-16LE), and takes no path in it.
      # RubyGems does not start there, either.
      internal = Encoding.default_internal
      return if internal && !internal.ascii_compatible?

      require_relative "configuration"
      privileged = Native.privileged?
      configuration = Configuration.new(settings, privileged ? {} : ENV)
      return if !configuration.enabled || privileged

      if (obstacle = obstacle_to_setup)
        Native.log = configuration.log
        return Native.log("plain Ruby goes on: #{obstacle}")
      end

      configuration.leave_out(Native.lacking.keys)
      load_parts(configuration)
      asker = Location.asker(locations)
      script ||= Location.main_script if asker == :ruby
      location = Location.new(configuration, asked_by: asker, root: configuration.root, script: script)
      tell_place(settings, asked_by: asker, root: configuration.root, script: script)
      start(configuration, location, early, was_off)
    end

    # Without what Ruby's own methods tell of methods and compiled code, nothing here would be sure. And where the address
    # space is limited, a mapped image may be what is too much.
    # @return [String, nil] why plain Ruby goes on
    def obstacle_to_setup
      replaced = Native.replaced_methods.first
      return "#{replaced.join("#")} has been replaced" if replaced

      hooked = Native.hooked_module
      return "a hook of the program's is told of methods of #{hooked.inspect}" if hooked

      require_relative "boot/memory_limits"
      left = MemoryLimits.resource_limits.min
      if left && left < MemoryLimits::LEAST_LEFT
        "#{left >> 20} MB are left by the limit of the address space or of data"
      end
    end

    # A step of setup has failed: removes what the earlier steps have installed. Later calls of setup do nothing,
    # because some of Warmstart's files may be loaded only in part.
    def undo
      @failed = true
      started = @session
      @session = nil
      started&.undo
    end

    # (Session loads what only some programs need.)
    def load_parts(configuration)
      require_relative "location"
      require_relative "boot/image_key"
      require_relative "core_ext"
      require_relative "boot/sizes"
      require_relative "boot/gc_governor" if configuration.gc
      require_relative "boot/moments"
      require_relative "boot/session"
    end

    def start(configuration, location, early, was_off)
      @session = Session.new(configuration, location, early: early, was_off: was_off)
      @session = nil unless @session.start
      return unless @session

      Native.complain(location.complaint) if location.complaint
      [true, application_file(configuration, location)]
    end

    # The application calls setup when somebody else (`warmstart exec`, `build` or -r) has started Warmstart without
    # knowing the application's keywords. frozen_string_literals and config: change what the program does, so they take
    # effect nevertheless. The other keywords only concern the image: they come too late.
    def asked_later(locations, settings, working)
      configuration = Configuration.new(settings, Native.privileged? ? {} : ENV)
      tell_what_is_late(configuration, working.configuration)
      return if @application_file && !configuration.frozen_string_literals

      question = { asked_by: Location.asker(locations), root: configuration.root }
      location = Location.new(configuration, **question)
      working.freeze_literals(location.root) if configuration.frozen_string_literals
      return unless location.asked?

      tell_place(settings, **question)
      application_file(configuration, location)
    end

    # (`warmstart build` reads the image's folder from tell_place, so that keyword is not too late while it trains.)
    def tell_what_is_late(configuration, working)
      return if @told_late

      heard = [:frozen_string_literals, :config, *(%i[cache_dir image_dir] if ENV["WARMSTART_PLACES"])]
      keywords = configuration.given.select { |_, source| source == :keyword }.keys - heard
      late =
        Configuration::OPTIONS.select do |option|
          keywords.include?(option.name) && configuration.public_send(option.name) != working.public_send(option.name)
        end
      lines = configuration.complaints
      names = late.map { |option| option.name.to_s }.join(", ")
      variables = late.map(&:variable).join(", ")
      lines += [
        "set #{variables}: Warmstart is on already, so these keywords of Warmstart.setup come too late and are " \
          "ignored: #{names}"
      ] if late.any?
      @told_late = lines.any?
      Native.complain(lines.join("; ")) if @told_late
    end

    # Tells `warmstart build` which folder the application has chosen.
    def tell_place(settings, **question)
      file = ENV["WARMSTART_PLACES"] or return

      require_relative "boot/training"
      Training.tell(file, settings, **question)
    end

    # config/warmstart.rb holds settings that are code (instrumentation, for instance). Only the application that asked
    # first has its file loaded.
    # @return [String, nil] the file's path; nil at later calls
    def application_file(configuration, location)
      return if @application_file || !location.asked? || !location.root || !configuration.config

      path = FileNames.expand(configuration.config, location.root)
      return path if File.file?(path)

      @application_file = true # (it has none)
      nil
    end

    # The file is the program's own code, and its exceptions must reach the program. So this is not run by Failsafe.
    #
    # Only here is it known that the file's turn has come: an exception of another thread's, which Failsafe has deferred
    # until setup's own work was done, is raised before.
    def load_application_file(path)
      loaded = false
      @application_file = true # (the file may call setup itself)
      require path
      loaded = true
    ensure
      @application_file = loaded # (after an exception the next setup loads it again, as a second require would)
    end
  end
end
