# frozen_string_literal: true

require_relative "../test_helper"

# A program may replace any method of Ruby's own classes, and then answers nonsense or raises. Ruby's require calls none
# of them. So Warmstart's C code calls Ruby's own functions (own_methods.h); and where its Ruby code meets such a method,
# it gives up: at most one line is printed, and the program goes on as in plain Ruby.
#
# WARMSTART_CORE_METHODS=all tries each method; otherwise it is a part of them, another one on each Ruby, and always those
# by which Ruby tells what methods and compiled code are.
class ReplacedCoreMethodsTest < TestCase
  OWNERS = [
    Array,
    BasicObject,
    Binding,
    Class,
    Comparable,
    Dir,
    Encoding,
    Enumerable,
    Exception,
    FalseClass,
    Fiber,
    File,
    File::Stat,
    Float,
    Hash,
    IO,
    Integer,
    Kernel,
    MatchData,
    Method,
    Module,
    NilClass,
    Numeric,
    ObjectSpace::WeakMap,
    Proc,
    Process::Status,
    Ractor,
    Range,
    Regexp,
    RubyVM::InstructionSequence,
    String,
    Struct,
    Symbol,
    Thread,
    Thread::Backtrace::Location,
    Thread::Mutex,
    Thread::Queue,
    Time,
    TracePoint,
    TrueClass,
    UnboundMethod
  ].freeze
  SINGLETONS = [
    Array,
    Class,
    Dir,
    Encoding,
    ENV,
    Exception,
    File,
    GC,
    Hash,
    IO,
    Integer,
    Kernel,
    Marshal,
    Module,
    Object,
    ObjectSpace,
    Proc,
    Process,
    Ractor,
    Random,
    Regexp,
    RubyVM,
    RubyVM::InstructionSequence,
    Signal,
    String,
    Struct,
    Symbol,
    Thread,
    Time,
    TracePoint,
    Warning
  ].freeze
  # (Those without which no program goes on, or which Ruby itself calls whenever something is defined.)
  LEFT_OUT =
    /\A(?:initialize.*|__(?:id|method|dir|callee|send)__|method_missing|respond_to_missing\?|method_added|singleton_method_added|inherited|define_method|fork|exit!?|block_given\?|binding)\z/
  ALWAYS =
    [Method, UnboundMethod, RubyVM::InstructionSequence, TracePoint].flat_map do |owner|
        [owner.name, "#{owner.name}.singleton_class"]
      end
      .freeze
  PARTS = ENV["WARMSTART_CORE_METHODS"] == "all" ? 1 : 24
  CONSTANT_PARTS = ENV["WARMSTART_CORE_METHODS"] == "all" ? 1 : 6
  BODIES = %w[1 raise(%q(own))].freeze

  def self.methods_of(owner) =
    (owner.instance_methods(false) + owner.private_instance_methods(false)).sort.grep_v(LEFT_OUT)

  ALL =
    OWNERS.flat_map do |owner|
      methods_of(owner).map { |name| [owner.name, name, owner.private_method_defined?(name)] }
    end +
      SINGLETONS.flat_map do |object|
        methods_of(object.singleton_class).map do |name|
          [
            "#{ENV.equal?(object) ? "ENV" : object.name}.singleton_class",
            name,
            object.singleton_class.private_method_defined?(name)
          ]
        end
      end
  CHOSEN =
    ALL
      .each_with_index
      .select { |(owner, *), index| index % PARTS == Program::RUBY_NUMBER.to_s.sum % PARTS || ALWAYS.include?(owner) }
      .map(&:first)

  FILES = {
    "a.rb" =>
      "A = [__FILE__.size > 3, __dir__ == __dir__]\nmodule B; def self.b(x) = [x]; end\nautoload :C, \"\#{__dir__}/c.rb\"\n",
    "c.rb" => "class C; def c = 1; end\nrequire_relative 'e'\n",
    "e.rb" => "E = 2\n"
  }.freeze
  MAIN = <<~'RUBY'
    eval(ENV.delete("REPLACED").to_s)
    begin
      require "a"
    rescue Exception
      $stdout.syswrite("failed") rescue 0
    end
    begin
      $stdout.syswrite(C.new.c == 1 ? "one" : "two")
      require "set"
      require "nope"
    rescue LoadError, StandardError
      $stdout.syswrite("rescued") rescue 0
    end
  RUBY

  # (A setter cannot be defined without `end`.)
  def replaced(owner, name, hidden, body) =
    "#{owner}.class_eval(\"def #{name}(*, **); #{body}; end#{"\\nprivate :#{name}" if hidden}\")"

  # [status, what is printed], but for addresses and the line that Warmstart may print.
  def shown(run)
    refute_includes run.stderr, "(SyntaxError)", "nothing was replaced"
    [run.status, run.stdout, run.stderr.gsub(/0x\h+/, "0x").sub(/^warmstart: .*plain Ruby goes on\n/, "")]
  end

  BODIES.each do |body|
    test "each method of Ruby's own classes, replaced by `#{body}`" do
      program = program({ **FILES, "main.rb" => MAIN }, witness: false)
      wrong =
        CHOSEN.each_with_index.reject do |(owner, name, hidden), index|
          env = { "REPLACED" => replaced(owner, name, hidden, body) }
          plain = shown(program.plain(env: env))
          runs = Array.new(2) { program.boot(env: env, image: File.join(program.base, "images", index.to_s)) }
          runs.all? { |run| shown(run) == plain } || shown(program.plain(env: env)) != plain
        end
      assert_empty wrong.map { |(owner, name), _| "#{owner}##{name}" }
    end
  end

  # Run at the very end, before Warmstart's own handler: every method of these classes tells that it is called.
  TELLING = <<~'RUBY'
    at_exit do
      $told = true
      classes = [Array, FalseClass, Float, Hash, Integer, NilClass, Proc, String, Struct, Symbol, TrueClass]
      modules = classes.map do |owner|
        Module.new do
          (owner.instance_methods - %i[__id__ __send__ object_id initialize]).each do |name|
            text = "#{owner}##{name}\n"
            define_method(name) do |*arguments, &block|
              $told ? nil : ($told = true; STDERR.syswrite(text); $told = nil)
              super(*arguments, &block)
            end
          end
        end
      end
      prepend = Module.instance_method(:prepend)
      index = -1
      while (index += 1) < 11
        prepend.bind_call(classes[index], modules[index])
      end
      $told = nil
    end
  RUBY

  test "at the end of a boot that has nothing new none of the program's methods is called, be it a small or a large one" do
    { "" => {}, "KEPT = Array.new(80 * 64) { 'x' * (16 << 10) }\n" => { "WARMSTART_GC" => "32" } }.each do |code, env|
      program = program({ **FILES, "main.rb" => "#{MAIN}#{code}#{TELLING}" }, witness: false, env: env)
      runs = Array.new(5) { program.boot }
      assert_equal ["onerescued", "", "exit 0"], [runs.last.stdout, runs.last.stderr, runs.last.status]
    end
  end

  # Then Warmstart stays out.
  test "what tells of methods and compiled code, replaced before Warmstart begins" do
    program = program({ **FILES, "before.rb" => "eval(ENV.delete('REPLACED'))\n", "main.rb" => MAIN }, witness: false)
    told =
      ALL.select do |owner, name|
        ALWAYS.include?(owner) || (owner == "Module" && name.match?(/\A(?:instance_method|method_defined\?|private)\z/))
      end
    wrong =
      told
        .product(BODIES)
        .each_with_index
        .reject do |((owner, name, hidden), body), index|
          options = {
            env: {
              "REPLACED" => replaced(owner, name, hidden, body)
            },
            args: ["-r", program.path("before.rb")]
          }
          plain = shown(program.plain(**options))
          runs = Array.new(2) { program.boot(image: File.join(program.base, "before", index.to_s), **options) }
          runs.all? { |run| shown(run) == plain } || shown(program.plain(**options)) != plain
        end
    assert_empty wrong.map { |((owner, name), body), _| "#{owner}##{name} #{body}" }
  end

  # A library for tests, say, puts other classes in the place of File and Dir. (Not those without which RubyGems' require or
  # this program do not go on in plain Ruby either.)
  CONSTANTS =
    Object
      .constants
      .grep_v(
        /\A(?:Gem|Minitest|DidYouMean|ErrorHighlight|SyntaxSuggest|Warmstart|Monitor|MonitorMixin|RbConfig|BasicObject|Object)\z/
      )
      .select { |name| File.file?(Object.const_source_location(name)&.first.to_s) ? false : true }
      .sort
  CHANGES = {
    "removed" => "Object.send(:remove_const, %p)",
    "replaced" => "Object.send(:remove_const, %p); %s = BasicObject.new",
    "another class" =>
      "Object.send(:remove_const, %p); class %s; def self.method_missing(*) = raise(NoMethodError, 'other'); end"
  }.freeze

  CHANGES.each do |change, code|
    test "each constant of Ruby's own, #{change}" do
      program = program({ **FILES, "main.rb" => MAIN }, witness: false)
      wrong =
        CONSTANTS
          .each_with_index
          .select { |_, index| index % CONSTANT_PARTS == Program::RUBY_NUMBER.to_s.sum % CONSTANT_PARTS }
          .reject do |name, index|
            env = { "REPLACED" => format(code, *[name] * code.count("%")) }
            plain = shown(program.plain(env: env))
            runs = Array.new(2) { program.boot(env: env, image: File.join(program.base, "images", index.to_s)) }
            runs.all? { |run| shown(run) == plain && run.stderr == plain.last } ||
              shown(program.plain(env: env)) != plain
          end
      assert_empty wrong.map(&:first)
    end
  end

  test "Ruby's own methods are known on each Ruby" do
    program = program({ "main.rb" => "p Warmstart::Native.replaced_methods" }, witness: false)
    assert_equal "[]\n", program.boot.stdout
  end
end
