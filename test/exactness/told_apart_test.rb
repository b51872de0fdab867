# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/extension"

# What we tell by frames, names and paths that a program can make up (ext/warmstart/ruby/require/hook.c,
# document_call.c, document_psych.c): each program does so only in the boot that is compared, for what the image has was
# recorded without.
class ToldApartTest < TestCase
  # cases: {name => code}, which a program runs where $case is that name.
  def assert_same_cases(files, cases, main, head: "", **options)
    branches = cases.map { |name, code| "when #{name.to_s.dump}\n#{code}\n" }.join
    program =
      program(
        { **files, "main.rb" => "$VERBOSE = nil\n#{head}\ncase ENV['CASE']\n#{branches}end\n#{main}\n" },
        **options
      )
    2.times { program.boot.tap { |run| assert_equal ["exit 0", ""], [run.status, run.stderr] } }
    cases.each_key do |name|
      plain = program.plain(env: { "CASE" => name.to_s })
      assert_equal "exit 0", plain.status, "#{name}: #{plain.stderr}"
      assert_same_run plain, program.boot(env: { "CASE" => name.to_s, "WARMSTART_READONLY" => "1" }), name
    end
  end

  # With an internal encoding Ruby converts a name to the file system's encoding before it looks for it (file.c,
  # rb_file_path_convert).
  test "a file that requires itself by a name in another encoding" do
    # (Ruby for Windows takes no name that is not ASCII-compatible.)
    { **(Program::WINDOWS ? {} : { "lib" => "UTF-16LE" }), "d\u00e9" => "ISO-8859-1" }.each do |folder, encoding|
      assert_same_behaviour(
        {
          "#{folder}/a.rb" => "p :a, require(File.join(__dir__, 'b.rb'))\n",
          "#{folder}/b.rb" =>
            "p :b, require(File.join(__dir__, 'a.rb').encode('#{encoding}')), require(File.join(__dir__, 'b').encode('#{encoding}'))\n",
          "main.rb" =>
            "p require(File.join(__dir__, '#{folder}/a.rb')), require(File.join(__dir__, '#{folder}/a').encode('#{encoding}'))\n"
        },
        args: %w[-E UTF-8:UTF-8]
      )
    end
  end

  test "load_iseq of the program's own, over ours" do
    hook = "def load_iseq(path) = (puts path; %s)"
    assert_same_cases(
      { "a.rb" => "p :a\nrequire 'b'\n", "b.rb" => "p :b\n", "c.rb" => "p :c\n" },
      {
        prepended: "ISEQ.singleton_class.prepend(Module.new { #{format(hook, "nil")} })",
        decorated: "ISEQ.singleton_class.prepend(Module.new { #{format(hook, "defined?(super) ? super : nil")} })",
        extended: "ISEQ.extend(Module.new { #{format(hook, "nil")} })",
        defined: "class << ISEQ; #{format(hook, "nil")}; end",
        other: "ISEQ.define_singleton_method(:load_iseq) { |path| ISEQ.compile('p __FILE__', path) }",
        gone_again:
          "class << ISEQ; #{format(hook, "nil")}; end\nrequire 'c'\nISEQ.singleton_class.undef_method(:load_iseq)"
      },
      "require 'a'\nrequire_relative 'c'\nload 'b.rb'",
      head: "ISEQ = RubyVM::InstructionSequence"
    )
  end

  # What loads or requires a file while the direct way is at it, and how it is called.
  LOADS = [
    "load __FILE__",
    "load File.basename(__FILE__)",
    "load __FILE__, true",
    "Kernel.instance_method(:load).bind_call(self, __FILE__)",
    "[__FILE__].each(&method(:load))",
    "renamed_load(__FILE__)",
    "copied_load(__FILE__)",
    "Calls.load(__FILE__, false)",
    "Calls.load_protected(__FILE__)",
    "Misnamed.require(__FILE__)",
    "Misnamed.load_iseq(__FILE__)",
    "Calls.load_protected(File.basename(__FILE__))",
    "Misnamed.require(File.basename(__FILE__))"
  ].freeze
  REQUIRES = [
    "Misnamed.load(__FILE__)",
    "Misnamed.load(File.basename(__FILE__, '.rb'))",
    "Calls.require_object(__FILE__)"
  ].freeze

  test "a load is told from a require, whatever calls it" do
    files =
      (LOADS + REQUIRES).each_with_index.to_h do |code, i|
        ["x#{i}.rb", "p [__FILE__, $n += 1]\n#{code} if $n < 3\nX#{i} = 1 unless defined?(X#{i})\n"]
      end
    main = files.keys.map { |name| "$n = 0\nrequire '#{name.delete_suffix(".rb")}'\np Witness.features\n" }.join
    assert_same_behaviour(
      {
        **files,
        "main.rb" =>
          "require 'calls'\nalias renamed_load load\nObject.define_method(:copied_load, Kernel.instance_method(:load))\n#{main}"
      },
      load_path: ["", Extension.folder],
      misses: :any
    )
  end

  # An extension's function may have the name and the owner of Ruby's, and do what the other one of Ruby's does.
  test "a load is told from a require, where an extension has defined Kernel's methods anew" do
    code = ["load(__FILE__)", "Kernel.load(__FILE__)", "require(__FILE__)", "Object.new.send(:require, __FILE__)"]
    files =
      code.each_with_index.to_h do |line, i|
        ["x#{i}.rb", "p [__FILE__, $n += 1]\n#{line} if $n < 3\nX#{i} = 1 unless defined?(X#{i})\n"]
      end
    main =
      files.keys.map { |name| "$n = 0\nold_require.call '#{name.delete_suffix(".rb")}'\np Witness.features\n" }.join
    %w[load require].each do |name|
      assert_same_behaviour(
        {
          **files,
          "main.rb" => "require 'calls'\nold_require = method(:require)\nCalls.define_load('#{name}')\n#{main}"
        },
        load_path: ["", Extension.folder],
        misses: :any
      )
    end
  end

  test "what a to_path loads in the middle of a require" do
    load_again = "def to_path = (($n = $n.to_i + 1) < 3 ? load(File.join(HERE, %p)) : 0; %s)"
    assert_same_behaviour(
      {
        "a.rb" => "p [:a, $n]\nfeature = Class.new { #{format(load_again, "a.rb", "'b'")} }.new\np require(feature)\n",
        "b.rb" => "p :b\n",
        "c.rb" =>
          "p [:c, $n]\nentry = Class.new { #{format(load_again, "c.rb", "File.join(HERE, 'other')")} }.new\n$LOAD_PATH.unshift(entry)\np require('c'), require('c.rb')\n$LOAD_PATH.shift\n",
        "other/c.rb" => "p :other\n",
        "main.rb" => "HERE = __dir__\nrequire 'a'\n$n = 0\nrequire 'c'\np Witness.features\n"
      },
      misses: :any
    )
  end

  LOAD_FILE = "def %s(path, **) = File.open(path, 'r:bom|utf-8') { |file| [:mine, file.read] }"
  TOKENIZE = "def tokenize(string) = \"mine: \#{string}\""

  test "Psych's methods and patterns, from text that is evaluated under the path of Psych's file" do
    assert_same_cases(
      { "a.yml" => "a: 1\nb: x\nc: 1.5\n", "b.yml" => "a: 2020-01-01\n" },
      {
        class_eval: "Psych.singleton_class.class_eval(#{format(LOAD_FILE, "load_file").dump}, FILE)",
        instance_eval: "Psych.instance_eval(#{format(LOAD_FILE, "self.load_file").dump}, FILE)",
        eval: "eval(#{"module Psych; #{format(LOAD_FILE, "self.load_file")}; end".dump}, TOPLEVEL_BINDING, FILE)",
        prepend:
          "Psych.singleton_class.prepend(Module.new { class_eval(#{format(LOAD_FILE, "load_file").dump}, FILE) })",
        define_method:
          "eval('Psych.define_singleton_method(:load_file) { |path, **| File.open(path, %q(r:bom|utf-8)) { :mine } }', binding, FILE)",
        alias: "Psych.singleton_class.alias_method(:load_file, :unsafe_load_file)",
        tokenize:
          "Psych::ScalarScanner.class_eval(#{TOKENIZE.dump}, Psych::ScalarScanner.instance_method(:tokenize).source_location[0])",
        reader: "Psych::ScalarScanner.class_eval('@tokenize = nil; attr_reader :tokenize; def tokenize(_) = 7', FILE)",
        attribute: "Psych::Nodes::Document.class_eval('attr_reader :root', FILE)",
        date:
          "Psych::ClassLoader.class_eval(%q(def date = load('Time')), Psych::ClassLoader.instance_method(:load).source_location[0], Psych::ClassLoader.instance_method(:date).source_location[1])",
        mapping:
          "Psych::TreeBuilder.class_eval(%q(def end_mapping = pop.tap { |node| node.children.reverse! }), Psych::TreeBuilder.instance_method(:push).source_location[0], Psych::TreeBuilder.instance_method(:end_mapping).source_location[1])",
        pattern:
          "Psych::ScalarScanner.send(:remove_const, :FLOAT); eval('Psych::ScalarScanner::FLOAT = /nothing/', TOPLEVEL_BINDING, FILE)"
      },
      "%w[a.yml b.yml].each { |name| begin; p Psych.unsafe_load_file(name), Psych.load_file(name); rescue => error; p error.class; end }",
      head: "require 'psych'\nrequire 'date'\nFILE = Psych.method(:load_file).source_location[0]"
    )
  end
  # Psych's methods that only `super` reaches.
  SUPERS = {
    accept: "class Psych::Visitors::Visitor; def accept(target) = (say :accept; visit(target)); end",
    accept_broken: "class Psych::Visitors::Visitor; def accept(...) = (say :mine; super); end",
    accept_between: "Psych::Visitors::ToRuby.include(Module.new { def accept(target) = (say :between; super) })",
    accept_prepended: "Psych::Visitors::Visitor.prepend(Module.new { def accept(target) = (say :prepended; super) })",
    visitor: "class Psych::Visitors::Visitor; def initialize = say(:visitor); end",
    visitor_above: "Psych::Visitors::Visitor.include(Module.new { def initialize = say(:above) })",
    object: "class Object; def initialize(*) = (say(:object) if self.class.name.start_with?('Psych::Visitors')); end",
    builder: "class Psych::TreeBuilder; alias old initialize; def initialize = (say :builder; old); end",
    builder_between:
      "Psych::Handlers::DocumentStream.include(Module.new { def initialize(&block) = (say :between; super) })",
    node: "class Psych::Nodes::Node; alias old initialize; def initialize = (say self.class; old); end",
    node_between: "Psych::Nodes::Mapping.include(Module.new { def initialize = (say :between; super) })",
    node_children:
      "class Psych::Nodes::Node; def initialize = (@children = Class.new(Array) { def each_slice(n) = super(n).reverse_each }.new); end",
    loader: "class Psych::ClassLoader; alias old find; private def find(name) = (say name; old(name)); end",
    loader_symbolize: "class Psych::ClassLoader; alias old symbolize; def symbolize(name) = (say name; old(name)); end",
    loader_initialize: "class Psych::ClassLoader; alias old initialize; def initialize = (say :loader; old); end",
    loader_between: "Psych::ClassLoader::Restricted.include(Module.new { def find(name) = (say name; super) })",
    no_alias_between: "Psych::Visitors::NoAliasRuby.include(Module.new { def accept(target) = (say :no_alias; super) })"
  }.freeze

  test "methods of Psych's that only super reaches, changed before the first document and after it" do
    documents =
      "%i[load_file unsafe_load_file].each { |name| begin; p Psych.send(name, 'a.yml'), Psych.send(name, 'b.yml'); rescue => error; p error.class, error.message[0, 32]; end }"
    cases = SUPERS.merge(SUPERS.to_h { |name, code| [:"#{name}_later", "#{documents}\n#{code}"] })
    assert_same_cases(
      { "a.yml" => "a: 1\n:b: [x, {c: 1.5}]\n", "b.yml" => "- :a\n- b: c\n" },
      cases,
      documents,
      head: "require 'psych'\nrequire 'date'\ndef say(*words) = $stdout.puts(words.inspect)"
    )
  end
  # Constants that Psych's methods name, from the program.
  CONSTANTS = {
    loader:
      "class Psych::Visitors::ToRuby; class ClassLoader < Psych::ClassLoader; def symbolize(name) = (say name; super); end; end",
    nodes:
      "class Psych::TreeBuilder; module Nodes; Document, Sequence, Mapping, Scalar = nil; end; private_constant :Nodes; end",
    psych: "module Psych::Visitors; Psych = :other; end",
    visitor: "class Psych::Nodes::Node; module Visitors; end; end",
    classes: "Psych::ClassLoader.const_set(:CACHE, { 'Symbol' => Symbol, 'Date' => Comparable }.freeze)",
    date: "class Psych::ScalarScanner; Date = Struct.new(:a); end"
  }.freeze

  test "constants that hide those that Psych's methods name, before the first document and after it" do
    documents =
      "%i[load_file unsafe_load_file].each { |name| begin; p Psych.send(name, 'a.yml'), Psych.send(name, 'b.yml'), Psych.unsafe_load_file('c.yml'); rescue => error; p error.class; end }"
    cases = CONSTANTS.merge(CONSTANTS.to_h { |name, code| [:"#{name}_later", "#{documents}\n#{code}"] })
    assert_same_cases(
      { "a.yml" => "a: 1\n:b: [x, {c: 1.5}]\n", "b.yml" => "- :a\n- b: c\n", "c.yml" => "- 2020-01-01\n" },
      cases,
      documents,
      head: "require 'date'\nrequire 'psych'\ndef say(*words) = $stdout.puts(words.inspect)"
    )
  end
end
