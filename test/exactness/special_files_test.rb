# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/extension"

# What is no regular file: FIFOs, sockets, devices, folders, closed files and folders, loops; from the start, and in the
# place of a file that the image knows. Each way to ask for it must say and do what plain Ruby does.
class SpecialFilesTest < TestCase
  FEEDER = File.join(Program::SUPPORT, "feeder.rb")

  HEAD = <<~RUBY
    require #{FEEDER.dump}
    require "calls"
    require "socket"
    def try
      p yield
    rescue Exception => error
      p error.class, error.message.lines.first, error.backtrace, (error.path if error.is_a?(LoadError)), error.cause.class
    ensure
      p $!, Witness.features, (M.autoload?(:X) if defined?(M))
    end
    CALLERS = [
      "require('x')", "require('x.rb')", "require(\\"\#{__dir__}/x\\")", "require('./x')", "Kernel.require('x')", "method(:require).call('x')",
      "require_relative('x')", "Kernel.require_relative('x.rb')", "load('x.rb')", "load('./x.rb', true)", "(module M; autoload :X, 'x'; end; M::X)",
      "(module M; autoload :X, \\"\#{__dir__}/x.rb\\"; end; M::X)", "Calls.require_c('x')", "Calls.load('x.rb', false)", "$LOAD_PATH.resolve_feature_path('x')",
    ]
    def forget
      Object.send(:remove_const, :M) if defined?(M)
      $LOADED_FEATURES.reject! { |path| path.end_with?("/x.rb") }
    end
  RUBY

  # What stands in the place of x.rb; %s: its path.
  KINDS = {
    "a folder" => "Dir.mkdir(%s)",
    "a socket" => "UNIXServer.new(%s).close",
    "a loop of symlinks" => "File.symlink('x.rb', %s)",
    "a dangling symlink" => "File.symlink('nowhere', %s)",
    "a device without content" => "File.symlink('/dev/null', %s)",
    "a symlink to a folder" => "File.symlink('.', %s)",
    "a closed file" => "(File.write(%s, 'p :never'); File.chmod(0, %s))",
    "a file in a closed folder" =>
      "(Dir.mkdir('closed'); File.write('closed/x.rb', ''); File.chmod(0, 'closed'); File.symlink('closed/x.rb', %s))",
    "nothing" => "%s"
  }.freeze

  def self.make(kind) = KINDS.fetch(kind).gsub("%s", "\"\#{__dir__}/x.rb\"")

  X = {
    "x.rb" => "p [:x, __FILE__]\nmodule M; X = 1; end\n",
    "other/x.rb" => "p :the_other_x\nmodule M; X = 2; end\n"
  }.freeze

  # What restoring the folder does not know is cleared away by the program.
  CLEAN = <<~RUBY
    at_exit do
      File.unlink("x.rb") if File.symlink?("x.rb")
      Dir.rmdir("x.rb") if File.directory?("x.rb")
      if File.directory?("closed")
        File.chmod(0700, "closed")
        File.unlink("closed/x.rb")
        Dir.rmdir("closed")
      end
    end
  RUBY

  def assert_same_specials(program, variants, env)
    plain = program.plain(env: env)
    assert_equal "exit 0", plain.status, plain.stderr
    variants.each do |variant|
      program.restore
      run = boot_as(program, variant, env) or next
      assert_same_run plain, run, "#{variant}, #{env}"
    end
  end

  def boot_as(program, variant, more = {})
    image, environment = VARIANTS.fetch(variant)
    image == :own ? program.boot(env: environment.merge(more)) : super(program, variant)
  end

  KINDS.each_key do |kind|
    test "#{kind} from the start" do
      program =
        program(
          X.slice("other/x.rb").merge(
            "main.rb" =>
              "#{HEAD}#{CLEAN}#{self.class.make(kind)}\nCALLERS.each { |code| puts code; 2.times { try { eval(code, TOPLEVEL_BINDING, __FILE__, 1) } }; forget }\n"
          ),
          load_path: ["", "other", Extension.folder],
          args: %w[--disable-did_you_mean]
        )
      program.as_nobody
      # (a sealed image knows nothing of what is made later)
      assert_same_specials program, %i[recording warm native], {}
    end

    test "#{kind} in the place of a file that the image knows" do
      main =
        "#{HEAD}#{CLEAN}if ENV['CHANGED'] then File.unlink('x.rb'); #{self.class.make(kind)}; end\nCALLERS.each { |code| puts code; 2.times { try { eval(code, TOPLEVEL_BINDING, __FILE__, 1) } }; forget }\n"
      program =
        program(
          X.merge("main.rb" => main),
          load_path: ["", "other", Extension.folder],
          args: %w[--disable-did_you_mean]
        )
      program.as_nobody
      program.boot
      assert_includes program.boot.hits, "x.rb"
      program.restore
      assert_same_specials program, %i[warm native recording], { "CHANGED" => "1" }
    end
  end

  FIFO = "p [:fifo, __FILE__, __dir__, $0 == __FILE__, self.to_s, caller(0)]\nmodule M; X = 3; end\nrequire 'y'\n"
  FED =
    "CALLERS.each { |code| puts code; 2.times { Feeder.feed(\"\#{__dir__}/x.rb\", #{FIFO.dump}) { try { eval(code, TOPLEVEL_BINDING, __FILE__, 1) } } }; forget }\n"

  test "a FIFO from the start" do
    program =
      program(
        { "main.rb" => HEAD + FED, "y.rb" => "p :y\n" },
        load_path: ["", Extension.folder],
        args: %w[--disable-did_you_mean]
      )
    assert_same_specials program, VARIANTS.keys, {}
  end

  test "a FIFO in the place of a file that the image knows" do
    main =
      "#{HEAD}if ENV['CHANGED']\n  File.unlink('x.rb')\n  #{FED}else\n  CALLERS.each { |code| try { eval(code, TOPLEVEL_BINDING, __FILE__, 1) }; forget }\nend\n"
    program =
      program(
        X.merge("main.rb" => main, "y.rb" => "p :y\n"),
        load_path: ["", Extension.folder],
        args: %w[--disable-did_you_mean]
      )
    program.boot
    assert_includes program.boot.hits, "x.rb"
    program.restore
    assert_same_specials program, %i[warm native recording], { "CHANGED" => "1" }
  end

  test "the main script and -r: a folder, a loop, a closed file, nothing" do
    files = {
      "a.rb" => "p :a\n",
      "good.rb" => "require 'a'\np Witness.features\n",
      "folder.rb/b.rb" => "",
      "looped.rb" => :"looped.rb",
      "closed.rb" => "p :never\n"
    }
    [
      ["good.rb", %w[-r a]],
      ["folder.rb", []],
      ["looped.rb", []],
      ["closed.rb", []],
      ["nowhere.rb", []],
      ["closed.rb", %w[-x]],
      ["good.rb", %w[-r folder]],
      ["good.rb", %w[-r looped.rb]],
      ["good.rb", %w[-r ./closed.rb]],
      ["good.rb", %w[-rclosed]],
      ["good.rb", ["-r", "x" * 300]]
    ].each do |main, args|
      program = program(files, main: main, args: args + %w[--disable-did_you_mean], witness: true)
      program.as_nobody
      File.chmod(0, program.path("closed.rb"))
      plain = program.plain
      ends = main == "good.rb" && args == %w[-r a] ? "exit 0" : "exit 1"
      [{}, {}, NATIVE].each { |env| assert_same_run plain, program.boot(env: env), [main, args].inspect, ends: ends }
    end
  end
end
