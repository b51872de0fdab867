# frozen_string_literal: true

module Exactness
  module Programs
    # Pieces of Ruby code, each of which prints what it does. They show whether code from an image is the code that Ruby
    # compiles.
    SNIPPETS = [
      "say [1r, 2i, 1.5e300, 0x1_0000_0000_0000_0000, -1, 1.0r, 3.2ri, Float::INFINITY]",
      "say [(1..), (..2), (1...3), ('a'..'c'), (nil..nil)]",
      "say %w[a b].each_with_object({}) { |x, h| h[x] = x.to_sym }",
      "say :\"odd name\", :a?, :b!, :[]=, :\"ümlaut\", :+, :'9'",
      "def kw(a, b = a + 1, *c, d, e:, f: e * 2, **g, &h) = [a, b, c, d, e, f, g, h&.call]\nsay kw(1, 2, e: 3), kw(1, 2, 3, 4, e: 5, z: 6) { 7 }, method(:kw).parameters",
      "def nokw(**nil) = 1\nsay method(:nokw).parameters",
      "def forward(...) = format(...)\nsay forward('%05d', 42)",
      "case [1, [2, { a: 3, b: { c: 4 } }]]\nin [Integer => x, [y, { a:, b: { c: } }]] if x < y\n  say x, y, a, c\nend",
      "case { name: 'x', more: 1 }\nin { name: String => name, **rest }\n  say name, rest\nend",
      "begin\n  case 5\n  in 0 | 1 then say :no\n  end\nrescue NoMatchingPatternError => error\n  say_error(error)\nend",
      "begin\n  { a: 1 } => { b: }\nrescue NoMatchingPatternKeyError => error\n  say_error(error)\nend",
      "say((1..20).select { |i| true if (i == 5)..(i == 8) })",
      "say 3.times.map { |i| /a\#{i}/o.source }",
      "say __LINE__, __method__.inspect, __FILE__ == File.expand_path(__FILE__), __dir__, __ENCODING__",
      "def named_here = [__method__, caller(1, 1), binding.local_variables, binding.source_location]\nsay named_here",
      "x = 5\nx += 1 while x < 10\nbegin\n  x -= 1\nend until x < 3\nsay x",
      "say [1, 2, 3].each { |i| next if i == 1; break i * 10 }",
      "def ens\n  yield\n  return :body\nrescue ArgumentError\n  :rescued\nelse\n  :else\nensure\n  say :ensure\nend\nsay ens { 1 }, ens { raise ArgumentError }",
      "tries = 0\nbegin\n  tries += 1\n  raise 'again' if tries < 3\n  say tries\nrescue\n  retry\nend",
      "say <<~A + <<-'B'\n  one \#{1 + 1}\n    two\nA\n  three \#{raw}\n  B\n",
      "say \"caf\\u00e9\".encoding, \"\\xff\".valid_encoding?, \"a\#{1}b\".frozen?, 'lit'.frozen?, 'lit'.equal?('lit'), :\"a\#{1}\".to_proc.lambda?",
      "say 'a'.b.encoding, \"\\u3042\".bytes, ?a, %q(x), %i[a b], %W[a\#{1} b]",
      "say ->(a, b = 2, *c, k: 1) {}.parameters, proc { |a, (b, c), d| [a, b, c, d] }.call(1, [2, 3]), proc { |a,| a }.arity",
      "say [1, 2, 3].sum { _1 * 2 }, [[1, 2]].map { _1 + _2 }",
      "say defined?(foo), defined?(String), defined?(@a), defined?(yield), defined?(super), defined?(a = 1), defined?(puts), defined?(String.new), defined?($nothing), defined?(@@a)",
      "a, (b, *c), *d, e = 1, [2, 3, 4], 5, 6, 7\nsay a, b, c, d, e",
      "h = { 'k' => 1, sym: 2, nil => 3, 4.0 => 5, [1] => 6 }\nsay h, h.fetch(nil), case 4.0 when 1, 'x', :y, nil, 4.0 then :hit else :miss end",
      "say case 'str' when 'abc' then 1 when 'str' then 2 when 3 then 3 end, case :b when :a, :b then 4 end, case 1 when Integer then 5 end",
      "class Snippet\n  attr_accessor :v\n  def initialize = @v = nil\n  def set = (@v ||= []; @v << 1; @v[0] += 5; @v&.first)\n  protected def prot = 1\n  private\n  def priv = 2\n  class << self\n    def klass = self\n    private def hidden = 3\n  end\nend\nsay Snippet.new.set, Snippet.protected_instance_methods(false), Snippet.private_instance_methods(false).sort, Snippet.klass, Snippet.instance_method(:set).source_location",
      "class Variables\n  @@count = 0\n  LIST = %w[x y].freeze\n  def self.up = @@count += 1\nend\nsay Variables.up, Variables.up, Variables::LIST, Variables.class_variable_get(:@@count)",
      "alias $aliased $stdout\nsay $aliased.equal?($stdout), \"\#$0\".empty?, $;.inspect, $,.inspect",
      "undef_me = Class.new { def a = 1; undef a }\nsay undef_me.new.respond_to?(:a)",
      "say catch(:done) { [1, 2].each { |i| throw :done, i }; :never }",
      "def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)\nsay fib(12)",
      "e = Enumerator.new { |y| y << 1; y.yield 2, 3 }\nsay e.to_a, e.next, e.lazy.map { |x| x }.first(1)",
      "f = Fiber.new { |x| y = Fiber.yield(x + 1); y * 2 }\nsay f.resume(1), f.resume(10), f.alive?",
      "say [1, nil, 2].filter_map { |x| x&.succ }, nil&.foo, 5.then { |x| x unless x.zero? }, (not true), (1 and 2), (nil or 3)",
      "BasicThing = Struct.new(:a, :b) do\n  def sum = a + b\nend\nsay BasicThing.new(1, 2).sum, BasicThing.new(1, 2), BasicThing.instance_method(:sum).source_location",
      "say ObjectSpace::WeakMap.new.tap { |map| key = 'k'; map[key] = :v; say map.key?(key), map[key] }.size.class",
      "module Refined\n  refine Integer do\n    def doubled = self * 2\n  end\nend\nbegin\n  say 2.doubled\nrescue NoMethodError => error\n  say error.class\nend",
      "say eval('[__FILE__, __LINE__, binding.local_variables.size]'), eval('__FILE__', binding, 'made_up.rb', 9), binding.eval('__LINE__')",
      "say instance_eval { self.to_s }, Class.new { class_eval 'def x = __LINE__', 'lines.rb', 40 }.new.x",
      "def very_deep(n, &block) = n.zero? ? block.call : very_deep(n - 1, &block)\nsay very_deep(3) { caller(0).size }, very_deep(2) { caller_locations(1, 2).map { |at| [at.label, at.lineno, at.path == __FILE__] } }",
      "begin\n  nil.no_such_method(1)\nrescue NoMethodError => error\n  say_error(error)\nend",
      "begin\n  NoSuchConstantHere\nrescue NameError => error\n  say error.message, error.name, error.receiver.equal?(Object) || error.receiver.class\nend",
      "begin\n  [1].fetch(9)\nrescue IndexError => error\n  say error.full_message(highlight: false).lines.first\nend",
      "begin\n  raise 'inner'\nrescue => inner\n  begin\n    raise TypeError, 'outer'\n  rescue => outer\n    say outer.cause.message, outer.backtrace_locations.first.lineno\n  end\nend",
      "def arity_error(a) = a\nbegin\n  arity_error\nrescue ArgumentError => error\n  say_error(error)\nend",
      "say RubyVM::InstructionSequence.of(method(:say_error)).path, RubyVM::InstructionSequence.of(proc { 1 }).then { |iseq| [iseq.path, iseq.absolute_path, iseq.label, iseq.base_label, iseq.first_lineno] }",
      "def looked_into(a, b: 1) = [a, b].map { |x| x.to_s }\nsay RubyVM::InstructionSequence.of(method(:looked_into)).disasm",
      "def traced_lines\n  a = 1\n  b = 2 if a == 1\n  b\nend\nsay RubyVM::InstructionSequence.of(method(:traced_lines)).trace_points",
      "def to_array(a) = a&.+(1)\nsay RubyVM::InstructionSequence.of(method(:to_array)).then { |iseq| [iseq.to_a.values_at(0, 4, 5, 6, 7, 8, 9), iseq.script_lines.class] }",
      "def each_child(a) = [a].map { |x| [x].each { |y| y } }\nsay RubyVM::InstructionSequence.of(method(:each_child)).then { |iseq| list = []; iseq.each_child { |child| list << child.label }; list }",
      "def in_tree(a) = a + 1\nsay((RubyVM::AbstractSyntaxTree.of(method(:in_tree)).then { |node| [node.type, node.first_lineno, node.last_column] } rescue $!.class))",
      "say((RubyVM::AbstractSyntaxTree.of(proc { 1 + 2 }, keep_script_lines: true)&.type rescue $!.class))",
      "say method(:say).owner, method(:say).source_location.class, proc { 1 }.source_location, method(:puts).unbind.inspect",
      "say \"\#{__FILE__}:\#{__LINE__}\".delete_prefix(__dir__), [*'a'..'e'], [*nil, *[1]], { **{ a: 1 }, b: 2 }, \"\#{nil}\#{:a}\#{1.0}\"",
      "@top = (@top || 0) + 1\nsay @top, self.to_s, self.class, (local_variables - [:_]).size, binding.local_variable_defined?(:nothing)",
      "$top = ($top || 0) + 1\nsay $top, $~, $_.inspect, $!.class, $@.class",
      "'abc' =~ /(?<letter>b)/\nsay $~ && $~[:letter], $1, $`, Regexp.last_match(0)",
      "if /(?<part>\\d+)/ =~ 'x42'\n  say part\nend",
      "say (begin; Integer('z'); rescue ArgumentError, TypeError => e; e.message; ensure; nil; end)",
      "private def hidden_method = 1\npublic def shown_method = 2\nsay Object.private_method_defined?(:hidden_method), Object.public_method_defined?(:shown_method)",
      "def with_rest(*, **, &) = say(*[1])\nsay method(:with_rest).arity",
      "say 10.downto(7).each_slice(2).to_a, 5.clamp(..3), 7.fdiv(2), 2**100, -7 / 2, -7 % 3, 1 <=> 2",
      "say \"a-b_c\".tr('-_', '  ').split.map(&:capitalize).join, 'x'.ord, 'abc'[1..], 'abc'[-1], 'a' * 3, 'abc'.sub(/b/) { $&.upcase }",
      "say [3, 1, 2].sort_by { -_1 }.each_cons(2).map { |a, b| a - b }, [1, 2] <=> [1, 3], [[1, 2], [3]].sum([]), [1, 2].zip([3, 4]).to_h",
      "say ObjectSpace.respond_to?(:garbage_collect), GC.start.inspect",
      "one_liner = if true then 1 else 2 end; two = unless true then 3 else 4 end; say one_liner, two",
      "def opt(a, b = (return :early; 1)) = b\nsay opt(1), opt(1, 2)",
      "say [[1, [2, [3]]]].each { |a, (b, (c))| say a, b, c }.size",
      "for i in 1..2 do say i end\nsay i",
      "until (counter = (counter || 0) + 1) > 2 do redo_done = true end\nsay counter, redo_done",
      "o = Object.new\ndef o.method_missing(name, *args) = name == :ghost ? [name, args] : super\ndef o.respond_to_missing?(name, all = false) = name == :ghost || super\nsay o.ghost(1), o.respond_to?(:ghost), (o.other rescue $!.class)",
      "class Ordered\n  include Comparable\n  attr_reader :n\n  def initialize(n) = @n = n\n  def <=>(other) = n <=> other.n\n  def coerce(other) = [Ordered.new(other), self]\n  def +(other) = Ordered.new(n + (other.is_a?(Ordered) ? other.n : other))\n  def -@ = Ordered.new(-n)\n  def [](i) = n + i\n  def call(x) = x * n\n  def to_proc = method(:call).to_proc\nend\no = Ordered.new(3)\nsay o > Ordered.new(2), (o + 1).n, (-o).n, o[4], o.(5), [1].map(&o), [o, Ordered.new(1)].min.n",
      "say Module.new { def self.name = 'Fake' }.name, Class.new(StandardError).new('m').message",
      "say __FILE__.encoding, __dir__.encoding, __method__.class, 'é'.length, 'é'.bytesize",
      "warn 'a warning', uplevel: 0\nwarn 'another', category: :deprecated",
      "def depr; end\nsay (Thread.new { Thread.current[:x] = 1; Thread.current[:x] }.value), Thread.current.name.inspect, Thread.main == Thread.current",
      "s = +'mutable'\ns << '!' * 3\nsay s, s.frozen?, 'x'.dup.frozen?, \"\#{s}\".frozen?",
      "say ObjectSpace.each_object(Class).map(&:name).count('NoSuchClassAtAll')",
      "say Comparable.instance_method(:clamp).owner, Kernel.instance_method(:then).name, 5.method(:+).unbind.bind(7).call(1)"
    ].freeze

    # Code about which Ruby's compiler warns, at some warning level.
    WARNING_SNIPPETS = [
      "unused_here = 1", "def unused_inside\n  local = 1\n  2\nend", "say(-1.abs)", "p = 1 if (q = 1)", "{ a: 1, a: 2 }", "say *[1]", "case 1\nwhen 1 then 1\nwhen 1 then 2\nend", "5 == 6\nnil",
      "def twice = 1\ndef twice = 2", "x = 3; [1].each { |x| x }", "if /lit/ then say 1 end", "say \"a\" \"b\", 1.\nsucc", "say [1, 2].map do |x| x end", "BEGIN { say :early }", "/[aa]/", "/(?<un>a)/ =~ 'a'", "$undefined_global_here",
      "def same(_a, _a) = _a", "@undefined_here", "ALREADY = 1\nALREADY = 2", "'literal' << 'more'", "say %w[a, b]", "while (line = nil) do end", "alias_me = proc { |a, b = a| b }; undef_it = 1 if false", "say (1), 2",
      "  if true\n    say 1\n      end", "if true\nelse\n end", "return 1 if false", "it = 5; say it", "say({}) {}", "eval('unused = 1')", "def a_circular(a = a) = a", "END { say :late }"
    ].freeze

    # Code that Ruby's compiler refuses.
    BROKEN_SNIPPETS = ["def", "end end", "1 +", "foo(", "class lower; end", "@1 = 2", "say '", "break", "return = 1", "yield", "def x; Constant = 1; end", "retry", "\"\#{\"", "case 1 in [a, a] then 1 end", "x = \xff\xfe".b, "%w[", "self = 1", "alias $a b", "next", "redo",
                       "a, b += 1", "def f(a, a) = 1", "->(x, x) {}", "BEGIN { }\ndef m; BEGIN { }; end", "1 = 2", "{ a: }", "__FILE__ = 1", "/(/", "?", "<<A"].freeze

    ENCODINGS = ["# encoding: ISO-8859-1\nsay \"caf\xE9\", \"caf\xE9\".encoding, :\"caf\xE9\".encoding, \"\\u00e9\".encoding", "# -*- coding: Windows-31J -*-\nsay \"\x83\x65\".encoding, __ENCODING__, \"\x83\x65\".length",
                 "# coding: EUC-JP\nsay \"\xA4\xA2\", \"\xA4\xA2\".valid_encoding?", "# encoding: US-ASCII\nsay 'a'.encoding, :a.encoding, \"\\xff\".encoding, __ENCODING__", "# encoding: BINARY\nsay \"\xFF\xFE\", \"a\".encoding, :\"\xFF\"",
                 "# vim: set fileencoding=utf-8 :\nsay 'é', __ENCODING__", "# encoding: no-such-encoding\nsay 1", "# encoding: utf-8-mac\nsay 'e', 'e'.encoding", "#!/usr/bin/env ruby\n# encoding: koi8-r\nsay \"\xC1\", __ENCODING__"].map(&:b).freeze

    COMMENTS = ["# frozen_string_literal: true", "# frozen_string_literal: false", "# warn_indent: true", "# warn_indent: false", "# shareable_constant_value: literal", "# -*- frozen-string-literal: true; warn-indent: true -*-", "# an ordinary comment",
                "# frozen_string_literal: nonsense", "\xEF\xBB\xBF".b, "#!/usr/bin/env ruby -w", "# encoding: utf-8", "# shareable_constant_value: experimental_everything"].freeze
  end
end
