# frozen_string_literal: true

module Benchmarks
  # Ruby's own benchmarks of require. empty: 1,000 empty files, in one folder on the load path that is given by -I.
  # nested: the program adds the folder to $LOAD_PATH; ten times it requires 100 files that require others, and restores
  # $LOADED_FEATURES.
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
