# frozen_string_literal: true

require_relative "../test_helper"

# What newer Rubies have brought (and older ones have in their way) that meets code from an image.
class NewRubiesTest < TestCase
  # (Literals are chilled since Ruby 3.4. Where frozen ones are debugged, each knows its place, which compiled code does
  # not keep.)
  test "literals: warned of, thawed and frozen as in plain Ruby, in each state of the compile option" do
    body = <<~'RUBY'
      def self.%s = "literal"
      text = "one"
      also = "one"
      p text.frozen?, text.equal?(also), (text << "two"), text.frozen?
      p %s.frozen?, (%s << "x"), %s, "a#{text}b".frozen?, :sym.to_s.frozen?, +"plus".frozen?, (-"minus").frozen?
      [%s, "in an array", { "key" => "value" }].flatten.each { |one| p(begin; one.is_a?(Hash) ? one.each_value { |value| value << "!" } : one << "!"; rescue => error; error.class; end) }
    RUBY
    files = {
      "chilled.rb" => body.gsub("%s", "chilled"),
      "frozen.rb" => "# frozen_string_literal: true\n#{body.gsub("text << ", "text + ").gsub("%s", "frozen")}",
      "thawed.rb" => "# frozen_string_literal: false\n#{body.gsub("%s", "thawed")}"
    }
    main =
      files
        .keys
        .map do |name|
          "begin; require '#{File.basename(name, ".rb")}'; rescue => error; p error.class, error.message, error.backtrace; end\n"
        end
        .join
    [
      %w[-W:deprecated],
      %w[-w],
      %w[-W0],
      %w[--enable-frozen-string-literal],
      %w[--disable-frozen-string-literal -W:deprecated],
      %w[--debug-frozen-string-literal]
    ].each { |args| assert_same_behaviour({ **files, "main.rb" => main }, args: args, misses: :any) }
  end

  test "compile options that are set and read while files come" do
    assert_same_behaviour(
      {
        "a.rb" => "p 'a'.frozen?, RubyVM::InstructionSequence.compile_option[:frozen_string_literal]\n",
        "b.rb" => "p 'b'.frozen?\ndef b = 'b'\np b.equal?(b)\n",
        "c.rb" => "p 'c'.frozen?, __LINE__\n",
        "main.rb" => <<~RUBY
        require "a"
        RubyVM::InstructionSequence.compile_option = { frozen_string_literal: true }
        require "b"
        RubyVM::InstructionSequence.compile_option = { frozen_string_literal: false, peephole_optimization: false }
        require "c"
        p RubyVM::InstructionSequence.compile_option
        RubyVM::InstructionSequence.compile_option = true
        load "a.rb"
      RUBY
      },
      misses: :any
    )
  end

  test "compile_file, compile and load_iseq of the program's own beside it" do
    assert_same_behaviour(
      {
        "a.rb" =>
          "p [__FILE__ == File.join(__dir__, 'a.rb'), __method__, 'a'.frozen?, caller.size]\nX = 1 unless defined?(X)\n",
        "main.rb" => <<~RUBY
      path = File.join(__dir__, "a.rb")
      require "a"
      iseq = RubyVM::InstructionSequence.compile_file(path)
      p iseq.path == path, iseq.label, iseq.eval, iseq.to_binary.size == RubyVM::InstructionSequence.compile_file(path).to_binary.size
      p RubyVM::InstructionSequence.compile_file(path, frozen_string_literal: true).eval
      p RubyVM::InstructionSequence.load_from_binary(iseq.to_binary).eval
      load path
    RUBY
      },
      misses: :any
    )
  end

  test "Process.warmup during the boot and after it" do
    skip "Ruby 3.3 has it" unless Process.respond_to?(:warmup)
    files =
      Array
        .new(12) do |index|
          [
            "f#{index}.rb",
            "class C#{index}; NAME = 'name #{index}'; def call(n) = \"\#{n} \#{NAME} \#{[:s#{index}, #{index}.5, /r#{index}/]}\"; end\n"
          ]
        end
        .to_h
    main =
      "12.times { |index| require \"f\#{index}\"; p Process.warmup if index == 5 }\np Process.warmup\nGC.compact if GC.respond_to?(:compact)\n12.times { |index| puts Object.const_get(\"C\#{index}\").new.call(index) }\n"
    assert_same_behaviour({ **files, "main.rb" => main }, misses: :any)
  end

  test "Coverage of all kinds, of files that the image has" do
    lib = {
      "a.rb" => "def a(n) = n > 1 ? :big : :small\nif a(2) == :big\n  p a(1)\nelse\n  p :never\nend\n",
      "b.rb" => "module B\n  def self.b = [1, 2].map { |n| n&.succ }\nend\nB.b\n"
    }
    kinds = [":all", "lines: true", "oneshot_lines: true", "branches: true, methods: true", "eval: true, lines: true"]
    kinds.each { |kind| assert_same_behaviour({ **lib, "main.rb" => <<~RUBY }, misses: :any) }
        require "a" if ENV["EARLY"]
        require "coverage"
        Coverage.setup(#{kind})
        require "a"
        Coverage.resume
        require "b"
        Coverage.suspend
        load "a.rb"
        Coverage.result.each { |path, counts| p File.basename(path), counts }
        require "b"
        load "b.rb"
        p Coverage.running?
      RUBY
  end

  # (Ruby 3.1 shows what was compiled of one method; later ones count.)
  test "a just-in-time compiler takes code from the image at the same call as other code" do
    just_in_time =
      %w[--yjit --zjit].select do |option|
        system(
          RbConfig.ruby,
          option,
          "-e",
          "exit RubyVM.const_get(#{option.delete("-").upcase.dump}).enabled?",
          err: File::NULL
        )
      end
    skip "this Ruby was built without" if just_in_time.empty?
    files = {
      "hot.rb" =>
        "def hot(n) = n.even? ? [n, n + 1].sum : n - 1\nclass Hot; attr_reader :a; def initialize = @a = 1; def call(n) = hot(n) + a; end\n"
    }
    main = <<~RUBY
      require "hot"
      compiler = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled? ? RubyVM::YJIT : RubyVM::ZJIT
      object = Hot.new
      codes = [method(:hot), object.method(:call)].map { |method| RubyVM::InstructionSequence.of(method) }
      count = compiler.respond_to?(:blocks_for) ? -> { codes.map { |code| compiler.blocks_for(code).size } } : -> { (compiler.respond_to?(:stats) ? compiler.stats : compiler.runtime_stats)[:compiled_iseq_count] }
      before = count.call
      seen = Array.new(60) { |n| object.call(n); count.call }
      seen.map! { |one| one - before } if before.is_a?(Integer)
      p seen.uniq, seen.index(seen.last), seen.last != before
    RUBY
    just_in_time.each { |option| assert_same_behaviour({ **files, "main.rb" => main }, args: [option], misses: :any) }
  end
end
