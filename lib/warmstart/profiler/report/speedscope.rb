# frozen_string_literal: true

require_relative "../../version"
require_relative "timeline"

module Warmstart
  module Profiler
    class Report
      # The profile in speedscope's own format (its src/lib/file-format-spec.ts): an evented profile of wall time for
      # each thread, and sampled ones for other metrics.
      # @api private
      class Speedscope
        SCHEMA = "https://www.speedscope.app/file-format-schema.json"

        # Metric => [unit, title].
        SAMPLED = {
          "objects" => %w[none objects],
          "bytes" => %w[bytes allocated],
          "gc" => %w[nanoseconds GC],
          "failed" => ["none", "failed calls"]
        }.freeze

        # @param profile [Profile]
        def initialize(profile)
          @profile = profile
          @frames = {}
        end

        def to_h
          profiles = @profile.roots.map { |root| evented(root) } + SAMPLED.keys.filter_map { |metric| sampled(metric) }
          {
            "$schema" => SCHEMA,
            "name" => @profile.command,
            "exporter" => "warmstart #{VERSION}",
            "activeProfileIndex" => 0,
            "shared" => {
              "frames" => @frames.keys.map { |name, file| { "name" => name, "file" => file }.compact }
            },
            "profiles" => profiles
          }
        end

        private

        def frame(node)
          @frames[[@profile.label(node), node.path]] ||= @frames.size
        end

        def evented(root)
          events =
            Timeline
              .new(root)
              .each_event
              .map do |event, node, time|
                { "type" => event == :open ? "O" : "C", "frame" => frame(node), "at" => time }
              end
          {
            "type" => "evented",
            "name" => thread_name(root),
            "unit" => "nanoseconds",
            "startValue" => events.first["at"],
            "endValue" => events.last["at"],
            "events" => events
          }
        end

        def sampled(metric)
          nodes = @profile.nodes.select { |node| node.self_of(metric).positive? }
          return if nodes.empty?

          unit, name = SAMPLED.fetch(metric)
          weights = nodes.map { |node| node.self_of(metric) }
          {
            "type" => "sampled",
            "name" => name,
            "unit" => unit,
            "startValue" => 0,
            "endValue" => weights.sum,
            "samples" => nodes.map { |node| [*node.ancestors.reverse, node].map { |one| frame(one) } },
            "weights" => weights
          }
        end

        def thread_name(root) = root.kind == "program" ? "main thread, wall time" : "#{@profile.label(root)}, wall time"
      end
    end
  end
end
