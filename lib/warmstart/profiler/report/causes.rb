# frozen_string_literal: true

require_relative "text"

module Warmstart
  module Profiler
    class Report
      # Divides the boot's wall time into parts that do not overlap and add up to all of it: waiting, garbage collection
      # and the search for files; and what is left of the code of each gem, documents, each initializer, Bundler, Ruby's
      # own start ... The costliest come first. The cost of the search is an upper bound (Advice::CallCost): that part
      # may be smaller in fact, and others larger.
      # @api private
      class Causes
        # time: nanoseconds of wall time. detail: a count, and where most of the time was spent.
        Cause = Struct.new(:title, :time, :share, :detail, keyword_init: true)

        def initialize(profile)
          @profile = profile
        end

        # @return [Array<Cause>]
        def all
          @all ||=
            [waiting, garbage, search, *parts].select { |cause| cause.time.positive? }
              .sort_by { |cause| [-cause.time, cause.title] }
        end

        def first(count) = all.first(count)

        private

        def nodes = @nodes ||= @profile.nodes.select { |node| @profile.main?(node) }

        # Time in which no CPU was used: the program slept, waited for a disk, a network or another thread, or the
        # machine was busy.
        def waiting
          cause(
            "waiting",
            nodes.sum { |node| idle(node) },
            ["no CPU was used: sleep, disk, network, another thread or a busy machine", most { |node| idle(node) }]
          )
        end

        def garbage
          runs = nodes.sum { |node| node.self_of("gc_runs") }
          cause(
            "garbage collection",
            nodes.sum { |node| collected(node) },
            [Text.plural(runs, "run"), most { |node| collected(node) }]
          )
        end

        # Names the owners of the nodes that had most of it.
        def most(&measure)
          owners =
            nodes
              .group_by { |node| node.owner.name }
              .transform_values { |list| list.sum(&measure) }
              .select { |_, time| time.positive? }
          "most of it in #{owners.max_by(3, &:last).map(&:first).join(", ")}" if owners.any?
        end

        def search
          failed = nodes.sum { |node| misses(node) }
          cause(
            "searching for files",
            nodes.sum { |node| searched(node) },
            [
              "#{Text.count(failed)} opens and stats that found nothing, at most " \
                "#{Text.small_time(miss_cost || 0)} each"
            ]
          )
        end

        def parts
          nodes
            .group_by { |node| title(node) }
            .map { |name, list| cause(name, list.sum { |node| rest(node) }, details(list)) }
        end

        # The parts of a node's own wall time. They add up to it.
        def idle(node) =
          cpu_known? ? (node.self_of("wall") - node.self_of("cpu")).clamp(0, [node.self_of("wall"), 0].max) : 0
        def collected(node) = [node.self_of("gc"), node.self_of("wall") - idle(node)].min
        def searched(node) =
          miss_cost ? [(misses(node) * miss_cost).round, node.self_of("wall") - idle(node) - collected(node)].min : 0
        def rest(node) = node.self_of("wall") - idle(node) - collected(node) - searched(node)

        def cpu_known? = @profile.total("cpu").positive?
        def misses(node) = node.self_of("failed")

        def miss_cost
          return @miss_cost if defined?(@miss_cost)

          @miss_cost = Advice::CallCost.of_call(nodes, "failed")
        end

        def title(node)
          case node.kind
          when "yaml"
            "parsing YAML"
          when "json"
            "parsing JSON"
          when "eval"
            "evals of strings"
          when "initializer"
            "initializer #{node.name}"
          when "program"
            "the program's own main file"
          when "ruby"
            "Ruby's own start"
          when "bundler"
            node.name
          when "finish"
            "the end: at_exit and Ruby's own"
          else
            load_title(node.owner)
          end
        end

        def load_title(owner)
          case owner.kind
          when :application
            "the #{owner.name}'s #{owner.folder == "." ? "main folder" : "#{owner.folder}/"}"
          when :gem
            "loading #{[owner.name, @profile.owners.version(owner.name)].compact.join(" ")}"
          when :outside
            "loading files outside of the application and gems"
          else
            "loading #{owner.name}"
          end
        end

        def details(list)
          largest = list.max_by { |node| rest(node) }
          [what(list), (largest_line(largest) if list.size > 1 && rest(largest).positive?)]
        end

        def what(list)
          node = list.first
          return Text.plural(list.size, "file") if node.load?
          return Text.plural(list.size, "document") if node.document?

          total = list.sum { |one| one.total_of("wall") }
          own = list.sum { |one| one.self_of("wall") }
          [
            ("#{list.size} times" if list.size > 1),
            ("#{Text.time(total)} with all that it loads" if node.parent && total > own * 1.2)
          ].compact.join("; ")
        end

        def largest_line(node) = "the largest #{@profile.label(node)}, #{Text.time(rest(node))}"

        def cause(title, time, details)
          Cause.new(
            title: title,
            time: time,
            share: @profile.share(time),
            detail: details.compact.reject(&:empty?).join("; ")
          )
        end
      end
    end
  end
end
