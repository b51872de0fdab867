# frozen_string_literal: true

module Benchmarks
  # What it costs to set up the bundle of both Rails applications: `ruby -rbundler/setup -e 0`, the same with Bundler's
  # files from the image (WARMSTART_BUNDLER=0), and the same from a record. The lower bound is an empty program, in
  # plain Ruby and with Warmstart.
  class Bundler < Benchmark
    LIBRARY = File.expand_path("../lib/warmstart", __dir__)

    def run
      Dir.mktmpdir("warmstart-bench-") do |work|
        grouped "bundler/setup, plain and from a record",
                %w[rails_app shop].to_h { |name| [name, measure(variants(application(name), work), warmups: 3)] }
      end
    end

    private

    def variants(app, work)
      command = ->(*requires) { [RbConfig.ruby, *requires.flat_map { |path| ["-r", path] }, "-e", "0"] }
      environment = app.environment("plain").merge("WARMSTART_CACHE_DIR" => File.join(work, app.name))
      image =
        environment.merge("WARMSTART_CACHE_DIR" => File.join(work, "#{app.name}-image"), "WARMSTART_BUNDLER" => "0")
      {
        "plain" => [command.call("bundler/setup"), environment],
        "image only" => [command.call(File.join(LIBRARY, "bundler")), image],
        "record" => [command.call(File.join(LIBRARY, "bundler")), environment],
        "empty program" => [command.call, environment],
        "empty with Warmstart" => [command.call(File.join(LIBRARY, "setup")), environment]
      }.transform_values { |command_line, env| { command: command_line, env: env, chdir: app.folder } }
    end
  end
end
