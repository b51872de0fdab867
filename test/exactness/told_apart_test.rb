# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/extension"

# What we tell by frames, names and paths that a program can make up (ext/warmstart/ruby/require/hook_owner.c,
# document_call.c, document_psych.c): each program does so only in the boot that is compared, for what the image has was
# recorded without.
class ToldApartTest < TestCase
  # cases: {name => code}, which a program runs where $case is that name.
  def assert_same_cases(files, cases, main, head: "", **options)
    branches = cases.map { |name, code| "when #{name.to_s.dump}\n#{code}\n" }.join
    program = program({ **files, "main.rb" => "$VERBOSE = nil\n#{head}\ncase ENV['CASE']\n#{branches}end\n#{main}\n" }, **options)
    2.times { program.boot.tap { |run| assert_equal ["exit 0", ""], [run.status, run.stderr] } }
    cases.each_key do |name|
      assert_same_run program.plain(env: { "CASE" => name.to_s }), program.boot(env: { "CASE" => name.to_s, "WARMSTART_READONLY" => "1" }), name
    end
  end

  # With an internal encoding Ruby converts a name to the file system's encoding before it looks for it (file.c,
  # rb_file_path_convert).
  test "a file that requires itself by a name in another encoding" do
    { "lib" => "UTF-16LE", "d\u00e9" => "ISO-8859-1" }.each do |folder, encoding|
      assert_same_behaviour({
        "#{folder}/a.rb" => "p :a, require(File.join(__dir__, 'b.rb'))\n",
        "#{folder}/b.rb" => "p :b, require(File.join(__dir__, 'a.rb').encode('#{encoding}')), require(File.join(__dir__, 'b').encode('#{encoding}'))\n",
        "main.rb" => "p require(File.join(__dir__, '#{folder}/a.rb')), require(File.join(__dir__, '#{folder}/a').encode('#{encoding}'))\n"
      }, args: %w[-E UTF-8:UTF-8])
    end
  end

  test "load_iseq of the program's own, over ours" do
    hook = "def load_iseq(path) = (puts path; %s)"
    assert_same_cases({ "a.rb" => "p :a\nrequire 'b'\n", "b.rb" => "p :b\n", "c.rb" => "p :c\n" }, {
      prepended: "ISEQ.singleton_class.prepend(Module.new { #{format(hook, "nil")} })",
      decorated: "ISEQ.singleton_class.prepend(Module.new { #{format(hook, "defined?(super) ? super : nil")} })",
      extended: "ISEQ.extend(Module.new { #{format(hook, "nil")} })",
      defined: "class << ISEQ; #{format(hook, "nil")}; end",
      other: "ISEQ.define_singleton_method(:load_iseq) { |path| ISEQ.compile('p __FILE__', path) }",
      gone_again: "class << ISEQ; #{format(hook, "nil")}; end\nrequire 'c'\nISEQ.singleton_class.undef_method(:load_iseq)"
    }, "require 'a'\nrequire_relative 'c'\nload 'b.rb'", head: "ISEQ = RubyVM::InstructionSequence")
  end

  # What loads or requires a file while the direct way is at it, and how it is called.
  LOADS = [
    "load __FILE__", "load File.basename(__FILE__)", "load __FILE__, true", "Kernel.instance_method(:load).bind_call(self, __FILE__)", "[__FILE__].each(&method(:load))",
    "renamed_load(__FILE__)", "copied_load(__FILE__)", "Calls.load(__FILE__, false)", "Calls.load_protected(__FILE__)", "Misnamed.require(__FILE__)", "Misnamed.load_iseq(__FILE__)",
    "Calls.load_protected(File.basename(__FILE__))", "Misnamed.require(File.basename(__FILE__))"
  ].freeze
  REQUIRES = ["Misnamed.load(__FILE__)", "Misnamed.load(File.basename(__FILE__, '.rb'))", "Calls.require_object(__FILE__)"].freeze

  test "a load is told from a require, whatever calls it" do
    files = (LOADS + REQUIRES).each_with_index.to_h do |code, i|
      ["x#{i}.rb", "p [__FILE__, $n += 1]\n#{code} if $n < 3\nX#{i} = 1 unless defined?(X#{i})\n"]
    end
    main = files.keys.map { |name| "$n = 0\nrequire '#{name.delete_suffix(".rb")}'\np Witness.features\n" }.join
    assert_same_behaviour({ **files, "main.rb" => "require 'calls'\nalias renamed_load load\nObject.define_method(:copied_load, Kernel.instance_method(:load))\n#{main}" },
                          load_path: ["", Extension.folder], misses: :any)
  end

  test "what a to_path loads in the middle of a require" do
    load_again = "def to_path = (($n = $n.to_i + 1) < 3 ? load(File.join(HERE, %p)) : 0; %s)"
    assert_same_behaviour({
      "a.rb" => "p [:a, $n]\nfeature = Class.new { #{format(load_again, "a.rb", "'b'")} }.new\np require(feature)\n", "b.rb" => "p :b\n",
      "c.rb" => "p [:c, $n]\nentry = Class.new { #{format(load_again, "c.rb", "File.join(HERE, 'other')")} }.new\n$LOAD_PATH.unshift(entry)\np require('c'), require('c.rb')\n$LOAD_PATH.shift\n",
      "other/c.rb" => "p :other\n", "main.rb" => "HERE = __dir__\nrequire 'a'\n$n = 0\nrequire 'c'\np Witness.features\n"
    }, misses: :any)
  end

  LOAD_FILE = "def %s(path, **) = File.open(path, 'r:bom|utf-8') { |file| [:mine, file.read] }"
  TOKENIZE = "def tokenize(string) = \"mine: \#{string}\""

  test "Psych's methods and patterns, from text that is evaluated under the path of Psych's file" do
    assert_same_cases({ "a.yml" => "a: 1\nb: x\nc: 1.5\n" }, {
      class_eval: "Psych.singleton_class.class_eval(#{format(LOAD_FILE, "load_file").dump}, FILE)",
      instance_eval: "Psych.instance_eval(#{format(LOAD_FILE, "self.load_file").dump}, FILE)",
      eval: "eval(#{"module Psych; #{format(LOAD_FILE, "self.load_file")}; end".dump}, TOPLEVEL_BINDING, FILE)",
      prepend: "Psych.singleton_class.prepend(Module.new { class_eval(#{format(LOAD_FILE, "load_file").dump}, FILE) })",
      define_method: "eval('Psych.define_singleton_method(:load_file) { |path, **| File.open(path, %q(r:bom|utf-8)) { :mine } }', binding, FILE)",
      alias: "Psych.singleton_class.alias_method(:load_file, :unsafe_load_file)",
      tokenize: "Psych::ScalarScanner.class_eval(#{TOKENIZE.dump}, Psych::ScalarScanner.instance_method(:tokenize).source_location[0])",
      reader: "Psych::ScalarScanner.class_eval('@tokenize = nil; attr_reader :tokenize; def tokenize(_) = 7', FILE)",
      attribute: "Psych::Nodes::Document.class_eval('attr_reader :root', FILE)",
      pattern: "Psych::ScalarScanner.send(:remove_const, :FLOAT); eval('Psych::ScalarScanner::FLOAT = /nothing/', TOPLEVEL_BINDING, FILE)"
    }, "begin; p Psych.load_file('a.yml'), Psych.unsafe_load_file('a.yml'); rescue => error; p error.class; end",
                      head: "require 'psych'\nFILE = Psych.method(:load_file).source_location[0]")
  end
end
