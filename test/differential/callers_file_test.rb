# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/extension"

# Whose file asks, when require_relative is called in other ways than by its name in a file
# (ext/warmstart/ruby/require/relative.c): Ruby's rule is rb_current_realfilepath's. Each call names a file that there
# is beside the program, in another file's folder, in the working directory and in a folder that only a path given to
# `eval` names; which of the four it is, or the error, must be plain Ruby's.
class CallersFileTest < TestCase
  PLACES = %w[. sub working forged].freeze

  # Run in sub/methods.rb.
  METHODS = <<~'RUBY'
    FORGED = File.join(HERE, "forged/x.rb")
    def each_name; yield N; end
    def named(name) = require_relative(name)
    def evaluated(code) = eval(code)
    def a_binding = binding
    RELATIVE_PROC = proc { require_relative(N) }
    RELATIVE_LAMBDA = lambda { |name| require_relative(name) }
    Object.define_method(:defined) { |name| require_relative(name) }
    Object.alias_method :another_name, :require_relative
    PATHS = { forged: FORGED, nowhere: "/nowhere/x.rb", at: "(eval at nothing)", open: "(eval at nothing", eval: "(eval)", same: -"(eval)", c: "<cfunc>", internal: "<internal:kernel>", own: __FILE__ }
    Object.class_eval "def without_path(name) = require_relative(name)"
    PATHS.each { |name, path| Object.class_eval("def with_#{name}(name) = require_relative(name)", path, 3) }
    def y_nameless; eval("yield N"); end
    def y_forged; eval("yield N", binding, FORGED); end
  RUBY

  BLOCK = "&method(:require_relative)"
  GROUPS = {
    "called by a method, from a block, a thread, a fiber" => [
      "named(N)",
      "each_name { |name| require_relative name }",
      "defined(N)",
      "another_name(N)",
      "RELATIVE_PROC.call",
      "RELATIVE_LAMBDA.(N)",
      "[N].each(&RELATIVE_LAMBDA)",
      "instance_eval(&RELATIVE_PROC)",
      "instance_exec(N, &RELATIVE_LAMBDA)",
      "Thread.new { require_relative(N) }.value",
      "Fiber.new { require_relative(N) }.resume",
      "Fiber.new(&RELATIVE_LAMBDA).resume(N)",
      "Enumerator.new { |y| y << require_relative(N) }.next",
      "catch(:x) { throw :x, require_relative(N) }",
      "1.times { require_relative(N) }",
      "Struct.new(:a) { require_relative(N) }",
      "o = Object.new; def o.to_s = (require_relative(N); 's'); \"\#{o}\"",
      "o = Object.new; def o.method_missing(_, *all) = require_relative(*all); o.any(N)",
      "BasicObject.new.instance_eval { ::Kernel.require_relative(N) }",
      "trap(:USR1) { $answer = require_relative(N) }; Process.kill(:USR1, $$); sleep 0.01 until $answer"
    ],
    "called through other methods" => [
      "send(:named, N)",
      "Kernel.public_send(:require_relative, N)",
      "send(:require_relative, N)",
      "Kernel.method(:require_relative).call(N)",
      "method(:require_relative) === N",
      "Kernel.method(:require_relative).unbind.bind_call(Kernel, N)",
      "Kernel.instance_method(:require_relative).bind(self).call(N)",
      "Kernel.public_send(:public_send, :require_relative, N)",
      ":require_relative.to_proc.call(Kernel, N)",
      "[[Kernel, N]].each { |both| :require_relative.to_proc.call(*both) }",
      "[Kernel].each_with_object(N).each(&:require_relative)",
      "[Kernel, N].inject(:require_relative)",
      "[N].inject(Kernel, :require_relative)",
      "method(:require_relative).curry.(N)",
      "method(:require_relative).to_proc.(N)",
      "method(:require_relative).to_proc.method(:call).call(N)",
      "Calls.evaluated('Kernel.require_relative(N)')"
    ],
    "as a block" => [
      "each_name(#{BLOCK})",
      "[N].each(#{BLOCK})",
      "[N].map(#{BLOCK})",
      "N.then(#{BLOCK})",
      "N.tap(#{BLOCK})",
      "instance_exec(N, #{BLOCK})",
      "[N].lazy.map(#{BLOCK}).to_a",
      "Fiber.new(#{BLOCK}).resume(N)",
      "Thread.new(N, #{BLOCK}).tap { |thread| thread.report_on_exception = false }.value",
      "Enumerator.new { |y| y << N }.each(#{BLOCK}).class",
      "N.public_send(:then, #{BLOCK})",
      "define_singleton_method(:made, #{BLOCK}); made(N)",
      "define_singleton_method(:made_too, method(:require_relative)); made_too(N)",
      "Kernel.public_send(:instance_exec, N, #{BLOCK})",
      "(method(:require_relative) >> method(:p)).call(N)",
      "[N].each(&(method(:require_relative) >> method(:p)))",
      "each_name(&(method(:require_relative) >> method(:p)))",
      "Calls.evaluated('[N].each(#{BLOCK})')",
      "y_nameless(#{BLOCK})",
      "y_forged(#{BLOCK})",
      "eval('def y_same; yield N; end', binding, -'(eval)'); y_same(#{BLOCK})",
      "eval('def y_copy; yield N; end', binding, '(eval)'); y_copy(#{BLOCK})",
      "eval('def y_at; yield N; end', binding, '(eval at x)'); y_at(#{BLOCK})"
    ],
    "in text that is evaluated" => [
      "eval('require_relative(N)')",
      "eval('require_relative(N)', a_binding)",
      "a_binding.eval('require_relative(N)')",
      "eval('require_relative(N)', a_binding, *a_binding.source_location)",
      "evaluated('require_relative(N)')",
      "evaluated('named(N)')",
      "instance_eval('require_relative(N)')",
      "instance_eval('require_relative(N)', FORGED)",
      "Class.new.class_eval('require_relative(N)', FORGED)",
      "eval('proc { 1.times { require_relative(N) } }', binding, FORGED).call",
      "eval(%q(eval('require_relative(N)')), binding, FORGED)",
      "eval(%q(eval('require_relative(N)', binding, __FILE__)), binding, FORGED)",
      "eval('def defined_there(name) = require_relative(name)', binding, FORGED); defined_there(N)",
      "without_path(N)",
      "with_forged(N)",
      "with_nowhere(N)",
      "with_at(N)",
      "with_open(N)",
      "with_eval(N)",
      "with_same(N)",
      "with_c(N)",
      "with_internal(N)",
      "with_own(N)",
      "eval('require_relative(N)', binding, PATHS[:at])",
      "eval('require_relative(N)', binding, PATHS[:open])",
      "eval('require_relative(N)', binding, PATHS[:eval])",
      "eval('require_relative(N)', binding, PATHS[:same])",
      "eval('require_relative(N)', binding, '')",
      "eval('require_relative(N)', binding, '(eval at )')",
      "ISEQ.compile('require_relative(N)').eval",
      "ISEQ.compile('require_relative(N)', 'x.rb', FORGED).eval",
      "ISEQ.compile('require_relative(N)', FORGED).eval"
    ],
    "while somebody traces" => [
      "TracePoint.new(:c_call) { }.enable { require_relative(N) }",
      "seen = []; TracePoint.new(:line) { require_relative(N) if seen.push(1).size == 1 }.enable { nil }; seen",
      "set_trace_func(proc { }); answer = require_relative(N); set_trace_func(nil); answer"
    ]
  }.freeze

  HEAD = <<~RUBY
    $VERBOSE = nil
    HERE = __dir__
    ISEQ = RubyVM::InstructionSequence
    Dir.chdir(File.join(HERE, "working"))
    require "calls"
    require_relative "sub/methods"
  RUBY

  def programs_files(calls)
    parts = calls.each_with_index.map { |call, i| <<~RUBY }
      N = "x#{i}"
      begin
        puts #{call.dump}
        p((#{call}))
      rescue LoadError => error
        p error.message, error.path, error.path.frozen?, error.backtrace.first(3)
      rescue StandardError => error
        p error.class, error.message, error.backtrace.first(3)
      end
      Object.send(:remove_const, :N)
    RUBY
    files =
      calls
        .each_index
        .flat_map { |i| PLACES.map { |place| ["#{place}/x#{i}.rb".delete_prefix("./"), "puts #{place.dump}\n"] } }
        .to_h
    { **files, "sub/methods.rb" => METHODS, "main.rb" => HEAD + parts.join }
  end

  GROUPS.each do |name, calls|
    test name do
      plain = assert_same_behaviour(programs_files(calls), load_path: ["", Extension.folder], misses: :any)
      assert_equal ["exit 0", []], [plain.status, calls - plain.stdout.lines(chomp: true)], "a call was not made"
    end
  end
end
