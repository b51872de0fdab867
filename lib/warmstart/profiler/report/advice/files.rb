# frozen_string_literal: true

# Files: how they are found, read and compiled.
module Warmstart
  module Profiler
    class Report
      class Advice
        # An upper bound for the cost of something that was counted, computed from the profile itself. A node that did
        # it so many times took at least that long (without its GC), so its time divided by the count is a bound. The
        # node that did little else gives the best bound.
        # @api private
        module CallCost
          # A node gives a bound only if its count and its time (ns) are at least these, so that the clock's resolution
          # does not matter.
          ENOUGH = 20
          ENOUGH_TIME = 50_000

          # Nanoseconds: a greater bound for a call only shows that there is no node that did little else.
          TELLING = 10_000

          module_function

          # A bound for the cost of a file system call, if it is small enough to mean something.
          # @return [Float, nil] nanoseconds
          def of_call(nodes, metric) = bound(nodes, metric)&.then { |cost| cost if cost <= TELLING }

          # @return [Float, nil] nanoseconds; nil if no node did it often enough
          def bound(nodes, metric)
            nodes
              .filter_map do |node|
                count = node.self_of(metric)
                time = node.self_of("wall") - node.self_of("gc")
                time.fdiv(count) if count >= ENOUGH && time >= ENOUGH_TIME
              end
              .min
          end
        end

        # Ruby finds the realpath of each loaded file by readlink: one call for the file, and one for each folder above
        # it that it has not looked up yet.
        # @api private
        class RealPaths < Rule
          def advice
            links = @profile.total("readlink")
            cost = CallCost.of_call(@profile.nodes, "calls") or return

            advise(
              "#{Text.plural(links, "link")} read to find the real paths of " \
                "files#{": an image of compiled code (Warmstart) knows them" unless @profile.from_image?}",
              (links * cost).round,
              "#{Text.plural(links, "readlink")}, #{Text.small_time(cost)} each at most (wall time by calls of the " \
                "node that did little else); " \
                "real paths that the program itself asks for are among them",
              items: most("readlink", "readlink")
            )
          end
        end

        # Files that are read in many small pieces: each piece is a system call.
        # @api private
        class SmallReads < Rule
          MANY = 1000

          def advice
            found = @profile.nodes.select { |node| pieces(node) >= MANY }
            return if found.empty?

            cost = CallCost.of_call(@profile.nodes, "calls")
            time = ->(node) { [cost ? (pieces(node) * cost).round : node.self_of("wall"), node.self_of("wall")].min }
            advise(
              "#{Text.plural(found.size, "place")} in which files are read in pieces of 16 bytes or less: read them " \
                "at once",
              found.sum(&time),
              (
                if cost
                  "reads of 16 bytes or less, #{Text.small_time(cost)} each at most (wall time by calls of the node " \
                    "that did little else)"
                else
                  "selves of what read so"
                end
              ),
              items: worst(found, &time)
            )
          end

          private

          def pieces(node) = node.self_of("reads_to_16")

          def note(node) =
            "#{Text.plural(pieces(node), "read")} of 16 bytes or less, #{Text.bytes(node.self_of("read_bytes"))} in all"
        end

        # Files of code that are large: tables, generated parsers, data written as Ruby.
        # @api private
        class LargeFiles < Rule
          READ = 200_000 # bytes of source, if calls were counted
          ALLOCATED = 8 << 20 # bytes of objects
          SLOW = 5 * Text::MILLISECOND

          def advice
            found = @profile.loads.select { |node| large?(node) && node.self_of("wall") >= SLOW }
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "file")} of code #{found.size == 1 ? "is" : "are"} very large (generated, " \
                "or data written as Ruby): " \
                "load what is needed of it later, or keep it compiled",
              wall(found),
              "selves of files of #{Text.bytes(READ)} of source and more, or that allocated #{Text.bytes(ALLOCATED)} " \
                "and more by themselves",
              items: worst(found) { |node| node.self_of("wall") }
            )
          end

          private

          def large?(node)
            node.self_of("read_bytes") >= READ || node.self_of("bytes") >= ALLOCATED
          end

          def note(node)
            [
              node.self_of("read_bytes").positive? ? "#{Text.bytes(node.self_of("read_bytes"))} read" : nil,
              "#{Text.bytes(node.self_of("bytes"))} allocated"
            ].compact.join(", ")
          end
        end

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
