# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Code in strings is compiled in each boot, because no image of files contains it.
        # @api private
        class Evals < Rule
          def advice
            count = @profile.total("evals")
            return if count.zero?

            advise(
              "#{Text.plural(count, "eval")} of strings compile code in each boot: define_method or files can be " \
                "cached, strings cannot",
              compile(@profile.nodes),
              "measured time to compile #{Text.bytes(@profile.total("eval_bytes"))} of code in strings; running it " \
                "is not in it",
              bound: "about",
              items:
                worst(@profile.nodes.select { |node| node.self_of("evals").positive? }) do |node|
                  node.self_of("eval_compile_ns")
                end
            )
          end

          private

          def compile(nodes) = nodes.sum { |node| node.self_of("eval_compile_ns") }

          def note(node) = Text.plural(node.self_of("evals"), "eval")
        end
      end
    end
  end
end
