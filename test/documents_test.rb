# frozen_string_literal: true

require_relative "test_helper"
require "psych"
require_relative "support/extension"
require_relative "../lib/warmstart"

# YAML files from the image: the same values, identities, errors and frames as from Psych, on whichever of its versions
# Ruby has.
class DocumentsTest < TestCase
  # The head of each program.
  SHOW = File.readlines(File.join(Program::SUPPORT, "show.rb")).drop(1).join

  # What is stored, one document each.
  STORED =
    {
      "scalars" =>
        "a: 1\nb: -7\nc: 0x1f\nd: 0o17\ne: 017\nf: 1_000\ng: 1,000\nh: 12:30:45\ni: 0b101\nj: 4611686018427387\n",
      "floats" => "- 1.5\n- -0.25\n- 1e3\n- 1.0e+3\n- .5\n- 6.02e23\n- 12:30:45.5\n- 0.0\n",
      "words" => "- yes\n- no\n- on\n- off\n- true\n- False\n- ~\n- null\n- \n- y\n- n\n- 'yes'\n- \"null\"\n- ''\n",
      "symbols" => "- :a\n- :'b c'\n- :\"d\"\n- ':e'\n- :é\n- ::x\n",
      "symbol_keys" => ":a: 1\n:b:\n  :c: d\nplain: :sym\n",
      "keys" => "1: a\n1.5: b\ntrue: c\n~: d\n? :s\n: e\n'quoted': f\n2.5: g\n",
      "strings" =>
        "plain: text\nsingle: 'it''s'\ndouble: \"a\\tb\\u00e9\\x41\\n\"\nliteral: |\n  one\n  two\nfolded: >-\n  one\n  two\nwide: žluťoučký 日本語 🎉\nempty: \"\"\n",
      "long" => "text: #{"x" * 5000}\nwide: \"#{"é" * 3000}\"\n",
      "aliases" => "a: &x {k: [1, 2]}\nb: *x\nc: &s text\nd: *s\ne: [*x, *s, *x]\nf: &i 7\ng: *i\n",
      "merges" =>
        "base: &base\n  a: one\n  b: [1]\nx:\n  <<: *base\n  c: 3\ny:\n  <<: [*base, {d: 4}]\nz: {<<: *base, a: other}\nw:\n  <<: text\n",
      "quoted_merge" => "a: {'<<': {b: 1}}\n",
      "bangs" => "a: hello!\nb: 'a ! b'\nc: |\n  x !y\nd: \"!no\"\ne: Non Merci ! Oui\nf: [x!, y]\n",
      "syck" => "a: ! 'text'\nb: ! \"more\"\nc: ! plain\nd: ! 12\n",
      "sequences" => "- - - 1\n- []\n- {}\n- [[], {}, [{}]]\n",
      "flow" => "{a: [1, {b: c}], 'd': {e: [f, g]}}\n",
      "document" => "--- \na: 1\n--- \nb: 2\n",
      "header" => "%YAML 1.1\n---\na: 1\n...\n",
      "comment" => "# what!\na: 1 # !x\n",
      "crlf" => "a: 1\r\nb: two\r\n",
      "bom" => "\xEF\xBB\xBFa: é\n".b,
      "duplicate" => "a: 1\nb: 2\na: 3\n",
      "deep" => (0..40).map { |depth| "#{"  " * depth}k#{depth}:\n" }.join + "#{"  " * 41}end: 1\n",
      "wide" => (0..300).map { |number| "key#{number}: value #{number}\n" }.join,
      "rails" =>
        "en:\n  date:\n    formats: {default: \"%Y-%m-%d\"}\n    month_names: [~, January]\n    order:\n    - :year\n    - :month\n  errors: &e\n    blank: \"can't be blank\"\n  other: *e\n"
    }.transform_keys { |name| "#{name}.yml" }.freeze

  # What is not: Psych reads them at each boot.
  LEFT =
    {
      "empty" => "",
      "only_comment" => "# nothing\n",
      "scalar" => "text\n",
      "number" => "17\n",
      "false" => "false\n",
      "infinity" => "- .inf\n- -.Inf\n- .nan\n",
      "negative_zero" => "- -0.0\n",
      "bignum" => "- 123456789012345678901234567890\n",
      "time" => "- 2001-12-14t21:59:43.10-05:00\n- 2001-12-15 2:59:43.10\n- 2001-12-14 21:59:43Z\n",
      "recursive" => "&a [*a]\n",
      "complex_key" => "? [a, b]\n: c\n? {d: e}\n: f\n",
      "date_key" => "2024-01-01: a\n",
      "dates" => "- 2024-02-29\n- 1500-01-01\n- [2000-1-1, 2000-1-1]\n",
      "shared_date" => "a: &d 2024-01-01\nb: *d\n",
      "no_date" => "- 2023-02-31\n",
      "string_tag" => "- !str 12\n- !!str 12\n",
      "binary" => "a: !binary aGVsbG8=\n",
      "set" => "!set {a, b}\n",
      "omap" => "--- !omap\n- a: 1\n",
      "regexp" => "- !ruby/regexp /a+/i\n",
      "range" => "- !ruby/range 1..3\n",
      "tagged_symbol" => "- !ruby/symbol a\n",
      "object" => "- !ruby/object:Object\n  a: 1\n",
      "unknown_tag" => "- !unknown {a: 1}\n",
      "integer_tag" => "- !!int '12'\n",
      "float_tag" => "- !!float 1\n",
      "struct" => "- !ruby/struct:Point {x: 1}\n"
    }.transform_keys { |name| "#{name}.yml" }.freeze

  # Errors are always Psych's own.
  BROKEN =
    {
      "tab" => "a:\n\tb: 1\n",
      "unclosed" => "a: [1, 2\n",
      "unknown_alias" => "a: *nobody\n",
      "bad_utf8" => "a: \xFF\xFE\n".b,
      "nul" => "a: \0\n",
      "second_broken" => "a: 1\n---\nb: [\n",
      "mapping" => "a: b: c\n"
    }.transform_keys { |name| "#{name}.yml" }.freeze

  CALLS = <<~'RUBY'
    require "date"
    METHODS = %i[load_file unsafe_load_file safe_load_file]
    OPTIONS = [
      {}, { symbolize_names: true }, { freeze: true }, { symbolize_names: true, freeze: true }, { symbolize_names: false, freeze: nil }, { fallback: {} },
      { aliases: true }, { permitted_classes: [Symbol, Date, Time], aliases: true }, { permitted_classes: ["Symbol"], permitted_symbols: [:a] },
      { permitted_classes: [Date], permitted_symbols: %w[a year month], freeze: true }, { strict_integer: true }, { parse_symbols: false }, { nonsense: 1 },
    ]
    Point = Struct.new(:x)
    ARGV_FILES = Dir["#{__dir__}/*.yml"].sort
    ARGV_FILES.each do |path|
      METHODS.each { |name| OPTIONS.each { |options| show("#{File.basename(path)} #{name} #{options}") { YAML.send(name, path, **options) } } }
    end
  RUBY

  def assert_documents(files, main, misses: [], **options)
    assert_same_behaviour({ **files, "main.rb" => "#{SHOW}#{main}" }, misses: misses, **options)
  end

  test "values, identities, frozenness, encodings: every document by every method with every option" do
    assert_documents STORED, CALLS
  end

  test "each option that Psych has keeps a document of its own" do
    [
      "symbolize_names: true",
      "freeze: true",
      "aliases: true",
      "permitted_classes: [Symbol]",
      "permitted_symbols: [:a]",
      "aliases: false"
    ].each do |option|
      program =
        program(
          {
            "a.yml" => "a: 1\n",
            "main.rb" =>
              "require 'yaml'\nYAML.safe_load_file(\"\#{__dir__}/a.yml\", **(ENV['PLAIN'] ? {} : { #{option} }))\n"
          }
        )
      2.times { program.boot }
      assert_equal %w[a.yml], program.boot.hits, option
      assert_empty program.boot(env: { "PLAIN" => "1", "WARMSTART_READONLY" => "1" }).hits, option
    end
  end

  test "another version of Psych has documents of its own" do
    program = program({ "a.yml" => "a: 1\n", "main.rb" => <<~'RUBY' })
      require "yaml"
      other = ENV["OTHER"]&.to_sym and Psych.send(:remove_const, other) and Psych.const_set(other, "9.9.9")
      YAML.load_file("#{__dir__}/a.yml")
    RUBY

    2.times { program.boot }
    %w[VERSION LIBYAML_VERSION].each do |name|
      assert_empty program.boot(env: { "OTHER" => name, "WARMSTART_READONLY" => "1" }).hits, name
    end
    assert_equal %w[a.yml], program.boot.hits
    assert_includes program.boot(env: { "OTHER" => "VERSION" }).events, "miss a.yml psych_version"
  end

  # (A release of Psych that is not in psych_origin.c: bring in its line, after a look at what is new in it.)
  test "this Ruby's Psych is known" do
    require "psych"
    origin = Warmstart::Native.psych_origin(Psych, File.realpath(Psych.method(:load_file).source_location[0]))
    assert_nil origin.last, "{ \"#{origin[0]}\", UINT64_C(0x#{origin[1]}) } of:\n#{origin[2]}"
  end

  test "an installed Psych that somebody edits" do
    library = File.realpath(RbConfig::CONFIG.fetch("rubylibdir"))
    files =
      Dir[File.join(library, "psych{.rb,/**/*.rb}")].to_h do |path|
        ["copy#{path.delete_prefix(library)}", File.read(path)]
      end
    program =
      program(
        {
          **files,
          "a.yml" => "a: 'text'\n",
          "main.rb" =>
            "$LOAD_PATH.unshift(\"\#{__dir__}/copy\")\nrequire 'psych'\np Psych.load_file(\"\#{__dir__}/a.yml\")\n"
        }
      )
    assert_same_boots program, 2
    assert_equal %w[a.yml], program.boot.hits & %w[a.yml]
    visitor = "copy/psych/visitors/to_ruby.rb"
    program.write(visitor, files.fetch(visitor).sub("return o.value if o.quoted", "return o.value.upcase if o.quoted"))
    assert_same_boots program, 2
    program.write(visitor, files.fetch(visitor))
    assert_same_boots program, 2
    program.write(
      "main.rb",
      "#{File.read(program.path("main.rb"))}File.write(\"\#{__dir__}/#{visitor}\", File.read(\"\#{__dir__}/#{visitor}\"))\np Psych.load_file(\"\#{__dir__}/a.yml\", freeze: true)\n"
    )
    assert_same_boots program, 3
  end

  test "documents that cannot be stored" do
    assert_documents LEFT, CALLS, misses: LEFT.keys
  end

  test "errors: classes, messages, frames" do
    missing = <<~'RUBY'
      METHODS.each do |name|
        ["nope.yml", "#{__dir__}/nope.yml", __dir__, "", "a\0b", nil, 12, Object.new, "#{__dir__}/main.rb/x.yml"].each { |path| show(name) { YAML.send(name, path) } }
        show(name) { YAML.send(name) }
        show(name) { YAML.send(name, "a", "b") }
        show(name) { YAML.send(name, "#{__dir__}/tab.yml", filename: "other name") }
      end
    RUBY
    assert_documents BROKEN, CALLS + missing, misses: :any
  end

  # ---- results are the program's own ----

  test "changing a result changes no later one" do
    assert_documents({ "a.yml" => STORED.fetch("aliases.yml"), "b.yml" => STORED.fetch("strings.yml") }, <<~'RUBY')
      %w[a.yml b.yml].each do |name|
        first, second = Array.new(2) { YAML.unsafe_load_file("#{__dir__}/#{name}") }
        show(name) { first }
        show(name) { [first.equal?(second), first.values.zip(second.values).map { |a, b| a.equal?(b) }] }
        first.each_value { |value| value << "more" if String === value }
        first["a"]["k"] << 3 if first["a"].is_a?(Hash)
        first.default = 1
        first.store("new", first)
        show(name) { second }
        show(name) { YAML.unsafe_load_file("#{__dir__}/#{name}") }
        first.each_key { |key| (key << "x") rescue puts $!.message.sub(/:.*/, "") }
      end
      frozen = Array.new(2) { YAML.unsafe_load_file("#{__dir__}/a.yml", freeze: true) }
      show { [frozen[0].equal?(frozen[1]), frozen[0]["c"].equal?(frozen[1]["c"])] }
      show { frozen[0]["a"]["k"] << 1 }
    RUBY
  end

  test "relative paths, the working folder, Pathnames, links, odd names" do
    files = {
      "a.yml" => "a: 1\n",
      "sub/a.yml" => "a: 2\n",
      "link.yml" => :"sub/a.yml",
      "sub/deep/b.yml" => "b: 1\n",
      "way" => :"sub/deep",
      "ödd-é.yml" => "c: 1\n",
      "twice.yml" => "d: 1\n"
    }
    assert_documents(files, <<~'RUBY')
      require "pathname"
      ["a.yml", "./a.yml", "sub/../a.yml", "way/../a.yml", "link.yml", "way/b.yml", "ödd-é.yml", "#{__dir__}//a.yml"].each do |name|
        show(name) { YAML.load_file(name) }
        show(name) { YAML.unsafe_load_file(Pathname(name), freeze: true) }
      end
      Dir.chdir("sub") { show { YAML.load_file("a.yml") } }
      class Named; def to_path = (puts("asked"); "a.yml"); end
      class Text < String; end
      show { YAML.load_file(Named.new) }
      show { YAML.load_file(Text.new("a.yml")) }
      show { YAML.load_file("a.yml".encode("UTF-16LE")) }
      3.times { show { YAML.load_file("twice.yml") } }
    RUBY
  end

  test "to_path of the program's own, which is called once" do
    assert_documents({ "a.yml" => "a: 1\n" }, <<~'RUBY')
      require "pathname"
      one = Pathname("a.yml")
      def one.to_path = (puts("asked one"); super)
      show { YAML.load_file(one) }
      Pathname.prepend(Module.new { def to_path = (puts("asked all"); super) })
      show { YAML.load_file(Pathname("a.yml")) }
    RUBY
  end

  # ---- programs that have changed Psych ----

  CHANGES = {
    "a method of Psych's replaced" =>
      "def YAML.unsafe_load_file(path, **options) = [path.size, options]\ndef YAML.load(*) = :mine\n",
    "a module prepended to Psych" =>
      "YAML.singleton_class.prepend(Module.new { def unsafe_load_file(path, **) = [:mine, super]; def load(*, **) = [:inner, super] })\n",
    "unsafe_load wrapped" => "YAML.singleton_class.prepend(Module.new { def unsafe_load(*, **) = [:mine, super] })\n",
    "the visitor changed" =>
      "Psych::Visitors::ToRuby.prepend(Module.new { def accept(node) = (r = super; String === r ? r.upcase : r) })\n",
    "the visitor reopened" =>
      "class Psych::Visitors::ToRuby; def revive_hash(hash, node, *) = { :revived => node.children.size }; end\n",
    "the visitor without aliases" => "class Psych::Visitors::NoAliasRuby; def deserialize(node) = [node.value]; end\n",
    "scalars read in another way" => "class Psych::ScalarScanner; def tokenize(string) = string; end\n",
    "another pattern of numbers" =>
      "Psych::ScalarScanner.send(:remove_const, :FLOAT); Psych::ScalarScanner::FLOAT = /never/\n",
    "another parser" => "class Psych::Parser; def parse(*) = raise('no parser'); end\n",
    "another tree" =>
      "Psych::TreeBuilder.prepend(Module.new { def scalar(value, *) = super('tree', nil, nil, true, false, 1) })\n",
    "nodes" => "class Psych::Nodes::Scalar; def value = 'node'; end\n",
    "the class loader" => "class Psych::ClassLoader; def symbolize(name) = name.upcase.to_sym; end\n",
    "a domain type" =>
      "YAML.add_domain_type('example.com,2002', 'x') { |*all| [:domain, *all] }; YAML.add_builtin_type('int') { |*all| [:int, *all] }\n",
    "a class for a tag" => "class T; attr_accessor :a; def inspect = 'T'; yaml_tag '!t'; end\n",
    "a class for no tag" =>
      "class N; def init_with(coder) = (@scalar = coder.scalar); end\nYAML.load_tags[nil] = 'N'\n",
    "a domain type for the tag that says nothing" =>
      "YAML.domain_types['tag:'] = ['tag:', ->(*all) { [:nothing, *all] }]\n",
    "a method defined by an evaluated String" =>
      "Psych::ScalarScanner.class_eval('def tokenize(string) = string.to_s + \"!\"')\n",
    "a method that Psych evaluates itself, evaluated by somebody else" =>
      "Psych::TreeBuilder.class_eval(%(\ndef start_mapping(anchor, tag, implicit, style)\n  n = Nodes::Mapping.new(anchor, tag, implicit, style)\n  push n\n  n.children << Nodes::Scalar.new('extra') << Nodes::Scalar.new('one')\n  @stack[-2].children << n\n  n\nend))\n",
    "a method defined by one in C" => "Psych::ScalarScanner.define_method(:tokenize, &'x'.method(:+))\n",
    "an alias of one in C" =>
      "class String; alias_method(:same, :itself); end\nPsych::Nodes::Scalar.define_method(:value, &'always'.method(:itself))\n",
    "the parser in C called by another name" =>
      "Psych::Parser.class_eval('def _native_parse(handler, yaml, path) = raise(\"not this one\")') rescue 0\n",
    "the constructor of Psych's objects" =>
      "Psych::Visitors::ToRuby.define_singleton_method(:new) { |*args| super(*args).tap { |made| def made.accept(node) = :mine } }\n",
    "a constructor evaluated under a name of Ruby's own" =>
      "Psych::ScalarScanner.singleton_class.class_eval('def new(*) = super.tap { |made| def made.tokenize(text) = text }', '<internal:kernel>', 1)\n",
    "what the Ractor says of a node" =>
      "(Ractor.current[:Psych_Visitors_Visitor] ||= {}.compare_by_identity)[Psych::Nodes::Sequence] = :visit_Psych_Nodes_Scalar\n",
    "the Ractor's table of nodes" =>
      "Ractor.current[:Psych_Visitors_Visitor] = Hash.new { |_, node| node == Psych::Nodes::Scalar ? :inspect : :\"visit_\#{node.name.gsub('::', '_')}\" }.compare_by_identity\n",
    "the visitor's own send" =>
      "class Psych::Visitors::Visitor; def send(*) = (made = super; String === made ? made.upcase : made); end\n",
    "the scanner's own Float" => "class Psych::ScalarScanner; private def Float(text) = super.to_i; end\n",
    "the scanner's own Integer, an alias" => "Psych::ScalarScanner.alias_method(:Float, :Integer)\n",
    "Psych's own block_given?" => "def Psych.block_given? = false\n",
    "a module's own block_given?" => "class Module; def block_given? = false; end\n",
    "settings of the program's own" => "def Psych.load_tags = (puts('asked'); super rescue {})\n",
    "settings in a class of its own" =>
      "Psych.singleton_class::Config.class_eval { def load_tags = (puts('asked'); @load_tags) }\n",
    "tags that a program is asked for" => "YAML.load_tags.default_proc = ->(_, tag) { print(tag.inspect) }\n",
    "texts with options" => "class String; def to_hash = { '_' => 'x' }; end\n",
    "numbers that are like texts" => "class Numeric; def to_str = to_s; end\n",
    "texts that are something else" => "class String; def is_a?(other) = other != String && super; end\n",
    "lists without a size" => "class Array; def respond_to?(*) = (puts('asked'); super); end\n",
    "how a module is asked for its methods" =>
      "class Class; def instance_method(name) = (puts(name); super); end\ndef Psych.instance_method(name) = (puts(name); super)\n",
    "what a Ractor says" =>
      "class Ractor; alias asked []; def [](name) = name.start_with?('Psych') ? Hash.new(:class) : asked(name); end\n",
    "something harmless" => "class Psych::Visitors::ToRuby; def harmless = 1; end\nYAML.add_tag('!h', String)\n"
  }.freeze

  CHANGED_FILES = {
    "a.yml" => "a: 1.5\nb: text\nc: :sym\nd: [1, 2]\ne: 1_000\n",
    "tags.yml" => "a: !t {a: 1}\nb: !!int 1\nc: !x y\n",
    "syck.yml" => STORED.fetch("syck.yml")
  }.freeze
  CHANGED_LOADS = <<~'RUBY'
    Dir["#{__dir__}/*.yml"].sort.each do |path|
      show(File.basename(path)) { YAML.unsafe_load_file(path) }
      show(File.basename(path)) { YAML.load_file(path) }
      show(File.basename(path)) { YAML.safe_load_file(path, permitted_classes: [Symbol], freeze: true) }
    end
  RUBY

  # change.rb is written after the image was made, so the documents in it are those of the unchanged Psych; then the
  # change comes before the first document, or after some.
  CHANGES.each do |name, change|
    test "Psych changed: #{name}" do
      # (A collection would decide whether a frozen String of an earlier load is still the one for all.)
      head = "#{SHOW}GC.disable\nrequire 'date'\n"
      main =
        "#{head}#{CHANGED_LOADS}eval(File.read(\"\#{__dir__}/change.txt\"), TOPLEVEL_BINDING, \"\#{__dir__}/change.txt\")\n#{CHANGED_LOADS}"
      program = program({ **CHANGED_FILES, "main.rb" => main, "change.txt" => "" })
      assert_same_boots program, 2
      program.write("change.txt", change)
      plain = program.plain
      assert_equal "exit 0", plain.status, plain.stderr
      assert_same_run plain, program.boot
      program.write("main.rb", "#{head}#{change}#{CHANGED_LOADS}")
      assert_same_boots program, 2
    end
  end

  # ---- programs that have put others of Psych's own methods, or of Ruby's, in the place of its methods ----

  # An alias has the owner and the file of what it stands for. (The methods in the first list are Psych 4's shims.)
  PUT_IN_PLACE = {
    "an alias on the module" => "Psych.singleton_class.alias_method(:load, :unsafe_load)",
    "an alias on the module, by keyword" => "class << Psych; alias safe_load unsafe_load; end",
    "a Method on the module" => "Psych.define_singleton_method(:load, Psych.method(:unsafe_load))",
    "an alias of the scanner" => "Psych::ScalarScanner.alias_method(:tokenize, :parse_int)",
    "an alias of an attribute" => "Psych::Nodes::Scalar.alias_method(:value, :tag)",
    "an alias of the visitor" => "Psych::Visitors::ToRuby.alias_method(:deduplicate, :visit_Psych_Nodes_Alias)",
    "an alias of the tree" => "Psych::Handlers::DocumentStream.alias_method(:start_sequence, :start_mapping)",
    "an UnboundMethod of the visitor" =>
      "Psych::Visitors::ToRuby.class_eval { define_method(:deduplicate, instance_method(:register_empty)) }",
    "an UnboundMethod of the nodes" =>
      "Psych::Nodes::Mapping.class_eval { define_method(:children, instance_method(:each)) }",
    "a Method as a block" =>
      "Psych::Visitors::ToRuby.define_method(:deduplicate, &Psych::Visitors::ToRuby.create.method(:accept))",
    "a Symbol as a block" => "Psych::Nodes::Scalar.define_method(:value, &:tag)",
    "the parser in C" => "Psych::Parser.define_method(PARSE, Kernel.instance_method(:instance_variable_set))",
    "the parser in C, of the same name" =>
      "module Kernel; define_method(PARSE, instance_method(:instance_variable_set)); end\nPsych::Parser.define_method(PARSE, Kernel.instance_method(PARSE))",
    "the class loader in C" => "Psych::ClassLoader.define_method(:path2class, Kernel.instance_method(:then))",
    "a prepended module with an alias" =>
      "Psych::ScalarScanner.prepend(Module.new { define_method(:tokenize, Kernel.instance_method(:format)) })",
    "a method that is taken away" => "Psych::ScalarScanner.undef_method(:tokenize)",
    "a constructor that is taken away" => "class << Psych::Nodes::Sequence; undef_method :new; end",
    "a method that is removed" => "Psych::Visitors::ToRuby.remove_method(:revive_hash)",
    "an overriding method that is removed" => "Psych::ClassLoader::Restricted.remove_method(:find)",
    "aliases that are allowed" => "Psych::Visitors::NoAliasRuby.remove_method(:visit_Psych_Nodes_Alias)",
    "the tree's own document" => "Psych::Handlers::DocumentStream.remove_method(:start_document)",
    "another class of a node" => "class Psych::Nodes::Scalar; def class = Psych::Nodes::Alias; end",
    "another name of a node's class" => "def (Psych::Nodes::Scalar).name = 'Psych::Nodes::Alias'",
    "another === of a node's class" => "def (Psych::Nodes::Alias).===(other) = true",
    **%w[
      Nodes::Scalar
      Nodes::Mapping
      Nodes::Document
      Nodes::Sequence
      Nodes::Stream
      Nodes::Alias
      Parser
      Handlers::DocumentStream
      ClassLoader
      ClassLoader::Restricted
      ScalarScanner
      Visitors::ToRuby
      Visitors::NoAliasRuby
    ].to_h { |name| ["the constructor of #{name}", "class << Psych::#{name}; def new(*) = raise('mine'); end"] },
    **%w[
      Nodes::Scalar
      Nodes::Mapping
      Nodes::Sequence
      Nodes::Document
      ScalarScanner
      Visitors::ToRuby
      Visitors::NoAliasRuby
      ClassLoader::Restricted
      Handlers::DocumentStream
      Parser
    ].to_h do |name|
      *scope, last = "Psych::#{name}".split("::")
      [
        "a subclass in place of #{name}",
        "#{scope.join("::")}.then { |scope| old = scope.send(:remove_const, :#{last}); scope.const_set(:#{last}, Class.new(old)) }"
      ]
    end,
    "the parser in an extension's C" => "require 'calls'\nCalls.define(Psych::Parser, PARSE.to_s)",
    "the class loader in an extension's C" => "require 'calls'\nCalls.define(Psych::ClassLoader, 'path2class')",
    "a private method" => "Psych::Nodes::Sequence.send(:private, :class)",
    "a private method of a subclass" => "Psych::Visitors::NoAliasRuby.send(:private, :accept)",
    "a protected method" => "Psych::Nodes::Scalar.send(:protected, :value)",
    "a private constructor" => "Psych::Nodes::Mapping.private_class_method(:new)",
    "a superclass that is another one now" =>
      "Psych.then { |psych| old = psych.send(:remove_const, :TreeBuilder); psych.const_set(:TreeBuilder, Class.new(old)) }"
  }.freeze

  PUT_MAIN = <<~'RUBY'
    require "psych"
    require "date"
    PARSE = Psych::Parser.private_method_defined?(:_native_parse) ? :_native_parse : :parse
    load_all = -> { Dir["#{__dir__}/*.yml"].sort.each { |path| %i[load_file unsafe_load_file safe_load_file].each { |name| show("#{File.basename(path)} #{name}") { YAML.send(name, path) rescue $!.is_a?(NoMethodError) ? $!.class : raise } } } }
    load_all.call if ENV["BEFORE"]
    eval(File.read("#{__dir__}/change.txt"), TOPLEVEL_BINDING, "change.txt") if ENV["CHANGED"]
    load_all.call
  RUBY
  PUT_FILES = {
    "a.yml" => "a: &x 1\nb: *x\n",
    "b.yml" => "a: [1_000, x, 1.5]\nb: {c: ~}\n",
    "c.yml" => "a: :sym\n",
    "d.yml" => "a: [on, ~]\n"
  }.freeze

  # Without the change, the image has the documents that are read with it, before and after some that are read without;
  # and the other way round.
  PUT_IN_PLACE.each_slice(8) do |changes|
    test "Psych changed by what it has itself: #{changes.map(&:first).join(", ")}" do
      files = { **PUT_FILES, "main.rb" => "#{SHOW}#{PUT_MAIN}", "change.txt" => "" }
      program = program(files, load_path: ["", Extension.folder])
      assert_same_boots program, 2
      assert_equal PUT_FILES.size, program.boot.hits.uniq.size
      changes.each do |name, change|
        program.write("change.txt", change)
        [{}, { "BEFORE" => "1" }].each do |env|
          plain = program.plain(env: { "CHANGED" => "1", **env })
          assert_equal "exit 0", plain.status, "#{name}: #{plain.stderr}"
          assert_same_run plain, program.boot(env: { "CHANGED" => "1", "WARMSTART_READONLY" => "1", **env }), name
        end
        other = program({ **files, "change.txt" => change }, load_path: ["", Extension.folder])
        other.boot(env: { "CHANGED" => "1" })
        assert_same_run other.plain, other.boot, name
      end
    end
  end

  test "Psych as it was made and changed data: documents come from the image" do
    program =
      program(
        {
          "a.yml" => "a: 1\n",
          "main.rb" =>
            "#{SHOW}YAML.add_builtin_type('omap') { 1 }\nYAML.load_tags['!x'] = 'X'\nshow { YAML.load_file(\"\#{__dir__}/a.yml\") }\n"
        }
      )
    assert_same_boots program, 2
    assert_equal %w[a.yml], program.boot.hits
  end

  test "another Psych's methods of the same names" do
    assert_documents({ "a.yml" => "a: 1\n" }, <<~'RUBY', misses: :any)
      module Other
        def self.load_file(path, **kwargs) = File.open(path, "r:bom|utf-8") { |f| [:other, f.read] }
      end
      module Kernel
        def unsafe_load_file(filename, **kwargs) = File.open(filename, "r:bom|utf-8") { |f| f.read }
      end
      2.times do
        show { YAML.load_file("#{__dir__}/a.yml") }
        show { Other.load_file("#{__dir__}/a.yml") }
        show { unsafe_load_file("#{__dir__}/a.yml") }
        show { YAML.dup.load_file("#{__dir__}/a.yml") }
        show { YAML.instance_exec { File.open("#{__dir__}/a.yml", "r:bom|utf-8") { |f| f.read } } }
      end
    RUBY
  end

  # ---- surroundings ----

  test "another internal encoding, Coverage and TracePoints" do
    assert_documents({ "a.yml" => "a: é\n", "lib.rb" => "" }, <<~'RUBY', misses: :any)
      path = "#{__dir__}/a.yml"
      show { YAML.load_file(path) }
      calls = Hash.new(0)
      TracePoint.new(:call, :c_call) { |point| calls[[point.defined_class.to_s, point.method_id]] += 1 if point.path.include?("psych") }.enable { YAML.load_file(path) }
      show { calls.slice(*calls.keys.select { |_, name| %i[open load_file safe_load parse accept tokenize revive_hash].include?(name) }) }      # (others fill Psych's own caches)
      $VERBOSE = nil
      ["ISO-8859-1", "UTF-8", nil].each { |name| Encoding.default_internal = name; show(name) { YAML.load_file(path) } }
      require "coverage"
      Coverage.start
      show { YAML.load_file(path) }
    RUBY
  end

  # A debugger that waits for breakpoints watches which files are loaded; Zeitwerk watched classes.
  test "a TracePoint for one piece of Psych's code" do
    assert_documents({ "a.yml" => "a: [1, {b: x}]\n" }, <<~'RUBY', misses: :any)
      path = "#{__dir__}/a.yml"
      YAML.load_file(path)
      [YAML.method(:load_file), YAML.method(:parse), Psych::Visitors::ToRuby.instance_method(:accept), Psych::TreeBuilder.instance_method(:push)].each do |target|
        seen = []
        point = TracePoint.new(:call, :line, :b_call) { |at| seen << [at.event, at.method_id] }
        point.enable(target: target) { show { YAML.load_file(path) } }
        show { seen }
      end
      # A block alone.
      inner = []
      RubyVM::InstructionSequence.of(Psych::Visitors::ToRuby.instance_method(:revive_hash)).each_child { |child| inner << child }
      lines = []
      TracePoint.new(:line) { |at| lines << at.lineno }.enable(target: inner.first) { YAML.load_file(path) }
      show { lines.size }
      show { YAML.load_file(path) }
    RUBY
  end

  test "permitted classes and Pathnames with methods of their own" do
    files = { "a.yml" => "a: :sym\n", "b.yml" => "b: 1\n" }
    assert_documents(files, <<~'RUBY', misses: :any)
      require "pathname"
      load_all = ->(*permitted) { show { YAML.safe_load_file("#{__dir__}/a.yml", permitted_classes: permitted) } }
      load_all[Symbol]
      class Named; end
      def Named.to_s = "Symbol"
      2.times { load_all[Named] }
      module Other; def to_s = "Symbol"; end
      class Also; end
      Also.extend(Other)
      load_all[Also]
      def (Symbol).to_s = "Other"
      load_all[Symbol]
      class << Symbol; remove_method :to_s; end
      load_all["Symbol"]
      path = Pathname("#{__dir__}/b.yml")
      show { YAML.load_file(path) }
      def path.to_path = (puts("asked"); super)
      show { YAML.load_file(path) }
      class Pathname; alias first_to_path to_path; def to_path = (puts("asked"); first_to_path); end
      show { YAML.load_file(Pathname("#{__dir__}/b.yml")) }
      class String; def to_s = "Nothing"; end
      load_all["Symbol"]
    RUBY
  end

  test "TracePoints that see nothing of Psych's work do not keep documents away" do
    %i[script_compiled class thread_begin raise].each do |event|
      program =
        program(
          {
            "a.yml" => "a: 1\n",
            "main.rb" => "#{SHOW}TracePoint.new(:#{event}) {}.enable\nshow { YAML.load_file(\"\#{__dir__}/a.yml\") }\n"
          }
        )
      assert_same_boots program, 2
      assert_equal %w[a.yml], program.boot.hits, event
    end
  end

  test "a file that is recorded leaves no hook behind, nor does one with an error" do
    assert_documents({ "a.yml" => "a: 1\n", "b.yml" => "a: [\n" }, <<~'RUBY', misses: %w[b.yml])
      %w[a b].each { |name| show { YAML.load_file("#{__dir__}/#{name}.yml") } }
      show { TracePoint.stat.values.sum(&:first) }
    RUBY
  end

  test "an exception that Psych rescues is seen by who watches for exceptions" do
    main = <<~'RUBY'
      require "date"
      raised = []
      TracePoint.new(:raise) { |point| raised << point.raised_exception.class if point.path.include?("psych") }.enable
      show { YAML.load_file("#{__dir__}/a.yml", permitted_classes: [Date]) }
      show { raised }
    RUBY
    program = program({ "a.yml" => "a: 2020-02-31\n", "main.rb" => SHOW + main })
    assert_includes program.plain.stdout, "Date::Error"
    assert_same_boots program, 2
  end

  # Each method is replaced in a process of its own. (Not those that work on the caller's frame, or that make whatever
  # comes next fail.) WARMSTART_CORE_METHODS=all tries each; otherwise it is a twelfth of them, and those by which the
  # guards themselves ask.
  REPLACING = <<~'RUBY'
    require "psych"
    load_all = -> { Dir["#{__dir__}/*.yml"].sort.map { |path| Psych.unsafe_load_file(path) } }
    load_all.call if ENV["BEFORE"]
    owners = [Array, BasicObject, Binding, Class, Encoding, Enumerable, FalseClass, Comparable, File, Float, Hash, IO, Integer, Kernel, Method, Module, NilClass, Numeric, Proc, Ractor, Regexp, RubyVM::InstructionSequence, String, Symbol, Thread, TrueClass, UnboundMethod]
    singletons = [Array, Encoding, File, Hash, IO, Ractor, Regexp, RubyVM::InstructionSequence, String, Symbol, Thread, TracePoint].map(&:singleton_class)
    left_out = /\A(?:initialize.*|object_id|__(?:send|id|method|dir|callee)__|method_missing|respond_to_missing\?|binding|block_given\?|iterator\?|caller.*|local_variables|eval|lambda|proc|alias_method|define_method|instance_(?:eval|exec)|(?:class|module)_(?:eval|exec)|fork|exit!?|syswrite|inherited|load_iseq|Array|autoload.*)\z/
    all = (owners + singletons).flat_map { |owner| (owner.instance_methods(false) + owner.private_instance_methods(false)).sort.grep_v(left_out).map { |name| [owner, name] } }
    part, parts = ENV.fetch("PART").split("/").map(&:to_i)
    # What a class has from Object it may get for itself.
    nodes = Psych::Nodes.constants.sort.map { |name| Psych::Nodes.const_get(name) }.grep(Class)
    heirs = [Array, Class, FalseClass, File, Float, Hash, Integer, NilClass, String, Symbol, TrueClass, Psych::ClassLoader, Psych::Parser, Psych::ScalarScanner, Psych::TreeBuilder, Psych::Visitors::ToRuby, Psych.singleton_class, *nodes]
    from_object = (Object.instance_methods + Object.private_instance_methods).sort.grep_v(left_out) + %i[method_missing respond_to_missing?]
    all += heirs.flat_map { |owner| (from_object - owner.instance_methods(false) - owner.private_instance_methods(false)).map { |name| [owner, name, :super] } }
    all.each_with_index do |(owner, name, original), index|
      next unless index % parts == part || [UnboundMethod, RubyVM::InstructionSequence].include?(owner)
      Process.wait(fork do
        private_method = owner.private_method_defined?(name)
        original ||= owner.class_eval { alias_method(:original_of_this, name) && :original_of_this }
        $counting = false
        $count = 0
        owner.class_eval("def #{name}(*list, &block)\n $counting && $count += 1\n #{original}(*list, &block)\nend#{"; private :#{name}" if private_method}")
        $counting = true
        result = begin; load_all.call.size; rescue Exception; $!.class; end
        count = $count
        $counting = false
        STDOUT.syswrite("#{owner.inspect}##{name} #{count} #{result}\n")
        exit!
      end)
    end
  RUBY

  test "a method of Ruby's own classes that is replaced is called as often as in plain Ruby" do
    skip "there is no fork" unless Process.respond_to?(:fork)

    program =
      program(
        {
          "a.yml" => "a:\n- 1_000\n- [x, 1.5, on, ~]\n- :sym\n- 'text'\nb: &c {c: d}\ne: *c\n",
          "main.rb" => REPLACING.dup
        },
        witness: false
      )
    parts = ENV["WARMSTART_CORE_METHODS"] == "all" ? 1 : 12
    part = Program::RUBY_NUMBER.to_s.sum % parts
    env = { "PART" => "#{part}/#{parts}" }
    plain = program.plain(env: env)
    assert_operator plain.stdout.lines.size, :>, 1000 / parts
    2.times { assert_same_run plain, program.boot(env: env) }
  end

  test "methods that were replaced before setup are not called for a document" do
    before = <<~'RUBY'
      $asked = 0
      { Module => :instance_method, UnboundMethod => :==, RubyVM::InstructionSequence.singleton_class => :of }.each do |owner, name|
        # (The last of these inherits from the first, so each has a name of its own for what was there before.)
        original = "original_#{name == :== ? "equal" : name}"
        owner.alias_method(original, name)
        owner.class_eval("def #{name}(*list) = ($asked += 1; #{original}(*list))")
      end
    RUBY
    main =
      "require 'psych'\n2.times { before = $asked; show { Psych.unsafe_load_file(\"\#{__dir__}/a.yml\") }; show { $asked - before } }\n"
    program = program({ "a.yml" => "a: [1, x]\n", "before.rb" => before, "main.rb" => SHOW + main })
    plain, *ours =
      [
        program.plain(args: ["-r", program.path("before.rb")]),
        *Array.new(2) { program.boot(args: ["-r", program.path("before.rb")]) }
      ]
    ours.each { |run| assert_same_run plain, run }
  end

  test "Psych before 5.2 requires date for each date, which a program's own require sees" do
    main = <<~'RUBY'
      require "date"
      asked = []
      Kernel.prepend(Module.new { define_method(:require) { |name| (asked << name if name == "date"; super(name)) } })
      2.times { show { YAML.load_file("#{__dir__}/a.yml", permitted_classes: [Date]) } }
      Psych::ScalarScanner.define_method(:require) { |name| asked << "scanner's"; super(name) }
      show { YAML.load_file("#{__dir__}/a.yml", permitted_classes: [Date]) }
      show { asked }
    RUBY
    program = program({ "a.yml" => "a: [2020-02-01, 2020-02-02]\n", "main.rb" => SHOW + main })
    assert_includes program.plain.stdout, "scanner's" if Psych::VERSION.to_f < 5.2
    assert_same_boots program, 3
  end

  test "threads, a forked child, a Ractor" do
    assert_documents({ "a.yml" => STORED.fetch("rails.yml"), "b.yml" => STORED.fetch("wide.yml") }, <<~'RUBY')
      paths = %w[a b].map { |name| "#{__dir__}/#{name}.yml" }
      show { Array.new(8) { |n| Thread.new { YAML.unsafe_load_file(paths[n % 2], symbolize_names: n > 3) } }.map(&:value).map { |document| Show.new.call(document).hash }.uniq.size }
      reader, writer = IO.pipe
      pid = fork { reader.close; writer.write Show.new.call(YAML.unsafe_load_file(paths[0])); writer.close; exit!(0) }
      writer.close
      puts reader.read
      Process.wait(pid)
      $VERBOSE = nil
      show { Ractor.new(paths[0]) { |path| YAML.unsafe_load_file(path) }.then { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take } } if YAML.respond_to?(:config)
      show { GC.stress = true; YAML.unsafe_load_file(paths[0], symbolize_names: true, freeze: true) }
      GC.stress = false
    RUBY
  end

  # ---- what changes on the disk ----

  test "a file that was edited, touched, replaced or removed" do
    program = program({ "a.yml" => "a: 1\n", "main.rb" => "#{SHOW}show { YAML.load_file(\"\#{__dir__}/a.yml\") }\n" })
    boot = -> do
      assert_same_run program.plain, (run = program.boot)
      run.events.grep(/a\.yml/)
    end
    assert_equal ["miss a.yml not_recorded"], boot.call
    assert_equal ["hit a.yml"], boot.call
    File.utime(1, 1_000_000_000, program.path("a.yml"))
    assert_equal ["revalidated a.yml mtime"], boot.call
    assert_equal ["hit a.yml"], boot.call
    program.write("a.yml", "a: 2\n")
    assert_equal ["stale a.yml mtime"], boot.call
    assert_equal ["hit a.yml"], boot.call
    program.write("a.yml", "a: 12\n")
    assert_equal ["stale a.yml size"], boot.call
    File.unlink(program.path("a.yml"))
    assert_equal ["miss a.yml gone"], boot.call
  end

  test "a file that the program writes and reads" do
    assert_documents({ "a.yml" => "a: 1\n" }, <<~'RUBY', misses: :any, variants: %i[recording warm native])
      path = "#{__dir__}/a.yml"
      show { YAML.load_file(path) }
      5.times { |n| File.write(path, "a: #{n}\n"); show { YAML.load_file(path) } }
      File.chmod(0, path)
      show { YAML.load_file(path) }
    RUBY
  end

  test "a file that was written while the program ran is not recorded" do
    program =
      program(
        {
          "main.rb" =>
            "#{SHOW}File.write(path = \"\#{__dir__}/a.yml\", \"a: 1\\n\") unless File.exist?(\"\#{__dir__}/a.yml\")\nshow { YAML.load_file(path || \"\#{__dir__}/a.yml\") }\n"
        }
      )
    program.boot
    assert_empty program.boot.hits
    assert_equal %w[a.yml], program.boot.hits
  end

  test "damaged bytes are noticed, and Psych reads the file" do
    program =
      program(
        { "a.yml" => "needle: in a haystack\n", "main.rb" => "#{SHOW}show { YAML.load_file(\"\#{__dir__}/a.yml\") }\n" }
      )
    program.boot
    segment = program.segments.find { |path| File.binread(path).include?("in a haystack") }
    File.binwrite(segment, File.binread(segment).sub("in a haystack", "in a hayst\0ck"))
    run = program.boot(env: { "WARMSTART_LOG" => "1" })
    assert_match(/damaged \(checksum\) at .*a\.yml, whose file is parsed as usual/, run.complaints.join)
    assert_same_run program.plain, run.without_complaints
    assert_includes run.events.join, "a.yml checksum"
  end

  test "after the boot is complete documents are used and not recorded" do
    program =
      program(
        {
          "a.yml" => "a: 1\n",
          "b.yml" => "b: 1\n",
          "main.rb" =>
            "#{SHOW}show { YAML.load_file(\"\#{__dir__}/a.yml\") }\ndefined?(Warmstart) && Warmstart.boot_complete!\nshow { YAML.load_file(\"\#{__dir__}/b.yml\") }\n"
        }
      )
    assert_same_boots program, 2
    assert_equal %w[a.yml], program.boot.hits
  end

  test "after the boot is complete those of gems are recorded, since locales are read late" do
    program =
      program(
        {
          "home/gems/one-1.0/a.yml" => "a: 1\n",
          "home/gemsx/b.yml" => "b: 1\n",
          "home/bundler/gems/two/c.yml" => "c: 1\n",
          "main.rb" =>
            "#{SHOW}defined?(Warmstart) && Warmstart.boot_complete!\n%w[gems/one-1.0/a gemsx/b bundler/gems/two/c].each { |name| show { YAML.load_file(\"\#{__dir__}/home/\#{name}.yml\") } }\n"
        },
        rubygems: true
      )
    environment = { "GEM_PATH" => program.path("home") }
    assert_same_boots program, 2, env: environment
    assert_equal %w[a.yml c.yml], program.boot(env: environment).hits.map { |path| File.basename(path) }.sort
  end

  test "a sealed image is believed until the boot is complete" do
    program = program({ "a.yml" => "a: 1\n", "main.rb" => <<~'RUBY' })
      require "yaml"
      File.write("#{__dir__}/a.yml", "a: 2\n") if ENV["EDIT"]
      p YAML.load_file("#{__dir__}/a.yml")
      Warmstart.boot_complete!
      p YAML.load_file("#{__dir__}/a.yml")
    RUBY

    program.boot
    sealed = program.seal
    assert_equal "{\"a\"=>1}\n" * 2, program.boot(image: sealed).stdout.gsub(" => ", "=>")
    assert_equal "{\"a\"=>1}\n{\"a\"=>2}\n",
                 program.boot(image: sealed, env: { "EDIT" => "1" }).stdout.gsub(" => ", "=>")
  end

  test "the working folder is gone" do
    assert_documents({}, <<~'RUBY')
      Dir.mkdir("#{__dir__}/gone")
      Dir.chdir("#{__dir__}/gone")
      Dir.rmdir("#{__dir__}/gone")
      show { YAML.load_file("a.yml") }
      Dir.chdir(__dir__)
    RUBY
  end

  test "off" do
    program =
      program(
        {
          "a.yml" => "a: 1\n",
          "main.rb" =>
            "require 'yaml'\np YAML.load_file(\"\#{__dir__}/a.yml\"), File.method(:open).unbind == IO.method(:open).unbind\n"
        }
      )
    2.times { assert_same_run program.plain, program.boot(env: { "WARMSTART_DOCUMENTS" => "0" }) }
    assert_empty program.boot(env: { "WARMSTART_DOCUMENTS" => "0" }).hits
  end

  # ---- nothing to be seen ----

  test "methods look as they did" do
    assert_documents({ "a.yml" => "a: 1\n" }, <<~'RUBY')
      YAML.load_file("#{__dir__}/a.yml")
      look = ->(method) { p [method.owner, method.name, method.original_name, method.arity, method.parameters, method.source_location&.last, method.receiver, method.super_method] }
      [File, IO].each { |one| look[one.method(:open)] }
      %i[load_file unsafe_load_file safe_load_file load].each { |name| look[YAML.method(name)] }
      p IO.singleton_methods(false).sort, File.singleton_methods(false).sort, YAML.singleton_methods(false).sort, IO.singleton_class.ancestors.first(3), YAML.singleton_class.ancestors.first(2)
    RUBY
  end

  test "File.open in all its forms" do
    assert_documents({ "a.yml" => "a: 1\n" }, <<~'RUBY', misses: :any)
      path = "#{__dir__}/a.yml"
      show { File.open(path) { |f| [f.class, f.read] } }
      show { f = File.open(path, "r"); r = [f.read, f.closed?]; f.close; r }
      show { File.open(path, "r:bom|utf-8") { |f| f.external_encoding } }
      show { File.open(path, "r:bom|utf-8") { |f| f.close; :closed } }
      show { File.open(path, mode: "r", encoding: "UTF-8") { |f| f.external_encoding } }
      show { File.open(path, "r", **{}) { |f| f.read } }
      show { File.open(path, { mode: "r" }) { |f| f.read } }
      show { File.open { } }
      show { File.open("#{__dir__}/none", "r:bom|utf-8") { } }
      show { kept = nil; begin; File.open(path) { |f| kept = f; raise "inside" }; rescue => e; [e.message, kept.closed?]; end }
      show { kept = nil; catch(:out) { File.open(path) { |f| kept = f; throw :out } }; kept.closed? }
      show { [1].each { File.open(path) { |f| break f.read } } }
      def leave(path) = File.open(path) { |f| return f.read }
      show { leave(path) }
      class Noisy < File
        def initialize(*, **) = (puts("new"); super)
        def close = (puts("close"); super)
      end
      show { Noisy.open(path, "r:bom|utf-8") { |f| f.read } }
      class Failing < File; def close = (super; raise IOError, "closed stream"); end
      show { Failing.open(path) { |f| f.read } }
      class Broken < File; def close = (super; raise IOError, "other"); end
      show { Broken.open(path) { |f| f.read } }
      class Odd < File; def closed? = raise("asked"); end
      show { Odd.open(path) { |f| f.read } }
      show { IO.open(1) { |f| f.fileno }; $stdout.class }
      show { File.open(path, "r:bom|utf-8", &:read) }
      show { File.send(:open, path, &->(f) { f.read }) }
      show { File.method(:open).to_proc.call(path) { |f| f.read } }
    RUBY
  end

  # ---- the bytes ----

  def roundtrip(object)
    bytes = Warmstart::Native.write_document(object)
    bytes && Warmstart::Native.read_document(bytes)
  end

  test "objects that are stored come back equal" do
    shared = +"shared"
    [
      [],
      {},
      [nil, true, false, 0, -1, 127, 128, 2**61 - 1, -2**61, 1.5, 0.0, "", "a", "é", :a, :é, :"a b"],
      { "a" => { b: [1] } },
      [shared, shared],
      "text",
      :sym,
      7,
      nil
    ].each { |object| assert_equal [object], [roundtrip(object)] }
    copy = roundtrip([shared, shared])
    assert_same copy[0], copy[1]
    refute_same copy[0], shared
  end

  test "objects that are not stored" do
    recursive = [].tap { |list| list << list }
    deep = (1..300).inject([]) { |inner, _| [inner] }
    others = [
      2**61,
      -2**61 - 1,
      2**64,
      Float::NAN,
      Float::INFINITY,
      -0.0,
      1e-300,
      Object.new,
      Object,
      1..2,
      /a/,
      1r,
      1i,
      Time.now,
      Struct.new(:a).new(1),
      Class.new(String).new,
      Class.new(Array).new,
      Class.new(Hash).new,
      Hash.new(1),
      Hash.new { 1 },
      {}.compare_by_identity,
      "a".b,
      "\xFF",
      "a".encode("UTF-16LE"),
      (+"frozen and not interned").freeze,
      "a".dup.tap { |s| s.instance_variable_set(:@a, 1) },
      [].tap { |a| a.instance_variable_set(:@a, 1) },
      "a".dup.tap { |s| def s.b = 1 },
      recursive,
      deep,
      { [1] => 2 },
      { Object.new => 1 }
    ]
    others.each do |object|
      assert_nil Warmstart::Native.write_document([object]), object.inspect
      assert_nil Warmstart::Native.write_document({ "a" => object }), object.inspect
    end
  end

  test "no bytes whatever do more than fail" do
    require "yaml"
    random = Random.new(Integer(ENV.fetch("SEED", 7)))
    documents = STORED.values.map { |text| Warmstart::Native.write_document(YAML.unsafe_load(text)) }.compact
    documents +=
      STORED
        .values
        .map { |text| Warmstart::Native.write_document(YAML.unsafe_load(text, symbolize_names: true, freeze: true)) }
        .compact
    assert_operator documents.size, :>, 40
    4000.times do
      bytes = documents.sample(random: random).dup
      case random.rand(4)
      when 0
        random.rand(1..8).times { bytes.setbyte(random.rand(bytes.size), random.rand(256)) }
      when 1
        bytes = bytes.byteslice(0, random.rand(bytes.size))
      when 2
        bytes[random.rand(24..bytes.size), 0] = random.bytes(random.rand(9))
      else
        bytes = bytes.byteslice(0, 24) + random.bytes(random.rand(60))
      end
      object = Warmstart::Native.read_document(bytes)
      object.inspect
    end
    GC.start
    assert_nil Warmstart::Native.read_document("")
    assert_nil Warmstart::Native.read_document(random.bytes(64))
  end

  # Reads a document by docs/image_format.md and by nothing else.
  class Page
    def initialize(bytes)
      @bytes = bytes
      @magic, @kind, symbols, strings, registers, @stack_size = take(24).unpack("L<6")
      @symbols = Array.new(symbols) { text.to_sym }
      @strings = Array.new(strings) { -text }
      @registers = Array.new(registers)
      @stack = []
      @high = 0
    end

    attr_reader :magic, :kind

    def value
      nil while step
      raise "#{@stack.size} values" unless @stack.size == 1
      raise "stack" unless @high == @stack_size

      @stack.first
    end

    private

    def take(size) = @bytes.slice!(0, size)
    def text(size = number) = take(size).force_encoding("UTF-8")
    def double = take(8).unpack1("E")

    def number
      byte = take(1).ord
      byte < 128 ? byte : byte - 128 + (number << 7)
    end

    def step
      op = take(1).ord
      case op
      when 0
        return false
      when 1..3
        @stack.push([nil, true, false][op - 1])
      when 4
        @stack.push(number)
      when 5
        @stack.push(-1 - number)
      when 6
        @stack.push(double)
      when 7
        @stack.push(@symbols.fetch(number))
      when 8
        @stack.push(@strings.fetch(number))
      when 9, 10
        @stack.push(text)
      when 11
        @stack.push(-text)
      when 12, 13
        @stack.push(frozen(@stack.pop(number), op == 13))
      when 14, 15
        @stack.push(frozen(@stack.pop(2 * number).each_slice(2).to_h, op == 15))
      when 16
        @registers[number] = @stack.last
      when 17
        @stack.push(@registers.fetch(number))
      else
        raise "instruction #{op}"
      end
      @high = [@high, @stack.size].max
    end

    def frozen(object, frozen) = frozen ? object.freeze : object
  end

  test "the bytes are what docs/image_format.md says" do
    require_relative "support/show"
    STORED.each do |name, text|
      [{}, { symbolize_names: true, freeze: true }].each do |options|
        document = YAML.unsafe_load(text.dup.force_encoding("UTF-8"), **options)
        page = Page.new(Warmstart::Native.write_document(document))
        assert_equal [0x32445357, 0], [page.magic, page.kind], name
        assert_equal Show.new.call(document), Show.new.call(page.value), name
      end
    end
  end
end
