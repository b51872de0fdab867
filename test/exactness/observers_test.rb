# frozen_string_literal: true

require_relative "../test_helper"

# Who watches while files are loaded, and what is done to $LOADED_FEATURES and $LOAD_PATH meanwhile.
class ObserversTest < TestCase
  FILES = {
    "a.rb" => "class A; def m = 1; end\nrequire 'b'\nTOP = binding.local_variables\n",
    "b.rb" => "module B; X = [1].map { |x| x + 1 }; end\nrequire_relative 'sub/c'\n",
    "sub/c.rb" => "C = [__method__.inspect, __FILE__, __dir__, caller_locations(0).map(&:to_s), caller.size]\n"
  }.freeze

  SURROUNDINGS = {
    "a TracePoint of files, lines and classes" =>
      "$seen = []; TracePoint.new(:script_compiled, :line, :class, :end) { |tp| $seen << [tp.event, tp.path, tp.lineno] if tp.path.start_with?(__dir__) }.enable { %s }; p $seen",
    "a TracePoint that is enabled inside" => "TracePoint.new(:class) { |tp| p tp.self }.enable { %s }",
    "a load_from_binary of its own" =>
      "RubyVM::InstructionSequence.singleton_class.prepend(Module.new { def load_from_binary(*) = (p :loaded; super) }); %s",
    "a removed load_from_binary" => "RubyVM::InstructionSequence.singleton_class.remove_method(:load_from_binary); %s",
    "what compiled code there is" =>
      "%s; begins = 'YARB'.freeze; p ObjectSpace.each_object(String).count { |string| string.bytesize > 4 && string.start_with?(begins) }",
    "a TracePoint of raise" =>
      "TracePoint.new(:raise) { |tp| p tp.raised_exception.class }.enable { %s; begin; require 'nope'; rescue LoadError; p $!; end }",
    "hooks that hear of methods" =>
      "class Module; %%i[method_added method_removed method_undefined].each { |hook| define_method(hook) { |name| $stdout.puts([hook, self, name].inspect) } }; end; " \
        "class Object; %%i[singleton_method_added singleton_method_removed singleton_method_undefined].each { |hook| define_method(hook) { |name| $stdout.puts([hook, inspect[0, 9], name].inspect) } }; end; %s; " \
        "at_exit { GC.enable; GC.disable; GC.enable }; p GC.disable, GC.enable; File.rename('none', 'some') rescue p $!.class; Process.wait(fork { exec('true') })",
    "hooks that go again" =>
      "def GC.singleton_method_added(name) = p(name); %s; GC.singleton_class.remove_method(:singleton_method_added); p GC.stress, (GC.stress = false), GC.enable",
    "set_trace_func" =>
      "$lines = []; set_trace_func(->(event, file, line, *) { $lines << [event, line] if file.start_with?(__dir__) && event != 'c-call' && event != 'c-return' }); %s; set_trace_func(nil); p $lines.size",
    "Coverage" =>
      "require 'coverage'; Coverage.start(:all); %s; p Coverage.result.select { |path, _| path.start_with?(__dir__) }",
    "compile_option=" =>
      "RubyVM::InstructionSequence.compile_option = { trace_instruction: false, peephole_optimization: false }; %s",
    "SCRIPT_LINES__" => "SCRIPT_LINES__ = {}; %s; p SCRIPT_LINES__.select { |path, _| path.start_with?(__dir__) }",
    "GC.stress" => "GC.stress = true; %s; GC.stress = false",
    "load, wrapped" => "File.write('w.rb', %%q(%s; p self.to_s)); load('./w.rb', true)",
    "instance_eval of another object" => "Object.new.instance_eval { %s }",
    "BasicObject's child with its own require" =>
      "class Own; def require(name) = (p name; super); def go = (%s); end; Own.new.go",
    "Monitor and Mutex" => "require 'monitor'; Monitor.new.synchronize { Mutex.new.synchronize { %s } }",
    "Timeout" => "require 'timeout'; Timeout.timeout(30) { %s }",
    "a thread, in a group, with interrupts held" =>
      "Thread.handle_interrupt(Exception => :never) { Thread.new { %s }.value }",
    "fibers in fibers" => "Fiber.new { Fiber.new { %s }.resume }.resume",
    "an Enumerator" => "Enumerator.new { |y| y << (%s) }.next",
    "a finished fork" => "Process.wait(fork { %s; p C; $stdout.flush; exit! 0 }); p defined?(C)",
    "$, and $; and $/" => "$VERBOSE = nil; $, = '-'; $/ = 'x'; %s",
    "another folder" => "Dir.mkdir('else') rescue 0; Dir.chdir('else') { %s }",
    "safe navigation, arguments, a block" => "Kernel&.send(:require, *['a']) { p :never }; %s",
    "frozen $LOAD_PATH" => "$LOAD_PATH.freeze; %s",
    "an empty $LOAD_PATH" =>
      "saved = $LOAD_PATH.dup; $LOAD_PATH.clear; begin; %s; rescue LoadError; p $!; end; $LOAD_PATH.replace(saved); %s",
    "$LOAD_PATH with objects" => "require 'pathname'; $LOAD_PATH.unshift(Pathname(__dir__)); %s",
    "a relative entry" => "$LOAD_PATH.unshift('.'); %s",
    "entries twice, with slashes" => "$LOAD_PATH.unshift(\"\#{__dir__}/\", \"\#{__dir__}//\", __dir__); %s",
    "a linked folder first" => "File.symlink('.', 'here') rescue 0; $LOAD_PATH.unshift(\"\#{__dir__}/here\"); %s",
    "a linked folder after" =>
      "%s; File.symlink('.', 'here') unless File.symlink?('here'); $LOAD_PATH.unshift(\"\#{__dir__}/here\"); p require('a'), require(\"\#{__dir__}/here/b\"), require_relative('here/sub/c')",
    "shift while loading" =>
      "File.write('s.rb', '$LOADED_FEATURES.shift; $LOAD_PATH.rotate!; require %%q(a); $LOAD_PATH.rotate!(-1)'); p require('./s'); %s",
    "a Ractor that sees what was loaded" =>
      "%s; p Ractor.new { A.new.m }.then { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }",
    "refinements of require" =>
      "module R; refine(Kernel) { def require(name) = (p [:refined, name]; super) }; end; using R; %s",
    "prepend to Kernel's singleton" =>
      "Kernel.singleton_class.prepend(Module.new { def require(name) = (p [:kernel, name]; super) }); p Kernel.require('b'); %s",
    "frozen Kernel" => "%s; Kernel.freeze; p require('b')",
    "objects that are counted" =>
      "%s; p ObjectSpace.each_object(Class).include?(A), ObjectSpace.each_object(Module).count { |m| m.name == 'B' }",
    "DATA and END" => "END { p :end, DATA.read }; %s\n__END__\ndata\n",
    "method objects" =>
      "m = method(:require); p m.owner, m.arity, m.unbind.class, m.curry.('a'), m.to_proc.lambda?, (m >> :inspect.to_proc).('a'); %s",
    "tail calls by public_send and instance_exec" => "instance_exec('a') { |name| p require(name) }; %s"
  }.freeze

  SURROUNDINGS.each do |title, code|
    test "files are required under #{title}" do
      main = format(code, *["p require('a')"] * code.scan(/(?<!%)%s/).size)
      plain =
        assert_same_behaviour(
          FILES.merge(
            "main.rb" =>
              "#{main.sub(/\n__END__.*/m, "")}\np Witness.features, (C if defined?(C))\n#{main[/__END__.*/m]}"
          ),
          misses: :any
        )
      assert_equal "exit 0", plain.status, plain.stderr
    end
  end

  # What a debugger or a coverage tool does when it is turned on inside a file of the boot: [on, off and report].
  TOOLS = {
    "TracePoint of :script_compiled" => [
      "$seen = []; $trace = TracePoint.new(:script_compiled) { |tp| $seen << [tp.path, tp.eval_script, tp.instruction_sequence.label, tp.instruction_sequence.first_lineno] }; $trace.enable",
      "$trace.disable; p $seen.select { |path, *| path.start_with?(__dir__) }"
    ],
    "TracePoint of lines, targeted at what was compiled" => [
      "$seen = []; $trace = TracePoint.new(:script_compiled) { |tp| next unless tp.path.end_with?('later.rb'); TracePoint.new(:line) { |inner| $seen << inner.lineno }.enable(target: tp.instruction_sequence) }; $trace.enable",
      "$trace.disable; p $seen"
    ],
    "Coverage" => [
      "require 'coverage'; Coverage.start(lines: true, branches: true, methods: true)",
      "p Coverage.result.select { |path, _| path.start_with?(__dir__) }"
    ],
    "Coverage, once more" => [
      "require 'coverage'; Coverage.start; require 'b'; p Coverage.result.size; Coverage.start(oneshot_lines: true)",
      "p Coverage.result.select { |path, _| path.start_with?(__dir__) }"
    ],
    "keep_script_lines" => [
      "RubyVM.keep_script_lines = true if RubyVM.respond_to?(:keep_script_lines=)",
      "p RubyVM::InstructionSequence.of(LATER).script_lines if RubyVM::InstructionSequence.method_defined?(:script_lines)"
    ],
    "SCRIPT_LINES__" => ["SCRIPT_LINES__ = {}", "p SCRIPT_LINES__.select { |path, _| path.start_with?(__dir__) }"],
    "a method's iseq" => [
      "$before = 1",
      "p RubyVM::InstructionSequence.of(LATER).then { |iseq| [iseq.path, iseq.absolute_path, iseq.label, iseq.first_lineno, iseq.trace_points] }"
    ],
    "an AST of a Proc's and a frame's node" => [
      "$before = 1",
      "p((RubyVM::AbstractSyntaxTree.of(LATER).type rescue $!.class), LATER.source_location, LATER.binding.local_variables)"
    ],
    "frozen literals by compile_option=" => [
      "RubyVM::InstructionSequence.compile_option = { frozen_string_literal: true }",
      "p LATER.call.frozen?, AGAIN.call.frozen?"
    ],
    "a refinement of require" => [
      "module Loud; refine(Object) { def require(name) = (p [:refined, name]; super) }; end; using Loud; require 'b'",
      "p LATER.call"
    ],
    "a Ractor" => [
      "$VERBOSE = nil; $ractor = Ractor.new { Ractor.receive; :went_on }",
      "$ractor.send(1); p $ractor.respond_to?(:value) ? $ractor.value : $ractor.take"
    ],
    "GC.compact" => [
      "GC.respond_to?(:compact) && (GC.compact rescue 0)",
      "GC.respond_to?(:compact) && (GC.compact rescue 0); p LATER.call, AGAIN.call"
    ]
  }.freeze

  TOOLS.each do |title, (on, off)|
    test "in the middle of a file: #{title}" do
      assert_same_behaviour(
        {
          "main.rb" =>
            "require 'middle'\nrequire_relative 'again'\nautoload :Auto, 'auto'\np Auto, load('loaded.rb')\n#{off}\np Witness.features\n",
          "b.rb" => "B = 1\n",
          "middle.rb" => "require 'b'\nBEGIN { p :begins }\n#{on}\nrequire 'later'\nrequire 'folder/last'\n",
          "later.rb" => "x = 1\nLATER = -> do\n  x += 1\n  'later'\nend\nLATER.call\n",
          "again.rb" => "AGAIN = -> { 'again' }\nif AGAIN\n  AGAIN.call\nend\n",
          "folder/last.rb" => "class Last; def m = 1; end\n",
          "auto.rb" => "module Auto; X = [1].map { |x| x }; end\n",
          "loaded.rb" => "p __FILE__\n"
        },
        misses: :any
      )
    end
  end
end
