# frozen_string_literal: true

module Benchmarks
  # Many folders of the application's own on $LOAD_PATH, as in an application of packs or engines, and in each
  # application before Rails 7.1. The program takes the Rails application's bundle, puts its folders in front of
  # everything else, loads the libraries of Rails, and then what some of the folders hold.
  class LoadPath < Benchmark
    SIZES = [50, 300, 1_000, 3_000].freeze
    # So many packs are loaded, whatever the number of folders.
    LOADED = 50

    def run
      grouped("folders on the load path", SIZES.to_h { |size| ["#{size} folders", measure_size(size)] })
    end

    private

    def measure_size(size)
      app = application("rails_app")
      Dir.mktmpdir("warmstart-load-path") do |work|
        size.times { |number| write_pack(work, number) }
        script = File.join(work, "main.rb")
        File.write(script, <<~RUBY)
          require #{File.join(app.folder, "config/boot").dump}
          packs = (0...#{size}).to_a
          $LOAD_PATH.unshift(*packs.map { |number| File.join(__dir__, "packs/pack_\#{number}/lib") })
          %w[rails active_record action_controller/railtie].each { |name| require name }
          packs.each_slice(#{size / LOADED}) { |numbers| require "pack_\#{numbers.last}" }
        RUBY
        sleep 0.1 # files that are too young would not be recorded
        measure(variants(app, script, work), warmups: 2)
      end
    end

    def variants(app, script, work)
      caches = {
        "WARMSTART_CACHE_DIR" => File.join(work, "warmstart"),
        "BOOTSNAP_CACHE_DIR" => File.join(work, "bootsnap")
      }
      %w[plain bootsnap warmstart].to_h do |name|
        [name, { command: [RbConfig.ruby, script], env: app.environment(name).merge(caches), chdir: app.folder }]
      end
    end

    def write_pack(work, number)
      folder = File.join(work, "packs/pack_#{number}/lib/pack_#{number}")
      FileUtils.mkdir_p(folder)
      File.write("#{folder}.rb", "require \"pack_#{number}/thing\"\n\nmodule Pack#{number}\n  NAME = \"pack\"\nend\n")
      File.write(
        File.join(folder, "thing.rb"),
        "module Pack#{number}\n  class Thing\n    def name = NAME\n  end\nend\n"
      )
    end
  end
end
