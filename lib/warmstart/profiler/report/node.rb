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

      # One node of the tree, linked to its parent and children. Only Profile creates nodes.
      # @api private
      class Node
        # The kinds of nodes that load a file of Ruby code.
        LOADS = %w[require require_relative load autoload].freeze
        DOCUMENTS = %w[yaml json].freeze

        attr_reader :id, :thread, :kind, :name, :path, :from, :result, :error, :parent, :children, :start, :finish
        attr_accessor :owner

        def initialize(raw, parent)
          @id, @thread, @kind = raw.values_at("id", "thread", "kind")
          @name = text(raw["name"]) || text(raw["path"]) || @kind
          @path, @from, @result, @error = raw.values_at("path", "from", "result", "error")
          @start = raw["start_ns"] || parent&.start || 0
          @finish = raw["end_ns"] || @start # (the recording was cut off)
          @raw_self = raw["self"] || {}
          @raw_total = raw["total"] || {}
          @parent = parent
          @children = []
          parent&.children&.push(self)
        end

        # Metrics of the node without its children, and with them. For the names see Metrics.
        def self_of(metric) = Metrics.value(@raw_self, metric)
        def total_of(metric) = Metrics.value(@raw_total, metric)

        def load? = LOADS.include?(@kind)
        def document? = DOCUMENTS.include?(@kind)
        def failed? = @result == "failed"

        # @return [String, nil] the file that asked for it, without the line
        def from_path = @from&.sub(/:\d+\z/, "")

        def ancestors
          list = []
          node = @parent
          while node
            list << node
            node = node.parent
          end
          list
        end

        # @return [Array<Node>] the node and all below it
        def subtree
          list = [self]
          index = 0
          while (node = list[index])
            list.concat(node.children)
            index += 1
          end
          list
        end

        private

        def text(value) = value && !value.empty? ? value : nil
      end
    end
  end
end
