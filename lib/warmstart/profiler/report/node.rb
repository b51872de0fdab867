# frozen_string_literal: true

require_relative "metrics"

module Warmstart
  module Profiler
    class Report
      # One node of the tree, linked to its parent and children. Only Profile creates nodes.
      # @api private
      class Node
        # The kinds of nodes that load a file of Ruby code.
        LOADS = %w[require require_relative load autoload].freeze
        DOCUMENTS = %w[yaml json].freeze

        attr_reader :id,
                    :thread,
                    :kind,
                    :name,
                    :path,
                    :from,
                    :result,
                    :error,
                    :parent,
                    :children,
                    :start,
                    :finish,
                    :raw_self,
                    :raw_total
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
