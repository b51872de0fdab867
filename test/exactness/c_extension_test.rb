# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/extension"

# A C extension that asks Ruby's loader by its public functions, for files that come from the image: in a Ruby require,
# around one, with errors, in circles, in threads. What passes by Kernel#require meets what the direct way is doing only
# in the load_iseq hook.
class CExtensionTest < TestCase
  HEAD = <<~RUBY
    require "calls"
    def try
      p yield
    rescue Exception => error
      p error.class, error.message.lines.first, error.backtrace, (error.path if error.is_a?(LoadError)), error.cause
    ensure
      p $!, Witness.features
    end
  RUBY

  WAYS = {
    "rb_require" => "Calls.require_c(%s)",
    "rb_f_require" => "Calls.require_object(%s)",
    "rb_funcall of require" => "Calls.require_method(%s)",
    "rb_protect" => "Calls.require_protected(%s)",
    "rb_rescue2" => "Calls.require_rescued(%s)",
    "rb_ensure" => "Calls.require_ensured(%s)",
    "rb_thread_create" => "Calls.require_in_thread(%s)",
    "rb_eval_string" => "Calls.evaluated(\"require \#{%s.inspect}\")",
    "rb_load" => "Calls.load(%s, false)",
    "rb_load, wrapped" => "Calls.load(%s, true)",
    "rb_load_protect" => "Calls.load_protected(%s)"
  }.freeze

  # What rb_require answers where the direct way is at the file already is another thing (docs/loading.md): not printed
  # there.
  ASKS = %w[rb_require rb_protect rb_rescue2 rb_ensure rb_thread_create rb_f_require].freeze

  def assert_same_calls(files, main, **options)
    assert_same_behaviour(
      { **files, "main.rb" => HEAD + main },
      load_path: ["", Extension.folder],
      misses: :any,
      **options
    )
  end

  test "a file that leaves an error behind" do
    assert_same_calls(
      {
        "left.rb" => "p :left, $!\nCalls.leave_error('nowhere')\nLEFT = 1\n",
        "around.rb" => "p((require 'left' rescue $!.class))\np $!\n",
        "auto.rb" => "module Auto; X = 1; end\nCalls.leave_error('nowhere')\n"
      },
      <<~RUBY
      try { require "left" }
      try { require "left" }
      try { require "around" }
      autoload :Auto, File.join(__dir__, "auto")
      try { Auto }
      try { Auto }
    RUBY
    )
  end

  WAYS.each do |title, way|
    test "#{title}: files of the image, in a Ruby require and around one" do
      inner = format(way, "'inner.rb'")
      assert_same_calls(
        {
          "outer.rb" => "p [:outer, caller(0), $!]\np #{inner}, #{inner}\nOUTER = 1\n",
          "inner.rb" =>
            "p [:inner, __FILE__, __dir__, __method__, self.to_s, caller(0), $!]\nrequire 'deep/leaf'\nrequire_relative 'deep/other'\n",
          "deep/leaf.rb" => "p [:leaf, caller(0)]\nmodule Leaf; X = 1; end\n",
          "deep/other.rb" => "p [:other, caller.size]\n"
        },
        <<~RUBY,
        try { require "outer" }
        try { #{format(way, "'outer.rb'")} }
        try { require "inner" }
        try { #{format(way, "File.join(__dir__, 'deep/leaf.rb')")} }
        try { #{format(way, "'./deep/other.rb'")} }
        begin; raise "before"; rescue; try { #{format(way, "'inner.rb'")} }; p $!; end
      RUBY
        args: %w[-w]
      )
    end

    test "#{title}: every way to leave a file" do
      assert_same_calls(
        {
          "x.rb" => "p :x, $!\n$how.call if ($n = $n.to_i + 1) < 3\nX = $n\n",
          "y.rb" => "begin; p #{format(way, "'x.rb'")}; ensure; p [:left_by, $!.class]; end\n"
        },
        <<~RUBY,
        [-> { raise "left" }, -> { raise LoadError, "made up" }, -> { throw :out, 5 }, -> { throw :nobody }, -> { exit 3 }, -> { raise Interrupt }, -> { Nowhere },
         -> { eval("1 +") }, -> { require "nowhere" }, -> { Calls.require_c("nowhere") }, -> { Calls.load("nowhere.rb", false) }].each do |how|
          $how, $n = how, nil
          try { catch(:out) { #{format(way, "'x.rb'")} } }
          try { catch(:out) { require "y" } }
          try { #{format(way, "'y.rb'")} }
          Object.send(:remove_const, :X) if defined?(X)
          $LOADED_FEATURES.reject! { |path| path.end_with?("/x.rb", "/y.rb") }
        end
      RUBY
        args: %w[--disable-did_you_mean]
      )
    end

    test "#{title}: what cannot be loaded" do
      assert_same_calls(
        {
          "a.rb" => "A = 1\n",
          "folder.rb/b.rb" => "",
          "looped.rb" => :"looped.rb",
          "wrong.rb" => "def (\n",
          "dangling.rb" => :"nowhere.rb"
        },
        <<~RUBY,
        require "a"
        ["nope", "nope.rb", "nope.so", "./nope", File.join(__dir__, "nope"), "folder", "looped", "dangling.rb", "wrong", "wrong.rb", "x" * 300, "a.rb/", "", "a\\0b", "n\\u00f6pe"].each do |name|
          try { #{format(way, "name")} }
        end
      RUBY
        args: %w[--disable-did_you_mean]
      )
    end
  end

  test "circles through C: the same files run, the same warnings" do
    # (another thread would wait for this one)
    ways = WAYS.except("rb_thread_create")
    shown = ways.to_h { |title, way| [title, ASKS.include?(title) || title.start_with?("rb_load") ? way : "p(#{way})"] }
    names = ("a".."zz").take(2 * shown.size)
    files =
      shown
        .values
        .each_with_index
        .flat_map do |way, index|
          there, here = names[2 * index, 2]
          bound = "next_time = ($#{here} = $#{here}.to_i + 1) < 3\n"
          [
            ["c_#{there}.rb", "p :#{there}\np require('c_#{here}')\n"],
            ["c_#{here}.rb", "p :#{here}\n#{bound}#{format(way, "'c_#{there}.rb'")} if next_time\n"]
          ]
        end
        .to_h
    assert_same_calls(
      files,
      names
        .each_slice(2)
        .first(shown.size)
        .map { |there, here| "try { require 'c_#{there}' }; try { require 'c_#{here}' }\n" }
        .join,
      args: %w[-w]
    )
  end

  test "a circle that begins in C" do
    assert_same_calls(
      {
        "a.rb" => "p :a, require('b')\nrequire_relative 'a'\n",
        "b.rb" => "p :b, require('a'), require('./a.rb'), require(File.join(__dir__, 'a'))\n"
      },
      <<~RUBY,
      try { Calls.require_c("a") }
      try { Calls.require_c("a.rb") }
      try { require "b" }
    RUBY
      args: %w[-w]
    )
  end

  test "rb_load of what the direct way has loaded, under its name and under another" do
    assert_same_calls(
      {
        "real/a.rb" => "p [:a, __FILE__]\nA = 1 unless defined?(A)\n",
        "link" => :real,
        "b.rb" => "p :b\nCalls.load('b.rb', false) if ($b = $b.to_i + 1) < 3\n"
      },
      <<~RUBY,
      try { require "real/a" }
      ["real/a.rb", "link/a.rb", "./link/a.rb", File.join(__dir__, "link/a.rb")].each { |name| try { Calls.load(name, false) }; try { Calls.load_protected(name) } }
      try { require "b" }
    RUBY
      args: %w[-w]
    )
  end

  test "rb_provide and rb_provided" do
    names = %w[a a.rb b b.rb made made.rb deep/c calls calls.so].map { |name| "'#{name}'" }.join(", ")
    look = "p [#{names}].map { |name| Calls.provided(name) }"
    assert_same_calls(
      {
        "a.rb" => "p :a\n",
        "b.rb" => "p :b\n",
        "made.rb" => "p :never\n",
        "deep/c.rb" => "Calls.provide('b')\nCalls.provide(__FILE__)\n#{look}\n"
      },
      <<~RUBY
      #{look}
      Calls.provide("made")
      Calls.provide("made_up.rb")
      p require("made"), require("made_up"), require("made_up.rb")
      #{look}
      try { require "a" }
      try { Calls.require_c("deep/c") }
      #{look}
      try { require "b" }
      try { Calls.require_c("b") }
      Calls.provide(File.join(__dir__, "b.rb"))
      try { require File.join(__dir__, "b") }
    RUBY
    )
  end

  # Not as in plain Ruby: docs/loading.md, "What could a program notice?".
  test "what C is told of a file that the direct way has in its hands" do
    files = {
      "a.rb" => "p Calls.provided('a'), Calls.require_c('a')\n",
      "main.rb" => "require 'calls'\nrequire 'a'\np Calls.provided('a'), Calls.require_c('a')\n"
    }
    program = program(files, load_path: ["", Extension.folder])
    assert_equal %w[true false true false], program.plain.stdout.split
    program.boot
    assert_equal %w[false true true false], program.boot.stdout.split
    assert_equal %w[true false true false], program.boot(env: NATIVE).stdout.split
  end

  test "an extension whose Init requires a file of the image" do
    assert_same_behaviour(
      {
        "wanted.rb" => "p [:wanted, defined?(Calls)]\nrequire 'inner'\nW = 1\n",
        "inner.rb" => "p :inner\n",
        "wrong.rb" => "raise 'in Init'\n",
        "main.rb" => <<~RUBY
        $wanted_by_init = "wrong"
        begin; require "calls"; rescue RuntimeError; p $!, $!.backtrace.size; end
        $wanted_by_init = "wanted"
        p require("calls"), $answer_in_init, W, Witness.features, require("wanted"), require("calls")
      RUBY
      },
      load_path: ["", Extension.folder],
      misses: :any
    )
  end

  test "autoload that C touches" do
    assert_same_calls(
      {
        "m/x.rb" => "p [:x, caller(0), M.autoload?(:X)]\nmodule M; class X; end; end\n",
        "m/y.rb" => "p :y\nraise 'y' if ($y = $y.to_i + 1) == 1\nmodule M; Y = 1; end\n",
        "m/z.rb" => "p Calls.require_protected('m/x').first(1).size\nmodule M; class Z; end; end\n"
      },
      <<~RUBY,
      module M; autoload :X, "m/x"; autoload :Y, "m/y"; autoload :Z, "m/z"; autoload :W, "m/w"; end
      try { Calls.defined(M, :X) }
      try { Calls.constant("M::Z") }
      try { Calls.autoload_constant(M, :X) }
      try { Calls.constant("M::X") }
      2.times { try { Calls.autoload_constant(M, :Y) } }
      try { M::Y }
      try { Calls.constant("M::W") }
      try { Calls.require_c("m/x") }
    RUBY
      args: %w[-w]
    )
  end

  test "threads: C and Ruby want the same file" do
    assert_same_calls(
      {
        "slow.rb" => "$started << 1\nsleep 0.15\nraise 'the first' if ($n = $n.to_i + 1) == 1\nSLOW = 1\n",
        "calm.rb" => "$started << 1\nsleep 0.15\nCALM = 1\n"
      },
      <<~RUBY,
      $started = Queue.new
      answers = lambda do |first, second|
        one = Thread.new { Thread.current.report_on_exception = false; first.call rescue $!.message }
        $started.pop
        $started.clear
        two = Thread.new { Thread.current.report_on_exception = false; second.call rescue $!.message }
        [one.value, two.value].tap { $started.clear }
      end
      ruby, c = %w[slow calm].to_h { |name| [name, -> { require name }] }, %w[slow calm].to_h { |name| [name, -> { Calls.require_c(name) }] }
      p answers.(c["calm"], ruby["calm"]), Witness.features
      p answers.(ruby["slow"], ruby["slow"]), Witness.features
      $LOADED_FEATURES.reject! { |path| path.end_with?("slow.rb", "calm.rb") }
      $n = nil
      p answers.(c["slow"], ruby["slow"]), Witness.features
      $LOADED_FEATURES.reject! { |path| path.end_with?("slow.rb", "calm.rb") }
      $n = nil
      # (what C is answered where the direct way has the file in its hands: docs/loading.md)
      p answers.(ruby["slow"], c["slow"]).first, Witness.features
      p answers.(ruby["calm"], c["calm"]).first, Witness.features
    RUBY
      args: %w[--disable-did_you_mean]
    )
  end

  # (before Warmstart comes: what it puts in the place of Ruby's methods would do Ruby's work, not the extension's)
  {
    "IO.open" => ["Calls.define(IO.singleton_class, 'open')", "p File.open(__FILE__)"],
    "Kernel#require" => [
      "Calls.count_requires",
      "$required = 0\n2.times { p require(File.join(__dir__, 'a.rb')), $required }"
    ],
    "Kernel#autoload" => ["Calls.define(Kernel, 'autoload')", "p autoload(:Name, 'nowhere'), autoload?(:Name)"],
    "Module#autoload" => ["Calls.define(Module, 'autoload')", "p Object.autoload(:Name, 'nowhere'), autoload?(:Name)"],
    "Kernel.require_relative" => [
      "Calls.define(Kernel.singleton_class, 'require_relative')",
      "p Kernel.require_relative('nowhere')"
    ]
  }.each do |name, (define, use)|
    test "#{name}, which an extension has defined anew before Warmstart comes" do
      program =
        program(
          { "a.rb" => "p [__FILE__, $n = $n.to_i + 1]\n", "main.rb" => <<~RUBY },
        require "calls"
        #{define}
        Kernel.require #{Program::SETUP.dump} if ENV["WITH_WARMSTART"]
        #{use}
      RUBY
          load_path: ["", Extension.folder],
          witness: false
        )

      expected = program.plain
      assert_includes ["exit 0", ("exit 1" if name == "Kernel.require_relative")], expected.status, expected.stderr
      2.times { assert_equal expected.transcript, program.plain(env: { "WITH_WARMSTART" => "1" }).transcript }
    end
  end
end
