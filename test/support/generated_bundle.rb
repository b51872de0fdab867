# frozen_string_literal: true

require "fileutils"
require "open3"
require_relative "program"

# A bundle made from a seed: a Gemfile, a file that it evaluates, path gems with gemspecs, and files that these require.
# Values in them are computed from one to five sources: variables, files, globs, the program's name and arguments,
# options, what was loaded before, the time and many more. The result of each such expression is visible in the bundle
# (in what a gem requires, or in a load path). The bundle is started in several states, in plain Ruby and with
# Warmstart. Both must show the same, with a record or without.
class GeneratedBundle
  # rubocop:disable Lint/InterpolationCheck

  # Expressions with the same result for the same watched files, variables and versions.
  STEADY = [
    'ENV["V1"]',
    'ENV.fetch("V2", "none")',
    'ENV.fetch("V1") { |name| name.downcase }',
    'ENV.key?("V2")',
    "__dir__",
    "__FILE__",
    "File.basename(__FILE__)",
    'File.exist?(File.join(ROOT, "f1"))',
    '(File.read(File.join(ROOT, "f1")).strip if File.file?(File.join(ROOT, "f1")))',
    'File.size?(File.expand_path("f2", ROOT))',
    'Dir[File.join(ROOT, "d/*")].sort.map { |path| File.basename(path) }.join',
    'Dir.glob("#{ROOT}/d/**/*.rb").size',
    'Dir.glob("d/*/x.rb", base: ROOT).sort.first',
    'Dir.glob(File.join(ROOT, "d/**/*"), File::FNM_DOTMATCH).size',
    'Dir.children(File.join(ROOT, "d")).sort.join("-")',
    'Dir[File.join(ROOT, "d/.hid/*")].size',
    "RUBY_VERSION",
    "RUBY_ENGINE",
    'Gem::Version.new(RUBY_VERSION) >= Gem::Version.new("3.2")',
    'RbConfig::CONFIG["host_os"]',
    "Gem.win_platform?",
    '"literal"',
    "%w[a b].map(&:upcase).join",
    "(1..3).sum",
    "{ a: 1 }.merge(b: 2).keys",
    '"a-b"[/-(.)/, 1]',
    '" x ".strip',
    '"a,b".split(",").last',
    'File.readlines(File.join(ROOT, "f2")).size',
    'File.executable?(File.join(ROOT, "f2"))',
    'Dir.exist?(File.join(ROOT, "e"))',
    "`git ls-files`.size",
    'Dir.chdir(ROOT) { Dir["d/*"].size }',
    'Pathname.new(ROOT).join("f1").exist?',
    "Dir.pwd",
    'IO.read(File.join(ROOT, "f2")).size'
  ].freeze

  # Expressions whose result depends on the state of the process: the same in plain Ruby and with Warmstart.
  STATE = [
    "$PROGRAM_NAME",
    "$0",
    "ARGV.size",
    "ARGV.first",
    "$VERBOSE",
    "$DEBUG",
    "defined?(PRELOADED)",
    "(PRELOADED rescue 0)",
    "$preloaded",
    "defined?($preloaded)",
    "caller.last",
    'IO.read("|echo $V1")',
    "`echo $V2`",
    "Gem.loaded_specs.size",
    "$;",
    "$,",
    "Encoding.default_internal",
    "Warning[:deprecated]",
    'File.read("/proc/self/cmdline")',
    '(open(File.join(ROOT, "f1")).read rescue 1)',
    "Object.const_defined?(:PRELOADED)",
    "self.class.const_defined?(:PRELOADED)",
    'eval("$0")',
    'eval("ARGV.size")',
    "binding.local_variables.size",
    "respond_to?(:preloaded_method, true)",
    "(preloaded_method rescue 0)",
    "File.mtime(__FILE__).to_i",
    '(require("preloaded_file") rescue LoadError).to_s',
    "$stdin.class",
    "method(:puts).unbind.inspect",
    "(program_local rescue 0)",
    "Comparable.instance_methods.size"
  ].freeze

  # Expressions whose result differs from process to process, or tells of Warmstart (docs/semantics.md, "Numbers").
  LOOSE = [
    "Time.now.nsec",
    "rand(1000)",
    "[1, 2, 3, 4, 5, 6].shuffle.join",
    "Process.pid",
    "caller.size",
    "$LOADED_FEATURES.size",
    '"x".hash',
    "Object.new.to_s",
    '"#{self.class.object_id}"',
    "Process.clock_gettime(Process::CLOCK_MONOTONIC)",
    "ObjectSpace.count_objects[:TOTAL]",
    "Symbol.all_symbols.size",
    "global_variables.size",
    "Thread.new { rand }.value",
    "send(:rand)",
    "Etc.getpgrp",
    'begin; Integer("x"); rescue => e; e.backtrace.size; end',
    "ENV.to_h.size",
    "ENV.count",
    "$$",
    "Module.new.to_s",
    "proc {}.to_s",
    "lambda(&:x).inspect",
    "[Object.new].inspect",
    "Signal.trap(0) {}.to_s",
    "self.inspect",
    "__id__",
    "Random.new_seed",
    "srand",
    '"%p" % [Object.new]'
  ].freeze

  # Expressions that name nothing unknown, but whose result code outside of the bundle can change.
  PATCHED = [
    '"xy".upcase',
    "[3, 1].sort.first",
    'File.basename("a/b")',
    "{ a: 1 }.size",
    '"x" + "y"',
    "5.to_s",
    "RUBY_ENGINE",
    'Gem::Version.new("1").to_s',
    '"xY".swapcase',
    '"ab".reverse',
    '" x".strip',
    "[1, 2].sum",
    '"a-b".tr("-", "_")',
    'File.extname("a.b")',
    'File.dirname("a/b")',
    "[3, 1].max",
    "{ a: 1 }.keys",
    ":ab.to_s",
    "7.0.to_s",
    '"aab".squeeze',
    "(7.0 / 2).to_s",
    '"b".<=>("a")',
    '"ab".include?("a")',
    'ENV.fetch("V2", "none")',
    'Gem::Version.new("1.2") <=> Gem::Version.new("1.10")',
    "%w[b a].map(&:upcase)"
  ].freeze

  MAIN = <<~'RUBY'
    entry = ENV.delete("ENTRY")
    begin
      entry ? require(entry) : require("bundler/setup")
    rescue Exception => error
      puts "error #{error.class} #{error.message}".gsub(/0x\h+/, "0x")
      exit 3
    end
    puts Gem.loaded_specs.map { |name, spec| [name, spec.version.to_s, spec.full_gem_path, spec.full_require_paths].inspect }
    puts $LOAD_PATH
    puts Bundler.definition.dependencies.map { |line| [line.name, line.groups, line.autorequire, line.should_include?].inspect }
    puts defined?(LEAKED).inspect, Object.private_method_defined?(:leaked).inspect, $leaked.inspect, $LOADED_FEATURES.grep(/extra|preloaded/).inspect
    puts ObjectSpace.respond_to?(:leaked), ENV["LEAKED"].inspect, Dir.pwd, instance_variable_get(:@leaked).inspect, ENV["MANPATH"].inspect
  RUBY

  # Statements that leave something behind, or have an effect.
  ACTS = [
    "LEAKED = 1",
    "def leaked; end",
    "$leaked = 1",
    "@leaked = 1",
    'ENV["LEAKED"] = "1"',
    'puts "said"',
    'warn "said"',
    "def ObjectSpace.leaked; end",
    "class ::Object; private def leaked; end; end",
    'plugin "nothing"',
    "at_exit { puts 1 }",
    "using Module.new",
    "Bundler::Dsl.class_eval { def gem(*); end }",
    "class String; def leaked; end; end",
    '$LOAD_PATH.unshift "/leaked"',
    'unused = 1 if "a" == /x/',
    "Warning[:experimental] = false",
    "END { puts 2 }",
    "BEGIN { $leaked = 2 }"
  ].freeze

  # rubocop:enable Lint/InterpolationCheck

  PRELOADS = {
    "preload.rb" => "PRELOADED = 7\n$preloaded = 8\nprogram_local = 1\ndef preloaded_method = 9\n",
    "preload_patch.rb" =>
      "class String; def upcase = 'patched'; end\nclass Array; def sort = [9]; end\nclass File; def self.basename(*) = 'patched'; end\n",
    # (An alias, and what define_method makes of a Method, have the owner and file of what they stand for.)
    "preload_alias.rb" =>
      "class String; alias_method :upcase, :downcase; alias swapcase reverse; define_method(:squeeze, instance_method(:upcase)); end\n" \
        "class << File; alias extname dirname; define_method(:basename, instance_method(:extname)); end\n",
    "preload_method.rb" =>
      "File.define_singleton_method(:extname, File.method(:dirname))\nENV.define_singleton_method(:fetch, &ENV.method(:[]).unbind.bind(ENV))\nclass Float; define_method(:to_s, instance_method(:floor)); end\n" \
        "String.define_method(:reverse, String.instance_method(:upcase))\nclass Gem::Version; alias_method :to_s, :inspect; end\n",
    "preload_prepend.rb" =>
      "String.prepend(Module.new { def swapcase = super.succ })\nFile.singleton_class.prepend(Module.new { def extname(*) = super + 'x' })\nENV.singleton_class.prepend(Module.new { def fetch(*) = 'mine' })\n" \
        "Array.prepend(Module.new { alias_method :max, :itself; def sum(*) = 9 })\nKernel.prepend(Module.new { def itself = 5 })\nFloat.include(Module.new { def / (other) = 1.0 })\n",
    "preload_prepend_super.rb" =>
      "File.singleton_class.prepend(Module.new { def exist?(*) = super; def read(*, **) = super; def directory?(*) = super })\n" \
        "ENV.singleton_class.prepend(Module.new { def [](*) = super; def fetch(*, &) = super })\nDir.singleton_class.prepend(Module.new { def [](*, **) = super; def glob(*, **) = super })\n" \
        "Kernel.prepend(Module.new { def system(*, **) = super; def require(*) = super })\nGem::Specification.singleton_class.prepend(Module.new { def load(*) = super; def stubs = super })\n",
    "preload_refine.rb" =>
      "module Refined; refine(String) { def upcase = 'refined'; def reverse = 'refined' }; refine(File.singleton_class) { def extname(*) = 'refined' }; end\nusing Refined\n",
    "preload_remove.rb" =>
      "class Float; remove_method :to_s; end\nclass << File; remove_method :extname; def extname(*) = 'mine'; end\nclass String; undef_method :swapcase; end\nclass Array; private :sum; end\n",
    "preload_value.rb" =>
      "$VERBOSE = nil\nRUBY_ENGINE = 'other'\nclass Gem::Version; def to_s = '9'; end\nmodule Extra0; MORE = 1; end\n"
  }.freeze

  # Where Bundler looks for pages, if the load path has what stands before "man".
  MANUALS = %w[d/man1 d/mann p0/man/man1 p2/man/man7].freeze

  attr_reader :folder, :seed, :counts

  def initialize(base, seed, kinds: %i[steady state loose patched acts])
    @base = File.realpath(base)
    @seed = seed
    @random = Random.new(seed)
    @folder = File.join(@base, "application")
    @counts = Hash.new(0)
    @kind = (kinds - [:acts]).sample(random: @random)
    @acts = kinds.include?(:acts) && @random.rand(5).zero?
    @loose = false
    @state = { env: {}, program: "main.rb", arguments: [], options: [] }
    make
  end

  # Compares in the first state until there should be a record, and then after each of some edits.
  # @return [String, nil] the first difference
  def play(edits: 3)
    start(nil) # (writes the lockfile)
    @lock = lockfile
    found = compare("first")
    edits.times do
      break if found

      edit = change
      found = compare(edit)
    end
    found && "seed #{seed}: #{found}\n#{sources}"
  end

  private

  # ---- files ----

  def make
    write("f2", "one\ntwo\n")
    %w[d/x.rb d/s/x.rb d/.hid/x.rb].each { |name| write(name, "") }
    PRELOADS.each { |name, text| write(name, text) }
    write("main.rb", MAIN)
    write("other.rb", "program_local = 5\nPRELOADED = 3\n#{MAIN}")
    write("patched.rb", "#{PRELOADS["preload_patch.rb"]}#{MAIN}")
    %w[alias method prepend refine remove].each do |name|
      write("#{name}.rb", "#{PRELOADS.fetch("preload_#{name}.rb")}#{MAIN}")
    end
    write(
      "Gemfile.more",
      "ROOT = 1 unless true\nroot = __dir__\ngem \"p2\", path: \"p2\", require: #{expression("root")}\n"
        .lines
        .drop(1)
        .join
    )
    write("Gemfile", gemfile)
    beside
    3.times { |number| write("p#{number}/p#{number}.gemspec", gemspec(number)) }
    write("p0/lib/extra0.rb", "module Extra0\n  ROOT = __dir__ + \"/../..\"\n  MORE = #{expression("ROOT")}\nend\n")
  end

  def beside = FileUtils.mkdir_p(path("../beside/lib"))

  def gemfile
    lines = [
      "root = __dir__",
      "eval_gemfile \"Gemfile.more\"",
      "gem \"p0\", path: \"p0\", require: #{expression("root")}",
      [
        "gem \"p1\", path: \"p1\"",
        "gem(\"p1\", path: \"p1\", group: [:default, (#{value("root")}).to_s.to_sym])",
        "install_if(-> { #{value("root")} }) { gem \"p1\", path: \"p1\" }",
        "def helper(root) = #{expression("root")}\ngem \"p1\", path: \"p1\", require: helper(root)"
      ].sample(random: @random)
    ]
    lines << 'gem "beside", "1.0", path: "../beside"' if @random.rand(3).zero? # (without a gemspec)
    lines.insert(@random.rand(lines.size + 1), act) if @acts && @random.rand(2).zero?
    "#{lines.join("\n")}\n"
  end

  def gemspec(number)
    before = number.zero? ? "require_relative \"lib/extra0\"\n" : ""
    before += "#{act}\n" if @acts && @random.rand(3).zero?
    more = number.zero? ? "Extra0::MORE" : (@random.rand(2).zero? ? expression("__dir__ + '/..'") : '""')
    "#{before}Gem::Specification.new do |s|\n  s.name = \"p#{number}\"\n  s.version = \"1.0\"\n  s.summary = \"s\"\n  s.authors = [\"a\"]\n  s.files = #{["[]", 'Dir["lib/**/*"]'].sample(random: @random)}\n  " \
      "s.require_paths = [\"lib\", (#{more}).to_s.gsub(/[^a-z0-9]/i, \"_\")]\nend\n"
  end

  def act = ACTS.sample(random: @random)

  # An expression whose value is a String.
  def expression(root) = "(#{value(root)}).to_s"

  def value(root)
    inner = source.gsub("ROOT", root)
    case @random.rand(9)
    when 0
      "[#{inner}, #{source.gsub("ROOT", root)}].join(\",\")"
    when 1
      "(#{inner}) ? 1 : 2"
    when 2
      "\"v\#{#{inner}}\""
    when 3
      "[1].map { |one| #{inner} }.first"
    when 4
      "-> { #{inner} }.call"
    when 5
      "(begin; #{inner}; rescue ArgumentError; 1; end)"
    when 6
      "case (#{inner}).to_s when \"x\" then 1 when /\\d+/ then 2 else 3 end"
    when 7
      "(local = #{inner}; local)"
    else
      inner
    end
  end

  def source
    kind = @random.rand(4).zero? ? @kind : :steady
    @loose = true if kind == :loose
    { steady: STEADY, state: STATE, loose: LOOSE, patched: PATCHED }.fetch(kind).sample(random: @random)
  end

  # ---- states ----

  # @return [String] what was changed
  def change
    chosen = [
      -> do
        @state[:env] = @state[:env].merge(%w[V1 V2].sample(random: @random) => [nil, "1", "x"].sample(random: @random))
      end,
      -> do
        @state[:program] = %w[main.rb other.rb patched.rb alias.rb method.rb prepend.rb refine.rb remove.rb].sample(
          random: @random
        )
      end,
      -> { @state[:arguments] = [[], ["a"], %w[b c]].sample(random: @random) },
      -> do
        @state[:options] = [[], ["-W0"], ["-w"], ["-d"], ["-W:no-deprecated"], ["-Eutf-8:utf-16le"]].sample(
          random: @random
        )
      end,
      -> do
        @state[:options] = [["-r", path(PRELOADS.keys.sample(random: @random))], ["-I", path("d")]].sample(
          random: @random
        )
      end,
      -> { toggle(%w[f1 d/y.rb d/s/y.rb d/.hid/y.rb d/t/x.rb e/x p0/man/x p1/man].sample(random: @random)) },
      -> { FileUtils.mkdir_p(path(MANUALS.sample(random: @random))) },
      -> { FileUtils.rm_rf(path(MANUALS.sample(random: @random))) },
      -> { write("f2", "#{File.read(path("f2"))}more\n") },
      -> { File.chmod([0o644, 0o755].sample(random: @random), path("f2")) },
      -> { @state[:folder] = [nil, "d"].sample(random: @random) },
      -> { move(%w[application moved/application other].sample(random: @random)) }
    ].sample(random: @random)
    chosen.call
    "#{@state.inspect}, line #{chosen.source_location.last}"
  end

  def toggle(name)
    File.exist?(path(name)) ? FileUtils.rm_f(path(name)) : write(name, @random.rand(100).to_s)
  end

  # To another path, with the gems' folder and the home, which lie in it.
  def move(name)
    before = @folder
    @folder = File.join(@base, name)
    FileUtils.mkdir_p(File.dirname(@folder))
    File.rename(before, @folder) unless before == @folder
    beside
    @state[:options] = @state[:options].map { |option| option.sub(before, @folder) }
  end

  def compare(what)
    sleep(Program::AGEING)
    plain = start(nil)
    boot = start(File.join(Program::REPOSITORY, "lib/warmstart/bundler.rb"))
    said = boot.pop
    kind = ["replayed", "not recorded", "real"].find { |word| said.include?(word) } || "nothing"
    @counts[kind] += 1
    @counts[said[/not recorded: (.*)/, 1].to_s.gsub(@base, "")] += 1 if kind == "not recorded" && ENV["REASONS"]
    return if plain == boot || @loose

    "#{what}, #{said.chomp}:\n#{plain.zip(boot).reject { |one, other| one == other }.map { |one, other| difference(one.to_s, other.to_s) }.join("\n")}"
  end

  def difference(one, other) =
    [(one.lines - other.lines).map { |line| "- #{line}" }, (other.lines - one.lines).map { |line| "+ #{line}" }].join

  # @return [Array] status, stdout, stderr, lockfile; with an entry also what Warmstart logged
  def start(entry)
    File.binwrite(path("Gemfile.lock"), @lock) if @lock && lockfile != @lock
    environment = {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => path("."),
      "BUNDLE_GEMFILE" => path("Gemfile"),
      "GEM_HOME" => path("gems"),
      **@state[:env]
    }.compact
    if entry
      environment.update("ENTRY" => entry, "WARMSTART_CACHE_DIR" => File.join(@base, "cache"), "WARMSTART_LOG" => "1")
    end
    output, errors, status =
      Open3.capture3(
        environment,
        RbConfig.ruby,
        *@state[:options],
        path(@state[:program]),
        *@state[:arguments],
        chdir: path(@state[:folder] || "."),
        unsetenv_others: true
      )
    ours, theirs = errors.lines.partition { |line| line.start_with?("warmstart: ") }
    result = [
      status.exitstatus || "signal #{status.termsig}",
      output,
      theirs.join.gsub(/0x\h+/, "0x"),
      (lockfile if @lock)
    ]
    entry ? [*result, ours.grep(/bundler: /).first.to_s] : result
  end

  def lockfile = File.file?(path("Gemfile.lock")) ? File.binread(path("Gemfile.lock")) : nil

  def path(name) = File.join(@folder, name)

  def write(name, text)
    FileUtils.mkdir_p(File.dirname(path(name)))
    File.binwrite(path(name), text)
  end

  def sources =
    %w[Gemfile Gemfile.more p0/p0.gemspec p0/lib/extra0.rb p1/p1.gemspec p2/p2.gemspec]
      .map { |name| "--- #{name}\n#{File.read(path(name))}" }
      .join
end
