# frozen_string_literal: true

# Runs the test files that are its arguments one after the other in one process, and writes each test's result to
# DOWNSTREAM_RESULTS as JSON.
require "json"
require "minitest"

module Downstream
  class Recorder < Minitest::AbstractReporter
    def initialize
      super
      @marks = {}
    end

    def record(result)
      @marks["#{result.klass}##{result.name}"] = result.result_code
    end

    def report = File.write(ENV.fetch("DOWNSTREAM_RESULTS"), JSON.generate(@marks))
  end
end

module Minitest
  def self.plugin_downstream_init(_options)
    reporter << Downstream::Recorder.new
  end
end
Minitest.extensions << "downstream"

files = ARGV.dup
ARGV.replace(%w[--seed 1])
require "minitest/autorun"
files.each { |file| require File.expand_path(file) }
