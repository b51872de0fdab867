# frozen_string_literal: true

# What the program requires, and how Ruby finds it.
module Warmstart
  module Profiler
    class Report
      class Advice
        # Requires that found nothing: each searched the whole load path, and the program rescued the LoadError.
        # @api private
        class FailedRequires < Rule
          def advice
            found = outermost(@profile.nodes.select { |node| node.load? && node.failed? && @profile.main?(node) })
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "require")} failed and #{found.size == 1 ? "was" : "were"} rescued: ask " \
                "first whether it is there, or not at all",
              found.sum { |node| node.total_of("wall") },
              "totals of requires that raised",
              bound: "about",
              items: worst(found) { |node| node.total_of("wall") }
            )
          end
        end

        # Requires of files that are loaded already: cheap, but not free.
        # @api private
        class RepeatedRequires < Rule
          MANY = 1000

          # Nanoseconds: a greater bound only shows that there is no node that did little else.
          TELLING = 20_000

          def advice
            count = @profile.total("repeated")
            cost = CallCost.bound(@profile.nodes, "repeated")
            return if count < MANY || cost.nil? || cost > TELLING

            advise(
              "#{Text.plural(count, "require")} of what was loaded already: take them out of methods and loops, or " \
                "answer them from an index",
              (count * cost).round,
              "#{Text.small_time(cost)} each at most (wall time by repeated requires of the node that did little else)",
              items: most("repeated", "repeated require")
            )
          end
        end

        # A file that does little but require its neighbours: each of them could be an autoload.
        # @api private
        class EagerRequires < Rule
          NEIGHBOURS = 8

          def advice
            found = outermost(@profile.loads.select { |node| neighbours(node).size >= NEIGHBOURS })
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "file")} that #{found.size == 1 ? "requires" : "require"} #{NEIGHBOURS} " \
                "neighbours and more, all at once: " \
                "autoloads would load what is used",
              found.sum { |node| time(node) },
              "totals of the files that such a file requires of its own gem or folder; what the boot uses of them " \
                "stays",
              items: worst(found) { |node| time(node) }
            )
          end

          private

          def neighbours(node)
            @neighbours ||= {}.compare_by_identity
            @neighbours[node] ||= node.children.select do |child|
              child.load? && child.result == "loaded" && child.from_path == node.path &&
                child.owner.name == node.owner.name && child.owner.kind == node.owner.kind
            end
          end

          def time(node) = @profile.main?(node) ? neighbours(node).sum { |child| child.total_of("wall") } : 0

          def note(node) =
            "#{Text.plural(neighbours(node).size, "neighbour")} in " \
              "#{node.owner.kind == :gem ? node.owner.name : @profile.short(File.dirname(node.path))}"
        end

        # Ruby searches the load path by opening files: in each folder before the right one an open fails.
        # @api private
        class Search < Rule
          def advice
            failed = @profile.total("failed")
            cost = CallCost.of_call(@profile.nodes, "failed") or return
            return if failed.zero?

            without = "an index of the load path (Warmstart, bootsnap) knows without"
            reason = @profile.from_image? ? "C code and the program itself ask for them" : without
            advise(
              "#{Text.plural(failed, "look")} for files where they are not: " \
                "#{reason}",
              (failed * cost).round,
              "#{Text.plural(@profile.total("open_failed"), "failed open")} and " \
                "#{Text.plural(@profile.total("stat_failed"), "failed stat")}, " \
                "#{Text.small_time(cost)} each at most (wall time by failed calls of the node that did little else); " \
                "the load path has #{Text.plural((@profile.raw["load_path"] || []).size, "folder")}",
              items: most("open_failed", "failed open")
            )
          end
        end

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
