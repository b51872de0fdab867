# frozen_string_literal: true

# Warmstart: the second start of a Ruby program comes from one memory-mapped boot image.
#
# A map of the code:
#
#   warmstart/setup           what an application requires; finds the application, starts the session
#   warmstart/configuration   the one table of settings
#   warmstart/location        which application this is, where its image lies, whom to trust
#   warmstart/session         opens the image, installs, records, writes
#   warmstart/gc_governor     collections during the boot; boot_sizes, memory_limits: what it goes by
#   warmstart/rails_hooks     what Rails tells us
#   warmstart/moments         when servers, test runners and rake begin their work
#   warmstart/core_ext        every patch of Ruby
#   warmstart/bundle          Bundler's setup from a record
#   warmstart/image/          the image's key, its inspector
#   warmstart/cli/            the command line, one command a file
#   ext/warmstart/core/       the image, the index, the recording: plain C
#   ext/warmstart/ruby/       bindings: loader, load path, recorder
#
# Nothing in here is loaded that the program might have to require itself: only Ruby's core is used.
require_relative "warmstart/version"
require_relative "warmstart/native"

module Warmstart
  # The folder whose rubygems.rb is found before RubyGems' own, under `warmstart exec`.
  BEFORE_RUBYGEMS = File.expand_path("warmstart/before_rubygems", __dir__ || ".")

  class << self
    # The Session of this process, or nil when Warmstart is off.
    attr_reader :session

    # Starts Warmstart for the application that calls. Keywords: docs/configuration.md (or `warmstart env`); `root` names the
    # application's folder where it is not the nearest one above the caller that has a Gemfile.
    # @return [Boolean] is it on?
    # @raise [ArgumentError] an unknown keyword
    def setup(root: nil, **settings)
      setup_from(caller_locations(1), root: root, **settings)
    end

    # Called with (event, path), and with a reason where it takes a third argument. Events: :hit, :miss, :stale, :revalidated.
    # @param callable [#call, nil]
    def instrumentation=(callable)
      Native.instrumentation = callable if available?
    end

    # Tells a logger (#debug) or a callable of every file that did not come from the image; takes the place of instrumentation.
    # @param logger [#debug, #call, nil]
    def logger=(logger)
      tell = logger.respond_to?(:debug) ? :debug : :call
      listener = lambda do |event, path, reason|
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
      defined?(Native) ? true : false
    end

    # @api private
    def setup_from(locations, root: nil, script: nil, early: false, **settings)
      return false unless available?
      return freeze_literals(locations, root, settings) if session

      require_relative "warmstart/configuration"
      environment = Native.privileged? ? {} : ENV
      configuration = Configuration.new(settings, environment)
      return false if !configuration.enabled || Native.privileged?

      load_parts(configuration)
      location = Location.new(configuration, asked_by: Location.asker(locations), root: root, script: script)
      start(configuration, location, early)
    end

    # @api private: RubyGems is not loaded yet, and Ruby has not said which program it will run.
    def setup_before_rubygems
      return unless available?

      setup_without_collections
      return unless session&.configuration&.default_gems

      require_relative "warmstart/default_gems"
      DefaultGems.expect
    end

    private

    # Until the governor has the collector: nothing of what we make ourselves would go.
    def setup_without_collections
      GC.disable
      setup_from([], script: main_script, early: true)
    ensure
      GC.enable unless session
    end

    # The word before the script's own arguments. Nil where it is code (-e), stdin, or not to be known.
    # @return [String, nil]
    def main_script
      words = File::ALT_SEPARATOR ? windows_command_line : File.binread("/proc/self/cmdline").split("\0")
      script = words[-1 - ARGV.size]
      script if words.size > 1 + ARGV.size && words[-2 - ARGV.size] != "-e" && File.file?(script)
    rescue SystemCallError, ArgumentError
      nil
    end

    # @return [Array<String>] none where they are not what Ruby has made of them: it replaces names with wildcards by files
    def windows_command_line
      require_relative "warmstart/windows_command_line"
      words = WindowsCommandLine.words(Native.command_line)
      ARGV.zip(words.last(ARGV.size)).all? { |given, word| given == word || !given.ascii_only? } ? words : []
    end

    # (What only some programs need is loaded by Session, when they do.)
    def load_parts(configuration)
      require_relative "warmstart/location"
      require_relative "warmstart/image/key"
      require_relative "warmstart/core_ext"
      require_relative "warmstart/boot_sizes"
      require_relative "warmstart/gc_governor" if configuration.gc
      require_relative "warmstart/moments"
      require_relative "warmstart/session"
    end

    def start(configuration, location, early)
      @session = Session.new(configuration, location, early: early)
      @session = nil unless @session.start
      load_application_file(configuration, location) if @session
      !@session.nil?
    end

    # What began before the application (`warmstart exec`, `build`, -r) knows nothing of its keywords. This one decides what the
    # program does, so it counts all the same; the others are only about the image.
    def freeze_literals(locations, root, settings)
      configuration = Configuration.new(settings, Native.privileged? ? {} : ENV)
      session&.freeze_literals(Location.new(configuration, asked_by: Location.asker(locations), root: root).root) if configuration.frozen_string_literals
      false
    end

    # config/warmstart.rb: settings that are code (instrumentation, say).
    def load_application_file(configuration, location)
      return unless location.root && configuration.config

      path = File.expand_path(configuration.config, location.root)
      require path if File.file?(path)
    end
  end
end

require_relative "warmstart/railtie" if defined?(Rails::Railtie)
