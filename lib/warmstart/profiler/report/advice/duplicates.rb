# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # A file that was loaded under two paths: by a symbolic link in the load path, or because a gem is installed
        # twice.
        # @api private
        class Duplicates < Rule
          # A gem's folder and a path in it: two such files of one version of a gem are the same file, wherever they
          # lie.
          OF_GEM = %r{/gems/([^/]+-\d[^/]*/.+)}

          def advice
            found = groups.values.map { |nodes| nodes.uniq(&:path) }.select { |nodes| nodes.size > 1 }
            return if found.empty?

            again = found.flat_map { |nodes| nodes.sort_by(&:start).drop(1) }
            advise(
              "#{Text.plural(found.size, "file")} loaded again under another path: a symbolic link in the load path, " \
                "or a gem installed twice",
              wall(again),
              "selves of each file's second and later loads; two paths are one file when their realpaths are equal, " \
                "or the gem, version and file",
              bound: "about",
              items: worst(again) { |node| node.self_of("wall") }
            )
          end

          private

          def groups
            loads = @profile.loads.select(&:path)
            shared =
              loads
                .group_by { |node| File.basename(node.path) }
                .values
                .select { |nodes| nodes.map(&:path).uniq.size > 1 }
                .flatten
            shared.group_by { |node| identity(node.path) }
          end

          # The file's realpath. For a file that no longer exists, its path in the gem, or its path.
          def identity(path)
            path[OF_GEM, 1] || File.realpath(path)
          rescue SystemCallError
            path
          end

          def note(node) = node.path && "from #{node.path}"
        end
      end
    end
  end
end
