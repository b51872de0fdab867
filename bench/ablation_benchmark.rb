# frozen_string_literal: true

module Benchmarks
  # What each part is worth: compares warm boots of both applications with all parts on to boots with one part off. The
  # difference is the part's share. `bin/bench --ablate`.
  class Ablation < Benchmark
    PARTS = {
      "collector as usual" => {
        "WARMSTART_GC" => "off"
      },
      "Bundler's own setup" => {
        "WARMSTART_BUNDLER" => "0"
      },
      "YAML parsed" => {
        "WARMSTART_DOCUMENTS" => "0"
      },
      "no tweaks" => {
        "WARMSTART_TWEAKS" => "none"
      },
      "native way only" => {
        "WARMSTART_DIRECT" => "0"
      },
      "no index" => {
        "WARMSTART_SEARCH" => "0"
      },
      "code compiled" => {
        "WARMSTART_CODE" => "0"
      }
    }.freeze
    HEAD = ["", "CPU", "minimum", "of all on", "of plain", "of bootsnap", "memory"].freeze

    def run
      results = %w[rails_app shop].to_h { |name| [name, measure(variants(application(name)), warmups: 2)] }
      {
        title: "warm boots, production mode, with one part off",
        head: HEAD,
        rows: results.flat_map { |name, group| rows(name, group) },
        measurements: results.transform_values { |group| group.transform_values(&:to_h) }
      }
    end

    private

    # Each variant has a cache of its own, because a part that is off is not recorded either.
    def variants(app)
      base = boots(app)
      on = base.fetch("warmstart")
      cache = File.join(app.cache_folders.first, "ablation")
      with = ->(name, more) do
        on.merge(env: on[:env].merge("WARMSTART_CACHE_DIR" => File.join(cache, name.tr(" '", "__")), **more))
      end
      {
        "plain" => base.fetch("plain"),
        "bootsnap" => base.fetch("bootsnap"),
        "all on" => with.call("all on", {}),
        **PARTS.to_h { |name, more| [name, with.call(name, more)] }
      }
    end

    def rows(name, group)
      units = Warmstart::Units
      group.map do |variant, result|
        ratios = ["all on", "plain", "bootsnap"].map { |base| units.ratio(result.ratio(:cpu, group.fetch(base))) }
        [
          "#{name}: #{variant}",
          units.seconds(result.median(:cpu)),
          units.seconds(result.minimum(:cpu)),
          *ratios,
          units.bytes(result.median(:memory))
        ]
      end
    end
  end
end
