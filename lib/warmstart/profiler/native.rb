# frozen_string_literal: true

if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != File.dirname(__dir__)
  require File.join(Warmstart::FOLDER, "profiler/native") # (another copy: warmstart/native)
  return
end

# Loads the profiler's extension for this Ruby. (The build's name: as in lib/warmstart/native.rb, which a profiled
# program need not load.)
module Warmstart
  FOLDER = File.dirname(__dir__) unless const_defined?(:FOLDER, false)

  module Profiler
    # What the extension must offer: ext/interface.rb. bin/setup writes it.
    INTERFACE = 0x8468bc44482e

    build = "#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}"
    LIBRARIES =
      [File.join(__dir__, "../native", build), File.expand_path("..", __dir__)].map do |folder|
          File.expand_path(folder)
        end
        .freeze

    # The library of that name, or nil: "profiler", "interposer".
    def self.library(name)
      LIBRARIES
        .flat_map { |folder| %w[so bundle].map { |extension| File.join(folder, "#{name}.#{extension}") } }
        .find { |path| File.file?(path) }
    end

    # @return [String, nil] why this Ruby cannot profile
    def self.obstacle
      return if defined?(Native::INTERFACE) && Native::INTERFACE == INTERFACE
      unless defined?(Native)
        return(
          "there is no extension for this Ruby (#{RUBY_ENGINE} #{RUBY_VERSION}); install the gem again for it, or run bin/setup"
        )
      end

      "the profiler's extension is of another version than lib/; run bin/setup (or install the gem again)"
    end

    path = library("profiler")
    require path if path
  end
end
