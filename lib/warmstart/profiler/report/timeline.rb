# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      # A thread's nodes in the order of time, for formats that want events or samples: they nest, whatever a clock's
      # step made of it.
      class Timeline
        def initialize(root)
          @root = root
        end

        # Calls with (:open or :close, node, nanoseconds), times never fall.
        def each_event(&block)
          return enum_for(:each_event) unless block

          visit(@root, @root.start, [@root.finish, @root.start].max, block)
        end

        # When which node was the innermost: [[node, start, length], ...] in the order of time; lengths sum up to the
        # root's.
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
