# frozen_string_literal: true

# The words that the generator's libraries use, and the play of one after another in one process: stage.rb NAMES...
# Standard error goes where standard output goes, so that warnings stand between the lines that they belong to.
ROOT = __dir__
$stderr.reopen($stdout)
$stdout.sync = $stderr.sync = true

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
        ($LOADED_FEATURES.push(*(features - $LOADED_FEATURES))) unless (features - $LOADED_FEATURES).empty?
      end
      puts "=== end", $LOAD_PATH.inspect
    end

    private

    def perform(name)
      puts "=== #{name}"
      begin
        catch(:out) { load("#{ROOT}/run/#{name}.rb") }
      rescue Exception => error # rubocop:disable Lint/RescueException -- whatever a library raises is shown
        say_error(error)
      end
      say features(name), constants(Object, name), $!
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

def say(*things) = $stdout.puts("  " + things.map(&:inspect).join(" "))

def say_error(error)
  message = error.message.to_s.lines.first(error.is_a?(SyntaxError) ? 9 : 1).join.chomp
  say(error.class, message, (error.path if error.is_a?(LoadError)), error.backtrace, error.cause&.class)
end

# A library's features, with their encodings, in their order.
def features(name)
  $LOADED_FEATURES.filter_map { |feature| "#{feature.delete_prefix("#{ROOT}/")} #{feature.encoding}" if feature.match?(/#{name}(?!\d)/) }
end

def forget(name) = $LOADED_FEATURES.reject! { |feature| feature.include?(name) }

# A library's threads may wait for one another for ever: nobody waits for them longer than this.
PATIENCE = 0.15

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

# Yields while another thread stands in `pause` inside the feature, or has passed it.
def in_the_middle_of(feature)
  thread = Thread.new do
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
  if defined?(Warmstart) && ENV["EXACTNESS_WAYS"]
    File.open(ENV["EXACTNESS_WAYS"], "a") { |file| Warmstart::Native.ways.each { |(way, reason), count| file.puts "#{way} #{reason} #{count}" } }
  end
end

Stage.play(File.readlines("#{ROOT}/names", chomp: true))
