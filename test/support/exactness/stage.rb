# frozen_string_literal: true

# The words that the generator's libraries use, and the play of one after another in one process: stage.rb NAMES...
# Standard error goes where standard output goes, so that warnings stand between the lines that they belong to.
ROOT = __dir__
$stderr.reopen($stdout)
$stdout.sync = $stderr.sync = true

# What the collector does while libraries run, where `bin/exactness --collector` says so. (In plain Ruby it never does.)
module Collector
  MODE = ENV.delete("EXACTNESS_COLLECTOR")
  # (Ruby 3.1 by itself, without us, crashes in a later collection that moves objects when this has made the heap
  # larger.)
  GROWN = ((RUBY_VERSION.split(".").map(&:to_i) <=> [3, 2]).negative? ? {} : { expand_heap: true }).freeze

  class << self
    # While a library works, and our code with it: each allocation collects. Every other library has minor collections
    # only, which find an old object that holds a young one without having told the collector; the rest have major ones,
    # which find what nobody holds at all.
    def work(mode = @mode)
      GC.stress = @mode = mode if MODE == "stress"
    end

    # While the stage shows what has become of it: that makes many objects, none of them ours. Where the collector moves
    # things, they move here.
    def rest
      GC.stress = false if MODE == "stress"
      GC.start if MODE == "compact"
    end

    # Everything that can be moved is, and Ruby looks whether anything still refers to where it was.
    def verify
      GC.verify_compaction_references(toward: :empty, **GROWN) if MODE == "compact"
    end
  end
end

# What has to_path, and a String that is not quite one.
Shown = Struct.new(:to_path)
class Named < String; end
module Wrapper; end

module Stage
  class << self
    # One library after another; what each has changed in common is put back.
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
      owner.constants(false).grep(/\A[A-Z]\z|\AN#{name[1..]}(?!\d)/).sort.map do |constant|
        next [constant, owner.autoload?(constant)] if owner.autoload?(constant)

        value = owner.const_get(constant)
        [constant, value.is_a?(Module) && owner == Object ? constants(value, name) : value, owner.const_source_location(constant)]
      end
    end
  end
end

# (A thread that nobody waits for any more would say it in the midst of the next library, sooner or later.)
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

# A library's features, with their encodings, in their order.
def features(name)
  $LOADED_FEATURES.filter_map { |feature| "#{feature.delete_prefix("#{ROOT}/")} #{feature.encoding}" if feature.match?(/#{name}(?!\d)/) }
end

def forget(name) = $LOADED_FEATURES.reject! { |feature| feature.include?(name) }

# A library's threads may wait for one another for ever: nobody waits for them longer than this. A thread of a thread
# waits for a third of the time, so that it is over before that one is given up.
PATIENCE = Collector::MODE ? 60 : 0.2
def depth = Thread.current.thread_variable_get(:depth) || 0
def patience = PATIENCE / (3**depth)

def start
  outer = depth
  Thread.new do
    Thread.current.thread_variable_set(:depth, outer + 1)
    yield
  end
end

def wait_until
  limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + patience
  sleep 0.0005 until yield || Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit
end

def finish(thread)
  return thread if thread.join(patience)

  thread.thread_variable_set(:given_up, true)
  say :stuck
  thread.kill
  thread.join(patience)
  nil
end

# Yields while another thread stands in `pause` inside the feature, or has passed it.
def in_the_middle_of(feature)
  thread = start do
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
    File.open(ENV["EXACTNESS_WAYS"], "a") { |file| Warmstart::Native.ways.each { |(way, reason), count| file.puts "#{way} #{reason} #{count}" } }
  end
  Collector.work
end

Stage.play(File.readlines("#{ROOT}/names", chomp: true))
