# frozen_string_literal: true

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
      end
    end
  end
end
