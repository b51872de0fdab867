# frozen_string_literal: true

module Benchmarks
  # Greg Price's question: does a require cost more if there are more files? N empty files are in one folder given by
  # -I, and each is required once, one process per run. The result is microseconds per file without the start of Ruby
  # itself, so that growth shows.
  class Price < Benchmark
    SIZES = [2_000, 4_000, 8_000, 16_000, 32_000].freeze

    def run
      measured = SIZES.to_h { |size| [size, measure_size(size)] }
      names = measured.values.first.keys.grep_v(/ alone\z/)
      rows =
        measured.map { |size, results| [size, *names.map { |name| format("%.1f", microseconds(results, name, size)) }] }
      series = names.to_h { |name| [name, measured.map { |size, results| [size, microseconds(results, name, size)] }] }
      { title: "microseconds of CPU a file", head: ["files", *names], rows: rows, series: series }
    end

    private

    def measure_size(size)
      Dir.mktmpdir("warmstart-price") do |work|
        folder = File.join(work, "files")
        FileUtils.mkdir_p(folder)
        size.times { |n| File.write(File.join(folder, "f#{n}.rb"), "") }
        script = File.join(work, "main.rb")
        File.write(script, "Integer(ARGV[0]).times { |n| require \"f\#{n}\" }\n")
        sleep 0.1 # files that are too young would not be recorded
        full = variants_of(script, work, arguments: [size.to_s], options: ["-I", folder])
        empty =
          full.to_h { |name, variant| ["#{name} alone", variant.merge(command: [*variant[:command][0..-2], "0"])] }
        measure(full.merge(empty), runs: [@runs, 5].min)
      end
    end

    def microseconds(results, name, size)
      alone = results["#{name} alone"] or return results[name].median(:cpu)
      (results[name].median(:cpu) - alone.median(:cpu)) / size * 1e6
    end
  end
end
