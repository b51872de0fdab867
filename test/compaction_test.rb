# frozen_string_literal: true

require_relative "test_helper"

# Everything that the extensions remember stays what it is when the collector moves objects: each program compacts in
# the middle and at the end, with all that can be moved being moved (GC.verify_compaction_references), and shows what it
# shows in plain Ruby.
class CompactionTest < TestCase
  with_rubygems

  # Frees a page's worth of places first, so that there is somewhere to move to; the keyword has two names.
  TOOLS = <<~'RUBY'
    def move_everything
      GC.verify_compaction_references(toward: :empty, **((RUBY_VERSION.split(".").map(&:to_i) <=> [3, 2]).negative? ? { double_heap: true } : { expand_heap: true }))
      20_000.times { |i| "filler #{i}" }
    end
  RUBY

  FILES = {
    "tools.rb" => TOOLS,
    "parts/one.rb" =>
      "require_relative 'two'\nmove_everything\nmodule Parts; autoload :Three, 'parts/three'; end\nONE = __FILE__\n",
    "parts/two.rb" => "TWO = [__dir__, eval('require_relative \"four\"', binding, __FILE__)]\n",
    "parts/three.rb" => "module Parts; Three = __method__.inspect; end\nmove_everything\n",
    "parts/four.rb" => "FOUR = 4\n",
    "list.yml" => "a: [1, 2.5, text]\nb: {c: d}\n"
  }.freeze

  def assert_unmoved(main, files = {}, boots: 3, **options)
    program = program({ "main.rb" => "require 'tools'\n#{main}", **FILES, **files }, witness: false, **options)
    plain = program.plain
    assert_equal ["", "exit 0"], [plain.stderr, plain.status]
    refute_empty plain.stdout
    boots.times do |number|
      run = program.boot
      assert_equal [plain.stdout, plain.stderr, plain.status],
                   [run.stdout, run.stderr, run.status],
                   "boot #{number + 1}"
    end
  end

  test "code, autoloads and documents" do
    assert_unmoved(<<~'RUBY')
      move_everything
      require "parts/one"
      move_everything
      require "yaml"
      2.times { p YAML.load_file("#{__dir__}/list.yml"); move_everything }
      p ONE.delete_prefix(__dir__), TWO.map(&:to_s).map { |text| text.delete_prefix(__dir__) }, Parts::Three, require("parts/two"), FOUR
      p $LOADED_FEATURES.grep(%r{/parts/}).map { |path| path.delete_prefix(__dir__) }
    RUBY
  end

  test "methods that were replaced for the boot, and the reason for its end" do
    assert_unmoved(<<~RUBY)
      move_everything
      p GC.disable, GC.enable
      Warmstart.boot_complete! if defined?(Warmstart)
      move_everything
      p GC.disable, GC.enable, GC.method(:enable).owner
      puts defined?(Warmstart) ? Warmstart::Native.governor[:ended_by] : "complete"
    RUBY
  end

  test "methods under exec and a fork" do
    skip "Windows knows no fork" if Program::WINDOWS
    assert_unmoved(<<~RUBY)
      move_everything
      $stdout.sync = true
      Process.wait(fork { move_everything; require "parts/one"; p FOUR })
      exec({ "RUBYOPT" => nil }, RbConfig.ruby, "--disable-gems", "-e", "p :next")
    RUBY
  end

  test "a profile: requires, evals, methods that are watched, fibers" do
    out = File.join(temporary_folder, "out.profile")
    program = program({ "main.rb" => <<~RUBY, **FILES }, witness: false)
      require "tools"
      move_everything
      fiber = Fiber.new { require "parts/one"; Fiber.yield 1; class_eval = Class.new { class_eval("move_everything; X = 3") } }
      p fiber.resume
      move_everything
      p fiber.resume.const_get(:X), FOUR
    RUBY

    plain = program.plain
    run =
      program.ruby(
        File.join(Program::REPOSITORY, "exe/warmstart"),
        "profile",
        "--json",
        out,
        "--",
        RbConfig.ruby,
        "-I",
        program.folder,
        program.path("main.rb")
      )
    assert_equal [plain.stdout, "exit 0"], [run.stdout[/\A1\n.*4$\n/m], run.status], run.stderr
  end
end
