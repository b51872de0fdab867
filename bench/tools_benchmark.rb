# frozen_string_literal: true

require_relative "../lib/warmstart/ruby_options"

module Benchmarks
  # Command-line tools: rubocop and jekyll, each printing its version (which is nothing but the boot) and doing a small
  # piece of real work. One variant is `warmstart exec`, for a tool that does not know Warmstart: it loads Warmstart
  # before everything else, Bundler included.
  class Tools < Benchmark
    TOOLS = %w[rubocop jekyll].freeze

    def run
      commands =
        TOOLS
          .map { |name| application(name) }
          .flat_map { |app| app.commands.map { |what, command| ["#{app.name} #{what}", variants(app, command)] } }
      grouped("tools, warm", commands.to_h { |name, variants| [name, measure(variants, warmups: 2)] })
    end

    private

    def variants(app, command)
      cache = File.join(app.cache_folders.first, "exec")
      # (The command names its script relatively.)
      options = Dir.chdir(app.folder) { Warmstart::RubyOptions.environment({}, command: command) }
      environment = app.environment("plain").merge("WARMSTART_CACHE_DIR" => cache, **options)
      boots(app, command: command).merge("warmstart exec" => taking_part(command, environment, app.folder))
    end

    # A boot that fell back to plain Ruby would look like a slow one.
    def taking_part(command, environment, folder)
      counts =
        Array.new(2) do
          IO.popen(environment.merge("WARMSTART_STATS" => "1"), command, chdir: folder, err: %i[child out], &:read)
        end
      hits, misses = %w[hit miss].map { |event| counts.last[/^warmstart: #{event}: (\d+)/, 1].to_i }
      raise Unavailable, "warmstart exec takes no part: #{hits} hits, #{misses} misses" unless hits > 100 && misses < 10

      { command: command, env: environment, chdir: folder }
    end
  end
end
