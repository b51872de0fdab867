# frozen_string_literal: true

# Loads the C extension that was built for this Ruby. If there is none (on JRuby and TruffleRuby, before `bin/setup`),
# or if lib/ is newer than the extension, Warmstart::Native is not defined: everything else loads and does nothing.
#
# As a rule warmstart/first has loaded the extension already, and runs this file from the code that was compiled when
# the extension was built, with the rest of lib/ that a start needs (Warmstart.load_library).
#
# Two copies of Warmstart may be loaded in one process: that of `warmstart exec` and the one in the application's
# bundle. The first one serves for both: FOLDER names it, and each file of the other copy that a program may require
# loads the file of the first one instead. Nothing is printed about that.
if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != __dir__
  require File.join(Warmstart::FOLDER, "native")
  return
end

module Warmstart
  # Runs Warmstart's own code within somebody's program: at setup, at the moments that it waits for, and at the end. If
  # that code fails, Failsafe undoes what it did and reports it in one line, and plain Ruby goes on.
  #
  # Exceptions that come from elsewhere belong to the program and pass: Interrupt, SystemExit, a signal's exception, the
  # end of a thread. An exception that another thread raises in this one (as Timeout does) may be of any class, so it is
  # deferred until Warmstart's code is over.
  #
  # These methods stand here, because everything below needs them. The others are in warmstart/failsafe.
  # @api private
  module Failsafe
    # The classes after `rescue` below are all that our own code can raise, whatever this Ruby lacks and whatever
    # methods of Ruby's the program has changed. (They are written out each time, because Prism in Ruby 3.3, where it is
    # an experiment, compiles `rescue *LIST` incorrectly.)
    LATER = { Object => :never }.freeze

    class << self
      # @param what [String] the subject of the line, as "setup"
      # @param undo [#call, nil] called after a failure
      # @return [Object, nil] the block's value, or nil
      def run(what, undo = nil, &block) = guard(->(error) { give_up(what, error, undo) }, &block)

      # As `run`, but prints nothing.
      # @param failed [#call] receives the error; its value becomes the block's
      def guard(failed)
        over = false
        Thread.handle_interrupt(LATER) do
          yield
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
          failed.call(error)
        ensure
          over = true
        end
      rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
        raise if over # (it comes from another thread, and was deferred until now)

        failed.call(error)
      end

      private

      def give_up(what, error, undo)
        undo&.call
        require_relative "failsafe"
        report(what, error)
      rescue StandardError, ScriptError, NoMemoryError, SystemStackError
        nil
      end
    end
  end

  # Ruby's own constants, as they are now: within Warmstart these names mean them, whatever the program removes or puts in
  # their place later. (An autoload in such a place is the program's, and is not made to load.)
  CONSTANTS = %i[
    ARGV
    ArgumentError
    Array
    BasicObject
    Class
    Dir
    ENV
    Encoding
    EncodingError
    Errno
    Exception
    Fiber
    File
    FileTest
    GC
    Hash
    IO
    IOError
    IndexError
    Integer
    Kernel
    Marshal
    Module
    NameError
    NoMemoryError
    NoMethodError
    Numeric
    Object
    ObjectSpace
    Process
    RUBY_DESCRIPTION
    RUBY_ENGINE
    RUBY_PATCHLEVEL
    RUBY_PLATFORM
    RUBY_REVISION
    RUBY_VERSION
    Ractor
    Range
    Regexp
    Ruby
    RubyVM
    ScriptError
    StandardError
    String
    Struct
    Symbol
    SystemCallError
    SystemStackError
    Thread
    TracePoint
    TypeError
    Warning
  ].freeze

  # (Otherwise a collection is due while the extension is loaded, because Ruby's own start has filled the heap.)
  was_off = true
  Failsafe.run("setup", -> { GC.enable unless was_off }) do
    was_off = GC.disable

    CONSTANTS.each do |name|
      next if const_defined?(name, false) || !::Object.const_defined?(name, false) || ::Object.autoload?(name)

      const_set(name, ::Object.const_get(name))
    end
    private_constant :CONSTANTS, *CONSTANTS.select { |name| const_defined?(name, false) }

    FOLDER = __dir__ unless const_defined?(:FOLDER, false)

    # Loaded when somebody asks for it. The gemspec of another copy in the application's bundle loads that copy's
    # version.rb. Ruby warns when a constant is defined again, but not when it is only registered for autoload
    # (variable.c: const_tbl_update).
    autoload :VERSION, File.join(__dir__, "version.rb")

    # The interface that the extension must have, from ext/interface.rb. bin/setup writes this number. (It is not a
    # constant, because a copy of another version may have one of this name.)
    interface = 0xcebeb53c6df4

    # Builds for several Rubies lie side by side, each in a folder of this name. (RbConfig is not loaded under
    # --disable-gems.)
    BUILD = "#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}".freeze

    # @return [Boolean] whether there are boxes (Ruby 4.0, RUBY_BOX=1). Each has its own features, load path and table
    #   of loads, and Ruby gives an extension no access to these, so the extension is not loaded. (Before 4.0 a Ruby::Box
    #   is the program's own.)
    def self.boxes? = RUBY_VERSION.to_i >= 4 && !!defined?(Ruby::Box.enabled?) && Ruby::Box.enabled?

    # (see ext/warmstart/ruby/private/box.c)
    frame = binding if defined?(Ruby::Box)

    give_up =
      lambda do |why|
        remove_const(:Native) if const_defined?(:Native, false)
        require_relative "failsafe"
        Failsafe.tell("install the gem again (or run bin/setup): #{why}; Ruby starts as usual")
      end

    extensions = boxes? ? [] : [File.join(__dir__, "native", BUILD, "warmstart"), File.join(__dir__, "warmstart")]
    extensions.each do |extension|
      # (looked up first, because under -d Ruby prints each exception)
      next unless %w[so bundle rb].any? { |suffix| File.file?("#{extension}.#{suffix}") }

      # (warmstart/first has tried)
      break give_up.call("#{extension} has failed") if const_defined?(:Native, false) && !defined?(Native::INTERFACE)

      require_relative extension
      unless defined?(Native::INTERFACE) && Native::INTERFACE == interface
        break give_up.call("#{extension} is of another version than lib/")
      end

      Native.know_box(frame) if frame
      @compiled = File.join(File.dirname(extension), "library.compiled")
      break
    rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
      # (it was built for another libc, for instance, or this Ruby is not what it expects)
      break give_up.call("cannot load #{extension}: #{error.message.lines.first.to_s.chomp}")
    end

    # The collector is switched on again. If that fails it is tried once more: the program would never collect.
    # @api private
    def self.collect_again
      GC.enable
    rescue StandardError, ScriptError, NoMemoryError, SystemStackError
      GC.enable
      raise
    end

    # Loads the rest of Warmstart that each start needs.
    # @api private
    # @return [true]
    def self.load_library
      load_compiled
      require_relative "../warmstart" # (as a rule it has come with the others)
      $LOAD_PATH.delete(BEFORE_RUBYGEMS) # (see BEFORE_RUBYGEMS)
      true
    end

    # Runs the files of lib/ that each start needs from the code that was compiled when the extension was built
    # (ext/compile_library.rb). This takes a fifth of the time.
    # @api private
    # @param loading [String, nil] a file that Ruby is loading already
    def self.load_compiled(loading = nil)
      was_off = true
      return unless @compiled

      was_off = GC.disable
      files = compiled or return
      there = [*($LOADED_FEATURES & files.map(&:first)), loading, __FILE__] # (the profiler has required some of them)
      while (path, code = files.shift)
        next if there.include?(path)

        code.eval
        Native.provide(path)
      end
    ensure
      collect_again unless was_off
    end

    # @return [Array<Array(String, RubyVM::InstructionSequence)>, nil] at the first call only
    private_class_method def self.compiled
      file = @compiled
      @compiled = nil
      Native.compiled(file, __dir__) if file
    rescue StandardError, ScriptError, NoMemoryError, SystemStackError
      nil # (the file is truncated, for instance)
    end
  ensure
    GC.enable unless was_off
  end
end
