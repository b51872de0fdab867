# frozen_string_literal: true

require_relative "text"

module Warmstart
  module Profiler
    class Report
      # What the boot's wall time went to, in parts that do not overlap and together are all of it: garbage collection, then without
      # it the code of each gem, documents, each initializer, Bundler, Ruby's own start ... The costliest come first.
      class Causes
        # time: nanoseconds of wall. detail: what there was of it, and where most of it was.
        Cause = Struct.new(:title, :time, :share, :detail, keyword_init: true)

        def initialize(profile)
          @profile = profile
        end

        # @return [Array<Cause>]
        def all
          @all ||= [garbage, *parts].select { |cause| cause.time.positive? }.sort_by { |cause| [-cause.time, cause.title] }
        end

        def first(count) = all.first(count)

        private

        def nodes = @nodes ||= @profile.nodes.select { |node| @profile.main?(node) }

        def garbage
          runs = nodes.sum { |node| node.self_of("gc_runs") }
          worst = nodes.group_by { |node| node.owner.name }.transform_values { |list| list.sum { |node| node.self_of("gc") } }
            .select { |_, time| time.positive? }.max_by(3, &:last).map(&:first)
          cause("garbage collection", nodes.sum { |node| node.self_of("gc") },
                [Text.plural(runs, "run"), worst.empty? ? nil : "most of it in #{worst.join(", ")}"])
        end

        def parts
          nodes.group_by { |node| title(node) }.map { |name, list| cause(name, list.sum { |node| without_gc(node) }, details(list)) }
        end

        def without_gc(node) = [node.self_of("wall") - node.self_of("gc"), 0].max

        def title(node)
          case node.kind
          when "yaml" then "parsing YAML"
          when "json" then "parsing JSON"
          when "eval" then "evals of strings"
          when "initializer" then "initializer #{node.name}"
          when "program" then "the program's own main file"
          when "ruby" then "Ruby's own start"
          when "bundler" then node.name
          when "finish" then "the end: at_exit and Ruby's own"
          else load_title(node.owner)
          end
        end

        def load_title(owner)
          case owner.kind
          when :application then "the application's #{owner.folder}/"
          when :gem then "loading #{[owner.name, @profile.owners.version(owner.name)].compact.join(" ")}"
          when :outside then "loading files outside of the application and gems"
          else "loading #{owner.name}"
          end
        end

        def details(list)
          largest = list.max_by { |node| without_gc(node) }
          [what(list), (largest_line(largest) if list.size > 1 && without_gc(largest).positive?)]
        end

        def what(list)
          node = list.first
          return Text.plural(list.size, "file") if node.load?
          return Text.plural(list.size, "document") if node.document?

          list.size > 1 ? "#{list.size} times" : nil
        end

        def largest_line(node) = "the largest #{@profile.label(node)}, #{Text.time(without_gc(node))}"

        def cause(title, time, details)
          Cause.new(title: title, time: time, share: @profile.share(time), detail: details.compact.join("; "))
        end
      end
    end
  end
end
