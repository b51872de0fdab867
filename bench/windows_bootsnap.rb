# frozen_string_literal: true

require "bundler"
require "open3"
require "rubygems/package"

module Benchmarks
  # bootsnap for a Ruby for Windows that runs under Wine, used by windows_benchmark.rb. bootsnap and msgpack, in the
  # versions of the Rails application's lockfile, are fetched from the configured gem source, built by the cross
  # compiler (as bin/setup --target builds Warmstart's extension), and put into a gem folder below tmp/. They are built
  # once for each pair of versions, which takes about a minute.
  class WindowsBootsnap
    GEMS = %w[msgpack bootsnap].freeze
    ROOT = File.expand_path("..", __dir__)
    LOCKFILE = File.join(ROOT, "examples/rails_app/Gemfile-3.3.lock")
    LIBRARIES = { "msgpack" => "ext/msgpack/msgpack.so", "bootsnap" => "ext/bootsnap/bootsnap.so" }.freeze

    # The way in which Rails sets it up, but without YAML, which no workload reads.
    SETUP = <<~RUBY
      require "bootsnap"
      Bootsnap.setup(cache_dir: ENV.fetch("BOOTSNAP_CACHE_DIR"), development_mode: false, load_path_cache: true, compile_cache_iseq: true, compile_cache_yaml: false)
    RUBY

    # bootsnap needs zlib for one checksum, that of the compile options. A cross-built Ruby may lack it.
    ZLIB = <<~RUBY
      module Zlib
        def self.crc32(text)
          bits = ->(value) { 8.times.inject(value) { |rest, _| rest.odd? ? (rest >> 1) ^ 0xedb88320 : rest >> 1 } }
          text.each_byte.inject(0xffffffff) { |crc, byte| (crc >> 8) ^ bits.call((crc ^ byte) & 0xff) } ^ 0xffffffff
        end
      end
    RUBY

    # @param ruby [String] the command that starts the Ruby for Windows
    # @param target [String] the folder of that Ruby
    def initialize(ruby, target)
      @ruby = ruby
      @target = target
    end

    # Builds what is missing.
    # @return [String, nil] why there is no bootsnap for that Ruby
    def missing
      configuration or return "no rbconfig.rb below #{@target}"
      build unless File.exist?(File.join(folder, "built"))
      nil
    rescue RuntimeError, SystemCallError => error
      error.message
    end

    # The options and variables for that Ruby.
    def options = [*(["-I", own("zlib")] if File.exist?(File.join(folder, "zlib"))), "-r", own("setup.rb")]
    def environment(cache) = { "GEM_PATH" => own("gems"), "BOOTSNAP_CACHE_DIR" => cache }

    private

    def versions
      @versions ||=
        Bundler::LockfileParser
          .new(File.read(LOCKFILE))
          .specs
          .to_h { |spec| [spec.name, spec.version.to_s] }
          .slice(*GEMS)
    end

    def configuration = Dir[File.join(@target, "lib/ruby/*/*/rbconfig.rb")].first
    def folder =
      File.join(
        ROOT,
        "tmp/windows-bootsnap",
        [*versions.to_a.flatten, File.basename(File.dirname(configuration, 2))].join("-")
      )
    def own(path) = "Z:#{File.join(folder, path)}"

    def build
      FileUtils.rm_rf(folder)
      FileUtils.mkdir_p(%w[gems/gems gems/specifications].map { |name| File.join(folder, name) })
      GEMS.each { |name| build_gem(name, versions.fetch(name)) }
      File.write(File.join(folder, "setup.rb"), SETUP)
      write_zlib unless system(@ruby, "-e", "require 'zlib'", out: File::NULL, err: File::NULL)
      File.write(File.join(folder, "built"), "")
    end

    def build_gem(name, version)
      gem = "#{name}-#{version}"
      fetch(gem, name, version)
      package = Gem::Package.new(File.join(folder, "#{gem}.gem"))
      home = File.join(folder, "gems/gems", gem)
      package.extract_files(home)
      library = File.join(home, LIBRARIES.fetch(name))
      work = File.dirname(library)
      run(
        RbConfig.ruby,
        "--disable-gems",
        "-I",
        File.join(ROOT, "ext/cross"),
        "-r",
        "rbconfig",
        "extconf.rb",
        chdir: work,
        env: {
          "WARMSTART_TARGET" => configuration
        }
      )
      run("make", chdir: work)
      FileUtils.mkdir_p(File.join(home, "lib", name))
      FileUtils.cp(library, File.join(home, "lib", name))
      specification = package.spec
      specification.extensions = [] # (they are built already)
      File.write(File.join(folder, "gems/specifications", "#{gem}.gemspec"), specification.to_ruby)
    end

    # The examples have mostly installed the same gem.
    def fetch(gem, name, version)
      there = Dir[File.join(ROOT, "examples/tmp/gems/ruby/*/cache/#{gem}.gem")].first
      there ? FileUtils.cp(there, folder) : run("gem", "fetch", name, "--version", version, chdir: folder)
    end

    def write_zlib
      FileUtils.mkdir_p(File.join(folder, "zlib"))
      File.write(File.join(folder, "zlib/zlib.rb"), ZLIB)
    end

    def run(*command, chdir:, env: {})
      output, status = Open3.capture2e(env, *command, chdir: chdir)
      raise "#{command.first(2).join(" ")} failed for bootsnap: #{output.lines.last(3).join}" unless status.success?
    end
  end
end
