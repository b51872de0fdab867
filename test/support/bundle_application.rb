# frozen_string_literal: true

require "fileutils"
require "rubygems"
require_relative "program"

# An application with its own bundle, made without a network: installed gems (one with an extension, some with
# executables, one with a dash in its name), a path gem, a git gem from a local repository, a gemspec, groups,
# platforms, conditions. Its main.rb prints everything that a program can see of its bundle, so that two runs can be
# compared.
class BundleApplication
  LIBRARY = File.join(Program::REPOSITORY, "lib")
  ENTRY = File.join(LIBRARY, "warmstart/bundler.rb")

  GEMFILE = <<~RUBY
    # no source: every gem is installed already
    eval_gemfile "Gemfile.more"
    gemspec
    gem "dash-ed"
    gem "quiet", require: false
    gem "several", require: %w[several/a several/b]
    gem "built"
    gem "local", path: "local"
    gem "versioned", git: File.join(__dir__, "../repository"), branch: "main"
    gem "elsewhere", platforms: :mswin
    gem "conditional", install_if: -> { ENV["SHOP_MODE"] == "full" }
    gem "tested", group: :test
    group(:tools, optional: true) { gem "tool" }
    File.read(File.join(__dir__, "read.txt")).strip
    Dir[File.join(__dir__, "parts/*.rb")].sort.each { |path| instance_eval(File.read(path)) }
    File.exist?(File.join(__dir__, "absent.txt"))
  RUBY

  # Prints what a program can see of its bundle.
  MAIN = <<~'RUBY'
    entry = ENV.delete("ENTRY")
    entry ? require(entry) : require("bundler/setup")
    groups = ENV["GROUPS"].to_s.split(",")
    begin
      Bundler.require(*groups) if ENV["GROUPS"]
    rescue LoadError, StandardError => error
      puts "error #{error.class}: #{error.message}", error.backtrace.first(4).map { |line| line.sub(/:\d+:in.*/, "") }, error.cause.inspect
    end
    ours = ->(name) { name.start_with?("WARMSTART", "ENTRY") }
    puts "required #{$required.inspect}"
    puts "ENV", ENV.reject { |name, _| ours.call(name) }.sort.inspect
    puts "LOAD_PATH", $LOAD_PATH
    theirs, others = $LOADED_FEATURES.grep_v(%r{/warmstart[/.]|/enc/}).partition { |path| path.match?(%r{/bundler/(?!setup)|/rubygems/}) }
    puts "features", others, theirs.sort
    puts "loaded", Gem.loaded_specs.map { |name, spec| [name, spec.name, spec.version.to_s, spec.platform.to_s, spec.full_name, spec.full_gem_path, spec.load_paths.map(&:to_s), spec.full_require_paths.map(&:to_s), spec.class, spec.is_a?(Gem::Specification), Gem::Specification === spec, spec.default_gem?, spec.loaded_from, spec.nil?].inspect }
    puts "known", Gem::Specification.stubs.map { |spec| spec.full_name }.inspect
    %i[root bundle_path default_gemfile default_lockfile app_config_path frozen_bundle?].each { |name| puts "#{name} #{Bundler.public_send(name)}" }
    puts "original #{Bundler::ORIGINAL_ENV.reject { |name, _| ours.call(name) }.sort.inspect}"
    puts "unbundled #{Bundler.unbundled_env.reject { |name, _| ours.call(name) }.sort.inspect}"
    puts "in original env #{Bundler.with_original_env { ENV["RUBYOPT"].inspect + ENV["GEM_HOME"].to_s }}", "in unbundled env #{Bundler.with_unbundled_env { ENV["RUBYOPT"].inspect + ENV["BUNDLE_GEMFILE"].inspect }}"
    ["quiet", ["quiet", "< 1"], ["quiet", ">= 1"], "nothing", "tested"].each { |wanted| puts "gem #{wanted}: #{begin; gem(*wanted); rescue LoadError => error; "#{error.class} #{error.message} #{error.name} #{error.requirement}"; end}" }
    puts Gem.post_reset_hooks.size, Gem.method(:bin_path).source_location.inspect, method(:gem).source_location.inspect, Bundler.setup.class, Bundler.load.equal?(Bundler.setup)
    puts "executable #{Gem.bin_path("quiet", "quiet")}" if Gem.loaded_specs.key?("quiet")
    eval(ENV["MORE"]) if ENV["MORE"]
  RUBY

  attr_reader :base, :folder, :gems, :cache, :home

  # @param base [String] an empty folder
  def initialize(base)
    @base = File.realpath(base)
    @folder, @gems, @cache, @home =
      %w[application gems cache home].map { |name| File.join(@base, name).tap { |path| Dir.mkdir(path) } }
    @originals = {}
    install_gems
    make_repository
    make_application
    bundle_install
    @lock = File.binread(path("Gemfile.lock"))
    settle
  end

  def path(name) = File.join(folder, name)

  # Changes a file of the application (or at any absolute path); nil removes it. `restore` puts the original back.
  def write(name, content)
    path = File.expand_path(name, folder)
    @originals[path] = File.file?(path) ? File.binread(path) : nil unless @originals.key?(path)
    put(path, content)
  end

  def restore
    @originals.each { |path, content| put(path, content) }
    @originals.clear
    put(path("Gemfile.lock"), @lock) unless File.binread(path("Gemfile.lock")) == @lock # (Bundler writes it, too)
    settle
  end

  # If a gem has another version now, Bundler resolves again and writes the lockfile. This puts the lockfile back, so
  # that the next run finds it unchanged.
  def keep_lockfile
    lock = File.binread(path("Gemfile.lock"))
    yield
  ensure
    put(path("Gemfile.lock"), lock) unless File.binread(path("Gemfile.lock")) == lock
  end

  # Files that are younger than the file system's clock are not recorded, so this waits.
  def settle = sleep(0.06)

  # Runs with Bundler's own setup.
  def plain(**options) = run(nil, **options)

  # Runs with warmstart/bundler. The second value is what Warmstart logged about the bundle.
  def boot(entry: ENTRY, **options)
    run = run(entry, **options)
    said =
      run.stderr.lines.grep(/\Awarmstart: bundler: /).map { |line| line.delete_prefix("warmstart: bundler: ").chomp }
    run.stderr = run.stderr.lines.grep_v(/\Awarmstart: /).join
    [run, said]
  end

  def records = Dir[File.join(cache, "*", "*.record")]

  def run(entry, env: {}, chdir: folder, options: [], command: nil)
    command ||= [RbConfig.ruby, *options, path("main.rb")]
    environment =
      variables.merge(
        entry ? { "ENTRY" => entry, "WARMSTART_CACHE_DIR" => cache, "WARMSTART_LOG" => "1" } : {},
        env
      ).compact
    execute(command, environment, chdir)
  end

  private

  def execute(command, environment, folder)
    output, errors, status = Open3.capture3(environment, *command, chdir: folder, unsetenv_others: true)
    Program::Run.new(
      stdout: output,
      stderr: errors,
      status: status.exitstatus || "signal #{status.termsig}",
      state: "",
      events: []
    )
  end

  def variables
    {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => home,
      "GEM_HOME" => gems,
      "BUNDLE_GEMFILE" => path("Gemfile"),
      "GROUPS" => "default"
    }
  end

  def put(path, content)
    return FileUtils.rm_f(path) unless content

    FileUtils.mkdir_p(File.dirname(path))
    File.binwrite(path, content)
  end

  def install_gems
    {
      "dash-ed" => %w[dash/ed],
      "quiet" => %w[quiet],
      "several" => %w[several/a several/b],
      "built" => %w[built],
      "conditional" => %w[conditional],
      "tested" => %w[tested],
      "tool" => %w[tool],
      "more" => %w[more],
      "elsewhere" => %w[elsewhere],
      "dependent" => %w[dependent]
    }.each { |name, files| install(name, "1.0", files) }
    install("quiet", "0.9", %w[quiet])
  end

  # Installs a gem as RubyGems would.
  def install(name, version, files)
    files.each do |file|
      put(
        File.join(gems, "gems/#{name}-#{version}/lib/#{file}.rb"),
        "($required ||= []) << #{"#{file} #{version}".dump}\n"
      )
    end
    spec =
      Gem::Specification.new do |it|
        it.name = name
        it.version = version
        it.summary = "a gem called #{name}"
        it.authors = ["somebody"]
        it.files = files.map { |file| "lib/#{file}.rb" }
        it.executables = [name] if name == "quiet"
        it.extensions = ["ext/extconf.rb"] if name == "built"
        it.add_dependency("dependent", "~> 1.0") if name == "several"
      end
    put(File.join(gems, "gems/#{name}-#{version}/bin/#{name}"), "puts #{name.dump}\n") if spec.executables.any?
    put(File.join(gems, "specifications/#{name}-#{version}.gemspec"), spec.to_ruby_for_cache)
    return unless spec.extensions.any?

    folder = File.join(gems, "extensions", Gem::Platform.local.to_s, Gem.extension_api_version, "#{name}-#{version}")
    put(File.join(folder, "gem.build_complete"), "")
  end

  def make_repository
    folder = File.join(base, "repository")
    put(
      File.join(folder, "versioned.gemspec"),
      gemspec("versioned", "2.0", "IO.popen(%w[git ls-files -z], chdir: __dir__, &:read).split(\"\\0\")")
    )
    put(File.join(folder, "lib/versioned.rb"), "($required ||= []) << 'versioned'\n")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "commit", "--quiet", "-m", "first")
  end

  def git(folder, *arguments)
    system({ "HOME" => home }, "git", *arguments, chdir: folder) or raise "git #{arguments.first} failed"
  end

  def gemspec(name, version, files)
    "Gem::Specification.new do |s|\n  s.name = #{name.dump}\n  s.version = #{version}\n  s.summary = 's'\n  s.authors = ['a']\n  s.files = #{files}\nend\n".sub(
      /version = (\d\S*)/,
      'version = "\1"'
    )
  end

  def make_application
    {
      "Gemfile" => GEMFILE,
      "Gemfile.more" => "gem \"more\"\n",
      "main.rb" => MAIN,
      "read.txt" => "read\n",
      "parts/one.rb" => "# nothing\n",
      "shop.gemspec" => gemspec("shop", "3.0", "Dir['lib/*.rb']"),
      "lib/shop.rb" => "($required ||= []) << 'shop'\n",
      "local/local.gemspec" =>
        "require_relative \"lib/local/version\"\n#{gemspec("local", "Local::VERSION", "Dir[\"\#{__dir__}/lib/**/*.rb\"]")}",
      "local/lib/local/version.rb" => "module Local; VERSION = \"1.2\"; end\n",
      "local/lib/local.rb" => "($required ||= []) << 'local'\n"
    }.each { |name, content| put(path(name), content) }
  end

  def bundle_install
    run =
      execute(
        [RbConfig.ruby, "-S", "bundle", "install", "--quiet"],
        variables.merge(
          "GROUPS" => nil,
          "SHOP_MODE" => "full",
          "BUNDLE_WITH" => "tools",
          "BUNDLE_LOCKFILE_CHECKSUMS" => "false"
        ).compact,
        folder
      )
    raise "bundle install failed: #{run.stdout}#{run.stderr}" unless run.status.zero?
  end
end
