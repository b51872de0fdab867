# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Firefox
        # The tables of a thread: a stack and a frame for each node, a function for each name and file. All columns of a
        # table have the same length. Tables refer to one another by index.
        # @api private
        class Tables
          # Gives each text an index.
          class Strings
            def initialize
              @indexes = {}
            end

            def [](text) = @indexes[text] ||= @indexes.size
            def to_a = @indexes.keys
            def size = @indexes.size
          end

          # @param nodes [Array<Node>] the nodes of one thread, parents first
          def initialize(nodes, strings:, sources:, label:, category:)
            @nodes = nodes
            @strings = strings
            @sources = sources
            @label = label
            @category = category
            @stacks = nodes.each_with_index.to_h { |node, index| [node.id, index] }
            @functions = {}
            @resources = {}
            @frames = nodes.map { |node| function(node) }
          end

          # @return [Integer] the index of a node's stack
          def stack(node) = @stacks.fetch(node.id)

          def to_h
            {
              "stackTable" => stacks,
              "frameTable" => frames,
              "funcTable" => functions,
              "resourceTable" => resources,
              "nativeSymbols" => no_symbols
            }
          end

          private

          def function(node)
            @resources[node.owner.name] ||= @resources.size
            @functions[[@label.call(node), node.path, node.owner.name]] ||= @functions.size
          end

          def stacks
            {
              "frame" => @nodes.each_index.to_a,
              "prefix" => @nodes.map { |node| node.parent && @stacks[node.parent.id] },
              "length" => @nodes.size
            }
          end

          def frames
            size = @nodes.size
            {
              "address" => [-1] * size,
              "inlineDepth" => [0] * size,
              "category" => @nodes.map { |node| @category.call(node) },
              "subcategory" => [0] * size,
              "func" => @frames,
              "nativeSymbol" => [nil] * size,
              "innerWindowID" => [0] * size,
              "line" => [nil] * size,
              "column" => [nil] * size,
              "length" => size
            }
          end

          def functions
            keys = @functions.keys
            size = keys.size
            {
              "name" => keys.map { |name,| @strings[name] },
              "isJS" => [false] * size,
              "relevantForJS" => [false] * size,
              "resource" => keys.map { |_, _, owner| @resources.fetch(owner) },
              "source" => keys.map { |_, path,| path && @sources[path] },
              "lineNumber" => [nil] * size,
              "columnNumber" => [nil] * size,
              "length" => size
            }
          end

          def resources
            names = @resources.keys
            {
              "length" => names.size,
              "lib" => [nil] * names.size,
              "name" => names.map { |name| @strings[name] },
              "host" => [nil] * names.size,
              "type" => [0] * names.size
            }
          end

          def no_symbols = { "libIndex" => [], "address" => [], "name" => [], "functionSize" => [], "length" => 0 }
        end
      end
    end
  end
end
