# frozen_string_literal: true

# Loads the C extension that was built for this Ruby, or leaves Warmstart without Native: on a Ruby that has no such
# extension (JRuby, TruffleRuby), before `bin/setup`, or where lib/ is newer than it, everything loads and does nothing.
require_relative "version"

module Warmstart
  # Builds of several Rubies lie beside each other: one folder each. (RbConfig is not loaded under --disable-gems.)
  BUILD = "#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}"

  [File.join(__dir__, "native", BUILD, "warmstart"), File.join(__dir__, "warmstart")].each do |extension|
    require extension
    break if defined?(Native::INTERFACE) && Native::INTERFACE == INTERFACE

    remove_const(:Native)
    $stderr.puts "warmstart: #{extension} is of another version than lib/; Ruby starts as usual; run bin/setup (or install the gem again)"
    break
  rescue LoadError => error
    # A library that is there and cannot be loaded (another libc, say) is worth a word; one that is not there is not.
    next if error.path == extension

    $stderr.puts "warmstart: cannot load #{extension}: #{error.message}; Ruby starts as usual"
  end
end
