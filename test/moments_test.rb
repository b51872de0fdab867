# frozen_string_literal: true

require_relative "test_helper"
require_relative "../examples/applications"

# When servers, test runners and rake begin their work: there the boot is over, nothing of theirs looks different, and
# the collector is as usual.
class MomentsTest < TestCase
  with_rubygems

  # What programs print: all that reflection tells of a method that is watched, and what the collector does.
  LOOK = <<~'RUBY'
    def look(owner, name, singleton: false)
      method = singleton ? owner.method(name) : owner.instance_method(name)
      scope = singleton ? owner.singleton_class : owner
      puts [method.owner, method.arity, method.parameters, File.basename(method.source_location[0]), method.source_location[1], method.super_method, scope.ancestors.first(3),
            scope.instance_methods(false).sort, scope.private_instance_methods(false).sort, owner.instance_variables.sort].inspect
    end
    def collects? = GC.count.then { |before| 20_000.times { "x" * (16 << 10) }; GC.count > before }
    def governed? = defined?(Warmstart::Native) ? Warmstart::Native.governor[:governing] : nil
    def before = puts("before #{governed?}")
    def after = puts("after #{governed?} #{collects?}")
    def frames = puts(caller(1).map { |line| line.sub(/\A.*\//, "") })
  RUBY

  # Gems that the examples bring along are taken for these tests, too.
  GEMS = [*Gem.path, File.join(Examples::FOLDER, "tmp/gems/ruby", RbConfig::CONFIG["ruby_version"])].uniq

  # Runs the program plain, while recording and warm. All show the same, but for the lines that say whether the
  # collector is governed: it is before the moment, and not after it, or not after a little growth.
  # @return [Array<String>] what Warmstart said in the warm boot of moments and the collector
  def moments(main, files = {}, gem: nil, after: %w[after false true])
    [*gem].each do |name|
      if GEMS.none? { |home| Dir[File.join(home, "gems/#{name}-[0-9]*")].any? }
        missing "the gem #{name} is not installed for this Ruby"
      end
    end
    # (A small program is governed from its start where it names a step.)
    environment = { "WARMSTART_LOG" => "1", "WARMSTART_GC" => "112", "GEM_PATH" => GEMS.join(File::PATH_SEPARATOR) }
    program =
      program({ "look.rb" => LOOK, "main.rb" => "require 'look'\n#{main}", **files }, witness: false, env: environment)
    plain = program.plain
    assert_equal "exit 0", plain.status, plain.stderr
    runs = Array.new(2) { program.boot }
    runs.each do |run|
      assert_equal [same(plain.stdout), "exit 0", plain.stderr],
                   [same(run.stdout), run.status, run.without_complaints.stderr]
      said = run.stdout.scan(/^(?:before|after) .*/).map(&:split)
      assert_equal [%w[before true], after],
                   after == SOON ? [said[0], [said[1][0], "soon", said[1][2]]] : said,
                   run.stderr
    end
    runs
      .last
      .stderr
      .lines(chomp: true)
      .grep(/the application is ready|tests begin|tasks begin|the collector is as usual/)
      .map { |line| line[/\Awarmstart: (.+?)(?: \(|: )/, 1] }
  end

  # Without what differs from run to run.
  def same(output) = output.gsub(/^(?:before|after) .*\n|\d+\.\d+(?:e-\d+)?|seed \d+/, "")

  # The collector is as usual after a little growth: what is asked next is so large. (A small program may have grown
  # that much before.)
  SOON = %w[after soon true].freeze

  USUAL = "the collector is as usual again"

  test "minitest: the tests are loaded" do
    said = moments(<<~RUBY, { "plugin.rb" => "puts 'loaded'\n" }, gem: "minitest", after: SOON)
      require "minitest"
      look Minitest, Minitest.respond_to?(:run_all_suites) ? :run_all_suites : :__run, singleton: true
      look Minitest, :run, singleton: true
      class ATest < Minitest::Test
        def self.test_order = :alpha
        def self.run_order = :alpha
        def test_a = after
        def test_b = frames
      end
      require "plugin"
      before
      exit Minitest.run(%w[--seed 1])
    RUBY
    assert_match(/\AMinitest\.(run_all_suites|__run)\z/, said.first)
    assert_equal USUAL, said.last
  end

  test "minitest from its exit handler; a path that ends like it" do
    said = moments(<<~RUBY, { "own/minitest.rb" => "OWN = 1\n" }, gem: "minitest", after: SOON)
      require_relative "own/minitest"
      require "minitest/autorun"
      class ATest < Minitest::Test
        def test_a = after
      end
      before
    RUBY
    assert_match(/\AMinitest\./, said.first)
    assert_equal USUAL, said.last
  end

  test "what is loaded before Warmstart is watched, too" do
    main =
      "require 'look'\nrequire 'rake'\nrequire #{Program::SETUP.dump} if ENV['WITH']\nRake.application.run(%w[-f Rakefile default])\n"
    program =
      program(
        {
          "look.rb" => LOOK,
          "main.rb" => main,
          "Rakefile" => "before\ntask(:default) { Object.new.send(:collects?); Object.new.send(:after) }\n"
        },
        witness: false
      )
    assert_equal "before \nafter  true\n", program.plain.stdout
    assert_equal "before true\nafter false true\n",
                 program.plain(env: { "WITH" => "1", "WARMSTART_GC" => "112" }).stdout
  end

  test "rspec: the spec files are loaded" do
    said =
      moments(
        <<~RUBY,
      require "rspec/core"
      look RSpec::Core::Runner, :run_specs
      exit RSpec::Core::Runner.run([File.join(__dir__, "a_spec.rb")], $stderr, $stdout)
    RUBY
        {
          "a_spec.rb" =>
            "before\nRSpec.describe('a') { it('b') { self.class.send(:after) {}; Object.new.send(:after) }; it('c') { Object.new.send(:frames) } }\n"
        },
        gem: "rspec-core",
        after: SOON
      )
    assert_equal ["RSpec::Core::Runner#run_specs", USUAL], said
  end

  test "test-unit: the tests are loaded" do
    said = moments(<<~RUBY, gem: "test-unit", after: SOON)
      require "test/unit"
      require "test/unit/ui/testrunnermediator"
      look Test::Unit::UI::TestRunnerMediator, :run
      class ATest < Test::Unit::TestCase
        def test_a = Object.new.send(:after)
      end
      before
    RUBY
    assert_equal ["Test::Unit::UI::TestRunnerMediator#run", USUAL], said
  end

  RAKEFILE =
    "before\ntask(:default) { Object.new.send(:frames); garbage = Array.new(4000) { 'x' * (16 << 10) }; require 'late'; Object.new.send(:after) }\n"

  test "rake: the Rakefile is loaded; a task may load more" do
    main = "require 'rake'\nlook Rake::Application, :top_level\nRake.application.run(%w[-f Rakefile default])\n"
    said = moments(main, { "Rakefile" => RAKEFILE, "late.rb" => "p :late\n" }, gem: "rake")
    assert_equal ["Rake::Application#top_level", USUAL], said
  end

  test "rake: a Rails application says itself when it is ready" do
    main = "require 'rake'\nmodule Rails; class Application; end; end\nRake.application.run(%w[-f Rakefile default])\n"
    said = moments(main, { "Rakefile" => RAKEFILE, "late.rb" => "p :late\n" }, gem: "rake", after: SOON)
    assert_equal "Rake::Application#top_level", said.first
  end

  CLIENT = <<~'RUBY'
    require "socket"
    def get(port) = TCPSocket.open("127.0.0.1", port) { |socket| socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); puts socket.read.lines.last }
    APPLICATION = ->(_env) { [200, { "content-type" => "text/plain" }, ["hello"]] }
  RUBY

  test "puma: it begins to accept" do
    said = moments(CLIENT + <<~RUBY, gem: "puma", after: SOON)
      require "puma"
      require "puma/server"
      look Puma::Server, :run
      server = Puma::Server.new(APPLICATION, nil, { log_writer: Puma::LogWriter.null, min_threads: 1, max_threads: 1 })
      port = server.add_tcp_listener("127.0.0.1", 0).addr[1]
      before
      server.run
      get(port)
      after
      server.stop(true)
    RUBY
    assert_equal ["Puma::Server#run", USUAL], said
  end

  # A server with two workers answers, and ends; if a folder is named, not before it holds the application's code.
  CLUSTER = <<~'RUBY'
    def known?(folder) = Dir["#{folder}/**/*"].any? { |path| File.file?(path) && File.binread(path).include?("deep/part.rb") } rescue false
    require "puma"
    require "puma/configuration"
    require "puma/launcher"
    require "puma/cluster"
    configuration = Puma::Configuration.new do |user|
      user.rackup File.join(__dir__, "config.ru")
      user.bind "unix://#{__dir__}/socket"
      user.workers 2
      user.preload_app! ARGV[0] == "preload"
      user.raise_exception_on_sigterm false
    end
    launcher = Puma::Launcher.new(configuration, log_writer: Puma::LogWriter.null)
    client =
      Thread.new do
        answer = nil
        600.times do
          UNIXSocket.open("#{__dir__}/socket") { |socket| socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); answer = socket.read.lines.last }
          break
        rescue SystemCallError
          sleep 0.1
        end
        30.times { known?(ARGV[1]) ? break : sleep(0.1) } if ARGV[1]
        launcher.stop
        answer
      end
    launcher.run
    puts client.value
  RUBY

  test "puma: workers that load the application boot, and the first of them records" do
    files = {
      "config.ru" => "require 'deep/application'\nrun APPLICATION\n",
      "deep/application.rb" => "require 'deep/part'\n",
      "deep/part.rb" => "PART = 1\n"
    }
    if GEMS.none? { |home| Dir[File.join(home, "gems/puma-[0-9]*")].any? }
      missing "the gem puma is not installed for this Ruby"
    end

    %w[load preload].each do |where|
      program =
        program(
          { "main.rb" => "#{CLIENT}#{CLUSTER}", **files },
          witness: false,
          env: {
            "WARMSTART_LOG" => "1",
            "WARMSTART_GC" => "112",
            "GEM_PATH" => GEMS.join(File::PATH_SEPARATOR)
          }
        )
      plain = program.plain(arguments: [where])
      assert_equal ["hello\n", "exit 0"], [plain.stdout, plain.status], plain.stderr
      # (The master may be writing at the same moment, and then the worker leaves it to the next boot.)
      runs = Array.new(5) { program.boot(arguments: [where, program.cache]) }
      runs.each do |run|
        assert_equal [plain.stdout, plain.status, plain.stderr], [run.stdout, run.status, run.without_complaints.stderr]
      end
      parts = runs.map { |run| run.stderr.scan(%r{^warmstart: (\w+) \S*/deep/part\.rb(?: \((\w+)\))?}).uniq }
      assert_equal [[%w[miss not_recorded]], [["hit", nil]]], parts.values_at(0, -1), where
      assert_empty runs.last.stderr.scan(%r{^warmstart: (?:searched|natively) deep/part .*}),
                   "each worker uses the index"
    end
  end

  # What the newest segment says of the sizes of this program's boots.
  def kinds(program) =
    program.image_folder &&
      Dir[File.join(program.image_folder, "*.segment")]
        .max_by { |path| File.mtime(path) }
        .then { |path| File.binread(path)[/^boot_size\.main\.rb \d+ \d+ (\w+)$/, 1] }

  test "who takes jobs is a server, and the image remembers it" do
    {
      "sidekiq/launcher" => %w[Sidekiq::Launcher run],
      "solid_queue/supervisor" => %w[SolidQueue::Supervisor start],
      "good_job/capsule" => %w[GoodJob::Capsule start],
      "resque/worker" => %w[Resque::Worker work],
      "delayed/worker" => %w[Delayed::Worker start]
    }.each do |feature, (owner, method)|
      files = { "#{feature}.rb" => "module #{owner[/\w+/]}; class #{owner[/\w+\z/]}; def #{method} = 0; end; end\n" }
      files[
        "main.rb"
      ] = "require '#{feature}'\nKEPT = Array.new(80 * 64) { 'x' * (16 << 10) }\n#{owner}.new.#{method}\n$stderr.puts Warmstart::Native.governor[:ended_by].inspect if ARGV[0]\n"
      program =
        program(
          files,
          witness: false,
          env: {
            "WARMSTART_LOG" => "1",
            "WARMSTART_GC" => "112",
            "WARMSTART_STATS" => "1"
          }
        )
      boots = Array.new(4) { program.boot }
      assert_includes boots.last.stderr, "#{owner}##{method}: the application is ready"
      assert_equal %w[it_serves it_served_before],
                   boots.values_at(0, -1).map { |boot| boot.stderr[/governor\.because: (\w+)/, 1] },
                   feature
      assert_equal "server", kinds(program)
    end
  end

  test "webrick: it begins to accept" do
    said = moments(CLIENT + <<~RUBY, gem: "webrick", after: SOON)
      require "webrick"
      look WEBrick::GenericServer, :start
      started = Queue.new
      server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: 0, AccessLog: [], Logger: WEBrick::Log.new(File::NULL), StartCallback: -> { started << 1 })
      server.mount_proc("/") { |_, response| response.body = "hello" }
      before
      thread = Thread.new { server.start }
      started.pop
      get(server.listeners.first.addr[1])
      after
      server.shutdown
      thread.join
    RUBY
    assert_equal ["WEBrick::GenericServer#start", USUAL], said
  end

  test "rackup: the application is built" do
    said =
      moments(CLIENT + <<~RUBY, { "config.ru" => "before\nrun APPLICATION\n" }, gem: %w[rackup webrick], after: SOON)
      require "rackup"
      require "webrick"
      look Rackup::Server, :wrapped_app
      look Rackup::Server, :start
      after = -> { Object.new.send(:after); Thread.new { WEBRICK.shutdown } }
      Rackup::Server.new(config: File.join(__dir__, "config.ru"), environment: "none", server: "webrick", Host: "127.0.0.1", Port: 0, AccessLog: [], Logger: WEBrick::Log.new(File::NULL),
                         StartCallback: after).start { |server| WEBRICK = server }
    RUBY
    assert_equal ["Rackup::Server#wrapped_app", "WEBrick::GenericServer#start", USUAL], said
  end

  test "files come the direct way while a method is watched" do
    program =
      program(
        {
          "main.rb" =>
            "require 'rake'\nrequire 'a'\np Warmstart::Native.ways.reject { |(way, _), _| way == :direct } if defined?(Warmstart::Native)\n",
          "a.rb" => "A = 1\n"
        }
      )
    program.boot
    warm = program.boot
    assert_includes warm.hits, "a.rb"
    refute_match(/tracepoint/, warm.stdout)
  end

  test "Warmstart.unload!: nothing is watched any more, now or later" do
    said = moments(<<~RUBY, { "tasks.rake" => "task(:none)\n" }, gem: "rake")
      before
      require "rake/application"
      Warmstart.unload! if defined?(Warmstart::Native)
      require "rake"
      Rake.application.run(%w[-f tasks.rake none])
      after
    RUBY
    assert_equal [USUAL], said
  end
end
