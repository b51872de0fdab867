# frozen_string_literal: true

require "json"
require_relative "test_helper"
require_relative "support/bundle_application"

# The bundle from a record: programs see what Bundler's own setup shows them, and every change on which Bundler's answer
# depends means Bundler's own setup.
class BundlerTest < TestCase
  # One bundle for all tests, which leave it as it was.
  def self.application
    @application ||=
      begin
        folder = Dir.mktmpdir("warmstart-bundle-")
        Minitest.after_run { FileUtils.rm_rf(folder) }
        BundleApplication.new(folder)
      end
  end

  def app = self.class.application

  def teardown
    app.restore
    FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
    super
  end

  # Boots until the record is there, and compares each boot with Bundler's own.
  def assert_replayed(**options)
    plain = app.plain(**options)
    assert_equal 0, plain.status, plain.stderr if options.dig(:env, "MORE") # (what is asked is answered)
    recording, before = app.boot(**options)
    assert_same plain, recording, "recording"
    replayed, said = app.boot(**options)
    assert_equal "replayed", said.first, -> { "#{before} #{said}" + replayed.stderr }
    assert_same plain, replayed, "replayed"
    [replayed, said, plain]
  end

  def assert_same(plain, run, variant)
    assert_equal [plain.status, without_frames(plain.stderr)], [run.status, without_frames(run.stderr)], variant
    assert plain.stdout == run.stdout, -> { "#{variant}: differs from Bundler\n#{line_diff(plain.stdout, run.stdout)}" }
  end

  # A recording boot's setup has frames of ours where it fails.
  def without_frames(errors) =
    errors
      .lines
      .reject { |line| line.include?(BundleApplication::LIBRARY) || line.include?("core_ext/kernel_require.rb") }
      .join

  # Records, changes something, and finds that Bundler itself is asked, with the same answer as without us; and that the
  # change is recorded in its turn.
  def assert_noticed(reason, again: "replayed", **options)
    assert_replayed
    yield if block_given?
    app.settle
    plain = app.keep_lockfile { app.plain(**options) }
    run, said = app.boot(**options)
    assert_match(/\Areal \(#{reason}/, said.first, -> { run.stderr })
    assert_same plain, run, "changed"
    return unless again

    app.settle
    app.boot(**options) # (where the lockfile was too young for the boot before)
    assert_match again, app.boot(**options).last.first
  end

  # No record is made, for that reason.
  def assert_not_recorded(reason, **options)
    2.times do
      plain = app.plain(**options)
      run, said = app.boot(**options)
      assert_match(/\Areal \(nothing was recorded.*; not recorded: #{reason}/, said.first, -> { run.stderr })
      assert_same plain, run, "not recorded"
    end
  end

  # ---- profiled ----

  # A program with what a profiler might disturb: the bundle, documents, threads, another's TracePoint (as Zeitwerk's),
  # autoloads, require_relative, a file that is not in the image.
  PROFILED = <<~'RUBY'
    require "psych"
    2.times { |i| p Psych.load_file(File.join(__dir__, "settings.yml")), Thread.new { require_relative("own/thread#{i}") }.value }
    TracePoint.new(:class) { nil }.enable { require_relative "own/traced" }
    autoload(:Later, File.join(__dir__, "own/later.rb"))
    p Later, $".grep(/own/).map { |path| File.basename(path) }
  RUBY

  test "a profile is of the boot as it is without the profiler: ways, record, documents and collections" do
    %w[thread0 thread1 traced].each { |name| app.write("own/#{name}.rb", "require \"digest\"\n") }
    app.write("own/later.rb", "module Later; end\n")
    app.write("settings.yml", "a: [1, two]\n")
    app.write("main.rb", BundleApplication::MAIN + PROFILED)
    app.settle
    said =
      Array.new(4) do |number|
        profile = [
          File.join(Program::REPOSITORY, "exe/warmstart"),
          "profile",
          "--json",
          File.join(app.base, "profile.json"),
          "--",
          RbConfig.ruby
        ] if number == 3
        run = app.run(BundleApplication::ENTRY, command: [RbConfig.ruby, *profile, app.path("main.rb")])
        assert_equal 0, run.status, run.stderr
        run.stderr.lines.grep(/\Awarmstart: /).map { |line| line.sub(/, from .*/, "") }
      end
    assert_includes said[2], "warmstart: bundler: replayed\n"
    assert said[1] == said[2],
           -> { "two boots differ, so there is nothing to compare with\n#{line_diff(said[1].join, said[2].join)}" }
    assert said[2] == said[3], -> { "profiled\n#{line_diff(said[2].join, said[3].join)}" }
    assert_operator said[2].grep(/natively|hit|searched|document/).size, :>, 20
    profile = JSON.parse(File.read(File.join(app.base, "profile.json")))
    assert_equal "warm", profile["program"]["accelerator"]
    assert_includes profile["nodes"].map { |node| node["name"] }, "settings.yml"
  end

  # ---- the same as Bundler ----

  test "everything that a program can see of its bundle is as after Bundler's setup" do
    run, said, = assert_replayed
    assert_equal ["replayed"], said
    assert_match(%r{^required .*"more 1.0".*"shop".*"dash/ed 1.0".*"several/a 1.0".*"local".*"versioned"}, run.stdout)
    refute_match(/^required .*quiet 1.0/, run.stdout)
  end

  # (Below /dev, where other files are what the system makes up.)
  test "an application in memory" do
    skip "no file system in memory" unless File.writable?("/dev/shm") && File.directory?("/dev/shm")
    folder = Dir.mktmpdir("warmstart-bundle-", "/dev/shm")
    in_memory = BundleApplication.new(folder)
    in_memory.boot
    assert_equal ["replayed"], in_memory.boot.last
  ensure
    FileUtils.rm_rf(folder) if folder
  end

  test "groups that are required" do
    run, = assert_replayed(env: { "GROUPS" => "default,test" })
    assert_match(/^required .*"tested 1.0"/, run.stdout)
    assert_replayed(env: { "GROUPS" => "nothing" })
  end

  test "groups that are left out, and optional ones" do
    run, = assert_replayed(env: { "BUNDLE_WITHOUT" => "test", "GROUPS" => "default,test" })
    assert_match(/^gem tested: Gem::LoadError tested is not part of the bundle/, run.stdout)
    run, = assert_replayed(env: { "BUNDLE_WITH" => "tools", "GROUPS" => "tools" })
    assert_match(/^required \["tool 1.0"\]/, run.stdout)
  end

  test "frozen, another folder, the load path's options, variables that Bundler changes" do
    assert_replayed(env: { "BUNDLE_FROZEN" => "true" })
    assert_replayed(chdir: app.path("parts"))
    assert_replayed(options: ["-I", app.path("parts"), "-W"])
    assert_replayed(
      env: {
        "RUBYLIB" => app.path("parts"),
        "MANPATH" => "/usr/share/man",
        "RUBYOPT" => "-W1",
        "PATH" => "#{ENV["PATH"]}:/nowhere"
      }
    )
    assert_replayed(env: { "BUNDLE_GEMFILE" => nil })
  end

  test "a condition on a variable" do
    run, = assert_replayed(env: { "SHOP_MODE" => "full" })
    assert_match(/^required .*"conditional 1.0"/, run.stdout)
  end

  test "a gem that cannot be required" do
    app.write(File.join(app.gems, "gems/dash-ed-1.0/lib/dash/ed.rb"), nil)
    app.settle
    assert_replayed
    app.write(File.join(app.gems, "gems/several-1.0/lib/several/b.rb"), "raise 'no'\n")
    run, = assert_replayed
    assert_match(/^error /, run.stdout)
    app.write(File.join(app.gems, "gems/several-1.0/lib/several/b.rb"), "require 'not/there'\n")
    assert_replayed
  end

  test "what a gemspec requires is there" do
    run, = assert_replayed(env: { "GROUPS" => nil, "MORE" => "puts Local::VERSION" })
    assert_match(/^1\.2$/, run.stdout)
  end

  # ---- becoming the real one ----

  QUESTIONS = {
    "the definition" =>
      "p Bundler.definition.class, Bundler.definition.dependencies.map(&:to_s), Bundler.definition.specs.map(&:full_name)",
    "the runtime's specs" =>
      "p Bundler.load.specs.map { |spec| [spec.full_name, spec.source.class, spec.runtime_dependencies.map(&:to_s)] }",
    "a specification's summary" =>
      "spec = Gem.loaded_specs['quiet']; p spec.summary, spec == Gem.loaded_specs['quiet'], spec.hash == Gem.loaded_specs['quiet'].hash, spec.class",
    "all specifications, in the middle of them" =>
      "Gem.loaded_specs.each_value { |spec| p spec.authors }; p Gem::Specification.map { |spec| spec.summary }",
    "what a gemspec says" =>
      "specs = Gem.loaded_specs.values_at('quiet', 'several', 'local', 'gitted').compact; READ = %i[dependencies runtime_dependencies metadata homepage licenses authors required_ruby_version]; before = specs.map { |spec| READ.map { |name| spec.public_send(name) } }; p before.flatten.map(&:to_s), (specs[0].summary(1) rescue $!.class); Bundler.definition.specs; p specs.map { |spec| READ.map { |name| spec.public_send(name) } } == before, Gem.loaded_specs['quiet'].dependencies.equal?(before[0][0])",
    "what a gemspec says, where the program asks otherwise" =>
      "class Bundler::StubSpecification; def metadata = { 'mine' => 'yes' }; end; p Gem.loaded_specs['quiet'].metadata; class Gem::Specification; def homepage = 'mine'; end; p Gem.loaded_specs['quiet'].homepage",
    "what a gemspec says, where an alias says otherwise" =>
      "class Bundler::StubSpecification; alias_method :summary, :full_gem_path; end; p Gem.loaded_specs['quiet'].summary",
    "a gem by its name" =>
      "p Gem::Specification.find_by_name('quiet').class, Gem::Specification.find_by_name('quiet').gem_dir, Gem::Specification.find_all_by_name('several').size",
    "the locked gems" =>
      "p Bundler.locked_gems.specs.map(&:full_name), Bundler.settings[:path], Bundler.definition.groups",
    "a class of Bundler's" =>
      "p Bundler::Definition, Bundler::LockfileParser.instance_method(:specs).owner, defined?(Bundler::Dsl)",
    "whether dependencies are wanted" =>
      "p Bundler.definition.dependencies.map { |line| [line.name, line.should_include?] }",
    "instance variables" =>
      "spec = Gem.loaded_specs['quiet']; p spec.instance_variable_get(:@name), spec.instance_variables.first(3), spec.instance_variable_defined?(:@loaded_from), Gem.loaded_specs.values.last.instance_variable_get(:@version)",
    "responds" =>
      "p Gem.loaded_specs['quiet'].respond_to?(:summary), Gem.loaded_specs['quiet'].respond_to?(:nothing), [Gem.loaded_specs['quiet']].flatten.size, Bundler.definition.respond_to?(:specs)",
    "variables that changed since" =>
      "ENV['SHOP_MODE'] = 'full'; p Bundler.definition.current_dependencies.map(&:name), ENV['SHOP_MODE']",
    "nothing else changes" =>
      "path, env, names = $LOAD_PATH.dup, ENV.to_h, Gem.loaded_specs.keys; Bundler.definition.specs; p path == $LOAD_PATH, env == ENV.to_h, names == Gem.loaded_specs.keys, gem('quiet'), Gem.bin_path('quiet', 'quiet')",
    "a decorated require stays" =>
      "module Kernel; alias_method :plain_require, :require; def require(name) = plain_require(name); private :require; end; Bundler.definition.specs; p method(:require).source_location",
    "from several threads" =>
      "p Array.new(4) { Thread.new { Gem.loaded_specs['quiet'].summary } }.map(&:value), Bundler.definition.equal?(Bundler.definition)",
    "interrupted by Thread#kill and Timeout" =>
      "require 'timeout'; Bundler::Definition.prepend(Module.new { def validate_runtime! = (Bundler.definition.groups; $asked = true; sleep 0.01 while $slow; super) }); $slow = true; asker = Thread.new { Bundler.definition.specs }; Thread.pass until $asked || !asker.alive?; asker.kill.join; begin; Timeout.timeout(0.1) { Bundler.definition.specs; sleep }; rescue Timeout::Error => error; p error.class; end; $slow = false; p Bundler.definition.specs.size, Gem.loaded_specs['local'].summary, Gem.loaded_specs.size, Gem::Specification.stubs.size",
    "in a signal's handler" =>
      "trap('USR1') { $answers = [Gem.loaded_specs['local'].summary, Bundler.definition.specs.size] }; Process.kill('USR1', $$); Thread.pass until $answers; p $answers",
    "in a signal's handler that interrupts another question" =>
      "Bundler::Definition.prepend(Module.new { def validate_runtime! = ((Process.kill('USR1', $$); sleep 0.01 until $answers) unless $sent.tap { $sent = true }; super) }); trap('USR1') { $answers = [Gem.loaded_specs['local'].summary, Bundler.definition.specs.size] }; p Bundler.definition.specs.size; Process.kill('USR1', $$); Thread.pass until $answers; p $answers",
    "hooks, lists and the user interface are the program's" =>
      "Gem.pre_reset { puts 'pre' }; Gem.post_reset { puts 'post' }; Gem::Specification.all = Gem::Specification.stubs.first(3); Bundler.ui = Class.new(Bundler::UI::Silent) { def silence = puts('silence') || super }.new; p Bundler.definition.specs.size, Gem::Specification.stubs.size, Bundler.ui.class.superclass",
    "the definition's instance variables, and what is private" =>
      "made = Bundler.definition; p made.instance_eval { @sources.class }, made.instance_exec(1) { |one| [one, @dependencies.size] }, %i[sources materialize puts].map { |name| made.public_send(name).class rescue [$!.class, $!.message[/\\A[^#]*called for/]] }, made.__send__(:sources).class, (made.send(:sources).class)",
    "a dependency is one" =>
      "class Gem::Dependency; def mine = @name + @requirement.to_s; end; all = Bundler.definition.dependencies; p all.map { |one| [Gem::Dependency === one, Bundler::Dependency === one, Gem::Dependency.new(one.name) == one, one == one.dup, one.eql?(one), one.hash == one.dup.hash, one.is_a?(Gem::Dependency), one.mine, one.class, one.type] }, all.grep(Gem::Dependency).size, all.uniq.size, (all - all).size, all.map { |one| one.source.class }, all.first.equal?(Bundler.definition.dependencies.first)",
    "a gem is what it is" =>
      "class Gem::Specification; def mine = (raise 'no' if block_given?; [name, have_extensions?]); end; class Bundler::StubSpecification; def its_own = _remote_specification.name; end; quiet, local = Gem.loaded_specs.values_at('quiet', 'local'); p [quiet, local].map { |spec| [Bundler::StubSpecification, Bundler::RemoteSpecification, Gem::Specification, Comparable].map { |kind| kind === spec } }, local.mine, quiet.its_own, %i[puts have_extensions? _remote_specification initialize_copy].map { |name| [local, quiet].map { |spec| spec.public_send(name) rescue [$!.class, $!.message[/\\A[^#]*/]] } }, [quiet, local].sort.map(&:name), quiet.clamp(quiet, quiet).name",
    "where the program has another definition" =>
      "other = Bundler.definition(true); p Gem.loaded_specs['local'].summary, Bundler.definition.equal?(other)",
    "where the list of gems is frozen, or asked through a module" =>
      "Gem.singleton_class.prepend(Module.new { def loaded_specs = super }); Gem.loaded_specs.freeze; p Gem.loaded_specs['local'].files.size, Gem.loaded_specs.size",
    "what a gemspec says may be changed, and stays so" =>
      "spec = Gem.loaded_specs['quiet']; spec.metadata['x'] = 'y'; Bundler.definition.specs; p spec.metadata, Gem.loaded_specs['quiet'].metadata",
    "after a reset" => "Bundler.reset!; p Gem.loaded_specs['quiet'].summary",
    "an error of RubyGems'" =>
      "begin; Gem::Specification.find_by_name('nothing'); rescue LoadError => error; p error.class, error.message; end",
    "a second Bundler.require" => "p Bundler.require(:test).class, $required.last"
  }.freeze

  QUESTIONS.each do |name, code|
    test "becoming the real bundle: #{name}" do
      assert_replayed(env: { "MORE" => code })
    end
  end

  # (These programs change what a recording boot would write down.)
  CHANGES = {
    "what was changed" =>
      "shop, quiet = Gem.loaded_specs.values_at('shop', 'quiet'); quiet.load_paths << '/added'; shop.name = 'other'; shop.version = '9'; shop.executables = ['mine']; shop.bindir = 'mine'; quiet.full_gem_path = '/elsewhere'; p [shop, quiet].map { |spec| [spec.name, spec.version.to_s, spec.executables, spec.bindir, spec.full_gem_path, spec.load_paths, spec.bin_dir] }",
    "an instance variable that was changed" =>
      "local, quiet = Gem.loaded_specs.values_at('local', 'quiet'); quiet.instance_variable_set(:@name, 'mine'); local.instance_variable_set(:@loaded_from, '/mine/mine.gemspec'); p quiet.name, local.loaded_from, local.default_gem?"
  }.freeze

  CHANGES.each do |name, code|
    test "becoming the real bundle: #{name}" do
      app.boot
      assert_replayed(env: { "MORE" => code })
    end
  end

  test "a failure of Warmstart's own in the setup means Bundler's own; what another thread raises is the program's" do
    2.times { app.boot }
    fault =
      lambda do |code|
        app.write("faulty.rb", <<~RUBY)
        require ENV.delete("ENTRY") || "bundler/setup"
        p Gem.loaded_specs.keys, $LOADED_FEATURES.grep(/bundler.setup/).size, Bundler.definition.specs.size
      RUBY
        app.write("Gemfile", "#{BundleApplication::GEMFILE}#{code}")
        app.settle
        2.times { app.boot(command: [RbConfig.ruby, app.path("faulty.rb")]) }
        [
          app.plain(command: [RbConfig.ruby, app.path("faulty.rb")]),
          *app.boot(command: [RbConfig.ruby, app.path("faulty.rb")])
        ]
      end
    # (The Gemfile reaches into the light objects, which are loaded before it is evaluated.)
    broken =
      "Warmstart::Bundle::Light::SpecificationMethods.define_method(:load_paths) { %s } if defined?(Warmstart::Bundle::Light)\n"
    plain, run, said =
      fault.call(
        broken % "::Kernel.eval('Integer(nil)', ::TOPLEVEL_BINDING, File.join(Warmstart::FOLDER, 'bundle/light.rb'))"
      )
    assert_match(/\Areal \(Warmstart's part failed: can't convert nil into Integer/, said.first, run.stderr)
    assert_same plain, run, "a fault"
    _, run, =
      fault.call(
        broken % "::Kernel.eval('raise Interrupt', ::TOPLEVEL_BINDING, File.join(Warmstart::FOLDER, 'bundle/light.rb'))"
      )
    refute_equal 0, run.status
  end

  test "what a boot asks does not make it the real one" do
    _, said, = assert_replayed
    assert_equal ["replayed"], said
    _, said, =
      assert_replayed(
        env: {
          "MORE" => "spec = Gem.loaded_specs['quiet']; p spec.dependencies, spec.metadata, spec.licenses, spec.summary"
        }
      )
    assert_equal ["replayed"], said
    assert_replayed(env: { "MORE" => "p Bundler.definition.specs.size" }).then do |_, lines,|
      assert_match(/\Abecoming the real one/, lines.last)
    end
  end

  test "what a program does to a specification's lists and texts stays with that program" do
    2.times { app.boot }
    ask = "spec = Gem.loaded_specs['several']; p spec.executables, spec.bindir, spec.load_paths, spec.full_gem_path"
    change = "#{ask}; [spec.executables, spec.load_paths].each { |list| list << '/added' }; spec.full_gem_path << '/x'"
    patch = "class Gem::Specification; def executables = %w[mine]; end"
    ["#{patch}; #{ask}", "#{change}; #{ask}; spec.name << 'x'", ask].each do |code|
      plain = app.plain(env: { "MORE" => code })
      2.times do
        run, said = app.boot(env: { "MORE" => code })
        assert_equal ["replayed"], said, run.stderr
        assert_same plain, run, code
      end
    end
  end

  # ---- changes ----

  test "the Gemfile" do
    assert_noticed("nothing was recorded in this situation") do
      app.write("Gemfile", BundleApplication::GEMFILE.sub('"quiet", require: false', '"quiet"'))
    end
  end

  test "the lockfile" do
    lockfile = File.read(app.path("Gemfile.lock"))
    assert_noticed("#{app.path("Gemfile.lock")} changed") do
      app.write("Gemfile.lock", lockfile.sub("quiet (1.0)", "quiet (0.9)"))
    end
  end

  test "a file that the Gemfile evaluates" do
    assert_noticed("nothing was recorded in this situation") do
      app.write("Gemfile.more", "gem \"more\", require: false\n")
    end
  end

  test "what a Gemfile reads matters if it tells Bundler something else then" do
    assert_replayed
    app.write("read.txt", "otherwise\n")
    assert_equal ["replayed"], app.boot.last
    assert_noticed("nothing was recorded in this situation") do
      app.write("parts/two.rb", "gem \"tested\", group: :test, require: false\n")
    end
    app.restore
    assert_noticed("nothing was recorded in this situation", env: { "SHOP_MODE" => "full" })
    assert_equal ["replayed"], app.boot.last, "each of them has its record"
  end

  test "the configuration: variables, the application's file, the user's file" do
    assert_noticed("nothing was recorded in this situation", env: { "BUNDLE_WITHOUT" => "test" })
    assert_noticed("nothing was recorded in this situation") do
      app.write(".bundle/config", "---\nBUNDLE_WITHOUT: \"test\"\n")
    end
    app.restore
    assert_noticed("nothing was recorded in this situation") do
      app.write(File.join(app.home, ".bundle/config"), "---\nBUNDLE_WITHOUT: \"test\"\n")
    end
  end

  test "a gem that is not there any more" do
    folder = File.join(app.gems, "gems/more-1.0")
    assert_noticed("#{folder} changed|#{app.gems}", again: nil) { FileUtils.mv(folder, "#{folder}.away") }
  ensure
    FileUtils.mv("#{folder}.away", folder) if File.directory?("#{folder}.away")
  end

  test "a gem's specification that is not there any more, or another version" do
    path = File.join(app.gems, "specifications/more-1.0.gemspec")
    assert_noticed("#{File.dirname(path)} changed|#{path} changed", again: nil) { app.write(path, nil) }
    app.restore
    assert_noticed("#{File.dirname(path)} changed") do
      app.write(path.sub("1.0", "1.1"), File.read(path).sub('"1.0"', '"1.1"'))
    end
  end

  test "a gem's specification that was edited in its place" do
    path = File.join(app.gems, "specifications/quiet-1.0.gemspec")
    assert_noticed("#{path} changed") { app.write(path, File.read(path).sub("a gem called", "another gem called")) }
  end

  test "an extension that is built, or not" do
    path = Dir[File.join(app.gems, "extensions/*/*/built-1.0/gem.build_complete")].first
    folder = Regexp.escape(File.dirname(path))
    assert_noticed("#{folder}(?:/gem.build_complete)? changed|File", again: nil) { app.write(path, nil) }
  end

  test "a path gem's gemspec, a file that it requires, and its list of files" do
    path = app.path("local/local.gemspec")
    assert_replayed
    app.write(path, "#{File.read(path)}# edited\n")
    assert_equal ["replayed"], app.boot.last, "it says the same"
    assert_noticed("the gemspec of a path gem changed|#{app.path("Gemfile.lock")} changed", again: nil) do
      app.write("local/lib/local/version.rb", "module Local; VERSION = \"1.3\"; end\n")
    end
    app.restore
    assert_noticed("the gemspec of a path gem changed") { app.write("local/lib/local/more.rb", "") }
  end

  test "the Gemfile's own gemspec" do
    path = app.path("shop.gemspec")
    assert_noticed("nothing was recorded in this situation") do
      app.write(path, File.read(path).sub("summary = 's'", "summary = 'sh'"))
    end
  end

  test "a git gem's gemspec" do
    path = Dir[File.join(app.gems, "bundler/gems/repository-*/versioned.gemspec")].first
    assert_noticed("#{path} changed") { app.write(path, "#{File.read(path)}# edited\n") }
  end

  test "the platform" do
    assert_noticed("nothing was recorded in this situation", env: { "BUNDLE_FORCE_RUBY_PLATFORM" => "true" })
  end

  test "gems that were activated before" do
    app.write("early.rb", "gem 'quiet', '1.0'\nload File.join(__dir__, 'main.rb')\n")
    app.settle
    assert_replayed
    command = [RbConfig.ruby, app.path("early.rb")]
    _, said = app.boot(command: command)
    assert_match(/\Areal \(nothing was recorded in this situation/, said.first)
    assert_replayed(command: command)
  end

  test "another version that was activated before is Bundler's error" do
    app.write(
      "early.rb",
      "gem 'quiet', '0.9'\nbegin; load File.join(__dir__, 'main.rb'); rescue LoadError => error; puts error.class, error.message; end\n"
    )
    assert_replayed_or_real(command: [RbConfig.ruby, app.path("early.rb")])
  end

  def assert_replayed_or_real(**options)
    3.times { assert_same app.plain(**options), app.boot(**options).first, "whatever is recorded" }
  end

  # ---- what a Gemfile and a gemspec do ----

  # Bundler evaluates the Gemfile in each boot, so it may do whatever it likes.
  ANYTHING = {
    "the time, chance, the process" => "Time.now; rand; [1, 2].shuffle; Process.pid; \"\#{self}\"",
    "output" => "puts 'hello'; $stderr.puts 'oh'",
    "arguments" => "size = ARGV; size ? ARGV.first : 2; $PROGRAM_NAME.size",
    "commands" => "`true`; system('true')",
    "files" =>
      "File.write(File.join(__dir__, 'written.txt'), 'x'); open(File.join(__dir__, 'read.txt')).read; File.read('/proc/self/cmdline'); IO.new(0, autoclose: false)",
    "variables" => "ENV['SET_BY_GEMFILE'] = '1'; ENV.to_h",
    "the load path" => "$LOAD_PATH.unshift('/nowhere')",
    "libraries" => "require 'etc'; Etc.nprocessors; require 'date'; Date.today",
    "standard input" => "$stdin.read",
    "what is defined" => "gem 'more' if defined?(Rails) || Process::WNOHANG == 7; self.class.const_get(:ARGV)",
    "modules and methods" => "module Made; end; ''.class.class_eval { def made = 'made' }; alias other gem",
    "code of text" => "eval('rand')",
    "its callers" =>
      "puts caller.grep(/bundler/).reject { |line| line.include?('warmstart') }, caller_locations(1, 3).map(&:label)",
    "a backtrace" => "begin; Integer('x'); rescue ArgumentError => error; puts error.backtrace.first(3); end",
    "a warning of the parser's" => "1 if 'a'",
    "another's variables" =>
      "p Bundler.instance_variable_get(:@load), Bundler::Definition.singleton_methods(false).sort, Bundler.singleton_methods(false).size",
    "a library that is not there" => "begin; require 'not/there'; rescue LoadError; end",
    "a local variable of the program's" => "other = 2; p binding.local_variables.size"
  }.freeze

  test "a Gemfile may do anything" do
    app.write("Gemfile", "#{BundleApplication::GEMFILE}#{ANYTHING.values.join("\n")}\n")
    app.settle
    run, =
      assert_replayed(
        env: {
          "MORE" =>
            "p ''.made, defined?(Made), ENV['SET_BY_GEMFILE'], $LOAD_PATH.include?('/nowhere'), File.read(File.join(Bundler.root, 'written.txt'))"
        }
      )
    assert_equal 1, run.stdout.scan(/^hello$/).size
    assert_match(/Gemfile:\d+: warning: string literal in condition/, run.stderr)
  ensure
    FileUtils.rm_f(app.path("written.txt"))
  end

  test "a Gemfile that changes Bundler's methods, and one that looks on" do
    app.write("Gemfile", "#{BundleApplication::GEMFILE}class Bundler::Dsl; def gem(*); end; end\n")
    app.settle
    assert_replayed
    changed = "methods of Bundler::LockfileParser were changed"
    assert_noticed(changed, again: changed) do
      app.write(
        "Gemfile",
        "#{BundleApplication::GEMFILE}class Bundler::LockfileParser; alias parsed_specs specs; def specs = parsed_specs.tap { puts 'parsed' }; end\n"
      )
    end
    app.write(
      "Gemfile",
      "#{BundleApplication::GEMFILE}def (Bundler::Definition).new(...) = super.tap { puts 'made' }\n"
    )
    app.settle
    3.times { assert_same app.plain, app.boot.first, "another new" }
    assert_equal ["real (the program has another Bundler::Definition.new)"], app.boot.last
    app.write("Gemfile", "#{BundleApplication::GEMFILE}TracePoint.new(:raise) {}.enable\n")
    3.times { assert_equal ["real (traced)"], app.boot.last }
  end

  test "a Gemfile that asks Bundler about another Gemfile" do
    app.write("Gemfile.other", "gem 'more', require: %w[more quiet]\n")
    app.write(
      "Gemfile",
      "#{BundleApplication::GEMFILE}puts Bundler::Definition.build(File.join(__dir__, 'Gemfile.other'), nil, {}).dependencies.map(&:autorequire).inspect\n"
    )
    app.settle
    run, = assert_replayed
    assert_equal "[[\"more\", \"quiet\"]]", run.stdout.lines(chomp: true).first
  end

  test "a path gem that is not there, in a group that is left out" do
    app.write("Gemfile", "#{BundleApplication::GEMFILE}group(:absent) { gem 'absent', path: 'absent' }\n")
    app.write(
      "absent/absent.gemspec",
      File
        .read(app.path("local/local.gemspec"))
        .gsub("local", "absent")
        .sub(/^require.*\n/, "")
        .gsub("Local::VERSION", "'1.0'")
    )
    env = { "BUNDLE_WITHOUT" => "absent" }
    app.plain(env: env) # (writes the lockfile)
    FileUtils.rm_rf(app.path("absent"))
    app.settle
    assert_replayed(env: env)
  end

  test "a gemspec of a path gem may do anything" do
    path = app.path("local/local.gemspec")
    app.write(path, "puts 'evaluated'\nMADE_HERE = `echo made`\n#{File.read(path)}")
    app.settle
    run, = assert_replayed(env: { "MORE" => "p MADE_HERE" })
    assert_equal 1, run.stdout.scan(/^evaluated$/).size
  end

  # Bundler reads the gemspecs of path gems where the lockfile is compared, and whatever comes out of them leaves its setup.
  test "a gemspec of a path gem that fails is evaluated once" do
    path = app.path("local/local.gemspec")
    gemspec = File.read(path)
    endings = {
      "an error" => "raise 'no'",
      "an error that names another" => "raise ArgumentError, 'no', cause: KeyError.new('why')",
      "a mistake in the file" => "def (",
      "a constant that is not there" => "p Absent",
      "another gemspec's error" =>
        "File.write('other.rb', 'OTHER = 1; raise %q(other)'); Bundler.load_gemspec('other.rb')",
      "an error of another gemspec that does not matter" =>
        "begin; File.write('other.rb', 'raise %q(other)'); Bundler.load_gemspec('other.rb'); rescue Bundler::GemspecError; p 1; end; raise 'no'",
      "no specification" => "1",
      "an end" => "exit 3",
      "a thrown object" => "throw :away",
      "an interrupt" => "trap(:INT) { raise Interrupt }; Process.kill(:INT, $$); sleep 1; puts 'late'",
      "another thread's error" =>
        "Thread.current.tap { |own| Thread.new { own.raise(SecurityError, 'other') } }; sleep 1; puts 'late'"
    }
    ["", "recorded"].each do |state|
      endings.each do |name, ending|
        app.write(path, gemspec)
        FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
        assert_replayed if state == "recorded"
        app.write(path, "puts 'evaluated'\nMADE_HERE = 1\n#{gemspec}\n#{ending}\n")
        app.settle
        plain = app.keep_lockfile { app.plain }
        run, = app.keep_lockfile { app.boot }
        # (What is not the gemspec's own error leaves at once, from where the record is chosen: without Bundler's frames behind that.)
        unseen =
          (
            if name.match?(/interrupt|thread/)
              /definition\.rb:\d+:in |dsl\.rb:\d+:in .*\bnew'$/
            else
              /dsl\.rb:\d+:in .*\bnew'$/
            end
          )
        [plain, run].each { |one| one.stderr = one.stderr.lines.grep_v(unseen).join }
        assert_same plain, run, "#{name} #{state}"
        assert_equal plain.stdout.scan(/^evaluated$/).size, run.stdout.scan(/^evaluated$/).size, name
      end
    end
  end

  test "a gemspec of an installed gem is evaluated in no replay, so it must be as RubyGems writes it" do
    path = Dir[File.join(app.gems, "bundler/gems/repository-*/versioned.gemspec")].first
    app.write(path, "puts 'evaluated'\n#{File.read(path)}")
    app.settle
    assert_not_recorded("#{path} is not as RubyGems writes it")
    generated =
      Gem::Specification.new do |spec|
        spec.name, spec.version, spec.summary, spec.authors, spec.metadata, spec.required_ruby_version =
          "a",
          "1.0",
          "\"\#{x}\" # \\ é",
          %w[b],
          { "c" => "d" },
          ">= 3"
      end
    require File.join(BundleApplication::LIBRARY, "warmstart/bundle/generated_gemspec")
    is = ->(text) { Warmstart::Bundle::GeneratedGemspec.is?(text.b) }
    assert is.call(generated.to_ruby)
    refute is.call(generated.to_ruby.sub("utf-8", "shift_jis"))
    refute is.call("# coding:windows-31j\n#{generated.to_ruby}")
    [
      "system 'x'",
      "  s.name = `x`",
      "  s.name = \"\#{x}\"",
      "  s.name = name",
      "  s.files = Dir[\"*\"]",
      "  s.name = \"a\"; x",
      "  s.instance_eval \"x\"",
      "  s.version = File.read(\"x\")"
    ].each { |line| refute is.call(generated.to_ruby.sub("  s.name", "#{line}\n  s.name")), line }
  end

  test "status says which bundle is not recorded, and why" do
    status =
      lambda do
        run, =
          app.boot(
            entry: "bundler/setup",
            command: [RbConfig.ruby, File.join(Program::REPOSITORY, "exe/warmstart"), "status", "--json"]
          )
        assert_equal 0, run.status, run.stderr
        JSON.parse(run.stdout).values_at("bundles", "bundles_not_recorded")
      end
    app.write(".bundle/config", "---\nBUNDLE_AUTO_INSTALL: \"true\"\n")
    app.settle
    2.times { app.boot }
    kept, refused = status.call
    assert_equal [0, [app.path("Gemfile")]], [kept, refused.map { |bundle| bundle["gemfile"] }]
    # (Newer versions install before they silence their messages.)
    assert_match(/auto_install is set|messages are on/, refused.first["reason"])
    FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
    app.write(".bundle/config", nil)
    2.times { app.boot }
    assert_equal [1, []], status.call
  end

  test "a Gemfile that fails" do
    [
      "ENV.fetch('NOWHERE')",
      "File.read(File.join(__dir__, 'nowhere'))",
      "Dir.children('nowhere')",
      "gem 'quiet', 'no version'",
      "exit 3"
    ].each do |code|
      app.write("Gemfile", "#{BundleApplication::GEMFILE}#{code}\n")
      # (not the frames of Bundler's setup, which warmstart/bundler has in other places)
      2.times do
        assert_equal(
          *[app.plain, app.boot.first].map do |run|
            [
              run.status,
              run.stderr.lines.grep(/\(.*(?:Error|Errno)/).map { |line| line[/\([\w:]+\)/] },
              run.stderr.lines.grep(/Gemfile:\d|bundle\.rb/)
            ]
          end,
          code
        )
      end
    end
  end

  REMEMBERED = <<~'RUBY'
    puts $LOADED_FEATURES.grep(%r{/(?:bundler|rubygems)/}).sort
    modules = ObjectSpace.each_object(Module).select { |each| each.name.to_s.match?(/\A(?:Bundler|Gem)\b/) }.sort_by(&:name)
    modules.each { |each| puts "#{each} #{each.instance_variables.sort} #{each.class_variables.sort} #{each.constants(false).select { |name| each.autoload?(name, false) }.sort}" }
    puts [Bundler.definition, *Bundler.definition.specs, *Gem.loaded_specs.values, Bundler.settings, Bundler.rubygems, *Bundler.definition.dependencies].map { |each| "#{each.class} #{each.instance_variables.sort}" }
  RUBY

  # (What a replay has not loaded of Bundler is in docs/semantics.md.)
  test "a boot that records loads of Bundler and RubyGems what plain Ruby loads, and these remember the same" do
    FileUtils.rm_rf(app.cache)
    plain = app.plain(env: { "MORE" => REMEMBERED })
    run, said = app.boot(env: { "MORE" => REMEMBERED })
    assert_match(/\Areal/, said.first)
    assert_same plain, run, "recording"
  end

  test "plugins that are installed" do
    plugin =
      "---\ncommands:\nhooks:\nload_paths:\n  plain:\n  - \"/nowhere\"\nplugin_paths:\n  plain: \"/nowhere\"\nsources:\n"
    app.settle
    assert_replayed
    app.write(".bundle/plugin/index", "---\ncommands:\nhooks:\nload_paths:\nplugin_paths:\nsources:\n")
    app.settle
    assert_replayed
    app.write(".bundle/plugin/index", plugin)
    app.settle
    run, said = app.boot
    assert_equal ["real (nothing was recorded in this situation; not recorded: plugins are installed)"], said
    assert_same app.plain, run, "a plugin"
    FileUtils.rm_rf(app.cache)
    assert_not_recorded("plugins are installed")
  ensure
    FileUtils.rm_rf(app.path(".bundle/plugin"))
  end

  test "what the program did before: values, methods, files that it has loaded" do
    app.write(
      "local/local.gemspec",
      File.read(app.path("local/local.gemspec")).sub(
        "s.summary = 's'",
        "s.summary = RbConfig::CONFIG['host_os'].swapcase"
      )
    )
    app.write("patch.rb", "class String; def swapcase = 'other'; end\n")
    app.settle
    assert_replayed
    {
      "RbConfig::CONFIG['host_os'] = 'other'" => "the gemspec of a path gem changed",
      "class String; def swapcase = 'else'; end" => "the gemspec of a path gem changed",
      "$VERBOSE = nil" => "nothing was recorded in this situation"
    }.each do |code, reason|
      app.write("before.rb", "#{code}\nload File.join(__dir__, 'main.rb')\n")
      FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
      2.times { app.boot }
      command = [RbConfig.ruby, app.path("before.rb")]
      run, said = app.boot(command: command)
      assert_match(/\Areal \(#{reason}/, said.first, run.stderr)
      assert_same app.plain(command: command), run, code
    end
    options = { options: ["-r", app.path("patch.rb")] }
    assert_replayed(**options)
    changed = "methods of Gem::Specification were changed"
    assert_noticed(changed, again: changed, **options) do
      app.write("patch.rb", "class Gem::Specification; def summary = 'patched'; end\n")
    end
  end

  # A replay leaves most of Bundler's own work out, which these would see. (How often methods are called varies a little
  # from boot to boot; which classes are opened does not.) (With -d some versions print exceptions that
  # Bundler rescues, of a lockfile's version, say.)
  WATCHING = {
    "a TracePoint" => [
      "traced",
      "$seen = Hash.new(0)\nTracePoint.new(:call, :class) { |point| $seen[point.event] += 1 if point.path.include?('/bundler/') }.enable\n"
    ],
    "a TracePoint of exceptions" => ["traced", "TracePoint.new(:raise) {}.enable\n"],
    "Coverage" => [
      "coverage",
      "require 'coverage'\nCoverage.start\nat_exit { p Coverage.result.count { |path, _| path.include?('/bundler/') } }\n"
    ],
    "SCRIPT_LINES__" => [
      "script_lines",
      "SCRIPT_LINES__ = {}\nat_exit { p SCRIPT_LINES__.keys.count { |path| path.include?('/bundler/') } }\n"
    ],
    "$DEBUG" => ["debug", "$DEBUG = true\n"]
  }.freeze

  test "Bundler itself where somebody looks on" do
    WATCHING.each do |what, (reason, code)|
      app.write("watching.rb", "#{code}at_exit { p $seen[:class] if $seen }\n")
      options = ["-r", app.path("watching.rb")]
      plain = app.plain(options: options)
      3.times do
        run, said = app.boot(options: options)
        assert_equal "real (#{reason})", said.first, what
        assert_same plain, run, what
      end
    end
  end

  test "a file that is too young waits for the next boot" do
    future = Time.now + 3600 # (as one that is written again in the middle of a boot)
    path = app.path("Gemfile.lock")
    File.utime(future, future, path)
    2.times { assert_match(/; not recorded: .*Gemfile\.lock is too young\)?\z/, app.boot.last.first) }
    File.utime(future - 7200, future - 7200, path)
    app.settle
    assert_replayed
  end

  test "a file of the same size whose time was put back" do
    path = File.join(app.gems, "specifications/quiet-1.0.gemspec")
    assert_noticed("#{path} changed", again: nil) do
      before = File.stat(path)
      app.write(path, File.read(path).sub("a gem called", "A gem called"))
      File.utime(before.atime, before.mtime, path)
      after = File.stat(path)
      assert_equal [before.size, before.mtime, before.ino], [after.size, after.mtime, after.ino]
    end
  end

  # Gives the bundle's files other times and inodes, as a restored cache or a new clone does.
  def copy_files
    [
      app.path("Gemfile"),
      app.path("Gemfile.lock"),
      *Dir[File.join(app.gems, "specifications/*.gemspec")]
    ].each do |path|
      FileUtils.cp(path, "#{path}.copy")
      File.rename("#{path}.copy", path)
    end
    app.settle
  end

  test "other times and inodes, but the same contents: replayed, and noted once" do
    _, _, plain = assert_replayed
    content = -> { app.records.to_h { |path| [path, File.binread(path)] } }
    first = content.call
    copy_files
    run, said = app.boot(env: { "WARMSTART_READONLY" => "1" })
    assert_equal [["replayed"], first], [said, content.call]
    assert_same plain, run, "read-only"
    run, said = app.boot
    assert_same plain, run, "copied"
    renewed = content.call
    assert_equal [["replayed"], first.keys, true], [said, renewed.keys, renewed != first]
    assert_equal [["replayed"], renewed], [app.boot.last, content.call]
    copy_files
    path = File.join(app.gems, "specifications/quiet-1.0.gemspec")
    app.write(path, File.read(path).sub("a gem called", "A gem called"))
    app.settle
    assert_equal "real (#{path} changed)", app.boot.last.first
  end

  KINDS = <<~'RUBY'
    %w[situation record watch].each { |name| require File.join(Warmstart::FOLDER, "bundle", name) }
    path, read = %w[absent file].map { |name| File.join(Dir.mktmpdir, name) }
    File.write(read, "")
    watch = Warmstart::Bundle::Watch.new(places = Warmstart::Bundle::Places.new([]))
    watch.run { File.read(read) + (File.read(path) rescue "") }
    content = watch.dependencies([], folders: [], ignored: [])
    problem = -> { Warmstart::Bundle::Record.new(content, places).problem&.sub(path, "absent")&.sub(read, "file") }
    File.utime(1, 1, read)
    p problem.call
    File.mkfifo(path)
    p problem.call
    File.unlink(path)
    File.unlink(read)
    File.mkfifo(read)
    p problem.call
  RUBY

  test "a file that is of another kind now is not read" do
    run, = app.boot(env: { "MORE" => "require 'tmpdir'\n#{KINDS}" })
    assert_equal ["nil", '"absent changed"', '"file changed"'], run.stdout.lines(chomp: true).last(3), run.stderr
  end

  # (Bundler 2.3 asks for no times.)
  TIMES = <<~'RUBY'
    %w[situation record watch].each { |name| require File.join(Warmstart::FOLDER, "bundle", name) }
    path = File.join(Dir.mktmpdir, "file")
    [-> { File.size(path) + File.read(path).size }, -> { File.mtime(path) }, -> { File.stat(path) }, -> { File.open(path, &:mtime) }, -> { File.open(path, &:stat) }].each do |ask|
      File.write(path, "text")
      watch = Warmstart::Bundle::Watch.new(places = Warmstart::Bundle::Places.new([]))
      watch.run(&ask)
      content = watch.dependencies([], folders: [], ignored: [])
      File.rename(path, "#{path}.old")
      File.write(path, "text")
      p Warmstart::Bundle::Record.new(content, places).problem&.sub(path, "the file")
    end
  RUBY

  test "a setup that asks for a file's times is repeated when they are others" do
    run, = app.boot(env: { "MORE" => "require 'tmpdir'\n#{TIMES}" })
    assert_equal ["nil", *["\"the file changed\""] * 4], run.stdout.lines(chomp: true).last(5), run.stderr
  end

  # (Bundler 2.3 asks whether it may write, if there is a sudo.)
  QUESTION = <<~'RUBY'
    %w[situation record watch].each { |name| require File.join(Warmstart::FOLDER, "bundle", name) }
    folder = Dir.mktmpdir
    switch, link = %w[switch link].map { |name| File.join(folder, name) }
    File.write(switch, "")
    File.symlink("switch", link)
    watch = Warmstart::Bundle::Watch.new(places = Warmstart::Bundle::Places.new([]))
    watch.run { [File.executable?(switch), File.readlink(link), FileTest.writable?(folder)] }
    content = watch.dependencies([], folders: [], ignored: [])
    problem = -> { Warmstart::Bundle::Record.new(content, places).problem.to_s.sub(folder, "") }
    puts watch.refusal.inspect, problem.call
    File.chmod(0o755, switch)
    puts problem.call
    File.chmod(0o644, switch)
    File.unlink(link)
    File.symlink("elsewhere", link)
    puts problem.call
    watch.run { `true` }
    puts watch.refusal
  RUBY

  test "a question about a file, and a command" do
    run, = app.boot(env: { "MORE" => "require 'tmpdir'\n#{QUESTION}" })
    assert_equal [
                   "nil",
                   "",
                   "File.executable? answers otherwise for /switch",
                   "File.readlink answers otherwise for /link",
                   "Bundler runs a command (`)"
                 ],
                 run.stdout.lines(chomp: true).last(5),
                 run.stderr
  end

  # ---- the record ----

  test "a damaged record is not believed" do
    assert_replayed
    app.records.each do |path|
      File.binwrite(
        path,
        File.binread(path).tap { |bytes| bytes.setbyte(bytes.size - 9, bytes.getbyte(bytes.size - 9) ^ 1) }
      )
    end
    run, said = app.boot
    assert_match(/\Areal \(checksum does not match/, said.first)
    assert_same app.plain, run, "damaged"
    assert_equal "replayed", app.boot.last.first
  end

  test "a record that others may write is not believed" do
    assert_replayed
    app.records.each { |path| File.chmod(0o666, path) }
    assert_match(/\Areal \(.*write/, app.boot.last.first)
  end

  test "a record tells no password" do
    app.write(
      "Gemfile",
      "#{BundleApplication::GEMFILE}gem 'quiet', require: ENV.fetch('SECRET') && false\ngroup(ENV['SECRET'], optional: true) { gem 'tool' }\n".sub(
        /^group\(:tools.*\n/,
        ""
      )
    )
    app.settle
    assert_replayed(
      env: {
        "SECRET" => "first-password",
        "BUNDLE_EXAMPLE__ORG" => "second-password",
        "GEM_HOST_API_KEY" => "third-password"
      }
    )
    app.records.each { |path| refute_match(/-password/, File.binread(path)) }
    _, said =
      app.boot(
        env: {
          "SECRET" => "another-password",
          "BUNDLE_EXAMPLE__ORG" => "second-password",
          "GEM_HOST_API_KEY" => "third-password"
        }
      )
    assert_match(/\Areal \(nothing was recorded in this situation/, said.first)
  end

  test "many situations leave no more than 32 records" do
    app.boot
    folder = File.dirname(app.records.first)
    40.times { |number| File.write(File.join(folder, format("%016x-%016x.record", 1, number)), "") }
    app.boot(env: { "BUNDLE_WITHOUT" => "test" })
    assert_operator app.records.size, :<=, 32
  end

  test "a read-only session records nothing and replays what is there" do
    _, said = app.boot(env: { "WARMSTART_READONLY" => "1" })
    assert_match(/\Areal \(nothing was recorded in this situation\)\z/, said.first)
    assert_empty app.records
    assert_replayed
    assert_equal "replayed", app.boot(env: { "WARMSTART_READONLY" => "1" }).last.first
  end

  # ---- ways in ----

  test "WARMSTART_BUNDLER=0, WARMSTART=0: Bundler itself" do
    [{ "WARMSTART_BUNDLER" => "0" }, { "WARMSTART" => "0" }].each do |env|
      2.times { assert_same app.plain, app.boot(env: env).first, env.inspect }
      assert_empty app.records
    end
  end

  test "-r warmstart/setup, and the program requires bundler/setup" do
    setup = File.join(BundleApplication::LIBRARY, "warmstart/setup.rb")
    plain = app.plain
    answers = Array.new(3) { app.boot(entry: "bundler/setup", options: ["-r", setup]) }
    answers.each { |run, _| assert_same plain, run, "-r" }
    assert_equal [["replayed"]], answers.drop(1).map(&:last).uniq
  end

  test "warmstart build records the bundle, too" do
    command = [
      RbConfig.ruby,
      File.join(Program::REPOSITORY, "exe/warmstart"),
      "build",
      "--quiet",
      "--",
      RbConfig.ruby,
      app.path("main.rb")
    ]
    built, = app.boot(entry: "bundler/setup", command: command)
    assert_equal 0, built.status, built.stderr
    assert_equal 1, app.records.size
    run, said = app.boot
    assert_equal "replayed", said.first
    assert_same app.plain, run, "built"
  end

  # ---- at another path ----

  # The application (and with `gems:` its gems) at another path; the image's folder comes along.
  # @return [Array] the first boot there: Bundler's own, with Warmstart, and what it said
  def boot_elsewhere(place, gems: false, env: {})
    folder = File.join(app.base, place)
    FileUtils.mkdir_p(File.dirname(folder))
    FileUtils.cp_r(app.folder, folder, preserve: true)
    env = { "BUNDLE_GEMFILE" => File.join(folder, "Gemfile"), **env }
    env["GEM_HOME"] = "#{folder} gems".tap { |copy| FileUtils.cp_r(app.gems, copy, preserve: true) } if gems
    app.settle
    options = { env: env, chdir: folder, command: [RbConfig.ruby, File.join(folder, "main.rb")] }
    first = [app.plain(**options), *app.boot(**options)]
    assert_same first[0], first[1], "elsewhere"
    again, said = app.boot(**options)
    assert_same first[0], again, "elsewhere, again"
    [*first, said]
  ensure
    FileUtils.rm_rf(["#{folder} gems", File.join(app.base, place[%r{[^/]+}])])
  end

  # (A git source is named by an absolute path here. And a gemspec that lists its files by absolute paths tells another
  # thing in another folder.)
  def without_git
    app.write("Gemfile", BundleApplication::GEMFILE.lines.grep_v(/git:/).join)
    app.write("local/local.gemspec", File.read(app.path("local/local.gemspec")).sub(/Dir\[.*?\]/, "Dir['lib/**/*.rb']"))
    relock
    assert_replayed
  end

  # Has Bundler write the lockfile for the Gemfile as it is now.
  def relock
    app.settle
    app.plain
    app.settle
  end

  test "the record holds at another path, and where the gems are at another path, too" do
    without_git
    [
      ["deeper/down/application", false],
      ["application.two/application", false],
      ["n/application", true]
    ].each do |place, gems|
      _, run, said, again = boot_elsewhere(place, gems: gems)
      assert_equal [["replayed"], ["replayed"]], [said, again], -> { "#{place}\n#{run.stderr}" }
      assert_includes run.stdout, File.join(app.base, place, "lib")
      refute_match(%r{#{Regexp.escape(app.folder)}[/"\n]}, run.stdout)
    end
  end

  # (The git source's lockfile names the application's folder.)
  test "a record that is bound to the application holds where only the gems are elsewhere" do
    assert_replayed
    gems = File.join(app.base, "other gems")
    FileUtils.cp_r(app.gems, gems, preserve: true)
    app.settle
    [{ "GEM_HOME" => gems }, {}, { "GEM_HOME" => gems }].each do |env|
      run, said = app.boot(env: env)
      assert_same app.plain(env: env), run, env
      assert_equal ["replayed"], said
    end
  ensure
    FileUtils.rm_rf(gems)
  end

  MOVED = <<~'RUBY'
    %w[situation record watch].each { |name| require File.join(Warmstart::FOLDER, "bundle", name) }
    { "lib/x" => "x", "%s/lib" => "bound", "in %s." => "bound", "x%s" => "x", "%sx" => "x" }.each_key do |text|
      base = File.realpath(Dir.mktmpdir)
      before, after = %w[before after].map { |name| File.join(base, name) }
      Dir.mkdir(before)
      File.write(file = File.join(before, "file"), format(text, before))
      watch = Warmstart::Bundle::Watch.new(places = Warmstart::Bundle::Places.new([before, nil, "/"]))
      watch.run { [File.read(file), File.exist?(before), File.realpath(file), ENV["MOVED"]] }
      content = watch.dependencies([], folders: [before], ignored: [])
      p content[:bound]
      kept = places.mark(content).merge(folders: content[:folders])
      abort "a path is left: #{kept}" if kept.except(:folders).inspect.include?(before)
      File.rename(before, after)
      there = Warmstart::Bundle::Places.new([after, nil, "/"])
      p Warmstart::Bundle::Record.new(there.unmark(kept), there).problem
    end
  RUBY

  test "a file that names the bundle's folder binds the record to it" do
    run, = app.boot(env: { "MORE" => "require 'tmpdir'\n#{MOVED}", "MOVED" => "a:b" })
    moves, bound = ["[]", "nil"], ["[0]", '"the bundle is at another path"']
    assert_equal [*moves, *bound, *bound, *moves, *moves], run.stdout.lines(chomp: true).last(10), run.stderr
  end

  test "a gem beside the application, a home in it, a link to it, a name in another script" do
    without_git
    home = app.path("home").tap { |path| FileUtils.mkdir_p(path) }
    FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
    assert_replayed(env: { "HOME" => home })
    _, _, said, = boot_elsewhere("other/application", env: { "HOME" => home })
    assert_match(/\Areal \(nothing was recorded/, said.first, "the home stayed")
    FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
    assert_replayed
    boot_elsewhere("\u00fcber/application")
    File.symlink(app.folder, link = File.join(app.base, "application link"))
    options = {
      env: {
        "BUNDLE_GEMFILE" => File.join(link, "Gemfile")
      },
      chdir: link,
      command: [RbConfig.ruby, File.join(link, "main.rb")]
    }
    2.times { assert_same app.plain(**options), app.boot(**options).first, "through a link" }
    app.write("Gemfile.more", "gem \"more\"\ngem \"beside\", path: \"../beside\"\n")
    app.write(
      "../beside/beside.gemspec",
      "Gem::Specification.new { |s| s.name, s.version, s.summary, s.authors = 'beside', '1', 's', ['a'] }\n"
    )
    relock
    assert_replayed
    FileUtils.cp_r(
      File.join(app.base, "beside"),
      File.join(app.base, "other/beside").tap { |path| FileUtils.mkdir_p(File.dirname(path)) }
    )
    _, run, said, = boot_elsewhere("other/application")
    assert_match(/\Areal \(/, said.first)
    assert_includes run.stdout, File.join(app.base, "other/beside/lib")
  ensure
    FileUtils.rm_rf([link, home, File.join(app.base, "beside")].compact)
  end

  test "a gem beside the application without a gemspec" do
    without_git
    app.write("Gemfile.more", "gem \"more\"\ngem \"beside\", \"1.0\", path: \"../beside\"\n")
    app.write("../beside/lib/beside.rb", "($required ||= []) << __FILE__\n")
    relock
    assert_replayed
    other = File.join(app.base, "other").tap { |path| FileUtils.mkdir_p(path) }
    FileUtils.cp_r(File.join(app.base, "beside"), other)
    _, run, said, = boot_elsewhere("other/application")
    assert_match(/\Areal \(/, said.first)
    assert_includes run.stdout, File.join(other, "beside/lib/beside.rb")
  ensure
    FileUtils.rm_rf(File.join(app.base, "beside"))
  end

  test "RubyGems' own gemspecs lie in the bundle's folder, and stay when that moves" do
    without_git
    FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
    copies = %w[defaults moved].map { |name| File.join(app.base, name) }
    copies.each { |copy| FileUtils.cp_r(app.gems, copy, preserve: true) }
    copies.each do |copy|
      FileUtils.cp_r(Gem.default_specifications_dir, File.join(copy, "specifications/default"), preserve: true)
    end
    app.write(
      "defaults.rb",
      "def Gem.default_specifications_dir = #{File.join(copies.first, "specifications/default").dump}\n"
    )
    app.settle
    options = { options: ["-r", app.path("defaults.rb")] }
    env = ->(copy) { { "GEM_HOME" => copy, "GEM_PATH" => copy } }
    assert_replayed(env: env.call(copies.first), **options)
    moved = { env: env.call(copies.last), **options }
    2.times { assert_same app.plain(**moved), app.boot(**moved).first, "moved" }
  ensure
    FileUtils.rm_rf(copies) if copies
  end

  test "RubyGems remembers no more of the user's folders than without us" do
    more = "ENV['XDG_DATA_HOME'] = '/elsewhere'; p Gem.data_home, Gem.user_dir"
    assert_replayed(env: { "GEM_PATH" => app.gems, "MORE" => more })
  end

  test "a variable of RubyGems' that is no valid text" do
    assert_replayed(env: { "GEM_TEXT" => "\xff:b" })
    assert_match(/\Areal \(nothing was recorded/, app.boot(env: { "GEM_TEXT" => "\xfe:b" }).last.first)
  end

  test "manuals that appear, that are only where the gems are now, that MANPATH named before" do
    page = "gems/quiet-1.0/man/man1/quiet.1"
    without_git
    copy = File.join(app.base, "more gems").tap { |path| FileUtils.cp_r(app.gems, path, preserve: true) }
    FileUtils.mkdir_p(File.dirname(File.join(copy, page)))
    File.write(File.join(copy, page), "")
    app.settle
    2.times do
      assert_same app.plain(env: { "GEM_HOME" => copy }),
                  app.boot(env: { "GEM_HOME" => copy }).first,
                  "manuals at another path"
    end
    FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
    assert_replayed
    app.write("local/man/man1/local.1", "")
    2.times { assert_same app.plain, app.boot.first, "manuals appeared" }
    FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
    assert_replayed(env: { "MANPATH" => app.path("local/man") })
    2.times { assert_same app.plain, app.boot.first, "another MANPATH" }
  ensure
    FileUtils.rm_rf([copy, app.path("local/man")].compact)
  end

  # Bundler puts "man" in the place of a last "lib" only: from another entry of the load path it takes that as it is.
  test "manuals that appear in a folder of the load path that is not called lib" do
    without_git
    folder = app.path("pages")
    FileUtils.mkdir_p(folder)
    app.settle
    env = { "RUBYLIB" => folder, "MORE" => "puts 'man: ' + ENV['MANPATH'].inspect" }
    assert_replayed(env: env)
    FileUtils.mkdir(File.join(folder, "man1"))
    app.settle
    plain = app.plain(env: env)
    assert_includes plain.stdout, folder.dump[1..-2]
    2.times { assert_same plain, app.boot(env: env).first, "manuals appeared" }
    assert_replayed(env: { **env, "MANPATH" => folder })
    2.times { assert_same plain, app.boot(env: env).first, "another MANPATH" }
  ensure
    FileUtils.rm_rf(folder) if folder
  end

  # How often a boot opens the folder, by strace, and what Bundler has found.
  def manuals_of(folder)
    log = File.join(app.base, "strace.txt")
    command = ["strace", "-f", "-e", "trace=openat,open", "-o", log, RbConfig.ruby, app.path("main.rb")]
    run, said = app.boot(command: command, env: { "MORE" => "puts 'man: ' + ENV['MANPATH'].inspect" })
    [said.first, File.read(log).scan("\"#{folder}\"").size, run.stdout[/^man: (.*)/, 1]]
  end

  # As of irb and rdoc: a page lies in man/ itself, where Bundler does not look.
  test "a folder man without man1 and the like spares Bundler the search, until one appears in it" do
    missing "there is no strace that may trace here" unless system("strace", "-o", File::NULL, "true", err: File::NULL)
    folder = File.join(app.gems, "gems/quiet-1.0/man")
    FileUtils.mkdir_p(folder)
    File.write(File.join(folder, "quiet.1"), "")
    without_git
    assert_equal ["replayed", 0, "nil"], manuals_of(folder)
    {
      "a folder" => -> { Dir.mkdir(File.join(folder, "man1")) },
      "a link" => -> { File.symlink(app.path("parts"), File.join(folder, "man7")) },
      "a link that leads nowhere yet" => -> do
        File.symlink(app.path("pages"), File.join(folder, "manl"))
        app.settle
        2.times { assert_same app.plain, app.boot.first, "a link that leads nowhere" }
        Dir.mkdir(app.path("pages"))
      end
    }.each do |what, change|
      change.call
      app.settle
      2.times { assert_same app.plain, app.boot.first, "#{what} appeared" }
      said, opened, found = manuals_of(folder)
      assert_equal ["replayed", true], [said, found.include?(folder)], what
      assert_operator opened, :>, 0, what
      FileUtils.rm_rf(Dir[File.join(folder, "man?"), app.path("pages")])
      app.settle
      2.times { app.boot }
      assert_equal ["replayed", 0, "nil"], manuals_of(folder), "#{what} has gone"
    end
  ensure
    FileUtils.rm_rf([folder, app.path("pages")])
  end

  # ---- sealed, reproducible and portable images ----

  # Builds an image in the folder that the program will use.
  def build(*arguments, env: {}, command: [RbConfig.ruby, app.path("main.rb")])
    FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
    built, =
      app.boot(
        entry: "bundler/setup",
        env: env,
        command: [
          RbConfig.ruby,
          File.join(Program::REPOSITORY, "exe/warmstart"),
          "build",
          "--quiet",
          *arguments,
          *(["--", *command] if command)
        ]
      )
    assert_equal 0, built.status, built.stderr
    app.settle
  end

  def assert_built(said = "replayed", **options)
    plain = app.plain(**options)
    run, answers = app.boot(**options)
    assert_match said, answers.first, run.stderr
    assert_same plain, run, "built"
  end

  # Another file of the same content: what a container's layers make of it.
  def copy_all(times: Time.at(1_700_000_000))
    Dir[File.join(app.folder, "**/*"), File.join(app.gems, "**/*")]
      .select { |path| File.file?(path) && !File.symlink?(path) }
      .each do |path|
        bytes, mode = File.binread(path), File.stat(path).mode
        File.unlink(path)
        File.binwrite(path, bytes)
        File.chmod(mode, path)
        File.utime(times, times, path)
      end
  end

  test "a sealed image has the bundle's record, for whoever runs it" do
    build("--seal")
    assert_equal 1, app.records.size
    assert_equal 0o644, File.stat(app.records.first).mode & 0o777
    assert_built
    copy_all
    assert_built
    other = Dir.mktmpdir("other-home-", app.base)
    assert_built env: { "HOME" => other }
    assert_built(/\Areal \(nothing was recorded/, env: { "SHOP_MODE" => "full" })
    assert_built(/\Areal \(nothing was recorded/, env: { "BUNDLE_WITHOUT" => "test" })
    path = File.join(app.gems, "specifications/quiet-1.0.gemspec")
    app.write(path, "#{File.read(path)}# edited\n")
    assert_equal "replayed", app.boot.last.first, "a sealed image does not notice edited files"
    run, said = app.boot(env: { "WARMSTART_MODE" => "checked" })
    assert_match(/\Areal \(.*quiet-1\.0\.gemspec changed/, said.first, run.stderr)
  end

  test "a sealed image's record is believed without a look at the gems" do
    missing "there is no strace that may trace here" unless system("strace", "-o", File::NULL, "true", err: File::NULL)
    build("--seal")
    trace = File.join(app.base, "trace")
    command = ["strace", "-f", "-e", "trace=%file", "-o", trace, RbConfig.ruby, app.path("main.rb")]
    run, said = app.boot(command: command)
    assert_equal [0, "replayed"], [run.status, said.first], run.stderr
    assert_includes File.read(trace), app.path("main.rb")
    refute_match(%r{specifications/quiet-1\.0\.gemspec}, File.read(trace))
  end

  test "a sealed image does not know gems in another folder than that of the build" do
    without_git
    build("--seal")
    assert_built
    copy = File.join(app.base, "other-gems").tap { |path| FileUtils.cp_r(app.gems, path, preserve: true) }
    env = { "GEM_HOME" => copy }
    assert_built(env: env)
    %w[specifications/quiet-1.0.gemspec gems/quiet-1.0].each { |name| FileUtils.rm_rf(File.join(copy, name)) }
    run, said = app.boot(env: env)
    assert_match(/\Areal \(.* changed/, said.first)
    assert_equal app.plain(env: env).status, run.status
  ensure
    FileUtils.rm_rf(copy) if copy
  end

  test "a sealed image of another lockfile is refused, its record, too" do
    build("--seal")
    app.write("Gemfile.lock", "#{File.read(app.path("Gemfile.lock"))}\n")
    run, said = app.boot
    assert_match(/sealed for another application/, run.stderr + said.inspect + app.run(BundleApplication::ENTRY).stderr)
    refute_equal "replayed", said.first
  end

  test "a portable image compares files by what they hold" do
    build("--portable")
    assert_built
    copy_all
    assert_built
    path = File.join(app.gems, "specifications/quiet-1.0.gemspec")
    app.write(path, "#{File.read(path)}# edited\n")
    app.settle
    assert_built(/\Areal \(.*quiet-1\.0\.gemspec changed/)
    app.boot
    assert_built
  end

  test "two reproducible builds have the same record; a later build leaves nothing of an earlier one" do
    build("--reproducible")
    first = app.records.to_h { |path| [File.basename(path), File.binread(path)] }
    assert_equal 1, first.size
    build("--reproducible")
    assert_equal first, app.records.to_h { |path| [File.basename(path), File.binread(path)] }
    folder = File.dirname(app.records.first)
    File.write(File.join(folder, File.basename(app.records.first).sub(/-\h+/, "-0123456789abcdef")), "old")
    app.write("no_bundle.rb", "require 'set'\n")
    app.boot(
      entry: "bundler/setup",
      command: [
        RbConfig.ruby,
        File.join(Program::REPOSITORY, "exe/warmstart"),
        "build",
        "--quiet",
        "--seal",
        "--",
        RbConfig.ruby,
        app.path("no_bundle.rb")
      ]
    )
    assert_empty app.records
  end

  test "build --all --seal has it without a command, also under bundle exec" do
    [[], %w[-S bundle exec ruby]].each do |prefix|
      FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
      command = [
        RbConfig.ruby,
        *prefix,
        File.join(Program::REPOSITORY, "exe/warmstart"),
        "build",
        "--quiet",
        "--all",
        "--seal",
        app.path("lib")
      ]
      built, = app.boot(entry: "bundler/setup", command: command)
      assert_equal 0, built.status, built.stderr
      assert_equal 1, app.records.size, prefix.inspect
      assert_built
    end
  end

  test "where Bundler is loaded already, it stays" do
    options = { options: ["-rbundler"] }
    3.times { assert_same app.plain(**options), app.boot(**options).first, "loaded already" }
    assert_equal ["real (Bundler is loaded already)"], app.boot(**options).last
  end

  test "bundle exec" do
    command = [RbConfig.ruby, "-S", "bundle", "exec", RbConfig.ruby, app.path("main.rb")]
    3.times { assert_same app.plain(command: command), app.boot(command: command).first, "bundle exec" }
  end

  test "without a Gemfile bundler/setup does nothing" do
    elsewhere = temporary_folder
    command = [
      RbConfig.ruby,
      "-e",
      "require ENV.delete('ENTRY') || 'bundler/setup'; p defined?(Bundler.setup), $LOADED_FEATURES.grep(/bundler.setup/).size, Gem.loaded_specs.keys"
    ]
    options = { command: command, chdir: elsewhere, env: { "BUNDLE_GEMFILE" => nil } }
    2.times { assert_same app.plain(**options), app.boot(**options).first, "no Gemfile" }
  end

  test "requiring bundler/setup again answers false; bundler/inline begins anew" do
    assert_replayed(env: { "MORE" => "p require('bundler/setup'), require('bundler')" })
    assert_replayed(env: { "MORE" => "require 'bundler/inline'; p Bundler.respond_to?(:reset!)" })
  end

  test "a forked child, and one that is started" do
    assert_replayed(
      env: {
        "MORE" =>
          "pid = fork { exit!(Bundler.definition.specs.size) }; p Process.wait2(pid).last.exitstatus; puts `\#{RbConfig.ruby} -e 'p Bundler.load.specs.map(&:full_name), Gem.loaded_specs.keys'`"
      }
    )
  end

  # ---- what the program has changed before, or changes later ----

  # [what the program does before its setup]
  PREPENDED = {
    "File" => "File.singleton_class.prepend(Module.new { def exist?(path) = super })",
    "ENV" => "ENV.singleton_class.prepend(Module.new { def [](name) = super; def fetch(*, &) = super })",
    "Dir" => "Dir.singleton_class.prepend(Module.new { def [](*, **) = super })",
    "Kernel" => "Kernel.prepend(Module.new { def system(*, **) = super })",
    "Gem::Specification" => "Gem::Specification.singleton_class.prepend(Module.new { def load(path) = super })",
    "Bundler::Source::Path" =>
      "require 'bundler'; Bundler::Source::Path.prepend(Module.new { private def load_spec_files = super })"
  }.freeze

  PREPENDED.each do |name, change|
    test "a module that was prepended to #{name} before the setup" do
      app.write("main.rb", "#{change}\n#{BundleApplication::MAIN}")
      app.settle
      env = {
        "MORE" =>
          "p File.exist?('/'), ENV['HOME'].nil?, ENV.fetch('PATH').nil?, Dir['/*'].empty?, system('true'), " \
            "Bundler::Source::Path.private_method_defined?(:load_spec_files)"
      }
      plain = app.plain(env: env)
      assert_equal 0, plain.status, plain.stderr
      3.times { assert_same plain, app.boot(env: env).first, name }
    end
  end

  # What the Gemfile may have changed: it runs in each boot, and so must what it has changed.
  PATCHES = {
    "messages" => "Bundler.ui.level = 'debug'",
    "other messages" => "Bundler.ui = Bundler::UI::Shell.new.tap { |ui| ui.level = 'debug' }",
    "Definition" => "Bundler::Definition.prepend(Module.new { def validate_runtime! = (puts 'validated'; super) })",
    "a constructor" => "Bundler::Definition.prepend(Module.new { def initialize(*, **) = (super; puts 'made') })",
    "Runtime" => "Bundler::Runtime.prepend(Module.new { def lock(*, **) = (puts 'lock'; super) })",
    "manuals" => "Bundler::Runtime.prepend(Module.new { private def setup_manpath = (puts 'manuals'; super) })",
    "the lockfile's parser" =>
      "class Bundler::LockfileParser; alias said specs; def specs = said.tap { puts 'parsed' }; end",
    "stubs" =>
      "class Bundler::StubSpecification; alias_method :said, :load_paths; def load_paths = (puts 'asked'; said); end",
    "an object" => "def (Bundler.rubygems).add_default_gems_to(specs) = super.tap { puts 'defaults' }",
    "gemspecs" =>
      "class << Gem::Specification; alias_method :said, :load; def load(path) = (puts 'load'; said(path)); end",
    "sources" => "Bundler::Source::Rubygems.class_eval { def specs = (puts 'specs'; @specs ||= installed_specs) }"
  }.freeze

  PATCHES.each do |name, change|
    test "a Gemfile that changes what Bundler does: #{name}" do
      app.write("Gemfile", "#{BundleApplication::GEMFILE}\n#{change}\n")
      app.settle
      app.plain
      app.settle
      env = { "MORE" => "p Bundler.rubygems.singleton_methods" }
      plain = app.plain(env: env)
      assert_equal 0, plain.status, plain.stderr
      3.times { assert_same plain, app.boot(env: env).first, name }
    end
  end

  test "what a program does to its specifications is no other program's matter" do
    [
      "load_paths << '/added'",
      "full_gem_path << '/added'",
      "executables << 'added'",
      "full_require_paths << '/added'"
    ].each do |change|
      3.times do
        app.boot(env: { "MORE" => "spec = Gem.loaded_specs['quiet']; spec.executables; spec.#{change} rescue p $!" })
      end
      patch =
        "class Gem::Specification; def executables = ['patched']; def bindir = 'patched'; end; " \
          "p Gem.loaded_specs['quiet'].executables"
      3.times { app.boot(env: { "MORE" => patch }) }
      env = { "MORE" => "p Gem.loaded_specs['quiet'].executables, Gem.loaded_specs['quiet'].bindir" }
      plain = app.plain(env: env)
      2.times { assert_same plain, app.boot(env: env).first, change }
      FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
    end
  end

  test "Bundler or RubyGems, edited in its place" do
    copy = File.join(app.base, "edited")
    FileUtils.mkdir_p(copy)
    entry =
      app.send(
        :execute,
        [RbConfig.ruby, "-e", "require 'bundler'; print Bundler.method(:setup).source_location.first"],
        {},
        app.folder
      ).stdout
    FileUtils.cp_r([entry, entry.delete_suffix(".rb")], copy)
    FileUtils.mkdir_p(File.join(copy, "rubygems/defaults"))
    options = ["-I", copy]
    before = assert_replayed(options: options).first
    edited = File.join(copy, "bundler/spec_set.rb")
    File.write(
      edited,
      File.read(edited).sub(
        /^    def each\(/,
        "    def sorted\n      puts 'edited'\n      super if defined?(super)\n    end\n\n\\0"
      )
    )
    File.write(edited, "#{File.read(edited)}\nputs 'an edited Bundler'\n")
    app.settle
    plain = app.keep_lockfile { app.plain(options: options) }
    refute_equal before.stdout, plain.stdout
    run, said = app.boot(options: options)
    assert_match(/\Areal \(.*spec_set.rb changed/, said.first, run.stderr)
    assert_same plain, run, "edited"
    2.times { assert_same plain, app.boot(options: options).first, "edited" }
  ensure
    FileUtils.rm_rf(copy)
  end

  test "a record outlives the day on which a path gem's gemspec was read" do
    clock = "class << Time; alias_method :today, :now; def now = today + Integer(File.read('/dev/shm/DAYS'), 10); end\n"
    days = File.join(app.base, "days")
    File.write(days, "0")
    app.write("clock.rb", clock.sub("/dev/shm/DAYS", days))
    app.settle
    env = { "RUBYOPT" => "-r#{app.path("clock.rb")}" }
    assert_replayed(env: env)
    File.write(days, "86400")
    run, said = app.boot(env: env)
    assert_equal ["replayed"], said, run.stderr
    assert_same app.plain(env: env), run, "tomorrow"
  end
end
