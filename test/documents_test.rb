# frozen_string_literal: true

require_relative "test_helper"
require_relative "../lib/warmstart"

# YAML files from the image: the same values, identities, errors and frames as from Psych, on whichever of its versions Ruby has.
class DocumentsTest < TestCase
  # Shows an object in every respect that a program can see: class, value, frozenness, encoding, instance variables, and which
  # objects are the same one.
  SHOW = <<~'RUBY'
    require "yaml"
    class Show
      def initialize = @seen = {}.compare_by_identity
      def call(object)
        return object.inspect if object.nil? || true == object || false == object || Integer === object || Symbol === object
        return "##{@seen[object]}" if @seen.key?(object)
        @seen[object] = @seen.size
        facts = [object.class, @seen[object], object.frozen? ? "frozen" : "free", object.instance_variables.inspect]
        facts << object.encoding << (object.frozen? && object.equal?(-object) ? "interned" : "own") << object.valid_encoding? if String === object
        facts << object.default.inspect << object.default_proc.inspect << object.compare_by_identity? if Hash === object
        "#{facts.join(" ")}(#{parts(object)})"
      end
      def parts(object)
        case object
        when Array then object.map { |part| call(part) }.join(", ")
        when Hash then object.map { |key, value| "#{call(key)} => #{call(value)}" }.join(", ")
        when String then object.b.inspect
        when Float then [object].pack("G").inspect
        when Date then [object.inspect, object.start].inspect
        else object.inspect
        end
      end
    end
    def attempt
      yield
    rescue Exception => error
      [error.class, error.message.sub(/fd:\d+/, "fd"), error.backtrace.map { |line| line.sub(/.*(?=psych)/, "") }]
    end
    def show(path = nil, &load) = puts([path, attempt { Show.new.call(load.call) }].compact.join(": "))
  RUBY

  # What is stored, one document each.
  STORED = {
    "scalars" => "a: 1\nb: -7\nc: 0x1f\nd: 0o17\ne: 017\nf: 1_000\ng: 1,000\nh: 12:30:45\ni: 0b101\nj: 4611686018427387\n",
    "floats" => "- 1.5\n- -0.25\n- 1e3\n- 1.0e+3\n- .5\n- 6.02e23\n- 12:30:45.5\n- 0.0\n",
    "words" => "- yes\n- no\n- on\n- off\n- true\n- False\n- ~\n- null\n- \n- y\n- n\n- 'yes'\n- \"null\"\n- ''\n",
    "symbols" => "- :a\n- :'b c'\n- :\"d\"\n- ':e'\n- :é\n- ::x\n",
    "symbol_keys" => ":a: 1\n:b:\n  :c: d\nplain: :sym\n",
    "keys" => "1: a\n1.5: b\ntrue: c\n~: d\n? :s\n: e\n'quoted': f\n2.5: g\n",
    "strings" => "plain: text\nsingle: 'it''s'\ndouble: \"a\\tb\\u00e9\\x41\\n\"\nliteral: |\n  one\n  two\nfolded: >-\n  one\n  two\nwide: žluťoučký 日本語 🎉\nempty: \"\"\n",
    "long" => "text: #{"x" * 5000}\nwide: \"#{"é" * 3000}\"\n",
    "aliases" => "a: &x {k: [1, 2]}\nb: *x\nc: &s text\nd: *s\ne: [*x, *s, *x]\nf: &i 7\ng: *i\n",
    "merges" => "base: &base\n  a: one\n  b: [1]\nx:\n  <<: *base\n  c: 3\ny:\n  <<: [*base, {d: 4}]\nz: {<<: *base, a: other}\nw:\n  <<: text\n",
    "quoted_merge" => "a: {'<<': {b: 1}}\n",
    "dates" => "- 2024-02-29\n- 1500-01-01\n- 2023-02-31\n- [2000-1-1, 2000-1-1]\n",
    "shared_date" => "a: &d 2024-01-01\nb: *d\n",
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
    "rails" => "en:\n  date:\n    formats: {default: \"%Y-%m-%d\"}\n    month_names: [~, January]\n    order:\n    - :year\n    - :month\n  errors: &e\n    blank: \"can't be blank\"\n  other: *e\n",
  }.transform_keys { |name| "#{name}.yml" }.freeze

  # What is not: Psych reads them at each boot.
  LEFT = {
    "empty" => "", "only_comment" => "# nothing\n", "scalar" => "text\n", "number" => "17\n", "false" => "false\n",
    "infinity" => "- .inf\n- -.Inf\n- .nan\n", "negative_zero" => "- -0.0\n", "bignum" => "- 123456789012345678901234567890\n",
    "time" => "- 2001-12-14t21:59:43.10-05:00\n- 2001-12-15 2:59:43.10\n- 2001-12-14 21:59:43Z\n",
    "recursive" => "&a [*a]\n", "complex_key" => "? [a, b]\n: c\n? {d: e}\n: f\n", "date_key" => "2024-01-01: a\n",
    "string_tag" => "- !str 12\n- !!str 12\n", "binary" => "a: !binary aGVsbG8=\n", "set" => "!set {a, b}\n", "omap" => "--- !omap\n- a: 1\n",
    "regexp" => "- !ruby/regexp /a+/i\n", "range" => "- !ruby/range 1..3\n", "tagged_symbol" => "- !ruby/symbol a\n",
    "object" => "- !ruby/object:Object\n  a: 1\n", "unknown_tag" => "- !unknown {a: 1}\n", "integer_tag" => "- !!int '12'\n", "float_tag" => "- !!float 1\n",
    "struct" => "- !ruby/struct:Point {x: 1}\n",
  }.transform_keys { |name| "#{name}.yml" }.freeze

  # Errors are always Psych's own.
  BROKEN = {
    "tab" => "a:\n\tb: 1\n", "unclosed" => "a: [1, 2\n", "unknown_alias" => "a: *nobody\n", "bad_utf8" => "a: \xFF\xFE\n".b, "nul" => "a: \0\n",
    "second_broken" => "a: 1\n---\nb: [\n", "mapping" => "a: b: c\n",
  }.transform_keys { |name| "#{name}.yml" }.freeze

  CALLS = <<~'RUBY'
    METHODS = %i[load_file unsafe_load_file safe_load_file]
    OPTIONS = [
      {}, { symbolize_names: true }, { freeze: true }, { symbolize_names: true, freeze: true }, { symbolize_names: false, freeze: nil }, { fallback: {} },
      { aliases: true }, { permitted_classes: [Symbol, Date, Time], aliases: true }, { permitted_classes: ["Symbol"], permitted_symbols: [:a] },
      { permitted_classes: [Date], permitted_symbols: %w[a year month], freeze: true }, { strict_integer: true }, { parse_symbols: false }, { nonsense: 1 },
    ]
    Point = Struct.new(:x)
    require "date"
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
end
