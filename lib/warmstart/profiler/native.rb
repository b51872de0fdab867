# frozen_string_literal: true

if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != File.dirname(__dir__)
  require File.join(Warmstart::FOLDER, "profiler/native") # (another copy of Warmstart came first: see warmstart/native)
  return
end

# Loads the profiler's extension for this Ruby. (The name of the build is also in lib/warmstart/native.rb; but a
# profiled program need not load that.)
module Warmstart
  FOLDER = File.dirname(__dir__) unless const_defined?(:FOLDER, false)

  module Profiler
    # The interface that the extension must have, from ext/interface.rb. bin/setup writes this number.
    INTERFACE = 0x189550444ec4

    build = "#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}"
    LIBRARIES =
      [File.join(__dir__, "../native", build), File.expand_path("..", __dir__)].map do |folder|
          File.expand_path(folder)
        end
        .freeze

    # @api private
    # @param name [String] "profiler" or "interposer"
    # @return [String, nil] the path of that library
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
          "there is no extension for this Ruby (#{RUBY_ENGINE} #{RUBY_VERSION}); install the gem again for it, or " \
            "run bin/setup"
        )
      end

      "the profiler's extension is of another version than lib/; run bin/setup (or install the gem again)"
    end

    path = library("profiler")
    require path if path
  end
end
