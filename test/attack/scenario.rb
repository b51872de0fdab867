# frozen_string_literal: true

require_relative "interposer"
require_relative "section"

module Attack
  # A boot that is to be disturbed: a program; the image before it (restored for each case); what plain Ruby prints; and
  # the files that an ordinary boot takes from the image before and after. `faults` and `kills` use it. Each worker has
  # its own.
  class Scenario
    NAMES = %w[recording checked delta compaction sealed build bundler].freeze

    LIBRARIES = %w[first second deep/third fourth loaded].freeze
    EXTRAS = 30
    SEGMENTS_MAXIMUM = 12

    # The program shortens the load path, so that the index has a few folders and not Ruby's own hundreds.
    MAIN = <<~RUBY
      $LOAD_PATH.select! { |path| path.start_with?(__dir__) }
      require "first"
      require_relative "lib/second"
      autoload :Fourth, "fourth"
      p [First, Second, Third, Fourth]
      begin; require "absent"; rescue LoadError; p $!.class; end
      p load(File.join(__dir__, "lib/loaded.rb"))
      (1..ENV["EXTRA"].to_i).each { |number| p require("extra\#{number}") }
      p $LOADED_FEATURES.grep(/\#{Regexp.escape(__dir__)}/), $LOAD_PATH
      at_exit { puts "end" }
    RUBY

    FILES = {
      "main.rb" => MAIN,
      "lib/first.rb" => "require 'deep/third'\nmodule First; end\n",
      "lib/second.rb" => "# frozen_string_literal: true\nmodule Second; TEXT = 'a'; end\n",
      "lib/deep/third.rb" => "class Third; def self.inspect = 'third'; end\n",
      "lib/fourth.rb" => "Fourth = [1, :two, 'three'].freeze\n",
      "lib/loaded.rb" => "p __FILE__\n",
      "other/absent.rbx" => "",
      **(1..EXTRAS).to_h { |number| ["lib/extra#{number}.rb", "EXTRA#{number} = #{number}\n"] }
    }.freeze

    WARMSTART = File.join(ROOT, "exe/warmstart")

    # Seconds, for a busy machine; a boot takes a tenth of a second.
    DEADLINE = 30

    attr_reader :name, :program, :plain, :hits_before, :hits_after, :interposer

    def initialize(name, base)
      @name = name
      @base = base
      Dir.mkdir(base)
      @options = {}
      @interposer = Interposer.new(File.join(base, "faults"))
      @program = Program.new(base, FILES, args: %w[--disable-gems], load_path: %w[lib other])
      prepare
    end

    # The disturbed boot. If it takes longer than the deadline, it is killed with all processes that it has started.
    def disturbed(deadline: nil)
      restore
      if build?
        build(@interposer.environment(inherit: true), deadline || (2 * DEADLINE))
      else
        ordinary(@interposer.environment, deadline || DEADLINE)
      end
    end

    # An undisturbed boot.
    def ordinary(environment = {}, deadline = DEADLINE) =
      visible(@program.boot(env: { **environment.compact, **extra }, timeout: deadline, **@options))

    def plain_run = visible(@program.plain(env: extra))

    def restore
      FileUtils.rm_rf(images)
      system("cp", "-a", saved, images, exception: true)
    end

    def unused_segments
      used =
        Dir[File.join(images, "**/*.manifest")].flat_map { |path| File.binread(path).scan(/^segment (\h+)/).flatten }
      Dir[File.join(images, "**/*.segment")].reject { |path| used.include?(path[/-(\h+)\.segment\z/, 1]) }
    end

    # The folder below which all images are.
    def images = @program.cache

    def build? = name == "build"
    def sealed? = name == "sealed"

    # Whether the boot writes into the image's folder.
    def writes? = !%w[checked sealed].include?(name)

    # Files and folders that a writer creates and later removes.
    def garbage = leftovers + unused_segments + Dir[File.join(images, ".warmstart-build-*")]

    # Runs another writer, which has something new to write.
    def publish
      before = @extra
      @extra = (before || 0) + 1
      build? ? build({}) : ordinary
    ensure
      @extra = before
    end

    # The folder of the image's files, or nil.
    def image_folder =
      Dir[File.join(images, "**/*.manifest")]
        .map { |path| File.dirname(path) }
        .reject { |path| path.include?("/.warmstart-build-") }
        .first

    # Files that are neither part of an image nor a record nor a lock.
    def leftovers =
      Dir[File.join(images, "**/*")].select do |path|
        File.file?(path) && !path.match?(%r{\.(manifest|segment|record)\z|/lock\z})
      end

    private

    def extra = @extra ? { "EXTRA" => @extra.to_s } : {}

    # (If Bundler's answer is replayed, other files of Bundler's are loaded: docs/bundler_and_documents.md.)
    def visible(run) = name == "bundler" ? run.tap { |shown| shown.state = "" } : run

    def saved = File.join(@base, "saved")

    def prepare
      send(:"prepare_#{name}")
      @plain = plain_run
      save
      @hits_before = name == "recording" ? [] : ordinary.hits
      ordinary
      @hits_after = ordinary.hits
      raise "#{name}: nothing is warm: #{ordinary}" if @hits_after.empty?

      restore
    end

    def save
      FileUtils.rm_rf(saved)
      system("cp", "-a", images, saved, exception: true)
    end

    def prepare_recording
    end

    def prepare_checked = 3.times { ordinary }

    def prepare_delta
      prepare_checked
      @extra = 3
    end

    # Each boot loads a new file, until a boot leaves fewer segments than there were.
    def prepare_compaction
      prepare_checked
      segments = 1
      (1..EXTRAS).each do |number|
        save
        @extra = number
        ordinary
        now = referenced
        break if now < segments

        segments = now
      end
      raise "no boot compacts the image" if @extra == EXTRAS

      FileUtils.rm_rf(images)
      system("cp", "-a", saved, images, exception: true)
    end

    def referenced = File.binread(@program.manifests.first).scan(/^segment /).size

    def prepare_sealed
      prepare_checked
      sealed = @program.seal(load_path: %w[lib other]) or raise "nothing to seal"
      FileUtils.rm_rf(images)
      FileUtils.mv(sealed, images)
      @options = { image: images }
    end

    # There is an image already, which stays in use until the new one is complete.
    def prepare_build
      @options = { image: File.join(images, "built") }
      2.times { ordinary }
      @extra = 2
    end

    def build(environment, deadline = 2 * DEADLINE)
      @program.ruby(
        WARMSTART,
        "build",
        "-q",
        "--image",
        File.join(images, "built"),
        "--",
        RbConfig.ruby,
        "--disable-gems",
        "-I",
        @program.path("lib"),
        @program.path("main.rb"),
        env: {
          **environment.compact,
          **extra
        },
        timeout: deadline
      )
    end

    # "replayed" counts as a file that came from the image. It stands for a boot in which Bundler reads no Gemfile.
    REPLAYED =
      "Witness::EVENTS << ['hit', File.join(__dir__, 'replayed'), nil] if defined?(Witness::EVENTS) && $LOADED_FEATURES.none?(%r{/bundler/dsl})\n"

    GEM = {
      "local/local.gemspec" =>
        "Gem::Specification.new { |s| s.name = 'local'; s.version = '1'; s.summary = s.author = 'x'; s.files = ['lib/local.rb'] }\n",
      "local/lib/local.rb" => "LOCAL = 1\n",
      "Gemfile" => "gem 'local', path: 'local'\n",
      "main.rb" =>
        "require 'bundler/setup'\nrequire 'local'\np LOCAL, Gem.loaded_specs.keys.sort, $LOAD_PATH.size, $LOADED_FEATURES.grep(/local/)\n#{REPLAYED}"
    }.freeze

    # A bundle of one gem. Bundler's answer is stored in a record.
    def prepare_bundler
      FileUtils.rm_rf(File.join(@base, "application"))
      %w[cache home].each { |folder| FileUtils.rm_rf(File.join(@base, folder)) }
      @program = Program.new(@base, GEM, load_path: ["local/lib"])
      @program.plain # (this writes the lockfile)
      prepare_checked
    end
  end
end
