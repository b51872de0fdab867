# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/call_graph"

# What is no failure of ours must never be kept back: Ctrl-C, exit, throw, Thread#kill, Timeout. The instrumentation
# callback is where a program's own code runs inside of ours, so it is where each of them can be sent at a known moment.
#
# Where something is kept back at all, and what:
class InterruptsTest < TestCase
  # Each function that calls rb_protect (or rb_rescue), and what becomes of what it catches.
  #   on      goes on to the program, once something is put in order
  #   own     C code of Ruby's that hears no signals: only its own refusal can leave it
  #   errors  the named errors stay, everything else goes on
  PROTECTED = {
    "ruby/private/ruby_require.c set_answer" => "own: a throw that no code hears",
    "ruby/require/require.c load_and_settle" => "on: the load has ended",
    "ruby/documents/document_tags.c ws_document_is_untagged" =>
      "errors: Psych::Exception, and that the file cannot be opened",
    "ruby/documents/documents.c close_file" => "errors: IOError \"closed stream\", as rb_io_s_open has it",
    "ruby/boot/events.c notify" => "errors: StandardError of the callback's, one line",
    "ruby/code/frozen_literals.c ws_frozen_literals_compile" => "errors: ScriptError, SystemCallError",
    "ruby/code/judgement.c iseq_of" => "own: load_from_binary",
    "ruby/require/landmarks.c go_on_or_again" => "on: unless Warmstart's own part has failed (Bundle.once_more?)",
    "ruby/require/hook.c wait_without_frame" => "on: its backtrace is trimmed",
    "ruby/require/loading.c ws_loading_wait" => "on: nobody waits any more",
    "ruby/recorder/recorder.c binary_of" => "own: to_binary",
    "ruby/recorder/recorder.c on_script_compiled" => "on: the file is given up",
    "ruby/require/relative.c ws_require_unfrozen" => "on: the error's path is thawed",
    "ruby/code/script_lines.c read_lines" => "errors: ScriptError, SystemCallError",
    "ruby/private/traced.c was_wanted" => "errors: StandardError, once a process",
    "warmstart_profiler/exec.c profiled_exec" => "on: the recording goes on",
    "warmstart_profiler/methods.c value_of" => "errors: StandardError of a to_path or to_str",
    "warmstart_profiler/requires.c announce" => "errors: StandardError of the profiler's own",
    "warmstart_profiler/requires.c profiled" => "on: the frame has ended",
    "warmstart_profiler/requires.c profiled_load" => "on: the frame has ended"
  }.freeze

  SETUP = "CALLS = []\nrequire 'timeout'\n$stdout.sync = true\n"

  # name => [what the callback does (once), what the program around the require does and prints]. Plain Ruby does the
  # same in the file.
  WAYS = {
    "Ctrl-C" => ["Process.kill(:INT, $$); sleep 5", "begin; require 'a'; rescue Interrupt => e; p e.class; end"],
    "SIGTERM" => [
      "Process.kill(:TERM, $$); sleep 5",
      "begin; require 'a'; rescue SignalException => e; p e.message; end"
    ],
    "Ctrl-C that nobody rescues" => ["Process.kill(:INT, $$); sleep 5", "require 'a'"],
    "a signal's handler that raises" => [
      "Process.kill(:INT, $$); sleep 5",
      "trap(:INT) { raise Interrupt, 'mine' }; begin; require 'a'; rescue Interrupt => e; p e.message; end"
    ],
    "exit" => ["exit 7", "require 'a'; puts 'never'"],
    "abort" => ["abort 'enough'", "require 'a'; puts 'never'"],
    "a rescued exit" => ["exit 7", "begin; require 'a'; rescue SystemExit => e; p e.status; end"],
    "throw" => ["throw :out, 5", "p catch(:out) { require 'a'; 6 }"],
    "Thread#kill of the thread itself" => [
      "Thread.current.kill; sleep 5",
      "t = Thread.new { begin; require 'a'; ensure; puts 'ensure'; end }; p t.join.value"
    ],
    "Thread#kill from elsewhere" => [
      "$inside << 1; sleep 5",
      "$inside = Queue.new; t = Thread.new { require 'a'; puts 'never' }; $inside.pop; t.kill; p t.join.value"
    ],
    "Thread#raise of an Exception" => [
      "$inside << 1; sleep 5",
      "$inside = Queue.new; t = Thread.new { require 'a' rescue p $! rescue 1 }; t.report_on_exception = false; $inside.pop; " \
        "t.raise(NotImplementedError, 'x'); begin; t.join; rescue NotImplementedError => e; p e.message; end"
    ],
    "Timeout" => ["sleep 5", "begin; Timeout.timeout(0.2) { require 'a' }; rescue Timeout::Error => e; p e.class; end"],
    "a fiber that is left for good" => [
      "Fiber.yield 3",
      "f = Fiber.new { require 'a'; 4 }; p f.resume, f.resume, defined?(A)"
    ]
  }.freeze

  # The same happens in the file itself under plain Ruby, and in the callback for that file under Warmstart; afterwards
  # the file loads.
  WAYS.each do |name, (action, around)|
    test "#{name} in the instrumentation callback goes on through the require" do
      before =
        "at_exit { p require('a'), A; puts $LOADED_FEATURES.grep(/a.rb/).map { |f| File.basename(f) } }\n#{SETUP}"
      plain =
        program(
          { "a.rb" => "unless $done\n$done = true\n#{action}\nend\nA = 1\n", "main.rb" => "#{before}#{around}\n" },
          witness: false
        )
      ours =
        program(
          {
            "a.rb" => "A = 1\n",
            "main.rb" =>
              "#{before}Warmstart.instrumentation = lambda do |event, path|\n" \
                "next if $done || File.basename(path) != 'a.rb'\n$done = true\n#{action}\nend\n#{around}\n"
          },
          witness: false
        )
      expected = plain.plain
      [{}, {}, { "WARMSTART_DIRECT" => "0" }].each do |environment|
        run = ours.boot(env: environment)
        assert_equal [expected.stdout, expected.status], [run.stdout, run.status], run.stderr
        assert_empty run.complaints
      end
    end
  end

  # Whatever the class: there is no line that could say more than the file itself does.
  OWN = {
    "an error" => ["raise ArgumentError, 'mine'", "begin; require 'a'; rescue ArgumentError => e; p e.message; end"],
    "an error that nobody rescues" => ["raise 'mine'", "require 'a'"],
    "a LoadError" => ["require 'no/such/file'", "begin; require 'a'; rescue LoadError => e; p e.message; end"],
    "a NoMemoryError" => [
      "raise NoMemoryError, 'mine'",
      "begin; require 'a'; rescue NoMemoryError => e; p e.message; end"
    ],
    "a SyntaxError" => ["eval '1 +'", "begin; require 'a'; rescue SyntaxError => e; p e.class; end"],
    "a Timeout with a class of its own" => [
      "sleep 5",
      "begin; Timeout.timeout(0.2, ArgumentError) { require 'a' }; rescue ArgumentError => e; p e.class; end"
    ]
  }.freeze

  # The same happens where the application's file is required by itself, under plain Ruby, and where we load it; asked
  # again, we load it again.
  WAYS
    .merge(OWN)
    .each do |name, (action, around)|
      test "#{name} in config/warmstart.rb is the program's" do
        own = "unless $done\n$done = true\n#{action}\nend\nA = 1\n"
        main =
          "$LOAD_PATH.unshift __dir__\nat_exit { p require('a'), A; puts $LOADED_FEATURES.grep(%r{/a.rb}).size }\n#{SETUP}#{around}\n"
        files = { "Gemfile" => "", "config/warmstart.rb" => own, "main.rb" => main }
        expected =
          program(files.merge("a.rb" => "require File.join(__dir__, 'config/warmstart')\n"), witness: false).plain
        ours = program(files.merge("a.rb" => "require #{Program::SETUP.dump}\n"), witness: false)
        2.times do
          run = ours.plain
          assert_equal [expected.stdout, expected.status], [run.stdout, run.status], run.stderr
          assert_empty run.complaints
        end
      end
    end

  # Such an exception is deferred until our own work is done, and is raised before the application's file has begun.
  test "what another thread raises while we set up reaches the program, and the next setup loads config/warmstart.rb" do
    program = program({ "Gemfile" => "", "config/warmstart.rb" => "A = 1\n", "main.rb" => <<~RUBY }, witness: false)
      require #{File.join(Program::REPOSITORY, "lib/warmstart").dump}
      module Raised
        def application_file(*) = super.tap { $raised ||= Thread.new(Thread.current) { |thread| thread.raise(IOError, "mine") }.join }
      end
      Warmstart.singleton_class.prepend(Raised)
      begin; Warmstart.setup; rescue IOError => e; p e.message, defined?(A); end
      p Warmstart.setup, A
    RUBY

    run = program.plain
    assert_equal ["\"mine\"\nnil\ntrue\n1\n", "", "exit 0"], [run.stdout, run.stderr, run.status]
  end

  test "a StandardError of the callback's is one line, and $! is what it was" do
    ours = program({ "a.rb" => "A = $!.inspect\n", "main.rb" => <<~RUBY }, witness: false)
      Warmstart.instrumentation = ->(*) { raise 'no' } if defined?(Warmstart)
      begin; raise IOError, "outer"; rescue; require "a"; p $!, A; end
    RUBY

    plain = ours.plain
    2.times do
      run = ours.boot
      assert_equal [plain.stdout, 1, "exit 0"], [run.stdout, run.complaints.size, run.status]
    end
  end

  test "everything that is kept back in C is in the table" do
    files = Dir[File.join(Program::REPOSITORY, "ext/warmstart{,_profiler}/**/*.c")].sort
    graph = CallGraph.new(files, later: ["-"])
    found =
      graph.functions.select do |function|
        function.body.match?(/\brb_(?:protect|rescue2?|load_protect|eval_string_protect|jump_tag_but)\(/)
      end
    assert_equal PROTECTED.keys.sort,
                 found.map { |function| "#{function.file[%r{ext/(?:warmstart/)?(.*)}, 1]} #{function.name}" }.uniq.sort
    on =
      PROTECTED
        .select { |_, outcome| outcome.start_with?("on") || outcome.match?(/Script|Psych/) }
        .keys
        .map { |key| key[/\S+\z/] }
    silent =
      found.select do |function|
        on.include?(function.name) && !function.body.match?(/rb_jump_tag|go_on_unwinding|ws_jump/)
      end
    assert_empty silent.map(&:name)
  end

  test "no Ruby code of ours rescues what is no StandardError, but the command line and where it goes on" do
    files =
      Dir[File.join(Program::REPOSITORY, "lib/**/*.rb")].grep_v(%r{/lib/warmstart/(?:cli|bench|profiler|image)[/.]})
    wide =
      files.flat_map do |file|
        File
          .readlines(file)
          .grep(/\A[^#]*\brescue\b.*\b(?:Exception|Interrupt|SignalException|SystemExit|NoMemoryError)\b/)
          .map { |line| "#{file}: #{line.strip}" }
      end
    # (what our own code can raise, memory that is refused among it, and nothing that another thread or a signal sends)
    wide.reject! do |line|
      line.match?(/rescue StandardError, ScriptError, NoMemoryError, SystemStackError(?: => error)?\z/)
    end
    # (a process that waits is nobody's command: what left it there would go on as the program once more)
    wide.reject! { |line| line.include?("/boot/standby.rb: rescue Exception ") }
    assert_empty wide
    loud =
      files.flat_map do |file|
        File.read(file).scan(/^ *ensure\n(?:(?!^ *end$).*\n)*?.*\breturn\b/).map { |text| "#{file}: #{text}" }
      end
    assert_empty loud, "a return in an ensure takes what is in progress away"
  end
end
