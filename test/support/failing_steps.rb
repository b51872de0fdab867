# frozen_string_literal: true

# Makes each step of Warmstart fail in turn, each in a forked child, and prints the steps after which the program does
# not behave as in plain Ruby. A step is a call that a file of lib/warmstart makes, or a method of such a file that is
# called. A TracePoint lists the steps of a boot, and raises at one of them in another boot of the same program. So a
# new step needs no entry anywhere.
#
#   ruby failing_steps.rb FOLDER SETUP PLAIN [SHARE [SEED]]
#
# FOLDER: the program's folder, with main.rb in it; images and results are put there, too. SETUP: the file that is
# required first; PLAIN: the one that plain Ruby requires instead ("-": none). A line that makes the same call again and
# again counts once. SHARE: one step of so many is tried (1: all, each with each kind of failure), beginning at SEED.
# The last line is "N steps, N tried, N failed".
module FailingSteps
  LIBRARY = File.expand_path("../../lib", __dir__)
  # These only lead into Failsafe. A failure at a call of theirs would be Ruby's own failure.
  ENTRANCES = %w[setup.rb before_rubygems/rubygems.rb].map { |name| "#{LIBRARY}/warmstart/#{name}" }.freeze
  # Ruby itself reads this file, with calls that have its path and no line (load_file_internal in ruby.c). And its last
  # line leads into Failsafe.
  FIRST = "#{LIBRARY}/warmstart/first.rb"
  LAST = File.readlines(FIRST).size
  # As do the lines of this file before the first step that Failsafe runs, and what reports a failure.
  NATIVE = "#{LIBRARY}/warmstart/native.rb"
  GUARD = File.readlines(NATIVE).index { |line| line.include?('Failsafe.run("setup"') } + 1
  REPORT = "#{LIBRARY}/warmstart/failsafe.rb"

  ERRORS = [TypeError, NoMemoryError, NoMethodError, LoadError].freeze

  # Steps whose failure once did harm are always tried.
  FOUND =
    %r{/default_gems\.rb:\d+ .*(?:Array#size|Hash#default_proc=)\z|/bundle\.rb:\d+ .*#method\z|/watch/calls\.rb:\d+ .*(?:TracePoint.*|Array#(?:push|pop))\z|/watch\.rb:\d+ .*(?:Hash#\[\]=|watching\?)\z}

  # A text that no step has.
  NONE = ":0 -#-"

  # Seconds: a boot that takes longer hangs.
  LONGEST = 60

  METHODS = [
    [Kernel, %i[require require_relative load autoload exec fork at_exit]],
    [Kernel.singleton_class, %i[require require_relative load autoload exec]],
    [Module, %i[autoload]],
    [GC.singleton_class, %i[enable disable stress=]],
    [Process.singleton_class, %i[exec _fork]],
    [IO.singleton_class, %i[open]],
    [File.singleton_class, %i[open expand_path]],
    [RubyVM::InstructionSequence, %i[script_lines]],
    [RubyVM::InstructionSequence.singleton_class, %i[compile_option=]]
  ].freeze

  class << self
    def run(folder, setup, plain, share, seed)
      @folder, @setup = folder, setup
      # (Bundler writes a lockfile in the first boot)
      plain = Array.new(2) { boot("plain", setup: plain == "-" ? nil : plain) }.last
      3.times { |i| boot("warm#{i}", env: images("warm")) }
      steps = %w[cold warm].flat_map { |kind| steps(kind) }
      normal = %w[cold warm].to_h { |kind| [kind, boot("normal", step: NONE, env: images(kind))] }
      tries = steps.flat_map { |step| ERRORS.map { |error| [step, error] } }
      chosen = ->((_, text), i) { i % share == seed % share || text.match?(FOUND) }
      tries =
        steps
          .each_with_index
          .select(&chosen)
          .map { |step, i| [step, ERRORS[(i + (seed / share)) % ERRORS.size]] } if share > 1
      failed =
        tries.count do |(kind, text), error|
          @unordered = text.match?(%r{/warmstart/bundle|/bundler[-/.]|/rubygems[/.]})
          problem = problem_of(plain, normal.fetch(kind), boot("failing", step: text, error: error, env: images(kind)))
          puts "#{kind} boot, #{error} at #{text}: #{problem}" if problem
          problem
        end
      failed += 1 if spoilt?(plain, normal)
      puts "#{steps.size} steps, #{tries.size} tried, #{failed} failed"
    end

    private

    # Whether one of the failing boots has left something in the image that changes later boots.
    def spoilt?(plain, normal)
      @unordered = false
      problem = problem_of(plain, normal.fetch("warm"), boot("normal", step: NONE, env: images("warm")))
      puts "the image is spoilt: #{problem}" if problem
      problem
    end

    # cold: there is no image; warm: there is one that no boot changes.
    def images(kind)
      return { "WARMSTART_CACHE_DIR" => File.join(@folder, "warm") } if kind == "warm"

      @cold = @cold.to_i + 1
      { "WARMSTART_CACHE_DIR" => File.join(@folder, "cold#{@cold}") }
    end

    # [[kind, text], ...]
    def steps(kind)
      boot("list", step: :list, env: images(kind))
      File.readlines(path("list.steps"), chomp: true).map { |text| [kind, text] }
    end

    def path(name) = File.join(@folder, name)

    # Runs a boot and returns [status, stdout, state, stderr].
    # step: nil: without a TracePoint; :list: writes all steps to NAME.steps; a text: this step fails.
    def boot(name, setup: @setup, step: nil, error: nil, env: {})
      pid =
        fork do
          $stdout.reopen(path("#{name}.out"), "w")
          $stderr.reopen(path("#{name}.err"), "w")
          ENV.update(env)
          child(name, setup, step, error)
        end
      watch = Process.detach(pid)
      Process.kill(:KILL, pid) unless watch.join(LONGEST)
      status = watch.value
      [
        status.signaled? ? "signal #{status.termsig}" : status.exitstatus,
        *%w[out state err].map { |kind| File.exist?(path("#{name}.#{kind}")) ? File.read(path("#{name}.#{kind}")) : "" }
      ]
    ensure
      File.delete(*%w[out err state].map { |kind| path("#{name}.#{kind}") }.select { |file| File.exist?(file) })
    end

    def child(name, setup, step, error)
      $PROGRAM_NAME = path("main.rb")
      # (as `exec` does)
      ENV["WARMSTART_PROGRAM"] = "#{Process.pid} #{$PROGRAM_NAME}" if setup&.include?("before_rubygems")
      trace = step == :list ? lister : step && failer(step, error)
      at_exit do
        trace&.disable
        # (a governor that has ended by itself removes its methods from GC at the next require)
        require "rbconfig"
        File.write(path("#{name}.steps"), @steps.keys.join("\n")) if @steps
        File.write(path("#{name}.state"), state)
      end
      trace&.enable
      require setup if setup
      load path("main.rb")
      exit
    end

    def lister
      @steps = {}
      TracePoint.new(:call, :c_call) do |trace|
        hide(trace)
        (text = step(trace)) && @steps[text] = true
      end
    end

    # Bundler sets the bundle up itself where a TracePoint looks on (Bundle.watched). This one is not to be seen.
    def hide(trace)
      Warmstart::Native.define_singleton_method(:traced?) { |*| false } if trace.method_id == :before_setup
    end

    # Makes the first call of the step fail. (The method's name is compared at every call of the boot, the rest only at
    # few.)
    def failer(text, error)
      name = text[/[^#]*\z/].to_sym
      TracePoint.new(:call, :c_call) do |trace|
        hide(trace)
        next unless trace.method_id == name && step(trace) == text

        trace.disable
        raise error, "a step fails", caller(1) # (as if it failed by itself)
      end
    end

    # @return [String, nil] "PATH:LINE CLASS#METHOD"; the place is that of the call, or for a method of Warmstart's in
    #   Ruby its beginning; nil: it is not a step
    def step(trace)
      path = trace.path
      return if passes?(trace, path)
      return text(trace, path, trace.lineno) if path.start_with?(LIBRARY)

      caller = caller_locations(3, 1)&.first if trace.event == :call
      # (From 3.4 on Symbol#to_s is written in Ruby, and its path is "<internal:symbol>".)
      return unless caller&.absolute_path&.start_with?(LIBRARY) && !passes_on?(caller.absolute_path, caller.lineno)

      text(trace, caller.absolute_path, caller.lineno)
    end

    def text(trace, path, line) = "#{path}:#{line} #{trace.defined_class.inspect.gsub(/0x\h+/, "")}##{trace.method_id}"

    def passes?(trace, path)
      # (Native.wait only waits for signals)
      if ENTRANCES.include?(path) || trace.method_id == :wait || (path == NATIVE && trace.lineno <= GUARD) ||
           (path == FIRST && [0, LAST].include?(trace.lineno))
        return true
      end
      # (the entrance of the exit handler)
      return true if trace.event == :call && trace.method_id == :finish && path.end_with?("/session.rb")

      # (RubyGems' own require prints on stderr what fails in it)
      path.include?("/rubygems/") || passes_on?(path, trace.lineno)
    end

    # What Warmstart asked of Bundler before the failure has loaded some of Bundler's files in another order.
    def features(line)
      @unordered ? line.split(", ").sort.join(", ") : line
    end

    # Whether the line calls (or begins) the method that Warmstart has replaced. What fails in that fails in plain Ruby,
    # too.
    def passes_on?(path, line)
      @passing ||=
        Hash.new do |hash, file|
          hash[file] = File
            .readlines(file)
            .map do |text|
              text.match?(
                /bind_call|original\.call|original\.bind\(|super\(|define_method\(name\) do|ours\.call|hash\.key|gemspec && hash|def (load_defaults|setup_from|evaluate|attempt|note|run$)/
              )
            end
        end
      path.start_with?(LIBRARY) && path.end_with?(".rb") && @passing[path][line - 1]
    end

    def state
      lines = METHODS.flat_map { |owner, names| names.map { |name| describe(owner, name) } }
      lines << "features #{$LOADED_FEATURES.reject { |feature| feature.start_with?(LIBRARY) }.map(&:inspect)}"
      lines << "load path #{$LOAD_PATH}" << "collector #{GC.disable} #{GC.stress}" << "threads #{Thread.list.size}" <<
        "verbose #{$VERBOSE} #{$DEBUG}"
      lines << "Kernel #{(Kernel.private_instance_methods(false) + Kernel.instance_methods(false)).sort}" <<
        "error #{$!.inspect}"
      lines << "constants #{Object.constants.sort - [:Warmstart]}"
      lines.join("\n")
    end

    def describe(owner, name)
      return "#{owner} #{name} -" unless owner.method_defined?(name) || owner.private_method_defined?(name)

      method = owner.instance_method(name)
      "#{owner} #{name} #{method.owner} #{method.source_location} #{method.arity} #{method.original_name} #{owner.private_method_defined?(name)}"
    end

    # (Array#- would remove all equal elements, not just one.)
    def subtract(list, other) =
      other.each_with_object(list.dup) { |each, rest| (at = rest.index(each)) && rest.delete_at(at) }

    # If setup has succeeded, its methods are there at the end, as in every other boot.
    def problem_of(plain, normal, failing)
      lines = failing.last.lines
      return "stderr: #{lines.inspect}" if lines.size > 1 || lines.any? { |line| !line.start_with?("warmstart: ") }

      return "status #{failing[0]}: #{failing[3]}" if plain[0] != failing[0]
      return "stdout: #{failing[1]}" if plain[1] != failing[1]

      lines =
        [failing, plain, normal].map do |boot|
          boot[2].lines(chomp: true).map { |line| line.start_with?("features ") ? features(line) : line }
        end
      lines = lines[0].zip(*lines.drop(1))
      different = lines.find { |line, in_plain, in_normal| line != in_plain && line != in_normal } or return
      words = different.first(2).map { |line| line.split(", ") }
      extra = words.map(&:dup).then { |one, other| [subtract(one, other), subtract(other, one)] }
      at = words[0].zip(words[1]).index { |one, other| one != other }
      extra = words.map { |list| list[at, 3] } if extra.all?(&:empty?)
      "#{different[0][/\S+/]}: #{extra[0].inspect} instead of #{extra[1].inspect} (#{failing[3].chomp})"
    end
  end
end

FailingSteps.run(*ARGV.first(3), Integer(ARGV[3] || 1), Integer(ARGV[4] || 0))
