# frozen_string_literal: true

require_relative "../test_helper"

# Methods of Ruby's that are C functions of ours during the boot, and call Ruby's own: what a TracePoint and a backtrace
# see is what Ruby's own method shows, also where it fails.
class CFunctionsTest < TestCase
  WATCHED = <<~'RUBY'
    SEEN = []
    WATCH = TracePoint.new(:c_call, :c_return, :raise) do |point|
      SEEN << [point.event, point.method_id, point.defined_class, point.lineno] if File.dirname(point.path) == __dir__
    end
    def watched(name)
      result = begin
        WATCH.enable { yield }
      rescue SystemCallError, NameError, TypeError, ArgumentError, FrozenError => error
        [error.class, error.message, error.backtrace, error.backtrace_locations&.map(&:to_s), error.backtrace_locations&.map(&:label)]
      end
      puts "#{name}: #{result.inspect}", SEEN.map(&:inspect)
      SEEN.clear
    end
  RUBY

  CALLS = {
    "a link" => "File.link(__FILE__, at('link'))",
    "a link that is there" => "2.times { File.link(__FILE__, at('twice')) }",
    "a link of nothing" => "File.link(at('none'), at('other'))",
    "a symlink that is there" => "2.times { File.symlink('x', at('symlink')) }",
    "a file renamed" => "File.write(at('x'), ''); File.rename(at('x'), at('y'))",
    "nothing renamed" => "File.rename(at('none'), at('other'))",
    "a name that is none" => "File.rename(nil, at('other'))",
    "a NUL" => "File.rename(\"a\\0b\", at('other'))",
    "an object's name" =>
      "path = Object.new; def path.to_path = raise(ArgumentError, 'no path'); File.symlink(path, at('other'))",
    "an autoload" => "autoload(:Later, 'later'); p autoload?(:Later)",
    "a module's autoload" => "Module.new.autoload(:Later, 'later')",
    "an autoload of no constant" => "autoload(:later, 'later')",
    "a module's autoload of no constant" => "Module.new.autoload('x y', 'later')",
    "an autoload without a file" => "Module.new.autoload(:Later, '')",
    "an autoload in what is frozen" => "Module.new.freeze.autoload(:Later, 'later')",
    "Kernel's autoload" => "Kernel.autoload(:Last, 'last'); p Kernel.autoload?(:Last)",
    "Kernel's autoload of no constant" => "Kernel.autoload(:last, 'last')",
    "a const_added that raises" =>
      "Class.new { def self.const_added(name) = raise(NameError, name.to_s) }.autoload(:Later, 'later')",
    "an alias of autoload" => "class Module; alias own_autoload autoload; end; Module.new.own_autoload(:later, 'later')"
  }.freeze

  test "each call, with a TracePoint of calls of C functions and of what is raised" do
    calls = CALLS.each_with_index.to_h { |(name, code), number| ["call_#{number}.rb", <<~RUBY] }
      watched(#{name.dump}) { #{code} }
      watched("again") { #{code} }
    RUBY

    plain = assert_same_behaviour({ **calls, "main.rb" => <<~RUBY }, misses: :any)
      #{WATCHED}
      FOLDER = __dir__
      def at(file) = File.join(FOLDER, file)
      at_exit do
        paths = %w[link twice other symlink x y].map { |file| at(file) }
        paths.each { |path| File.unlink(path) if File.exist?(path) || File.symlink?(path) }
      end
      #{calls.keys.inspect}.each { |file| require_relative file }
    RUBY

    assert_equal ["exit 0", CALLS.size], [plain.status, plain.stdout.scan(/^again: /).size]
  end

  # Then nothing is known, and nothing of ours lies over Ruby's: the program says what a Method is called.
  test "a program's own UnboundMethod#name, Module#instance_method and Method#owner, before Warmstart is there" do
    files = {
      "main.rb" =>
        "require_relative 'a'\np autoload(:Later, 'later'), (File.rename('none', 'other') rescue $!.class)\n",
      "a.rb" => "A = 1\n"
    }
    [
      "class UnboundMethod; def name = 'x'; end",
      "class UnboundMethod; def name = :x; end",
      "class UnboundMethod; def original_name = Object.new; end",
      "class Module; alias own_instance_method instance_method; def instance_method(name) = name == :rename ? own_instance_method(:inspect) : own_instance_method(name); end"
    ].each do |code|
      program = program({ **files, "before.rb" => "#{code}\n" }, args: ["-r./before"], witness: false)
      plain = program.plain
      assert_equal ["", "exit 0"], [plain.stderr, plain.status], code
      2.times { assert_same_run plain, program.boot }
    end
  end

  # An alias of ours, which the program has made meanwhile, is another name of what Ruby has, and so it stays.
  test "aliases that a program makes of them go on, through unload! and another setup" do
    code = <<~'RUBY'
      class Module; alias a_autoload autoload; end
      module Kernel; alias kept_autoload autoload; end
      class << File; alias kept_rename rename; end
      def look
        p Module.new.a_autoload(:X, "x"), kept_autoload(:Later, "later"), autoload?(:Later), autoload(:Last, "last"), autoload?(:Last)
        p [(File.kept_rename("none", "other") rescue $!.class), (File.rename("none", "other") rescue $!.class)]
      end
      look
      2.times { Warmstart.unload! if defined?(Warmstart); look; Warmstart.setup if defined?(Warmstart); look }
    RUBY
    program = program({ "main.rb" => code }, witness: false)
    plain = program.plain
    2.times { assert_same_run plain, program.boot }
  end

  # (The alias is Ruby's own; what has its name is the program's.)
  test "files go directly where a program has put its own over autoload before" do
    before =
      "module Kernel; alias plain_autoload autoload; def autoload(*all) = plain_autoload(*all); end\nclass Module; alias plain_autoload autoload; def autoload(*all) = plain_autoload(*all); end\n"
    files = {
      "a.rb" => "A = 1\n",
      "before.rb" => before,
      "main.rb" => "require_relative 'a'\nputs Warmstart::Native.ways.keys.inspect\n"
    }
    program = program(files, args: ["-r./before"], witness: false)
    runs = Array.new(3) { program.boot.stdout }
    assert_includes runs.last, "[:direct, nil]"
  end
end
