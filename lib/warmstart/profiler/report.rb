# frozen_string_literal: true

require "json"

module Warmstart
  module Profiler
    # A report on a profile, in every form: a tree for a terminal, a page, files for other viewers, JSON. It reads only
    # the raw profile (docs/profiling.md); no code here depends on how that was collected.
    #
    #   report = Warmstart::Profiler::Report.new(JSON.parse(File.read("profile.json")))
    #   puts report.terminal(width: 100)
    #   File.write("profile.html", report.html)
    # @api private
    class Report
      # Raised if a profile cannot be read by this version; the message says why.
      class Invalid < StandardError
      end

      # @param path [String] a file with raw JSON
      # @raise [Invalid] the file cannot be read, is not JSON, or is not a profile
      def self.read(path)
        new(JSON.parse(File.binread(path).force_encoding(Encoding::UTF_8)))
      rescue SystemCallError => error
        raise Invalid, error.message.sub(%r{ @ .*}, "")
      rescue JSON::ParserError
        raise Invalid, "it is no JSON"
      end

      attr_reader :profile

      # @param raw [Hash] a parsed profile, with names as strings
      # @raise [Invalid] it is not a profile, or one of another version
      def initialize(raw)
        @profile = Profile.new(Text.utf8(raw))
      end

      def groups(sort: "wall") = Groups.new(@profile, sort: sort)

      # @return [Array<Advice>] the greatest saving first
      def advice = @advice ||= Advice.all(@profile)

      # @return [Causes] the causes of the boot's wall time, the costliest first
      def causes = @causes ||= Causes.new(@profile)

      # The report for a terminal; for the options see Terminal.
      # @return [String]
      def terminal(**options) = Terminal.new(self, **options).to_s

      # Prints the report to `output`, with the width, the colours and the characters that fit it.
      # @param output [IO]
      # @raise [ArgumentError, RegexpError] an invalid order or pattern
      def print(output, **options)
        unicode = (output.external_encoding || Encoding.default_external) == Encoding::UTF_8
        output.write(
          terminal(
            width: Terminal.width_of(output),
            colors: Terminal::Style.wanted?(output),
            unicode: unicode,
            **options
          )
        )
      end

      # The report as one HTML page that needs no other file.
      # @return [String]
      def html = Page.new(self).to_s

      # The profile for https://profiler.firefox.com (or `profiler.firefox.com/from-file`).
      # @return [Hash]
      def firefox = Firefox.new(@profile).to_h

      # The profile for https://www.speedscope.app
      # @return [Hash]
      def speedscope = Speedscope.new(@profile).to_h

      # The raw profile with causes, groups and advice, for other programs.
      # @return [Hash]
      def to_h
        @profile.raw.merge("causes" => causes.all.map(&:to_h), "groups" => groups.to_h, "advice" => advice.map(&:to_h))
      end
    end
  end
end

require_relative "../version"
require_relative "report/profile"
require_relative "report/groups"
require_relative "report/causes"
require_relative "report/advice"
require_relative "report/terminal"
require_relative "report/page"
require_relative "report/firefox"
require_relative "report/speedscope"
