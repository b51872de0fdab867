# frozen_string_literal: true

require "json"

module Warmstart
  module Profiler
    # What a profile says, in every form: a terminal tree, a page, files for other viewers, JSON. Made of the raw
    # profile alone (docs/profiling.md); nothing here knows who collected it.
    #
    #   report = Warmstart::Profiler::Report.new(JSON.parse(File.read("profile.json")))
    #   puts report.terminal(width: 100)
    #   File.write("profile.html", report.html)
    class Report
      # It is no profile that this version can read; the message says why.
      class Invalid < StandardError
      end

      # @param path [String] of raw JSON
      # @raise [Invalid] no file, no JSON, no profile
      def self.read(path)
        new(JSON.parse(File.binread(path).force_encoding(Encoding::UTF_8)))
      rescue SystemCallError => error
        raise Invalid, error.message.sub(%r{ @ .*}, "")
      rescue JSON::ParserError
        raise Invalid, "it is no JSON"
      end

      attr_reader :profile

      # @param raw [Hash] with names as strings
      # @raise [Invalid]
      def initialize(raw)
        @profile = Profile.new(Text.utf8(raw))
      end

      def groups(sort: "wall") = Groups.new(@profile, sort: sort)

      # @return [Array<Advice>] the greatest saving first
      def advice = @advice ||= Advice.all(@profile)

      # @return [Causes] of the boot's wall time, the costliest first
      def causes = @causes ||= Causes.new(@profile)

      # The report for a terminal; options: Terminal.
      # @return [String]
      def terminal(**options) = Terminal.new(self, **options).to_s

      # The report on `output`, as it wants it: its width, its colours, its characters.
      # @param output [IO]
      # @raise [ArgumentError, RegexpError] an order or pattern that makes no sense
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

      # One page that needs nothing else.
      # @return [String]
      def html = Page.new(self).to_s

      # For https://profiler.firefox.com (or `profiler.firefox.com/from-file`).
      # @return [Hash]
      def firefox = Firefox.new(@profile).to_h

      # For https://www.speedscope.app
      # @return [Hash]
      def speedscope = Speedscope.new(@profile).to_h

      # For programs: the raw profile with causes, groups and advice.
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
