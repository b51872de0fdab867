# frozen_string_literal: true

require "fileutils"

module Downstream
  # The versions of the gems that a suite is run with: a lockfile for each Ruby, stored beside this file, which
  # `bin/downstream --lock SUITE` writes and every other run takes as it is. A gem that a registry has gained since
  # changes nothing.
  class Lock
    FOLDER = File.join(__dir__, "locks")
    RUBY = Gem::Version.new(RUBY_VERSION[/\A\d+\.\d+/])

    # Bundler would install the version of itself that it finds in a lockfile, and go on with that one.
    BUNDLED_WITH = /\nBUNDLED WITH\n.*\n/

    # @param name [String] the suite's name
    # @param places [Hash{String => String}] names for the folders, different on each machine, that a lockfile names
    def initialize(name, places)
      @name = name
      @places = places
    end

    # Puts the lockfile beside the Gemfile.
    # @raise [Unavailable] there is none
    def put(gemfile)
      stored = newest or
        raise Unavailable, "#{@name}: its gems are not locked for Ruby #{RUBY}: bin/downstream --lock #{@name}"
      File.write(
        "#{gemfile}.lock",
        @places.inject(File.read(stored)) do |text, (name, folder)|
          text.gsub(%r{^(  remote: )#{name}(?=/|$)}) { "#{$1}#{folder}" }
        end
      )
    end

    # Stores the lockfile that Bundler has written beside the Gemfile.
    def keep(gemfile)
      text =
        @places.inject(File.read("#{gemfile}.lock")) do |lock, (name, folder)|
          lock.gsub(%r{^(  remote: )#{Regexp.escape(folder)}(?=/|$)}) { "#{$1}#{name}" }
        end
      FileUtils.mkdir_p(FOLDER)
      File.write(path(RUBY), text.sub(BUNDLED_WITH, ""))
    end

    private

    # A Ruby without a lockfile of its own takes that of the Ruby before it.
    def newest
      rubies = Dir[path("*")].map { |path| Gem::Version.new(path[/-(\d+\.\d+)\.lock\z/, 1]) }
      ruby = rubies.select { |version| version <= RUBY }.max and path(ruby)
    end

    def path(ruby) = File.join(FOLDER, "#{@name}-#{ruby}.lock")
  end
end
