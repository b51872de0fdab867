# frozen_string_literal: true

# Loads the C extension that was built for this Ruby, or leaves Warmstart without Native: on a Ruby that has no such
# extension (JRuby, TruffleRuby), before `bin/setup`, or where lib/ is newer than it, everything loads and does nothing.
#
# Two copies of Warmstart may come to one process: that of `warmstart exec` and the one in the application's bundle. The
# first one is the only one: FOLDER names it, and each file of another copy that a program may require leads to it.
# Nothing is said about that.
if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != __dir__
  require File.join(Warmstart::FOLDER, "native")
  return
end

return if defined?(Warmstart::Native) # (an older copy's, from before there was FOLDER)

require_relative "failsafe"

module Warmstart
  FOLDER = __dir__ unless const_defined?(:FOLDER, false)

  # Loaded when somebody asks: the gemspec of an older copy in the application's bundle loads that copy's version.rb,
  # and Ruby warns of a constant that is there already, but not of one that is still to be loaded (variable.c:
  # const_tbl_update).
  autoload :VERSION, File.join(__dir__, "version.rb")

  # What the extension must offer: ext/interface.rb. bin/setup writes it. (No constant: older copies have one of this
  # name.)
  interface = 0xdd11e52834d7

  # Builds of several Rubies lie beside each other: one folder each. (RbConfig is not loaded under --disable-gems.)
  BUILD = "#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}".freeze

  # Each box (Ruby 4.0, RUBY_BOX=1) has its own features, load path and table of loads, of which Ruby tells an extension
  # nothing.
  def self.boxes? = !!(defined?(Ruby::Box) && Ruby::Box.enabled?)

  # (ext/warmstart/ruby/private/box.c)
  frame = binding if defined?(Ruby::Box)

  extensions = boxes? ? [] : [File.join(__dir__, "native", BUILD, "warmstart"), File.join(__dir__, "warmstart")]
  extensions.each do |extension|
    # (under -d Ruby prints each exception)
    next unless %w[so bundle rb].any? { |suffix| File.file?("#{extension}.#{suffix}") }

    require extension
    if defined?(Native::INTERFACE) && Native::INTERFACE == interface
      Native.know_box(frame) if frame
      @compiled = File.join(File.dirname(extension), "library.compiled")
      break
    end

    remove_const(:Native)
    $stderr.puts Failsafe.one_line(
                   "warmstart: #{extension} is of another version than lib/; Ruby starts as usual; run bin/setup (or install the gem again)"
                 )
    break
  rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
    # (Of another libc, say, or it finds this Ruby not to be what it expects.)
    remove_const(:Native) if const_defined?(:Native, false)
    $stderr.puts Failsafe.one_line(
                   "warmstart: cannot load #{extension}: #{error.message.lines.first.to_s.chomp}; Ruby starts as usual"
                 )
    break
  end

  # Runs the files of lib/ that each start needs as this Ruby compiled them when the extension was built
  # (ext/compile_library.rb), which takes a fifth of the time.
  # @api private
  def self.load_compiled
    was_off = true
    return unless @compiled

    was_off = GC.disable
    compiled&.each do |path, code|
      code.eval
      Native.provide(path)
    end
  ensure
    GC.enable unless was_off
  end

  # Believed while each file has the size and the time it had then. A program that counts lines, keeps sources, or wants
  # no Warmstart has each file loaded by Ruby, and so has a Ruby of which the extension does not know all that it needs
  # (Native.provide writes into its tables).
  # @return [Array<Array(String, RubyVM::InstructionSequence)>, nil] once
  private_class_method def self.compiled
    file = @compiled
    @compiled = nil
    if !file || !Native.lacking.empty? || ENV["WARMSTART"] || defined?(::Coverage) || defined?(::SCRIPT_LINES__) ||
         !File.file?(file)
      return
    end

    identity, files = Marshal.load(File.binread(file))
    unless identity ==
             [
               RUBY_ENGINE,
               RUBY_VERSION,
               RUBY_PATCHLEVEL,
               RUBY_REVISION,
               RUBY_PLATFORM,
               RUBY_DESCRIPTION[/\+PRISM/],
               __dir__
             ]
      return
    end

    unchanged =
      files.all? do |path, size, seconds, nanoseconds,|
        status = File.stat(path)
        time = status.mtime
        status.size == size && time.to_i == seconds && time.nsec == nanoseconds
      end
    return unless unchanged

    there = $LOADED_FEATURES & files.map(&:first) # (the profiler has required some)
    files.filter_map do |path, *, code|
      [path, RubyVM::InstructionSequence.load_from_binary(code)] unless there.include?(path)
    end
  rescue StandardError, ScriptError, NoMemoryError, SystemStackError
    nil # (cut off, say)
  end
end
