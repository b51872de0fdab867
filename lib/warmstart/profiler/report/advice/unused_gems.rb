# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Gems that the application or Bundler.require loaded, and that nothing asked for afterwards. Warmstart is not
        # among them: it works without being asked.
        # @api private
        class UnusedGems < Rule
          WORTH = Text::MILLISECOND

          def advice
            found =
              tops
                .except("warmstart")
                .filter_map { |gem, nodes| candidate(gem, nodes) }
                .sort_by { |_, saving,| -saving }
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "gem")} loaded for the bundle or the application and not asked for again in " \
                "the boot: " \
                "candidates for `require: false` or a later require",
              found.sum { |_, saving,| saving },
              "each gem's whole subtree, with other gems in it that nothing outside asked for; no file of it was " \
                "loaded and it asked for none after its " \
                "require. A constant that is used without a require is not seen: try it",
              items: found.first(ITEMS * 2).map { |gem, saving, node| [gem, saving, note(node)] }
            )
          end

          private

          # The gems that the application or Bundler asked for, each with the nodes of the place that asked first. If
          # another place asks for the gem, that is a use.
          def tops
            asked =
              @profile.loads.select do |node|
                node.owner.kind == :gem && node.path && @profile.main?(node) && asked_from_outside?(node)
              end
            asked
              .group_by { |node| node.owner.name }
              .transform_values do |nodes|
                nodes.select { |node| node.parent == nodes.first.parent && node.kind != "autoload" }
              end
          end

          def asked_from_outside?(node)
            return true if node.parent&.kind == "bundler"

            from = node.from_path
            from&.match?(Owners::ABSOLUTE) && %i[application bundler].include?(@profile.owners.of_path(from).kind)
          end

          def candidate(gem, nodes)
            below = nodes.flat_map(&:subtree).to_h { |node| [node.id, node] }
            return unless touched(gem).all? { |id| below.key?(id) }

            # (such a gem runs the application)
            if nodes.empty? ||
                 below.values.any? { |node| node.owner.kind == :application || node.kind == "initializer" }
              return
            end

            saving =
              wall(
                below.values.select do |node|
                  node.owner.kind == :gem && touched(node.owner.name).all? { |id| below.key?(id) }
                end
              )
            [gem, saving, nodes.first] if saving >= WORTH
          end

          # Ids of the nodes that belong to a gem, and of those that one of its files asked for.
          def touched(gem)
            @touched ||=
              @profile
                .nodes
                .each_with_object(Hash.new { |hash, name| hash[name] = [] }) do |node, ids|
                  ids[node.owner.name] << node.id
                  from = node.from_path
                  ids[@profile.owners.of_path(from).name] << node.id if from&.match?(Owners::ABSOLUTE)
                end
            @touched.fetch(gem, [])
          end
        end
      end
    end
  end
end
