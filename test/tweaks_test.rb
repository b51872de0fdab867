# frozen_string_literal: true

require_relative "test_helper"

# What is left out at boot: only where everything is as the tweak knows it, and with the outcome that it would have had.
class TweaksTest < TestCase
  with_rubygems

  # As much of Rails as says when namespaces are loaded eagerly, and of TZInfo as the tweak looks at.
  HOOKS = <<~RUBY
    module ActiveSupport
      module LazyLoadHooks
        def self.extended(base) = base.instance_variable_set(:@hooks, Hash.new { |hash, name| hash[name] = [] })
        def on_load(name, &block) = @hooks[name] << block
        def run_load_hooks(name, base) = @hooks[name].each { |block| base.instance_eval(&block) }
      end
      extend LazyLoadHooks
    end
  RUBY
  TZINFO = <<~'RUBY'
    module TZInfo
      VERSION = "2.0.6"
      class DataSource
        def self.get = @get ||= (ENV["TZ_DATA"] ? DataSources::RubyDataSource : DataSources::ZoneinfoDataSource).new
        def eager_load! = timezone_identifiers.each { |zone| load_timezone_info(zone) }.then { nil }
        def load_country_info(code) = code
      end
      module DataSources
        class ZoneinfoReader
          def read(path)
            puts "reads #{File.basename(path)}"
            File.binread(path)
          end
        end
        private_constant :ZoneinfoReader
        class RubyDataSource < DataSource
          def timezone_identifiers = []
        end
        class ZoneinfoDataSource < DataSource
          def zoneinfo_dir = File.expand_path("zones", __dir__)
          def timezone_identifiers = %w[Mars/North Mars/South].freeze
          def load_timezone_info(zone) = ZoneinfoReader.new.read("#{zoneinfo_dir}/#{zone}")
          def load_country_info(code) = code
        end
      end
      def self.eager_load! = DataSource.get.eager_load!
    end
  RUBY
  MAIN = <<~RUBY
    require "active_support/lazy_load_hooks"
    require "tzinfo"
    require "decorator" if ENV["DECORATED"]
    ActiveSupport.run_load_hooks(:before_eager_load, self)
    begin
      p TZInfo.eager_load!
    rescue SystemCallError => error
      p error.class
    end
  RUBY
  FILES = {
    "active_support/lazy_load_hooks.rb" => HOOKS,
    "tzinfo.rb" => TZINFO,
    "main.rb" => MAIN,
    "zones/Mars/North" => "x" * 100,
    "zones/Mars/South" => "x" * 100,
    "decorator.rb" =>
      "class TZInfo::DataSources::ZoneinfoDataSource\n  prepend(Module.new { def load_timezone_info(zone) = super.tap { puts zone } })\nend\n"
  }.freeze
  ALL = "reads North\nreads South\nnil\n"

  def output(env = {}, files = {})
    run =
      program(
        FILES.merge(files).reject { |name, _| files.any? { |other, _| other.start_with?("#{name}/") } },
        load_path: ["."],
        witness: false
      ).boot(env: env)
    assert_empty run.stderr
    run.stdout
  end

  test "zones that nobody keeps are not parsed" do
    assert_equal "nil\n", output
    assert_equal "nil\n", output({ "WARMSTART_TWEAKS" => "tzinfo_eager_load" })
  end

  test "tweaks are switched off" do
    assert_equal ALL, output({ "WARMSTART_TWEAKS" => "none" })
  end

  test "a name that is no tweak's gets a line, and nothing is tweaked" do
    run = program(FILES, load_path: ["."], witness: false).boot(env: { "WARMSTART_TWEAKS" => "tzinfo" })
    assert_equal ALL, run.stdout
    assert_includes run.stderr,
                    "warmstart: correct WARMSTART_TWEAKS: no tweak tzinfo; one of tzinfo_eager_load, all, none; no tweak is applied\n"
  end

  test "what is not as it is known is left alone" do
    assert_equal ALL, output({}, "tzinfo.rb" => TZINFO.sub("2.0.6", "2.1.0"))
    assert_equal "reads North\nMars/North\nreads South\nMars/South\nnil\n", output({ "DECORATED" => "1" })
    assert_equal "nil\n", output({ "TZ_DATA" => "1" })
    assert_equal "nil\n",
                 output({}, "main.rb" => MAIN.sub('require "tzinfo"', "module TZInfo; def self.eager_load! = nil; end"))
  end

  test "whoever looks on sees all that TZInfo does" do
    watching = {
      "a TracePoint" => "TracePoint.new(:call) { nil }.enable\n",
      "Coverage" => "require 'coverage'\nCoverage.start\n",
      "SCRIPT_LINES__" => "SCRIPT_LINES__ = {}\n"
    }
    watching.each { |what, code| assert_equal ALL, output({}, "main.rb" => code + MAIN), what }
  end

  test "what is said of a tweak that is left out" do
    reasons = {
      "TZInfo 2.1.0 is not known" => [{}, { "tzinfo.rb" => TZINFO.sub("2.0.6", "2.1.0") }],
      "TZInfo's methods are not its own" => [{ "DECORATED" => "1" }, {}],
      "time zones come from TZInfo::DataSources::RubyDataSource" => [{ "TZ_DATA" => "1" }, {}],
      "TZInfo is not loaded" => [
        {},
        { "main.rb" => MAIN.sub('require "tzinfo"', "module TZInfo; def self.eager_load! = nil; end") }
      ],
      "RuntimeError: no source" => [
        {},
        { "tzinfo.rb" => TZINFO.sub("def self.get = ", "def self.get = ENV.delete('ONCE') ? raise('no source') : ") }
      ]
    }
    reasons.each do |reason, (env, files)|
      run =
        program(FILES.merge(files), load_path: ["."], witness: false).boot(
          env: {
            "WARMSTART_LOG" => "1",
            "ONCE" => "1",
            **env
          }
        )
      assert_equal "exit 0", run.status
      assert_includes run.stderr, "warmstart: tweak tzinfo_eager_load: #{reason}\n"
    end
  end

  test "unload! takes TZInfo's tweak out again" do
    zones =
      "Warmstart.unload! if defined?(Warmstart::Native)\np TZInfo.eager_load!, TZInfo::DataSource.get.singleton_methods\n"
    program = program(FILES.merge("main.rb" => "#{MAIN}#{zones}"), load_path: ["."], witness: false)
    plain = program.plain.stdout.lines.last(4)
    assert_equal ["reads North\n", "reads South\n", "nil\n", "[]\n"], plain
    2.times { assert_equal ["nil\n", *plain], program.boot.stdout.lines }
  end

  # As if it stood in another library.
  def elsewhere(code) = "eval(#{code.dump}, binding, '/elsewhere/decorator.rb', 1)\n"

  test "a method that somebody has replaced, in whichever way, is called" do
    reader = "TZInfo::DataSources.const_get(:ZoneinfoReader)"
    [
      "#{reader}.class_eval { def read(path) = puts(:mine) }\n",
      "#{reader}.prepend(Module.new { def read(path) = puts(:mine) })\n"
    ].each do |decorator|
      assert_equal "mine\nmine\nnil\n", output({ "DECORATED" => "1" }, { "decorator.rb" => elsewhere(decorator) })
    end
    [
      "#{reader}.class_eval { def other(path) = puts(:mine); alias_method :read, :other }\n",
      "#{reader}.class_eval { define_method(:read, Kernel.instance_method(:puts)) }\n"
    ].each do |decorator|
      assert_match(
        /\A(?:mine\n|.*North\n)(?:mine\n|.*South\n)nil\n\z/,
        output({ "DECORATED" => "1" }, { "decorator.rb" => decorator })
      )
    end
    tzinfo =
      TZINFO.sub("private_constant", "class ZoneinfoReader; def skim(path) = puts(:skims); end\n    private_constant")
    assert_equal "skims\nskims\nnil\n",
                 output(
                   { "DECORATED" => "1" },
                   { "decorator.rb" => "#{reader}.alias_method(:read, :skim)\n", "tzinfo.rb" => tzinfo }
                 )
    decorator =
      "module TZInfo\n  class << self\n    alias_method :plain, :eager_load!\n    def eager_load! = puts(:before).then { plain }\n  end\nend\n"
    assert_equal "before\n#{ALL}", output({ "DECORATED" => "1" }, { "decorator.rb" => elsewhere(decorator) })
  end

  test "a zone's file that is missing, or too short to be one, is TZInfo's to judge" do
    assert_equal "reads West\nErrno::ENOENT\n", output({}, "tzinfo.rb" => TZINFO.sub("Mars/North", "Mars/West"))
    assert_equal ALL, output({}, "zones/Mars/South" => "short")
    assert_equal "reads North\nreads South\nErrno::EISDIR\n", output({}, "zones/Mars/South/here" => "x")
  end

  test "a zone's file that may not be read is TZInfo's to judge" do
    program = program(FILES, load_path: ["."], witness: false)
    program.as_nobody
    File.chmod(0, program.path("zones/Mars/South"))
    run = program.boot
    assert_equal ["reads North\nreads South\nErrno::EACCES\n", ""], [run.stdout, run.stderr]
  end

  test "a zone's file that root may not read, because it has not all capabilities, is TZInfo's to judge" do
    skip "needs root" unless Process.uid.zero? && system(*Program::CAPABLE_OF_LITTLE, "true", %i[out err] => File::NULL)
    program = program(FILES, load_path: ["."], witness: false)
    File.chown(Program::NOBODY, nil, program.path("zones/Mars/South"))
    File.chmod(0o600, program.path("zones/Mars/South"))
    run = program.boot(prefix: Program::CAPABLE_OF_LITTLE)
    assert_equal ["reads North\nreads South\nErrno::EACCES\n", ""], [run.stdout, run.stderr]
    assert_equal "nil\n", program.boot.stdout
  end

  test "the mode of a zone's file tells that it may be read: no call asks who the user is" do
    missing "there is no strace that may trace here" unless system("strace", "-o", File::NULL, "true", err: File::NULL)
    zones = (1..200).map { |number| "Mars/#{number}" }
    files = {
      **FILES,
      **zones.to_h { |zone| ["zones/#{zone}", "x" * 100] },
      "tzinfo.rb" => TZINFO.sub("%w[Mars/North Mars/South]", zones.inspect)
    }
    program = program(files, load_path: ["."], witness: false)
    log = File.join(program.base, "strace.txt")
    run = program.boot(prefix: ["strace", "-e", "trace=geteuid,faccessat,faccessat2", "-o", log])
    assert_equal "nil\n", run.stdout
    assert_operator File.readlines(log).size, :<, zones.size
  end

  test "Rails is heard wherever its hooks are loaded from, and says when the boot is complete" do
    main = <<~RUBY
      require "active_support/lazy_load_hooks" unless ENV["LATE"]
      require_relative "active_support/lazy_load_hooks" if ENV["LATE"]
      ActiveSupport.run_load_hooks(:before_initialize, self)
      p defined?(Warmstart) && Warmstart::Native.complete?
      ActiveSupport.run_load_hooks(:after_initialize, self)
      p defined?(Warmstart) && Warmstart::Native.complete?
    RUBY
    program = program(FILES.merge("main.rb" => main), load_path: ["."], witness: false)
    assert_equal "false\ntrue\n", program.boot.stdout
    assert_equal "false\ntrue\n", program.boot(env: { "LATE" => "1" }).stdout
    assert_equal "nil\nnil\n", program.plain.stdout
  end

  test "after unload! Rails' hooks tell nobody, and after another setup they tell that one, once" do
    main = <<~RUBY
      require "active_support/lazy_load_hooks"
      require "tzinfo"
      Warmstart.unload!
      Warmstart.setup if ENV["AGAIN"]
      ActiveSupport.run_load_hooks(:before_eager_load, self)
      TZInfo.eager_load!
      ActiveSupport.run_load_hooks(:before_initialize, self)
      ActiveSupport.run_load_hooks(:after_initialize, self)
      p ActiveSupport.instance_variable_get(:@hooks).values.map(&:size)
    RUBY
    assert_equal "reads North\nreads South\n[1, 1, 1, 1]\n", output({}, "main.rb" => main)
    assert_equal "[1, 1, 1, 1]\n", output({ "AGAIN" => "1" }, "main.rb" => main)
  end
end
