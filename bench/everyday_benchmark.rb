# frozen_string_literal: true

require_relative "first_answer"

module Benchmarks
  # What people wait for every day: a server's first answer (production; both applications), the console's prompt, a line
  # of code, a generator and `rake -T` (development), and one file of tests. The gem debug comes as `rails new` writes it
  # into a Gemfile.
  class Everyday < Benchmark
    VARIANTS = %w[plain bootsnap warmstart].freeze

    def run
      app = application("rails_app")
      results = { "rails_app, first answer" => server(app) }
      results["shop, first answer"] = server(Examples["shop"]) if Examples["shop"].set_up?
      # (its input is empty, so it ends at the prompt)
      results["console"] = command(app, %w[bin/rails console], "development")
      results["runner"] = command(app, %w[bin/rails runner 1], "development")
      results["generator"] = command(app, %w[bin/rails generate model author name --pretend], "development")
      results["rake -T"] = command(app, %w[bin/rails -T], "development")
      results["one test file"] = command(app, %w[bin/rails test test/models/book_test.rb], "test")
      grouped("everyday, warm", results)
    end

    private

    def command(app, words, mode)
      measure(
        VARIANTS.to_h do |name|
          [name, { command: [RbConfig.ruby, *words], env: app.environment(name, mode: mode), chdir: app.folder }]
        end,
        warmups: 2
      )
    end

    def server(app)
      unless File.exist?("/proc/self/stat")
        raise Unavailable, "a server is measured by /proc, which this system does not have"
      end

      measure(VARIANTS.to_h { |name| [name, server_variant(app, name)] }, warmups: 2)
    end

    def server_variant(app, name)
      {
        command: app.server_command(port: 0),
        env: app.environment(name),
        chdir: app.folder,
        take: FirstAnswer.new(app, "/up")
      }
    end
  end
end
