# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # If an accelerator is in use: the files that did not come from its image, and why.
        # @api private
        class OutsideImage < Rule
          def advice
            outside = (@profile.raw["files_outside_image"] || []).to_h { |file| file.values_at("path", "reason") }
            return if outside.empty?

            nodes = @profile.loads.select { |node| outside.key?(node.path) }
            reasons =
              nodes
                .group_by { |node| outside.fetch(node.path) }
                .map { |reason, list| [reason, wall(list), example(list)] }
            advise(
              "#{Text.plural(outside.size, "file")} did not come from the boot image: mend the reasons below " \
                "(`warmstart why FILE` tells more)",
              wall(nodes),
              "selves of those files; running their code is in it, and stays",
              items: reasons.sort_by { |_, time,| -time }.first(ITEMS)
            )
          end

          private

          def example(list)
            "#{Text.plural(list.size, "file")}, such as " \
              "#{@profile.short(list.max_by { |node| node.self_of("wall") }.path)}"
          end
        end
      end
    end
  end
end
