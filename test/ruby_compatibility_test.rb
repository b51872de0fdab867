# frozen_string_literal: true

require_relative "test_helper"
require_relative "../ext/probes"

# What the design relies on in Ruby itself, without Warmstart: each test is named after the function of Ruby's source
# that does it. A Ruby that behaves otherwise fails here first.
class RubyCompatibilityTest < TestCase
  # Runs plain Ruby code in a folder with these files; what it prints.
  def plain(code, files = { "a.rb" => "A = 1\n" }, args: [], **options)
    program = program(files.merge("main.rb" => code), args: args, witness: false, **options)
    run = program.plain
    assert_equal ["exit 0", ""], [run.status, run.stderr]
    run.stdout
  end

  PRISM = RUBY_DESCRIPTION.include?("+PRISM")

  test "load_iseq_eval: a throw out of script_compiled leaves the load, nothing is evaluated or provided" do
    assert_equal "7\nfalse\ntrue\n1\n", plain(<<~'RUBY')
      trace = TracePoint.new(:script_compiled) { |tp| throw :out, 7 if tp.instruction_sequence.path.end_with?("/a.rb") }
      trace.enable { p catch(:out) { load "#{__dir__}/a.rb" } }
      p Object.const_defined?(:A), require("a"), A
    RUBY
  end

  test "load_iseq_eval: script_compiled fires for load and require, before the file runs, labelled <top (required)>" do
    expected = [["a.rb", "<top (required)>", nil, false], ["a.rb", "<top (required)>", nil, true]].inspect
    assert_equal "#{expected}\n", plain(<<~'RUBY')
      $VERBOSE = nil
      seen = []
      trace = TracePoint.new(:script_compiled) { |tp| i = tp.instruction_sequence; seen << [File.basename(i.path), i.label, tp.eval_script, Object.const_defined?(:A)] if i.path.start_with?(__dir__) }
      trace.enable { require "a"; load "#{__dir__}/a.rb" }
      p seen
    RUBY
  end

  # What is noted for a file that several constants have is thrown away if Ruby marks it while no constant is in its list,
  # as is so when the first one's note is being allocated. So the next constant has a note of its own, which does not say
  # that the file is being loaded.
  test "autoload_i_mark: up to Ruby 3.1 a collection decides whether two constants of one file belong together" do
    code = <<~'RUBY'
      GC.stress = true
      autoload :A, "a"
      GC.stress = false
      autoload :B, "a"
      A
      p Object.const_source_location(:A)[1], Object.const_source_location(:B)[1]
    RUBY
    line = Program::RUBY_NUMBER < Gem::Version.new("3.2") ? 0 : 2
    assert_equal "1\n#{line}\n", plain(code, { "a.rb" => "A = 1\nB = 2\n" })
  end

  test "reset_loaded_features_snapshot, rb_ary_modify: up to Ruby 3.1 each require leaves a copy of $LOADED_FEATURES" do
    files = (0...200).to_h { |i| ["f#{i}.rb", ""] }
    kilobytes = Integer(plain(<<~'RUBY', files))
      require "objspace"
      GC.disable
      2000.times { |i| $LOADED_FEATURES << "/nowhere/#{i}.rb" }
      require "f0"
      before = ObjectSpace.count_objects_size[:T_ARRAY]
      (1...200).each { |i| require "f#{i}" }
      puts (ObjectSpace.count_objects_size[:T_ARRAY] - before) >> 10
    RUBY
    Program::RUBY_NUMBER < "3.2" ? assert_operator(kilobytes, :>, 199 * 16) : assert_operator(kilobytes, :<, 1000)
  end

  test "rb_gc_enable: what was allocated while the collector was off makes the next object begin a collection" do
    assert_equal "0\n1\n", plain(<<~RUBY)
      GC.start
      GC.disable
      count = GC.count
      300_000.times { |i| "x" * 1000 }
      p GC.count - count
      GC.enable
      Object.new until GC.count > count || GC.stat(:total_allocated_objects) > 100_000_000
      p GC.count - count
    RUBY
  end

  test "rb_iseq_load_iseq: load_iseq is called for require, require_relative, load and autoload with the path, and nil means compile" do
    assert_equal "[\"a.rb\", \"b.rb\", \"c.rb\", \"d.rb\"]\n",
                 plain(<<~RUBY, %w[a b c d].to_h { |name| ["#{name}.rb", "#{name.upcase} = 1\n"] })
      SEEN = []
      def (RubyVM::InstructionSequence).load_iseq(path) = (SEEN << File.basename(path); nil)
      require "a"; require_relative "b"; load "c.rb"; autoload :D, "d"; D
      p SEEN
    RUBY
  end

  test "rb_iseq_load_iseq: what load_iseq returns is evaluated as the file" do
    assert_equal "42\n[\"<top (required)>\"]\n",
                 plain(
                   <<~'RUBY',
      binary = nil
      trace = TracePoint.new(:script_compiled) { |tp| (binary = tp.instruction_sequence.to_binary; throw :done) if tp.instruction_sequence.path.end_with?("/other.rb") }
      trace.enable { catch(:done) { load "#{__dir__}/other.rb" } }
      RubyVM::InstructionSequence.singleton_class.define_method(:load_iseq) { |path| RubyVM::InstructionSequence.load_from_binary(binary) }
      require "a"
      p A, LABELS
    RUBY
                   { "a.rb" => "A = 1\n", "other.rb" => "A = 42\nLABELS = caller_locations(0, 1).map(&:label)\n" }
                 )
  end

  test "ibf_load_iseq: to_binary and load_from_binary keep path, label, lines and realpath" do
    assert_equal "true\ntrue\n", plain(<<~'RUBY', { "a.rb" => "def f(x)\n  [x].map { |y| y + 1 }\nend\n" })
      iseq = RubyVM::InstructionSequence.compile_file("#{__dir__}/a.rb")
      copy = RubyVM::InstructionSequence.load_from_binary(iseq.to_binary)
      p [iseq.path, iseq.absolute_path, iseq.label, iseq.first_lineno] == [copy.path, copy.absolute_path, copy.label, copy.first_lineno]
      p iseq.disasm == copy.disasm
    RUBY
  end

  test "rb_iseq_compile: a file with a syntax error fires script_compiled with an empty body, or not at all with Prism" do
    seen = plain(<<~'RUBY', { "bad.rb" => "1 +\n" })
      seen = []
      trace = TracePoint.new(:script_compiled) { |tp| seen << tp.instruction_sequence.to_a[4][:code_location] if tp.instruction_sequence.path.end_with?("/bad.rb") }
      trace.enable { begin; load "#{__dir__}/bad.rb"; rescue SyntaxError; end }
      p seen
    RUBY
    assert_includes PRISM ? ["[]\n"] : ["[[0, 0, -1, -1]]\n", "[]\n"], seen
  end

  test "rb_construct_expanded_load_path: Strings are frozen when a feature is looked up, and stay the same objects" do
    assert_equal "[false, true, true]\n", plain(<<~RUBY)
      entry = +__dir__
      $LOAD_PATH.unshift(entry)
      before = entry.frozen?
      require "a"
      p [before, entry.frozen?, $LOAD_PATH.first.equal?(entry)]
    RUBY
  end

  test "rb_construct_expanded_load_path: an entry is expanded to its realpath" do
    assert_equal "\"real/a.rb\"\n", plain(<<~'RUBY', { "real/a.rb" => "A = 1\n", "link" => :real }, load_path: [])
      $LOAD_PATH.unshift("#{__dir__}/link")
      require "a"
      p $LOADED_FEATURES.last.delete_prefix("#{__dir__}/")
    RUBY
  end

  test "rb_find_file_ext: the .rb of the last entry beats the library of the first" do
    assert_equal ":rb\n",
                 plain(<<~RUBY, { "one/x.so" => "no library", "two/x.rb" => "p :rb\n" }, load_path: %w[one two])
      require "x"
    RUBY
  end

  test "search_required: x.so.rb serves a missing x.so, x.rb.rb does not serve a missing x.rb" do
    assert_equal ":so_rb\nLoadError\n",
                 plain(
                   "require 'x.so'\nbegin; require 'y.rb'; rescue LoadError => error; p error.class; end\n",
                   { "x.so.rb" => "p :so_rb\n", "y.rb.rb" => "p :rb_rb\n" }
                 )
  end

  test "rb_provide_feature: $LOADED_FEATURES holds the realpath of the entry and the name, frozen" do
    assert_equal "[\"a.rb\", true]\n",
                 plain("require 'a'\np [File.basename($LOADED_FEATURES.last), $LOADED_FEATURES.last.frozen?]\n")
  end

  test "get_loaded_features_index: any mutation of $LOADED_FEATURES is noticed" do
    assert_equal "[true, false, true, false]\n", plain(<<~RUBY)
      results = [require("a"), require("a")]
      path = $LOADED_FEATURES.pop
      $VERBOSE = nil
      results << require("a")
      $LOADED_FEATURES.delete(path)
      $LOADED_FEATURES.unshift(path)
      p results << require("a")
    RUBY
  end

  test "rb_f_require: another name for the path changes neither LoadError's message nor its path" do
    assert_equal "[\"cannot load such file -- nope\", \"nope\"]\n",
                 plain("begin; require 'nope'; rescue LoadError => error; p [error.message, error.path]; end\n")
  end

  test "rb_warning_warn_arity: a Warning.warn of one argument gets no category" do
    assert_equal "1\n",
                 plain(
                   "def Warning.warn(*all) = p(all.size)\ndef Warning.warn(message) = p(1)\n$VERBOSE = true\neval('def f; unused = 1; end')\n"
                 )
  end

  test "rb_iseq_compile: parse-time warnings are not in the compiled code" do
    assert_equal "1\n0\n", plain(<<~RUBY)
      $VERBOSE = true
      HEARD = []
      def Warning.warn(message, **) = HEARD << message
      binary = RubyVM::InstructionSequence.compile("def f; unused = 1; end").to_binary
      p HEARD.size
      HEARD.clear
      RubyVM::InstructionSequence.load_from_binary(binary).eval
      p HEARD.size
    RUBY
  end

  test "rb_require_internal: the backtrace of a required file names require, and <top (required)>" do
    label = Program::RUBY_NUMBER >= "3.4" ? "Kernel#require" : "require"
    out = plain("require 'a'\n", { "a.rb" => "puts caller_locations(0).map(&:label)\n" }, args: %w[--disable-gems])
    assert_equal "<top (required)>\n#{label}\n<main>\n", out
  end

  test "rb_get_coverages: Coverage counts only what is compiled after its start" do
    assert_equal "[false, true]\n", plain(<<~'RUBY', { "a.rb" => "A = 1\n", "b.rb" => "B = 1\n" })
      require "coverage"
      require "a"
      Coverage.start
      require "b"
      result = Coverage.result
      p %w[a b].map { |name| result.key?("#{__dir__}/#{name}.rb") }
    RUBY
  end

  test "rb_io_s_open: File has no open of its own; io_close asks closed?, then calls close" do
    assert_equal "[IO, -1, nil]\n[:closed?, :close]\n", plain(<<~RUBY)
      method = File.method(:open)
      p [method.owner.inspect[/IO/].then { |name| Object.const_get(name) }, method.arity, method.source_location]
      calls = []
      file = Class.new(File) { define_method(:closed?) { calls << :closed?; false }; define_method(:close) { calls << :close; super() } }
      file.open(__FILE__) { }
      p calls
    RUBY
  end

  test "Psych.load_file and its kin: File.open with a mode that nobody else uses, keywords in kwargs, the block's value returned" do
    assert_equal %(#{%w[load_file safe_load_file unsafe_load_file].map { |name| [name, "r:bom|utf-8", { freeze: true }, 17] }}\n),
                 plain(<<~RUBY)
      require "psych"
      seen = []
      File.singleton_class.prepend(Module.new { define_method(:open) { |*all, **| seen << all[1]; 17 } })
      p(%w[load_file safe_load_file unsafe_load_file].map do |name|
        result = keywords = nil
        TracePoint.new(:call) { |point| keywords = point.binding.local_variable_get(:kwargs) if point.method_id == name.to_sym }.enable { result = Psych.send(name, "a", freeze: true) }
        [name, seen.pop, keywords, result]
      end)
    RUBY
  end

  test "rb_fork: threads other than the caller's are gone in the child" do
    assert_equal "1\n", plain("Thread.new { sleep }\nProcess.wait(fork { p Thread.list.size })\n")
  end

  test "ruby -r: at_exit handlers of -r files run after the program's" do
    assert_equal "main\nrequired\n",
                 plain("at_exit { puts :main }\n", { "a.rb" => "at_exit { puts :required }\n" }, args: %w[-r ./a])
  end

  test "have_func: private API that extconf looks for is exported, or what needs it is off" do
    makefile =
      Dir[File.join(Program::REPOSITORY, "tmp/build/#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-*/Makefile")].first
    missing "built elsewhere: no Makefile" unless makefile
    text = File.read(makefile)
    %w[
      HAVE_RB_GET_COVERAGES
      WS_HAVE_DIRECT_WAY
      WS_KNOWN_FRAMES
      WS_KNOWN_JUMPS
      WS_KNOWN_CLOSING
      WS_KNOWN_CIRCULAR
      WS_KNOWN_EVALUATED
    ].each { |name| assert_match(/-D#{name}\b/, text) }
  end

  test "Probes.in_c: what a program says counts, up to where it crashes; where it does not start, what was tried before" do
    answers = ->(written, **options) do
      Dir.chdir(temporary_folder) do
        Probes.in_c(direct: true, tried: true, **options) do |_source|
          File.write(Probes::C_ANSWERS, written) if written
        end
      end
    end
    assert_equal Probes::C_NAMES, answers.call("started\n#{Probes::C_NAMES.join("\n")}\n")
    assert_equal %i[mesg jumps], answers.call("started\nmesg\njumps\n")
    assert_empty answers.call("started\n")
    assert_equal Probes::C_NAMES, answers.call(nil)
    assert_empty answers.call(nil, tried: false)
    assert_equal Probes::C_NAMES - [:direct], answers.call(nil, direct: false)
  end

  test "Probes.exported?: what Ruby gives to extensions, not what lies hidden in its archive" do
    extconf = <<~RUBY
      require "mkmf"
      require #{File.join(Program::REPOSITORY, "ext/probes").dump}
      $stdout.reopen($stderr) # (for what mkmf says)
      File.write("answers", %w[rb_ary_new rb_cObject rb_no_such_function ruby_no_such_variable].map { |name| Probes.exported?(name) }.inspect)
    RUBY
    Dir.chdir(folder = temporary_folder) do
      _, said, status = Open3.capture3(RbConfig.ruby, "-e", extconf)
      assert status.success?, said
    end
    assert_equal "[true, true, false, false]", File.read(File.join(folder, "answers"))
    assert_equal %w[answers mkmf.log], Dir.children(folder).sort
  end

  test "Probes.files_close_as_known?: on this Ruby, and not on one that closes otherwise" do
    probe = "require #{File.join(Program::REPOSITORY, "ext/probes").dump}\np Probes.files_close_as_known?\n"
    assert_equal "true\n", plain(probe)
    opens = "def IO.open(*all)\nio = new(*all)\nreturn io unless block_given?\nbegin; yield io; ensure; %s; end\nend\n"
    [
      "io.close",
      "begin; io.closed? || io.close; rescue IOError; end",
      "io.closed? && 1; IO.instance_method(:close).bind_call(io)"
    ].each { |close| assert_equal "false\n", plain(format(opens, close) + probe), close }
  end

  test "Probes.circular_form, Probes.evaluated_form: on this Ruby, and not on one that has others" do
    probe = "require #{File.join(Program::REPOSITORY, "ext/probes").dump}\nDir.chdir(__dir__)\np Probes.%s\n"
    assert_equal Program::RUBY_NUMBER < "3.4" ? "1\n" : "2\n", plain(format(probe, "circular_form"))
    other = "class << IO\n  prepend(Module.new { def popen(*, **) = super.%s })\nend\n"
    [
      "sub('considered', 'thought')",
      "sub('in  ', 'in ')",
      "sub('require', 'Kernel#require')",
      "sub('text:7', '(text):7')",
      "+ 'x'"
    ].each { |change| assert_equal "nil\n", plain(format(other, change) + format(probe, "circular_form")), change }
    assert_equal Program::RUBY_NUMBER < "3.3" ? "1\n" : "2\n", plain(format(probe, "evaluated_form"))
    ["'cannot infer basepath'", "path.start_with?('x') ? 'cannot infer basepath' : 'no'", "'no'"].each do |message|
      assert_equal "nil\n",
                   plain(
                     "#{format(probe, "evaluated_form").sub("\np ", "\nmodule Kernel; def require_relative(path) = (path = caller_locations(1, 1)[0].path; raise(LoadError, #{message})); end\np ")}"
                   ),
                   message
    end
  end

  test "rb_current_realfilepath: __dir__ goes over one frame of C, in text it is that of the path given, none without one" do
    expected = Program::RUBY_NUMBER < "3.3" ? [true, nil, "/x", ".", "."] : [true, nil, "/x", ".", nil]
    assert_equal "#{expected.inspect}\n", plain(<<~RUBY)
      def through = yield
      p [through(&method(:__dir__)) == __dir__, eval("__dir__"), eval("__dir__", binding, "/x/y.rb"), eval("__dir__", binding, +"(eval)"), eval("__dir__", binding, "(eval at x)")]
    RUBY
  end

  test "rb_method_definition_t: the C function behind a Method of ours is where it is looked for" do
    native = File.join(Program::REPOSITORY, "lib/warmstart/native")
    assert_equal "true\n",
                 plain(
                   "require #{native.dump}\nnative = Warmstart::Native\np native.in_ruby?(native.method(:in_ruby?))\n"
                 )
  end
end
