# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "../lib/warmstart/version"
require_relative "../lib/warmstart/native"
require_relative "../lib/warmstart/bench/plot"
require_relative "../lib/warmstart/bench/runner"
require_relative "../lib/warmstart/bench/system_calls"
require_relative "../lib/warmstart/bench/table"
require_relative "../examples/applications"
require_relative "figures"
require_relative "lines"

# What all benchmarks share: a registry, the variants of a small program, and a table of results.
module Benchmarks
  # Raised if a benchmark cannot run here; the message says why.
  class Unavailable < StandardError
  end

  SETUP = File.expand_path("../lib/warmstart/setup", __dir__)

  # A second has so many ticks of /proc (USER_HZ).
  TICKS = 100.0

  class << self
    def registered = (@registered ||= {})

    # The pictures of a result: of its series, or of each group of variants that it measured.
    # @return [Array] panels for Warmstart::Bench::Plot
    def panels(name, result)
      if result[:series]
        return [Lines.new("#{name}: #{result.fetch(:title)}", result[:series], across: result.fetch(:head).first)]
      end

      groups(result.fetch(:measurements, {})).flat_map do |title, results|
        Warmstart::Bench::Plot.panels(results, title: [name, title].compact.join(", "))
      end
    end

    private

    # @return [Hash] {title => {variant => measurement}}; the title is nil if there is only one group
    def groups(measurements)
      measurements.each_value.first&.key?(:cpu) ? { nil => measurements } : measurements
    end
  end

  class Benchmark
    def self.inherited(benchmark)
      super
      name = benchmark.name[/\w+\z/].gsub(/(?<=[a-z])(?=[A-Z])/, "_").downcase
      Benchmarks.registered[name] = benchmark
    end

    def initialize(runs)
      @runs = runs
    end

    private

    def measure(variants, runs: @runs, warmups: 1)
      progress = ->(done, all) { $stderr.print("\r  #{done} of #{all}", done == all ? "\n" : "") if $stderr.tty? }
      Warmstart::Bench::Runner.new(variants: variants, runs: runs, warmups: warmups, progress: progress).run
    end

    HEAD = ["", "CPU", "minimum", "of plain", "of bootsnap", "wall", "minimum", "of plain", "memory"].freeze

    def rows(results)
      units = Warmstart::Units
      base = results["plain"]
      peer = results["bootsnap"]
      results.map do |name, result|
        [
          name,
          units.seconds(result.median(:cpu)),
          units.seconds(result.minimum(:cpu)),
          units.ratio(base && result.ratio(:cpu, base)),
          units.ratio(peer && result.ratio(:cpu, peer)),
          units.seconds(result.median(:wall)),
          units.seconds(result.minimum(:wall)),
          units.ratio(base && result.ratio(:wall, base)),
          units.bytes(result.median(:memory))
        ]
      end
    end

    def result(title, results)
      { title: title, head: HEAD, rows: rows(results), measurements: results.transform_values(&:to_h) }
    end

    def application(name)
      app = Examples[name]
      raise Unavailable, "examples/setup #{name} has not been run for Ruby #{RUBY_VERSION}" unless app.set_up?

      app
    end

    # The variants of an example's command that its config/boot.rb supports. All share the example's cache folder, as in
    # a real application, where each has a folder of its own (except that bootsnap with and without its YAML cache share
    # one). What is added to them below has other cache folders.
    # @param prepare [#call, nil] called before each run, and not measured
    def boots(app, command: app.boot_command, prepare: nil)
      Examples::VARIANTS.to_h { |name| [name, boot(app, name, command: command, prepare: prepare)] }
    end

    def boot(app, variant, command: app.boot_command, prepare: nil)
      { command: command, env: app.environment(variant), chdir: app.folder, prepare: prepare }
    end

    # In megabytes: a step that no boot reaches.
    NO_COLLECTION = 100_000

    # As boots, and also without the work of TZInfo's on both sides, or on none, and Warmstart without any collection
    # before the boot is complete: shows what more memory would gain.
    def boots_and_more(app)
      boots = boots(app).merge(Examples::TZINFO_VARIANTS.to_h { |name| [name, boot(app, name)] })
      warmstart = boots.fetch("warmstart")
      settings = { "WARMSTART_GC" => NO_COLLECTION.to_s, "WARMSTART_CACHE_DIR" => app.cache_folder("no_collection") }
      boots.merge("warmstart, WARMSTART_GC=#{NO_COLLECTION}" => warmstart.merge(env: warmstart[:env].merge(settings)))
    end

    # As result, with a column that compares with bootsnap_without_tzinfo.
    def result_and_more(title, results)
      name = Examples::TZINFO_VARIANTS.first
      column = [
        "of #{name}",
        *results.values.map { |result| Warmstart::Units.ratio(result.ratio(:cpu, results.fetch(name))) }
      ]
      result = result(title, results)
      head, *rows = [result[:head], *result[:rows]].zip(column).map { |row, cell| row.dup.insert(5, cell) }
      result.merge(head: head, rows: rows)
    end

    # Several results in one table. Each row begins with its result's title.
    # @param results [Hash{String => Hash{String => Runner::Result}}]
    def grouped(title, results)
      rows = results.flat_map { |name, group| rows(group).map { |row| ["#{name}: #{row.first}", *row.drop(1)] } }
      {
        title: title,
        head: HEAD,
        rows: rows,
        measurements: results.transform_values { |group| group.transform_values(&:to_h) }
      }
    end

    # A program of one file under plain Ruby, bootsnap (if the Rails application's bundle has it) and Warmstart. Each
    # accelerator has a cache folder of its own under `work`. All variants see the same gems.
    def variants_of(script, work, arguments: [], options: [])
      environment = {
        "RUBYOPT" => nil,
        "WARMSTART_CACHE_DIR" => File.join(work, "warmstart"),
        "GEM_PATH" => [*Gem.path, GEMS].join(":")
      }
      command = ->(*more) { [RbConfig.ruby, *options, *more, script, *arguments] }
      variants = { "plain" => { command: command.call, env: environment } }
      variants["bootsnap"] = { command: command.call("-r", bootsnap_adapter(work)), env: environment } if Dir[
        File.join(GEMS, "gems/bootsnap-*")
      ].any?
      variants["warmstart"] = { command: command.call("-r", SETUP), env: environment }
      variants["warmstart sealed"] = variants["warmstart"].merge(
        env: environment.merge("WARMSTART_IMAGE_DIR" => seal(command.call, work, environment))
      )
      variants
    end

    # Builds a sealed image for a command in `work`, and returns its folder. A Gemfile makes `work` an application.
    def seal(command, work, environment)
      image = File.join(work, "sealed")
      File.write(File.join(work, "Gemfile"), "# no gems\n")
      build = [
        RbConfig.ruby,
        File.join(EXE, "warmstart"),
        "build",
        "--seal",
        "--quiet",
        "--root",
        work,
        "--image",
        image,
        "--",
        *command
      ]
      system(environment, *build, chdir: work, exception: true)
      image
    end

    EXE = File.expand_path("../exe", __dir__)

    # Does what bootsnap/setup does, but without an application.
    def bootsnap_adapter(work)
      File.join(work, "with_bootsnap.rb").tap { |path| File.write(path, <<~RUBY) }
          require "bootsnap"
          Bootsnap.setup(cache_dir: #{File.join(work, "bootsnap").dump}, development_mode: false)
        RUBY
    end

    # The gems of the Rails application's bundle.
    GEMS = File.join(Examples::FOLDER, "tmp/gems/ruby", RbConfig::CONFIG["ruby_version"])
  end
end
