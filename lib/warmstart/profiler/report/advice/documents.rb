# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # YAML and JSON files that are parsed again in every boot. With an image only JSON files are: what YAML files
        # say comes from it.
        # @api private
        class Documents < Rule
          def advice
            found = @profile.nodes.select { |node| node.document? && !(node.kind == "yaml" && @profile.from_image?) }
            return if found.empty?

            kinds = found.map { |node| node.kind.upcase }.uniq.join(" and ")
            advise(
              "#{Text.plural(found.size, "#{kinds} file")} parsed in each boot: keep what they say (a cache of " \
                "documents, Ruby code, Marshal)",
              wall(found),
              "selves of all documents; reading what was kept instead still costs something",
              items: worst(found) { |node| node.self_of("wall") }
            )
          end

          private

          def note(node) = node.path ? @profile.short(node.path) : super
        end
      end
    end
  end
end
