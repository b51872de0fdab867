# frozen_string_literal: true

# What the program and its frameworks do.
module Warmstart
  module Profiler
    class Report
      class Advice
        # The work of Bundler before the first gem is loaded.
        # @api private
        class BundlerSetup < Rule
          def advice
            found =
              outermost(
                @profile.nodes.select do |node|
                  node.kind == "bundler" && node.name.match?(/setup/i) && @profile.main?(node)
                end
              )
            return if found.empty?

            time = found.sum { |node| node.total_of("wall") }
            advise(
              "Bundler.setup is #{Text.percent(@profile.share(time))} of the boot: a bundle that is resolved once " \
                "and kept (standalone, a cached setup)",
              time,
              "total of Bundler.setup, with the files of Bundler and RubyGems that it loads",
              items: worst(found) { |node| node.total_of("wall") }
            )
          end
        end

        # Slow initializers of Rails. A garbage collection strikes whoever runs when it is due, so it does not count.
        # Nor does eager_load!, which loads the application itself: its files have nodes of their own.
        # @api private
        class Initializers < Rule
          SLOW = 50 * Text::MILLISECOND

          def advice
            found =
              outermost(
                @profile.nodes.select do |node|
                  node.kind == "initializer" && node.name != "eager_load!" && work(node) >= SLOW && @profile.main?(node)
                end
              )
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "initializer")} of 50 ms and more: do later what the boot does not need",
              found.sum { |node| work(node) },
              "their totals, with what they load, without garbage collection",
              items: worst(found) { |node| work(node) }
            )
          end

          private

          def work(node) = node.total_of("wall") - node.total_of("gc")

          def note(node) = node.path && @profile.short(node.path)
        end

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
              "measured time to parse, compile and run #{Text.bytes(@profile.total("eval_bytes"))} of code in strings",
              bound: "at most",
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

        # Time in the garbage collector.
        # @api private
        class Garbage < Rule
          def advice
            time = @profile.total("gc")
            advise(
              "garbage collection took #{Text.percent(@profile.share(time))} of the boot: fewer objects, or a larger " \
                "heap from the start " \
                "(RUBY_GC_HEAP_INIT_SLOTS and its like)",
              time,
              "GC time of all nodes, #{Text.plural(@profile.total("gc_runs"), "run")}, " \
                "#{Text.plural(@profile.total("objects"), "object")}; " \
                "what a larger heap leaves of it is not in this profile",
              items: most("objects", "object") # (which of these a collection strikes is chance)
            )
          end
        end

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
