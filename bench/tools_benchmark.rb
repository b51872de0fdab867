# frozen_string_literal: true

require_relative "../lib/warmstart/cli/ruby_options"

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
      environment =
        app.environment("plain").merge(
          "WARMSTART_CACHE_DIR" => cache,
          **Warmstart::CLI::RubyOptions.environment({}, command: command)
        )
      boots(app, command: command).merge("warmstart exec" => { command: command, env: environment, chdir: app.folder })
    end
  end
end
