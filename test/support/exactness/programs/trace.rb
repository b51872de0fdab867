# frozen_string_literal: true

# Every generated program requires this first (-r), in plain Ruby and with Warmstart. It defines the methods by which
# programs print what they see, and prints the state of each process after all its exit handlers. Standard error is
# redirected to standard output, so that warnings appear between the lines to which they belong.
$stderr.reopen($stdout)
$stdout.sync = $stderr.sync = true

module Trace
  APPLICATION = ENV.delete("TRACE_APPLICATION")
  # Which of the two turns of the program this is: the second may use what the first has recorded.
  TURN = ENV.delete("TRACE_TURN").to_i
  OWN = [File.expand_path("../../../../lib/warmstart", __dir__), __dir__].freeze
  LOADS = 40
  # Seconds after which a waiting thread counts as waiting for ever.
  PATIENCE = ENV.delete("TRACE_PATIENCE").to_f
  METHODS = %i[require require_relative load autoload].freeze
  OUT = $stdout.dup.tap { |out| out.sync = true }

  # Methods of Ruby's that no generated program can redefine, because they are kept as objects.
  module Asked
    NAME = Module.instance_method(:name)
    CONSTANTS = Module.instance_method(:constants)
    CONST_GET = Module.instance_method(:const_get)
    AUTOLOAD = Module.instance_method(:autoload?)
    LOCATION = Module.instance_method(:const_source_location)
    START = String.instance_method(:start_with?)
  end

  class << self
    def say(*things) =
      OUT.syswrite("  #{things.map { |thing| thing.inspect.b }.join(" ")}\n".gsub(/0x\h{8,16}/, "0x..."))

    # Ends a program whose files load one another for ever.
    def count_load
      @loads = @loads.to_i + 1
      raise "too much" if @loads > LOADS
    end

    # The application's features with their encodings, in order.
    def features
      $LOADED_FEATURES.filter_map do |feature|
        "#{relative(feature)} #{feature.encoding}" if feature.is_a?(String) && feature.start_with?(APPLICATION)
      end
    end

    # (defined here, so that a program that counts blocks and lines does not count those per feature)
    def forget(name) =
      $LOADED_FEATURES.reject! { |feature| feature.start_with?(APPLICATION) && feature.end_with?(name) }.nil?
    # (Before the application's features in the list are Warmstart's: docs/semantics.md, 1.)
    def pop = ($LOADED_FEATURES.pop if $LOADED_FEATURES.last.to_s.start_with?(APPLICATION))
    # (Of those that their constants still hold: when the others go is the collector's to say.)
    def modules =
      ObjectSpace
        .each_object(Module)
        .count do |each|
          (name = Asked::NAME.bind_call(each).to_s).match?(/\A(?:Alpha|Beta|Outer)\b/) && held(name).equal?(each)
        end

    def held(name)
      name
        .split("::")
        .inject(Object) do |owner, part|
          if Module === owner && !owner.autoload?(part, false) && owner.const_defined?(part, false)
            owner.const_get(part, false)
          end
        end
    end

    def found(name) =
      $LOADED_FEATURES.grep(/#{name}\z/).map { |feature| [relative(feature), feature.encoding, feature.frozen?] }

    # (for blocks that are called whenever something happens, also in Warmstart's own files)
    def inside?(path) = Asked::START.bind_call(path.to_s, APPLICATION)

    # (Ruby does not always warn when a program replaces its own Warning.warn: see LEFT_OUT)
    def quiet_warning =
      begin
        Warning.singleton_class.send(:remove_method, :warn)
      rescue StandardError
        nil
      end

    def relative(text) = text.to_s.sub("#{APPLICATION}/", "")

    def error(error, depth = 6)
      # (Psych puts code together in the order of its constants: docs/semantics.md, 7.)
      lines = !error.is_a?(SyntaxError) ? 2 : error.message.include?("/psych/class_loader.rb:") ? 1 : 9
      message = error.message.to_s.lines.first(lines).join.chomp[0, 400].sub(/(?<=frozen Array: ).*/m, "")
      say(
        error.class,
        message,
        (error.path if error.is_a?(LoadError)),
        *([error.reason, error.exit_value] if error.is_a?(LocalJumpError)),
        error.backtrace&.first(depth),
        error.backtrace_locations&.first(3)&.map { |at| [at.label, at.absolute_path, at.lineno] },
        error.cause&.class
      )
    end

    def state
      theirs = $LOADED_FEATURES.reject { |feature| feature.is_a?(String) && feature.start_with?(*OWN) }
      say :features, features, relative(theirs.last), theirs - @features, theirs.map(&:frozen?).uniq
      say :path, $LOAD_PATH, $LOAD_PATH.map(&:frozen?).uniq
      say :constants, constants(Object, @constants)
      say :globals, (global_variables - @globals).sort, $VERBOSE, $DEBUG, Dir.pwd, $!.class
      say :methods,
          (Object.private_instance_methods(false) - @methods).sort,
          Kernel.private_instance_methods(false).sort - @methods,
          METHODS.flat_map { |name| described(name) }
    end

    def remember
      @features, @constants, @globals = $LOADED_FEATURES.dup, Object.constants, global_variables
      @methods = Object.private_instance_methods(false) + Kernel.private_instance_methods(false)
    end

    def wait_until
      limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE
      sleep 0.0005 until yield || Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit
    end

    def finish(thread)
      return thread if thread.join(PATIENCE)

      say :stuck
      thread.kill
      thread.join(PATIENCE)
      nil
    end

    # What the block returns in a thread of its own; :late if it waits for the thread that waits for it. (A thread in
    # a thread waits less, so that the innermost one always gives up first.)
    def in_thread
      depth = Thread.current[:depth].to_i + 1
      thread =
        Thread.new do
          Thread.current[:depth] = depth
          yield
        end
      return thread.value if thread.join(2 * PATIENCE / (2**depth))

      thread.kill.join(PATIENCE)
      :late
    end

    # Yields while another thread waits in `pause` inside the feature, or when it has passed that.
    def in_the_middle_of(feature)
      thread =
        Thread.new do
          Thread.current.report_on_exception = false
          Thread.current[:pausing] = true
          say :other, require(feature)
        rescue Exception => error # rubocop:disable Lint/RescueException -- whatever a program raises is shown
          error(error)
        end
      wait_until { thread[:paused] || !thread.alive? }
      yield
    ensure
      thread[:left] = true
      finish(thread)
    end

    def pause
      return unless Thread.current[:pausing]

      Thread.current[:pausing] = false
      Thread.current[:paused] = true
      wait_until { Thread.current[:left] }
    end

    private

    def described(name)
      [Object.new.method(name), Kernel.method(name)].map do |method|
        [method.owner, method.arity, method.original_name, method.source_location, method.parameters]
      end
    rescue NameError => error
      [error.message]
    end

    def constants(owner, known)
      (Asked::CONSTANTS.bind_call(owner, false) - known - [:Warmstart]).sort.map do |name|
        next name, Asked::AUTOLOAD.bind_call(owner, name) if Asked::AUTOLOAD.bind_call(owner, name)

        location = Asked::LOCATION.bind_call(owner, name)
        next name unless location.nil? || location.empty? || location[0].start_with?(APPLICATION)

        value = Asked::CONST_GET.bind_call(owner, name)
        [
          name,
          Module === value && owner.equal?(Object) ? constants(value, []) : value.class,
          location&.then { |path, line| [relative(path), line] }
        ]
      rescue NameError => error
        [name, error.class]
      end
    end
  end
end

module Wrapper
end

# An object with to_path, and an instance of a subclass of String.
Shown = Struct.new(:to_path)
class Named < String
end

def say(*things) = Trace.say(*things)
def say_error(error) = Trace.error(error)

Trace.remember
at_exit { Trace.state }
