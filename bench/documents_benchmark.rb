# frozen_string_literal: true

module Benchmarks
  # Reads every locale (YAML) of the applications' bundle, as I18n does: in plain Ruby, with bootsnap's YAML cache, and
  # with Warmstart. The variant "empty" loads Psych and reads nothing; the others include this cost.
  class Documents < Benchmark
    SCRIPT = <<~RUBY
      require "yaml"
      File.readlines(ARGV[0], chomp: true).each do |path|
        YAML.unsafe_load_file(path, symbolize_names: true, freeze: true)
      rescue Psych::Exception
        nil
      end
    RUBY

    def run
      raise Unavailable, "examples/setup has not been run for Ruby #{RUBY_VERSION}" if locales.empty?

      Dir.mktmpdir("warmstart-documents") do |work|
        result("#{locales.size} locale files, #{megabytes} MB", measure(variants(work)))
      end
    end

    private

    def locales = @locales ||= Dir[File.join(GEMS, "gems/*/{config,lib}/**/locales/**/*.yml")].sort

    def megabytes = (locales.sum { |path| File.size(path) } / 1e6).round(1)

    def variants(work)
      script, list, nothing =
        { "main.rb" => SCRIPT, "list" => "#{locales.join("\n")}\n", "nothing" => "" }.map do |name, content|
          File.join(work, name).tap { |path| File.write(path, content) }
        end
      sleep 0.1
      all = variants_of(script, work, arguments: [list])
      {
        "empty" => {
          command: [RbConfig.ruby, script, nothing],
          env: all["plain"][:env]
        },
        **all,
        "no documents" => without(all["warmstart"], work)
      }
    end

    # Warmstart without documents in the image.
    def without(variant, work)
      variant.merge(
        env: variant[:env].merge("WARMSTART_DOCUMENTS" => "0", "WARMSTART_CACHE_DIR" => File.join(work, "without"))
      )
    end
  end
end
