# frozen_string_literal: true

# stage.rb NAMES...: plays libraries one after the other in one process, and defines the methods that the generator's
# libraries use. Standard error is redirected to standard output, so that warnings appear between the lines to which
# they belong.
ROOT = __dir__
$stderr.reopen($stdout)
$stdout.sync = $stderr.sync = true

# What the garbage collector does while libraries run, if `bin/exactness --collector` asks for it. (In plain Ruby
# only to see what the collector changes there.)
module Collector
  MODE = ENV.delete("EXACTNESS_COLLECTOR")
  # (Without Warmstart, too, Ruby 3.1 crashes in a later compacting collection if this has made the heap larger.)
  GROWN = ((RUBY_VERSION.split(".").map(&:to_i) <=> [3, 2]).negative? ? {} : { expand_heap: true }).freeze

  class << self
    # Called when a library begins to run, and with it Warmstart's code: each allocation collects. Every other library
    # has minor collections only, which find an old object that refers to a young one without a write barrier. The rest
    # have major ones, which find objects that nothing refers to.
    def work(mode = @mode)
      GC.stress = @mode = mode if MODE == "stress"
    end

    # Called when the stage begins to print, which makes many objects that are not Warmstart's. A compacting collector
    # moves objects here.
    def rest
      GC.stress = false if MODE == "stress"
      GC.start if MODE == "compact"
    end

    # Moves every object that can be moved; Ruby then checks that nothing refers to an old address.
    def verify
      GC.verify_compaction_references(toward: :empty, **GROWN) if MODE == "compact"
    end
  end
end

# An object with to_path, and an instance of a subclass of String.
Shown = Struct.new(:to_path)
class Named < String
end
module Wrapper
end

module Stage
  WAITED = ENV.delete("EXACTNESS_WAITED")

  class << self
    # A library has waited in vain: its name goes into a file, if bin/exactness asks for it.
    def waited
      File.open(WAITED, "a") { |file| file.puts(@name) } if WAITED
    end

    # Plays one library after another, and restores what each has changed in common.
    def play(names)
      path, features, verbose = $LOAD_PATH.dup, $LOADED_FEATURES.dup, $VERBOSE
      names.each do |name|
        perform(name)
        $VERBOSE = verbose
        $LOAD_PATH.replace(path)
        $LOADED_FEATURES.push(*(features - $LOADED_FEATURES)) unless (features - $LOADED_FEATURES).empty?
      end
      puts "=== end", $LOAD_PATH.inspect
    end

    private

    def perform(name)
      @name = name
      puts "=== #{name}"
      script = "#{ROOT}/run/#{name}.rb"
      begin
        Collector.work(name[-1].to_i.odd? ? 1 : true)
        catch(:out) { load(script) }
      rescue Exception => error # rubocop:disable Lint/RescueException -- whatever a library raises is shown
        say_error(error)
      end
      Collector.rest
      Collector.verify
      say features(name), constants(Object, name), $!
      Collector.rest
    end

    def constants(owner, name)
      owner
        .constants(false)
        .grep(/\A[A-Z]\z|\AN#{name[1..]}(?!\d)/)
        .sort
        .map do |constant|
          next constant, owner.autoload?(constant) if owner.autoload?(constant)

          value = owner.const_get(constant)
          [
            constant,
            value.is_a?(Module) && owner == Object ? constants(value, name) : value,
            owner.const_source_location(constant)
          ]
        end
    end
  end
end

# (A thread that was given up would otherwise print in the middle of the next library.)
def say(*things)
  Collector.rest
  return if Thread.current.thread_variable_get(:given_up)

  $stdout.puts("  " + things.map(&:inspect).join(" "))
ensure
  Collector.work
end

def say_error(error)
  Collector.rest
  message = error.message.to_s.lines.first(error.is_a?(SyntaxError) ? 9 : 1).join.chomp
  say(error.class, message, (error.path if error.is_a?(LoadError)), error.backtrace, error.cause&.class)
end

# A library's features with their encodings, in order.
def features(name)
  $LOADED_FEATURES.filter_map do |feature|
    "#{feature.delete_prefix("#{ROOT}/")} #{feature.encoding}" if feature.match?(/#{name}(?!\d)/)
  end
end

def forget(name) = $LOADED_FEATURES.reject! { |feature| feature.include?(name) }

# A library's threads may wait for one another for ever, so nobody waits for them longer than this. A thread that
# another thread has started gets a third of the time, so that it ends before the other one is given up.
# (Where only what waits in vain is looked for, plain Ruby runs, and a library too many may be left out.)
PATIENCE = { "compact" => Stage::WAITED ? 2 : 20, "stress" => Stage::WAITED ? 10 : 60 }.fetch(Collector::MODE, 0.2)
def depth = Thread.current.thread_variable_get(:depth) || 0
def patience = PATIENCE.fdiv(3**depth)

def start
  outer = depth
  Thread.new do
    Thread.current.thread_variable_set(:depth, outer + 1)
    yield
  end
end

def wait_until
  limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + patience
  until yield
    return Stage.waited if Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit

    sleep 0.0005
  end
end

def finish(thread)
  return thread if thread.join(patience)

  thread.thread_variable_set(:given_up, true)
  Stage.waited
  say :stuck
  thread.kill
  thread.join(patience)
  nil
end

# Yields while another thread waits in `pause` inside the feature, or when it has passed that.
def in_the_middle_of(feature)
  thread =
    start do
      Thread.current.report_on_exception = false
      Thread.current[:pausing] = true
      say :other, require(feature)
    rescue Exception => error # rubocop:disable Lint/RescueException -- whatever a library raises is shown
      say_error(error)
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

at_exit do
  Collector.rest
  if defined?(Warmstart) && ENV["EXACTNESS_WAYS"]
    File.open(ENV["EXACTNESS_WAYS"], "a") do |file|
      Warmstart::Native.ways.each { |(way, reason), count| file.puts "#{way} #{reason} #{count}" }
    end
  end
  Collector.work
end

Stage.play(File.readlines("#{ROOT}/names", chomp: true))
