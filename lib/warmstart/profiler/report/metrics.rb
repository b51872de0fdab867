# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      # The metrics of a node's "self" or "total": the raw names of the format, and names for sums of them. Times are in
      # nanoseconds, memory in bytes. A metric that is absent is zero.
      # @api private
      module Metrics
        FILE_SYSTEM_CALLS = %w[open stat readlink realpath list read mmap other_calls].freeze

        # (A readlink that fails is not a failed search: it tells realpath that the path is not a link.)
        FAILED_CALLS = %w[open_failed stat_failed].freeze

        # Name => the raw names that are summed up.
        SUMS = {
          "wall" => %w[wall_ns],
          "cpu" => %w[cpu_ns],
          "gc" => %w[gc_ns],
          "gc_runs" => %w[gc_count],
          "objects" => %w[objects],
          "bytes" => %w[bytes],
          "memory" => %w[memory_bytes],
          "calls" => FILE_SYSTEM_CALLS,
          "failed" => FAILED_CALLS,
          "files" => %w[iseqs],
          "repeated" => %w[repeated_requires],
          "evals" => %w[evals]
        }.freeze

        # The metrics that are times.
        TIMES = %w[wall cpu gc].freeze

        module_function

        # @param raw [Hash{String => Integer}] a node's "self" or "total"
        # @param name [String] a key of SUMS, or a raw name
        # @return [Integer]
        def value(raw, name)
          names = SUMS[name]
          return raw.fetch(name, 0) unless names
          return raw.fetch(names[0], 0) if names.size == 1

          names.sum { |key| raw.fetch(key, 0) }
        end
      end
    end
  end
end
