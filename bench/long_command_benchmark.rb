# frozen_string_literal: true

module Benchmarks
  # A command that goes on after its boot, as a long rake task or a test suite does: `bin/rails runner` that asks the
  # Rails application for its pages, production, for some minutes, once in each variant. What the boot has saved
  # must not be lost later by a heap that has grown without collections.
  class LongCommand < Benchmark
    VARIANTS = %w[plain bootsnap warmstart].freeze
    ROUNDS = 5_000

    # Keeps some of what it makes, as a test suite does.
    WORK = <<~'RUBY'
      session, kept = ActionDispatch::Integration::Session.new(Rails.application), []
      Integer(ARGV.shift).times do |round|
        ARGV.each do |path|
          session.get(path)
          abort("#{path}: #{session.response.status}") unless session.response.successful?
        end
        kept << session.response.body * 10 if (round % 10).zero?
      end
    RUBY

    def run
      app = application("rails_app")
      command = [*app.boot_command[0..-2], WORK, ROUNDS.to_s, *app.request_paths]
      variants = VARIANTS.to_h { |name| [name, boot(app, name, command: command)] }
      measure(boots(app).slice(*VARIANTS), runs: 1, warmups: 2) # (learns what the command's boot keeps)
      result(
        "a command that goes on for some minutes, production mode, one run of each",
        measure(variants, runs: 1, warmups: 0)
      )
    end
  end
end
