# frozen_string_literal: true

# What a program may call: Warmstart.setup and its like, which stand in README and docs/configuration.md.
module Warmstart
  # The folder whose rubygems.rb is found before RubyGems' own, under `warmstart exec`.
  BEFORE_RUBYGEMS = File.join(FOLDER, "before_rubygems")

  class << self
    # The Session of this process, or nil when Warmstart is off.
    attr_reader :session

    # Starts Warmstart for the application that calls. Keywords: docs/configuration.md (or `warmstart env`); `root`
    # names the application's folder where it is not the nearest one above the caller that has a Gemfile. One that is
    # not understood, or that nobody knows, is said on stderr and ignored; so is one that comes too late, once.
    # @return [Boolean] is it on?
    def setup(**settings)
      setup_from(caller_locations(1), settings)
    end

    # Called with (event, path), and with a reason where it takes a third argument. Events: :hit, :miss, :stale,
    # :revalidated.
    # @param callable [#call, nil]
    def instrumentation=(callable)
      Native.instrumentation = callable if available?
    end

    # Tells a logger (#debug) or a callable of every file that did not come from the image; takes the place of
    # instrumentation.
    # @param logger [#debug, #call, nil]
    def logger=(logger)
      tell = logger.respond_to?(:debug) ? :debug : :call
      listener =
        lambda do |event, path, reason|
          logger.public_send(tell, "warmstart: #{event} #{path}#{" (#{reason})" if reason}") unless event == :hit
        end
      self.instrumentation = logger && listener
    end

    # The boot is over: what is new is written now, in the background. Rails says so by itself.
    def boot_complete!
      session&.boot_complete!
    end

    # Takes every patch out again: from here on, plain Ruby.
    def unload!
      session&.stop
      @session = nil
    end

    # Is there an extension for this Ruby?
    def available?
      const_defined?(:Native, false)
    end

    # @api private
    def setup_from(locations, settings = {}, script: nil, early: false)
      asked = Failsafe.run("setup") { ask(locations, settings, script, early) } or return false
      on, file = asked
      load_application_file(file) if file
      on
    end

    # @api private: RubyGems is not loaded yet, and Ruby has not said which program it will run.
    # @param program [String] the script, as whoever started this process knows it
    def setup_before_rubygems(program)
      return if !available? || session # (another copy was first)

      @program = program
      setup_from([], script: program, early: true)
      return unless session&.configuration&.default_gems

      Failsafe.run("the record of default gems") do
        require_relative "boot/default_gems"
        DefaultGems.expect
      end
    end

    # @api private: by now Ruby has said it. Should it be another one, this is the wrong image.
    def setup_after_rubygems(locations)
      program = @program
      return setup_from(locations) unless program && session

      unload! unless File.identical?(program, $PROGRAM_NAME)
      false
    end

    private

    # No collection in the midst of it: what we make stays.
    # @return [Array(Boolean, String), Array(Boolean), nil] is it on now, and the application's file that is to be
    #   loaded
    def ask(locations, settings, script, early)
      was_off = true
      return if !available? || @failed
      if (working = session)
        return true, Failsafe.run("setup") { asked_later(locations, settings, working) }
      end

      was_off = GC.disable
      Failsafe.run("setup", -> { undo }) { set_up(locations, settings, script, early, was_off) }
    ensure
      GC.enable unless was_off || session # (Session#start)
    end

    def set_up(locations, settings, script, early, was_off)
      require_relative "configuration"
      environment = Native.privileged? ? {} : ENV
      configuration = Configuration.new(settings, environment)
      return if !configuration.enabled || Native.privileged?

      configuration.leave_out(Native.lacking.keys)
      load_parts(configuration)
      asker = Location.asker(locations)
      script ||= Location.main_script if asker == :ruby
      location = Location.new(configuration, asked_by: asker, root: configuration.root, script: script)
      tell_place(settings, asked_by: asker, root: configuration.root, script: script)
      start(configuration, location, early, was_off)
    end

    # A step of setup has failed: what the earlier ones have put in goes, and who asks again is not answered by halves
    # of files.
    def undo
      @failed = true
      started = @session
      @session = nil
      started&.undo
    end

    # (What only some programs need is loaded by Session, when they do.)
    def load_parts(configuration)
      require_relative "location"
      require_relative "image/key"
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

    # The application asks, and somebody else (`warmstart exec`, `build`, -r) has begun before it, who knew nothing of
    # its keywords. This one decides what the program does, so it counts all the same, as does config:; the others are
    # only about the image.
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

    # While `warmstart build` trains, the image's folder is heard: tell_place.
    def tell_what_is_late(configuration, working)
      return if @told_late

      heard = [:frozen_string_literals, :config, *(%i[cache_dir image_dir] if ENV["WARMSTART_PLACES"])]
      keywords = configuration.given.select { |_, source| source == :keyword }.keys - heard
      late =
        Configuration::OPTIONS.select do |option|
          keywords.include?(option.name) && configuration.public_send(option.name) != working.public_send(option.name)
        end
      lines = configuration.complaints
      names = late.map(&:name).join(", ")
      variables = late.map(&:variable).join(", ")
      lines += [
        "Warmstart is on already, so these keywords of Warmstart.setup came too late: #{names}; #{variables} would be in time"
      ] if late.any?
      @told_late = lines.any?
      Native.complain(lines.join("; ")) if @told_late
    end

    # (`warmstart build`)
    def tell_place(settings, **question)
      file = ENV["WARMSTART_PLACES"] or return

      require_relative "boot/training"
      Training.tell(file, settings, **question)
    end

    # config/warmstart.rb: settings that are code (instrumentation, say). Of the application that asked first, and of
    # none that did not.
    # @return [String, nil] its path, once
    def application_file(configuration, location)
      return if @application_file || !location.asked? || !location.root || !configuration.config

      @application_file = true
      path = File.expand_path(configuration.config, location.root)
      path if File.file?(path)
    end

    # It is the program's own code, so what it raises is the program's, too: this stands outside of Failsafe.
    def load_application_file(path)
      loaded = false
      require path
      loaded = true
    ensure
      @application_file = loaded # (who asks again has it loaded again, as by a second require)
    end
  end
end
