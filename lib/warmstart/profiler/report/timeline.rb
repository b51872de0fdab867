# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      # The nodes of a thread in the order of time, for formats that want events or samples. They nest properly, even if
      # the recorded times do not.
      # @api private
      class Timeline
        def initialize(root)
          @root = root
        end

        # Yields :open or :close, the node, and the time in nanoseconds, which never decreases.
        def each_event(&block)
          return enum_for(:each_event) unless block

          visit(@root, @root.start, [@root.finish, @root.start].max, block)
        end

        # @return [Array<Array(Node, Integer, Integer)>] [node, start, length] in the order of time, for each period in
        #   which the node was the innermost; the lengths add up to the root's
        def segments
          list = []
          stack = []
          last = @root.start
          each_event do |event, node, time|
            list << [stack.last, last, time - last] if time > last && stack.any?
            last = time
            event == :open ? stack.push(node) : stack.pop
          end
          list
        end

        private

        def visit(node, from, limit, block)
          start = node.start.clamp(from, limit)
          finish = node.finish.clamp(start, limit)
          block.call(:open, node, start)
          cursor = start
          node
            .children
            .sort_by { |child| [child.start, child.id] }
            .each { |child| cursor = visit(child, cursor, finish, block) if child.thread == node.thread }
          block.call(:close, node, finish)
          finish
        end
      end
    end
  end
end
