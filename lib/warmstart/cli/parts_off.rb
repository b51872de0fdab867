# frozen_string_literal: true

module Warmstart
  module CLI
    # The parts of Warmstart that are off on this Ruby, because it lacks something or does not behave as they need; and
    # what that costs.
    # @api private
    module PartsOff
      # The figures were measured in warm boots of the example applications.
      COST = {
        code: "nothing comes from an image, as with WARMSTART_CODE=0",
        recording: "an image is used and none is made, as with WARMSTART_READONLY=1",
        direct: "Ruby's own require loads each file, as with WARMSTART_DIRECT=0: a fifth more CPU",
        documents: "YAML files are parsed, as with WARMSTART_DOCUMENTS=0",
        symbols: "Ruby looks up each file's symbols anew: 3% more CPU",
        features_copies: "Ruby's copies of $LOADED_FEATURES wait for the collector: 280 MB in a boot of 7,000 files",
        watchers: "while a TracePoint of any kind is enabled Ruby's own require loads each file"
      }.freeze

      class << self
        # @return [Hash{Symbol => String}] part => what this Ruby lacks
        def all
          lacking = Native.lacking
          return lacking if lacking.key?(:direct) || !all_events_count?

          lacking.merge(watchers: "known place of the events that are watched")
        end

        # @return [Array<String>]
        def lines = all.map { |part, what| "#{part} (this Ruby has no #{what}): #{COST.fetch(part)}" }

        private

        # (ext/warmstart/ruby/private/traced.c finds that out when a TracePoint is enabled, so one is enabled here.)
        def all_events_count?
          TracePoint.new(:script_compiled) { nil }.enable { Native.traced?("line") }
        end
      end
    end
  end
end
