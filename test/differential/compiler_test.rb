# frozen_string_literal: true

require_relative "../test_helper"

# What decides how a file is compiled, and what looks at the compiled code.
class CompilerTest < TestCase
  # In debug mode Ruby notes at each frozen literal where it was made, which is not in the code that it writes out.
  {
    "-d" => "",
    "-W:deprecated -d" => "",
    "--debug-frozen-string-literal" => "",
    "--disable-gems" => "$DEBUG = true\n"
  }.each do |options, first|
    test "where a frozen literal was made: #{options} #{first.strip}" do
      assert_same_behaviour(
        {
          "a.rb" => "# frozen_string_literal: true\nbegin; 'a' << 'b'; rescue => error; p error.message; end\n",
          "b.rb" => "'chilled' << 'b'\np :b\n",
          "c.rb" => "# frozen_string_literal: true\nC = 'c'\n",
          "main.rb" =>
            "#{first}require 'a'\nrequire 'b'\nautoload :C, File.join(__dir__, 'c')\nC << 'd' rescue p $!.message\n$DEBUG = false\nload 'a.rb'\n"
        },
        args: options.split,
        misses: :any
      )
    end
  end

  test "pragmas" do
    assert_same_behaviour(
      {
        "a.rb" => "# frozen_string_literal: true\np 'a'.frozen?, \"a\#{1}\".frozen?\n",
        "b.rb" => "# frozen_string_literal: false\np 'a'.frozen?\n",
        "c.rb" => "p 'a'.frozen?\n",
        "d.rb" => "# warn_indent: true\n# shareable_constant_value: literal\nD = [['d']]\np D.frozen?, D[0].frozen?\n",
        "e.rb" => "# -*- coding: utf-8; frozen-string-literal: true -*-\np 'a'.frozen?\n",
        "main.rb" => "%w[a b c d e].each { |name| require name }\n"
      }
    )
  end

  test "switches that change literals" do
    %w[--enable=frozen-string-literal --disable=frozen-string-literal].each do |switch|
      assert_same_behaviour(
        { "a.rb" => "p 'a'.frozen?\n", "main.rb" => "require 'a'; p 'b'.frozen?\n" },
        args: [switch]
      )
    end
  end

  test "another switch is another image, and a file compiled under one is not used under the other" do
    program = program({ "a.rb" => "p 'a'.frozen?\n", "main.rb" => "require 'a'\n" })
    switch = ["--enable=frozen-string-literal"]
    program.boot
    first = program.boot(args: switch)
    assert_same_run program.plain(args: switch), first
    assert_same_run program.plain, program.boot
    assert_equal %w[a.rb], program.boot(args: switch).hits
  end

  test "source encodings" do
    assert_same_behaviour(
      {
        "a.rb" => "# encoding: iso-8859-1\ns = '\xE9'\np s, s.encoding, __ENCODING__, s.encode('UTF-8')\n".b,
        "b.rb" => "p 'é', __ENCODING__, :é, /é/\n",
        "c.rb" => "# encoding: us-ascii\np 'c'.encoding, \"\\u00e9\".encoding, __ENCODING__\n",
        "d.rb" => "\xEF\xBB\xBFp 'd', __ENCODING__, __LINE__\n".b,
        "e.rb" => "# coding: Windows-31J\np '\x82\xA0'.encoding, '\x82\xA0'.valid_encoding?\n".b,
        "f.rb" => "#!/usr/bin/ruby -w\n# coding: euc-jp\np __ENCODING__\n",
        "main.rb" => "%w[a b c d e f].each { |name| require name }\n"
      },
      misses: %w[a.rb e.rb f.rb]
    )
  end

  test "source in an encoding that does not exist, or that its bytes do not obey" do
    assert_same_behaviour(
      {
        "a.rb" => "# encoding: nonsense\n1\n",
        "b.rb" => "p '\xFF', '\xFF'.valid_encoding?\n".b,
        "c.rb" => "# encoding: us-ascii\np '\xE9'\n".b,
        "main.rb" =>
          "%w[a b c].each { |name| begin; require name; rescue ArgumentError, SyntaxError => error; puts error.class, error.message; end }\n"
      },
      misses: %w[a.rb b.rb c.rb]
    )
  end

  test "-K and -E" do
    %w[-Ks -Ke -Ku -Eiso-8859-1 -U].each do |switch|
      assert_same_behaviour(
        {
          "a.rb" =>
            "p 'a'.encoding, __ENCODING__, __FILE__.encoding, __dir__.encoding, Encoding.default_external, Encoding.default_internal\n",
          # (On Windows: to put a name together in the external encoding, Ruby loads a converter,
          # which stays among the features. RubyGems does this in each program, and require_relative in setup.rb.)
          "main.rb" => "File.expand_path('a', __dir__)\np require('a'), Witness.features\n"
        },
        args: [switch],
        variants: %i[recording warm]
      )
    end
  end

  # (Little of Ruby works there: the witness does not, nor does RubyGems.)
  test "a default_internal that is not ASCII compatible" do
    program =
      program(
        { "a.rb" => "p __FILE__.encoding, Encoding.default_internal\n", "main.rb" => "require_relative 'a'\n" },
        args: %w[-EUTF-8:UTF-16LE],
        rubygems: false,
        witness: false
      )
    assert_same_boots program, 2
    assert_equal ["", "exit 0"], [program.plain.stderr, program.plain.status]
  end

  test "line ends of Windows, tabs, form feeds, a NUL, __END__" do
    assert_same_behaviour(
      {
        "a.rb" => "p __LINE__\r\np <<A\r\ntext\r\nA\r\n",
        "b.rb" => "\tp 1\f\np \"a\\\r\nb\"\n",
        "c.rb" => "p 1\n__END__\np 2\n",
        "d.rb" => "p 1\n\0p 2\n",
        "e.rb" => "p 1\n\x04p 2\n",
        "f.rb" => "=begin\np 0\n=end\np 1\n",
        "main.rb" =>
          "%w[a b c d e f].each { |name| begin; require name; rescue SyntaxError => error; puts error.message; end }\n"
      }
    )
  end

  test "DATA is the main program's" do
    assert_same_behaviour(
      {
        "a.rb" => "p defined?(DATA), (DATA.read rescue $!.class)\n__END__\na's\n",
        "main.rb" => "require 'a'\nDATA.rewind\np DATA.gets, DATA.path, DATA.lineno\n__END__\nmain's\n"
      }
    )
  end

  test "BEGIN and END" do
    assert_same_behaviour(
      {
        "a.rb" => "puts :body\nBEGIN { puts :begin; X = 1 }\nEND { puts :end }\np X\n",
        "main.rb" => "2.times { load 'a.rb' rescue p $! }\nBEGIN { puts :main }\n"
      },
      args: %w[-W0]
    )
  end

  test "every kind of literal survives" do
    assert_same_behaviour({ "a.rb" => <<~'RUBY', "main.rb" => "require 'a'\n" }, args: %w[-W0])
        p 1, -1, 2**64, 123456789012345678901234567890, 1.5, -0.0, 1e300, 3r, 2i, 1.5r, 0x1f, 0b11, 1_000
        p :sym, :"a b", %i[a b], "str", 'str', "é", "\xff", "\u{1f600}", "a\0b", %q(q), <<~TEXT, ?a
          heredoc
            indented
        TEXT
        p [1, [2, [3]]], { a: 1, "b" => 2, 3 => [4] }, (1..2), (1...2), ("a".."c"), (1..), (..1), nil, true, false
        p(/re/, /re/imx, /\p{L}/u, /a#{1}b/o, /(?<name>x)/, /\xff/n)
        p __method__.inspect, [*1..3], { **{ z: 1 } }, ->(a, b = 1, *c, d, e:, f: 2, **g, &h) {}.parameters
        case [1, { k: "v" }]; in [Integer => i, { k: String => s }] then p i, s end
        p((1 if true), (begin; 1; ensure; 2; end), defined?(String), defined?(@a), defined?(yield), "#{1}#{"2"}")
        def opt(a, b = a, *c, d: b, **e) = [a, b, c, d, e]
        p opt(1), opt(1, 2, 3, d: 4, e: 5), method(:opt).parameters
        i = 0; i += 1 while i < 3; p i
        p (1..10).step(3).to_a, [3, 1, 2].sort_by { -_1 }, %w[a b].each_with_index.to_h, 5.then { _1 + 1 }
        $global = 1; @ivar = 2
        p [$global, @ivar], __LINE__, __FILE__ == File.join(__dir__, "a.rb")
        if (1 == 1)..(2 == 3) then p :flip end
        p [1, 2, 3].sum { |x| next 0 if x == 2; x }, loop { break 9 }, catch(:t) { throw :t, 8 }
        1 => y; p y
        class C; attr_accessor :v; def initialize = @v = 1; def ==(o) = o.v == v; alias old ==; undef old; private def hidden = 1; protected def h2 = 1; end
        p C.new == C.new, C.private_instance_methods(false).sort, C.protected_instance_methods(false)
        c = C.new; c.v ||= 2; c.v &&= 3; c.v += 1; p c.v, c&.v, nil&.v
        module M; refine(Integer) { def double = self * 2 }; end; using M; p 2.double
        p "%s-%05.2f" % ["a", 1.234], `echo shell`, "a" "b", "a".."c", :a.to_proc.call("x") rescue p $!
        redo_count = 0; [1].each { redo_count += 1; redo if redo_count < 3 }; p redo_count
        begin; raise "x"; rescue => e; begin; retried ||= 0; retried += 1; raise e if retried < 2; rescue; retry; end; end; p retried
        p binding.local_variables.size, eval("i + 1"), proc { |a, (b, c), *d| [a, b, c, d] }.call(1, [2, 3], 4)
      RUBY
  end

  test "a large file and a file of a very long line" do
    assert_same_behaviour(
      {
        "a.rb" =>
          (1..3000).map { |i| "def m#{i}(x) = [x, #{i}, 'text #{i}', :sym#{i}]\n" }.join + "p m2999(1), __LINE__\n",
        "b.rb" =>
          "p [#{(1..20_000).to_a.join(", ")}].sum, { #{(1..2000).map { |i| "k#{i}: #{i}" }.join(", ")} }.size\n",
        "main.rb" => "require 'a'; require 'b'\n"
      }
    )
  end

  test "the compiled code is the same to who looks at it" do
    assert_same_behaviour(
      { "a.rb" => "class A\n  def m(x)\n    [x].each do |y|\n      p y\n    end\n  end\nend\n", "main.rb" => <<~RUBY }
        require "a"
        iseq = RubyVM::InstructionSequence.of(A.instance_method(:m))
        puts iseq.disasm, iseq.inspect, iseq.label, iseq.first_lineno, iseq.trace_points.inspect
        iseq.each_child { |child| puts child.disasm }
        p iseq.script_lines if iseq.respond_to?(:script_lines)
        p A.instance_method(:m).source_location
      RUBY
    )
  end

  test "compile_option= in the middle of a boot" do
    assert_same_behaviour(
      { "a.rb" => "p 'a'.frozen?\n", "b.rb" => "p 'b'.frozen?\n", "c.rb" => "p 'c'.frozen?\n", "main.rb" => <<~RUBY },
        require "a"
        RubyVM::InstructionSequence.compile_option = { frozen_string_literal: true }
        require "b"
        RubyVM::InstructionSequence.compile_option = { frozen_string_literal: false, tailcall_optimization: true, trace_instruction: false }
        require "c"
        p RubyVM::InstructionSequence.compile_option[:frozen_string_literal]
      RUBY
      misses: %w[b.rb c.rb]
    )
  end

  test "SCRIPT_LINES__" do
    assert_same_behaviour(
      {
        "a.rb" => "A = 1\nB = 2\n",
        "main.rb" =>
          "SCRIPT_LINES__ = {}\nrequire 'a'\np SCRIPT_LINES__.transform_keys { |path| File.basename(path) }\n"
      },
      misses: %w[a.rb]
    )
  end

  # The debug gem turns it on, in every boot of development and tests.
  test "RubyVM.keep_script_lines" do
    assert_same_behaviour(
      {
        "a.rb" => "def kept = 1\nclass K; def inner = [1].map { |x| x }; end\n$evaluated = eval(\"-> {\\n 3 }\")\n",
        "b.rb" => "def not_kept = 1\n",
        "ends.rb" => "# encoding: iso-8859-1\n\nENDS = -> { '\xe4' }\n__END__\nthe rest\n".b,
        "last.rb" => "LAST = -> {\r\n 1\r\n}",
        "load.rb" => "LOADED = -> { 2 }\n",
        "main.rb" => <<~'RUBY'
        if RubyVM.respond_to?(:keep_script_lines=)
          def lines(code) = RubyVM::InstructionSequence.of(code).script_lines
          def show(code) = (p lines(code), lines(code)&.map(&:encoding), lines(code).frozen?, lines(code)&.first.frozen?, lines(code).equal?(lines(code)))
          require "b"
          RubyVM.keep_script_lines = true
          require "a"
          require_relative "ends"
          require "last"
          load "load.rb"
          [method(:kept), K.instance_method(:inner), $evaluated, ENDS, LAST, LOADED, method(:not_kept)].each { |code| show(code) }
          p RubyVM::AbstractSyntaxTree.of(method(:kept)).source rescue p $!.class, $!.message
          RubyVM.keep_script_lines = false
          show(method(:kept))
          p RubyVM::InstructionSequence.compile("1\n").script_lines, RubyVM.keep_script_lines, $VERBOSE, RubyVM::InstructionSequence.instance_method(:script_lines).then { |m| [m.owner, m.arity, m.source_location, m.name, m.original_name] }
        end
      RUBY
      },
      misses: %w[ends.rb]
    )
  end

  test "lines that are kept: a file that is another by now has none" do
    program =
      program(
        {
          "a.rb" => "def kept = 1\n",
          "main.rb" =>
            "RubyVM.keep_script_lines = true\nrequire 'a'\nFile.write('a.rb', \"def other = 2\\n\") if ENV['EDIT']\np RubyVM::InstructionSequence.of(method(:kept)).script_lines\n"
        }
      )
    lines = program.boot.stdout
    skip "this Ruby keeps no lines of files" if lines == "nil\n"
    assert_equal "[\"def kept = 1\\n\"]\n", program.boot.stdout
    warm = program.boot(env: { "EDIT" => "1" })
    assert_equal ["nil\n", %w[a.rb]], [warm.stdout, warm.hits]
  end

  test "Coverage in all its forms" do
    ["", "lines: true", "branches: true, methods: true", "oneshot_lines: true", "eval: true", ":all"].each do |mode|
      assert_same_behaviour(
        {
          "a.rb" => "A = 1\nif A == 1\n  B = 1\nelse\n  B = 2\nend\ndef m = A\nm\n",
          "b.rb" => "puts :b\n",
          "main.rb" => <<~RUBY
          require "coverage"
          require "b"
          begin
            Coverage.start(#{mode})
          rescue ArgumentError, TypeError, RuntimeError => error
            p error.message
          end
          require "a"
          p Coverage.peek_result.select { |path, _| path.start_with?(__dir__) } rescue p $!.message
          p Coverage.result.select { |path, _| path.start_with?(__dir__) } rescue p $!.message
          load "b.rb"
        RUBY
        },
        misses: %w[a.rb]
      )
    end
  end

  test "Coverage.setup, resume and suspend" do
    assert_same_behaviour({ "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "main.rb" => <<~RUBY }, misses: %w[a.rb b.rb])
        require "coverage"
        Coverage.setup(:all)
        require "a"
        Coverage.resume
        require "b"
        Coverage.suspend
        p Coverage.result.select { |path, _| path.start_with?(__dir__) }
      RUBY
  end

  # Recorded without, then run with: what lies in the image must not be used.
  {
    "Coverage" =>
      'require "coverage"; Coverage.start; at_exit { p Coverage.result.select { |path, _| path.start_with?(__dir__) } }',
    "oneshot Coverage" =>
      'require "coverage"; Coverage.start(oneshot_lines: true); at_exit { p Coverage.result.select { |path, _| path.start_with?(__dir__) } }',
    "SCRIPT_LINES__" => "SCRIPT_LINES__ = {}; at_exit { p SCRIPT_LINES__.size }",
    "keep_script_lines" =>
      "RubyVM.keep_script_lines = true; at_exit { p RubyVM::InstructionSequence.of(method(:a)).script_lines&.size }",
    "compile_option=" => "RubyVM::InstructionSequence.compile_option = { frozen_string_literal: true }",
    "translate" => "def (RubyVM::InstructionSequence).translate(iseq) = (p File.basename(iseq.path); nil)"
  }.each do |name, code|
    test "a warm boot that turns on #{name}" do
      program =
        program(
          {
            "a.rb" => "def a = 'a'.frozen?\nif a\n  p 1\nelse\n  p 2\nend\n",
            "main.rb" => "begin; #{code}; end if ENV['ON']\nrequire 'a'\np a\n"
          }
        )
      2.times { program.boot }
      assert_equal %w[a.rb], program.boot.hits
      plain = program.plain(env: { "ON" => "1" })
      2.times { assert_same_run plain, program.boot(env: { "ON" => "1" }) }
      assert_equal %w[a.rb], program.boot.hits
    end
  end

  test "TracePoint of :script_compiled" do
    assert_same_behaviour(
      { "a.rb" => "A = 1\neval('1 + 1')\n", "b.rb" => "B = 1\n", "bad.rb" => "1 +\n", "main.rb" => <<~RUBY },
        trace = TracePoint.new(:script_compiled) do |tp|
          iseq = tp.instruction_sequence
          p [iseq.path.delete_prefix(__dir__), iseq.label, tp.eval_script] if iseq.path.start_with?(__dir__) || tp.eval_script
        end
        trace.enable { p require("a"), load("b.rb"); eval("2"); begin; require "bad"; rescue SyntaxError; p $!.class; end }
      RUBY
      misses: %w[bad.rb]
    )
  end

  test "a throw out of :script_compiled" do
    assert_same_behaviour({ "a.rb" => "puts :evaluated\n", "main.rb" => <<~RUBY })
        trace = TracePoint.new(:script_compiled) { |tp| throw :out, 1 if tp.instruction_sequence.path.end_with?("/a.rb") }
        trace.enable { p catch(:out) { require "a" } }
        p Witness.features, require("a"), Witness.features
      RUBY
  end

  test "targeted TracePoints and line events in a file from the image" do
    assert_same_behaviour(
      { "a.rb" => "def target(x)\n  y = x + 1\n  [y].map { |z| z * 2 }\nend\n", "main.rb" => <<~RUBY }
        require "a"
        lines = []
        TracePoint.new(:line, :b_call, :return) { |tp| lines << [tp.event, tp.lineno] }.enable(target: method(:target)) { target(1) }
        p lines
      RUBY
    )
  end

  test "RubyVM::InstructionSequence.translate is Ruby's to call" do
    assert_same_behaviour({ "a.rb" => "p caller(0)\n", "main.rb" => <<~RUBY }, misses: %w[a.rb])
        class << RubyVM::InstructionSequence
          def translate(iseq) = (puts "translate \#{File.basename(iseq.path)}"; nil)
        end
        p require("a"), load("a.rb")
      RUBY
  end

  test "refinements are active in their file only" do
    assert_same_behaviour(
      {
        "a.rb" =>
          "module Zips; refine(String) { def zip = :zip }; end\nusing Zips\np 'a'.zip, Module.used_modules\nrequire 'b'\n",
        "b.rb" => "p(('b'.zip rescue :none))\n",
        "main.rb" => "require 'a'\np(('a'.zip rescue :none), Module.used_modules)\nusing Zips\np 'a'.zip\n"
      }
    )
  end

  test "error_highlight and did_you_mean" do
    assert_same_behaviour(
      { "a.rb" => "def deep(x)\n  x.foo.bar(1) + x.baz\nend\n", "main.rb" => <<~RUBY },
        require "a"
        begin; deep(nil); rescue NoMethodError => error; puts error.full_message(highlight: false); end
        begin; [].frist; rescue NoMethodError => error; puts error.message; puts error.detailed_message(highlight: false) if error.respond_to?(:detailed_message); end
        begin; Strin; rescue NameError => error; puts error.full_message(highlight: false); end
        begin; require "a_file"; rescue LoadError => error; puts error.full_message(highlight: false); end
        deep(1)
      RUBY
      ends: "exit 1"
    )
  end

  test "prelude switches: -r of the application's file, -s, -x, -n, -p, -a" do
    assert_same_behaviour(
      { "a.rb" => "puts :a\n", "main.rb" => "p require('a'), $PROGRAM_NAME.end_with?('main.rb')\n" },
      args: %w[-r ./a],
      misses: []
    )
    unsealed = %i[recording warm]
    assert_same_behaviour(
      { "a.rb" => "puts $_\n", "main.rb" => "load 'a.rb'\n" },
      args: %w[-n],
      stdin: "one\ntwo\n",
      variants: unsealed
    )
    assert_same_behaviour(
      { "a.rb" => "puts :a\n", "main.rb" => "garbage\n#!ruby\nrequire 'a'\np __LINE__\n__END__\n" },
      args: %w[-x],
      variants: unsealed
    )
  end

  test "without RubyGems, without all gems' helpers" do
    [
      %w[--disable-gems],
      %w[--disable=did_you_mean,error_highlight],
      %w[--disable=all],
      %w[--disable=rubyopt --jit]
    ].first(3)
      .each do |args|
        assert_same_behaviour(
          {
            "a.rb" => "p caller(0)\nrequire 'b'\n",
            "b.rb" => "B = 1\n",
            "main.rb" => "p require('a'), require('set'), Witness.features\n"
          },
          args: args
        )
      end
  end
end
