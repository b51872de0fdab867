# frozen_string_literal: true

require "json"
require "optparse"
require_relative "../../lib/warmstart/bench/table"
require_relative "suites"

module Downstream
  # bin/downstream: runs test suites in plain Ruby and with Warmstart, and compares their outcomes.
  class Command
    HEAD = ["", "tests", "failing", "unsteady", "recording", "warm", "sealed", "seconds"].freeze
    STARTS = %w[recording warm sealed].freeze

    def initialize(arguments)
      @names = arguments.dup
    end

    # @return [Integer] 0; 1: a suite behaves differently with Warmstart; 2: the arguments are invalid
    def run
      parse
      return lock if @lock

      system(RbConfig.ruby, File.join(Suite::ROOT, "bin/setup"), out: :err) or abort "bin/downstream: bin/setup failed"
      reports = @suites.to_h { |suite| [suite.name, report(suite)] }
      @json ? puts(JSON.generate(ruby: RUBY_VERSION, suites: reports)) : show(reports)
      reports.values.any? { |report| report[:different]&.values&.any?(&:any?) } ? 1 : 0
    rescue OptionParser::ParseError => error
      $stderr.puts "downstream: #{error.message}; try --help"
      2
    end

    private

    def parse
      OptionParser
        .new("Usage: downstream [SUITE ...] [options]") do |parser|
          parser.on("--lock", "resolve the gems of these suites anew for this Ruby, store their versions, run none") do
            @lock = true
          end
          parser.on("--json", "print one JSON object") { @json = true }
          parser.on("--list", "name the suites, run none") { exit puts(SUITES.map(&:name)).to_i }
        end
        .permute!(@names)
      unknown = @names - SUITES.map(&:name)
      raise OptionParser::InvalidArgument, "there is no suite #{unknown.first}" if unknown.any?

      @suites = SUITES.select { |suite| (@names.empty? || @names.include?(suite.name)) && suite.for_this_ruby? }
    end

    # @return [Integer] 0; 1: a suite's gems cannot be resolved
    def lock
      failed =
        @suites.reject do |suite|
          $stderr.puts "== #{suite.name}"
          suite.lock
          true
        rescue Unavailable => error
          $stderr.puts "cannot be had: #{error.message}"
        end
      failed.any? ? 1 : 0
    end

    def report(suite)
      $stderr.puts "== #{suite.name}"
      suite.prepare
      runs = {}
      suite.each_run do |start, run|
        runs[start] = run.tap do
          $stderr.puts "#{start}: #{run.outcomes.size} tests, #{run.failures.size} fail, #{run.status}, #{run.seconds} s"
        end
      end
      compare(runs)
    rescue Unavailable => error
      { unavailable: error.message }
    end

    # The outcomes in which each start differs from the two plain runs. Tests about which these two disagree are left
    # out.
    def compare(runs)
      plain, again = runs.values_at("plain", "plain again")
      steady = plain.outcomes.select { |name, outcome| again.outcomes[name] == outcome }
      different = runs.slice(*STARTS).transform_values { |run| differences(steady, plain, again, run) }
      (different.keys - ["recording"]).each do |start|
        different[start] << "nothing came from the image" if runs[start].hits.zero?
      end
      {
        tests: plain.outcomes.size,
        failing: plain.failures.size,
        unsteady: (plain.outcomes.keys | again.outcomes.keys).size - steady.size,
        different: different,
        seconds: runs.transform_values(&:seconds)
      }
    end

    def differences(steady, plain, again, run)
      changed =
        steady.filter_map do |name, outcome|
          "#{name}: #{outcome} -> #{run.outcomes[name] || "not run"}" if run.outcomes[name] != outcome
        end
      changed +=
        (run.outcomes.keys - plain.outcomes.keys - again.outcomes.keys).map do |name|
          "#{name}: not there -> #{run.outcomes[name]}"
        end
      if plain.status == again.status && run.status != plain.status
        changed << "the end: #{plain.status} -> #{run.status}"
      end
      changed
    end

    def show(reports)
      puts "Ruby #{RUBY_VERSION}: suites of others, by how many tests each start differs from plain Ruby"
      puts Warmstart::Bench::Table.new(HEAD, reports.map { |name, report| row(name, report) })
      reports.each do |name, report|
        puts "cannot be had: #{report[:unavailable]}" if report[:unavailable]
        report[:different]&.each { |start, tests| tests.each { |test| puts "#{name}, #{start}: #{test}" } }
      end
    end

    def row(name, report)
      return name, *Array.new(HEAD.size - 1, "-") if report[:unavailable]

      [
        name,
        *report.values_at(:tests, :failing, :unsteady),
        *STARTS.map { |start| report[:different][start]&.size || "-" },
        report[:seconds].values.sum.round
      ]
    end
  end
end
