# frozen_string_literal: true

module Benchmarks
  # Ruby's classic workloads for require. empty: 1,000 empty files, each in a folder that is on the load path. nested:
  # the folder is pushed to $LOAD_PATH; ten times, 100 files are required that require others, and $LOADED_FEATURES is
  # set back.
  class CoreRequire < Benchmark
    EMPTY = "1000.times { |n| require \"empty\#{n}\" }\n"
    NESTED = <<~RUBY
      $LOAD_PATH.push(File.join(__dir__, "files"))
      saved = $LOADED_FEATURES.dup
      10.times do
        100.times { |n| require "nested\#{n}" }
        $LOADED_FEATURES.clear
        $LOADED_FEATURES.concat(saved)
      end
    RUBY

    def run
      programs = { "empty" => EMPTY, "nested" => NESTED }
      grouped(
        "core_require_empty, core_require_nested",
        programs.transform_values { |program| measure_program(program) }
      )
    end

    private

    def measure_program(program)
      Dir.mktmpdir("warmstart-require") do |work|
        folder = File.join(work, "files")
        FileUtils.mkdir_p(folder)
        1000.times { |n| File.write(File.join(folder, "empty#{n}.rb"), "") }
        100.times do |n|
          File.write(File.join(folder, "nested#{n}.rb"), "require \"inner#{n}\"\nrequire \"inner#{(n + 1) % 100}\"\n")
        end
        100.times { |n| File.write(File.join(folder, "inner#{n}.rb"), "") }
        script = File.join(work, "main.rb")
        File.write(script, program)
        sleep 0.1
        measure(variants_of(script, work, options: ["-I", folder]))
      end
    end
  end
end
