# frozen_string_literal: true

require_relative "recording"

module Warmstart
  module Profiler
    # A profile in the format of docs/profiling.md, made from the recording and from what is known of the program.
    # @api private
    class Profile
      FORMAT = "warmstart profile"
      VERSION = 1

      # @param recording [Recording]
      # @param details [Hash{String => Object}] the result of Details.collect, or a part of it
      # @param program [Hash{String => Object}] further values of the section "program"
      # @param calls_source [String, nil] what counted file system calls; nil: they were not counted
      def initialize(recording, details:, program:, calls_source:)
        @recording = recording
        @details = details
        @program = program
        @calls_source = calls_source
      end

      # Lines for the user about what the profile does not have.
      # @return [Array<String>]
      def remarks
        [
          (
            if @recording.ending == :another
              "the profile ends where the process became another program, which is no Ruby program"
            end
          ),
          ("there was no more room for the recording (is the disk full?): its last part is missing" if @recording.full?)
        ].compact
      end

      # @return [Hash{String => Object}] for JSON, and for Report
      def to_h
        @to_h ||= {
          "format" => FORMAT,
          "version" => VERSION,
          "program" => program,
          "gems" => @details["gems"] || gems,
          "load_path" => @details["load_path"] || [],
          "threads" => @recording.threads,
          "overhead" => overhead,
          "nodes" => @recording.nodes,
          "features" => @details["features"] || 0,
          "files_outside_image" => @details["files_outside_image"]
        }.compact.merge("calls_source" => @calls_source)
      end

      private

      def program
        directory = @program["directory"] || @details["directory"]
        {
          "command" => @program["command"],
          "directory" => directory,
          "application" => application(directory),
          "ruby" => @details["ruby"],
          "ruby_version" => @details["ruby_version"],
          "platform" => @details["platform"],
          "processors" => @program["processors"],
          "pid" => @recording.pid,
          "started_at" => @program["started_at"],
          "status" => @program["status"],
          "accelerator" => @details["accelerator"] || "absent",
          "bootsnap" => @details["bootsnap"] || false,
          "complete" => @recording.ended?
        }
      end

      # A process that was killed could not report its gems. They are found by the paths of the loaded files.
      def gems
        found = @recording.nodes.filter_map { |node| node["path"]&.match(%r{\A(.*/gems/([^/]+?)-(\d[^/]*))/}) }
        found
          .uniq { |match| match[1] }
          .map { |match| { "name" => match[2], "version" => match[3], "path" => match[1], "default" => false } }
      end

      # The folder of the Gemfile in use, or of the nearest Gemfile above.
      def application(directory)
        gemfile = @details["gemfile"]
        return File.dirname(gemfile) if gemfile && !gemfile.empty?

        folder = directory
        until folder.nil? || File.file?(File.join(folder, "Gemfile"))
          above = File.dirname(folder)
          folder = above == folder ? nil : above
        end
        folder
      end

      def overhead
        nanoseconds = @recording.overhead_ns
        wall = @recording.ended_ns - @recording.started_ns
        {
          "wall_ns" => nanoseconds,
          "cpu_ns" => nanoseconds,
          "share" => wall.positive? ? nanoseconds.fdiv(wall).round(4) : 0.0
        }
      end
    end
  end
end
