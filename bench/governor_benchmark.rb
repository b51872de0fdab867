# frozen_string_literal: true

require "json"

module Benchmarks
  # What garbage collection costs in a warm boot, and what the governor's steps cost in memory: runs `bin/rails runner
  # 1` of both Rails applications in production mode without the governor, with steps of several sizes, and with a step
  # that no boot reaches. It makes the table of docs/gc.md.
  #
  # Caches are in a folder of their own. The first boot, with default settings, also records how large the process
  # becomes, which the governor needs. CPU and peak memory are measured in boots that do nothing else. GC time,
  # collections and the memory afterwards (resident, when the collector works as usual again and has run) come from one
  # more boot of each variant.
  class Governor < Benchmark
    APPLICATIONS = (ENV["APPLICATIONS"] || "rails_app shop").split.freeze
    STEPS = [32, 64, 96, 128, 192].freeze

    HEAD = ["", "CPU", "minimum", "of off", "GC", "collections", "peak", "afterwards"].freeze

    FACTS = <<~'RUBY'
      facts = { time: GC.stat(:time), count: GC.count }
      Warmstart.boot_complete! if defined?(Warmstart.boot_complete!)
      GC.start
      facts[:resident] = `ps -o rss= -p #{Process.pid}`.to_i << 10
      File.write(ENV.fetch("GOVERNOR_FACTS"), JSON.generate(facts))
    RUBY

    def run
      Dir.mktmpdir("warmstart-governor-") { |folder| compare(folder) }
    end

    private

    def compare(folder)
      @caches = {
        "WARMSTART_CACHE_DIR" => File.join(folder, "warmstart"),
        "BOOTSNAP_CACHE_DIR" => File.join(folder, "bootsnap")
      }
      apps = APPLICATIONS.map { |name| application(name) }
      apps.each { |app| boot(app, variants(app).fetch("default")) }
      groups = apps.to_h { |app| [app.name, measure(variants(app), warmups: 1)] }
      facts = apps.to_h { |app| [app.name, variants(app).transform_values { |variant| facts_of(app, variant) }] }
      rows =
        groups.flat_map do |name, results|
          results.each_key.map { |variant| row(name, variant, results, facts.dig(name, variant)) }
        end
      {
        title: "the collector in a warm boot, production mode",
        head: HEAD,
        rows: rows,
        facts: facts,
        measurements: groups.transform_values { |group| group.transform_values(&:to_h) }
      }
    end

    def variants(app)
      settings = {
        "off" => "off",
        **STEPS.to_h { |step| ["#{step} MB", step.to_s] },
        "default" => nil,
        "no collection" => NO_COLLECTION.to_s
      }
      governed = settings.transform_values { |setting| variant(app, "warmstart", "WARMSTART_GC" => setting) }
      { "plain" => variant(app, "plain"), "bootsnap" => variant(app, "bootsnap"), **governed }
    end

    def variant(app, boot_with, environment = {})
      { command: app.boot_command, env: app.environment(boot_with).merge(@caches, environment), chdir: app.folder }
    end

    def boot(app, variant, environment = {}, command = variant[:command])
      system(variant[:env].merge(environment), *command, chdir: app.folder, out: :err, exception: true)
    end

    def facts_of(app, variant)
      path = File.join(File.dirname(@caches.fetch("BOOTSNAP_CACHE_DIR")), "facts")
      boot(app, variant, { "GOVERNOR_FACTS" => path }, app.boot_command(FACTS))
      JSON.parse(File.read(path), symbolize_names: true)
    end

    def row(name, variant, results, facts)
      units = Warmstart::Units
      result = results.fetch(variant)
      [
        "#{name}: #{variant}",
        units.seconds(result.median(:cpu)),
        units.seconds(result.minimum(:cpu)),
        units.ratio(result.ratio(:cpu, results.fetch("off"))),
        "#{facts[:time]} ms",
        facts[:count].to_s,
        units.bytes(result.median(:memory)),
        units.bytes(facts[:resident])
      ]
    end
  end
end
