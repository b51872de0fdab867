# frozen_string_literal: true

require_relative "report"

module Warmstart
  module Profiler
    # Compares two profiles: what became slower or faster, what is new, what is gone; in total, by gem and by file.
    #
    #   compare = Warmstart::Profiler::Compare.new(Report.read("before.json"), Report.read("after.json"))
    #   puts compare.table(width: 100)
    # @api private
    class Compare
      # What is compared => its name in a sentence.
      NAMES = {
        "wall" => "wall time",
        "cpu" => "CPU time",
        "gc" => "GC time",
        "gc_runs" => "GC runs",
        "files" => "files",
        "objects" => "objects",
        "bytes" => "allocated bytes",
        "memory" => "memory",
        "calls" => "file system calls",
        "failed" => "failed file system calls"
      }.freeze
      COUNTED = %w[calls failed].freeze

      # What is compared. before and after are values by metric, or nil in the profile that does not have it.
      Change =
        Struct.new(:name, :before, :after, keyword_init: true) do
          def status
            if before.nil?
              :new
            elsif after.nil?
              :gone
            else
              :both
            end
          end

          def change(metric) = value(after, metric) - value(before, metric)

          # @return [Float, nil] the change as a share of the value before; nil if that is 0
          def share(metric)
            base = value(before, metric)
            change(metric).fdiv(base) if base.positive?
          end

          def value(side, metric) = side ? side.fetch(metric) : 0
        end

      attr_reader :before, :after

      # @param before [Report]
      # @param after [Report]
      def initialize(before, after)
        @before = before
        @after = after
      end

      # @return [Array<String>] the metrics that both profiles have
      def metrics = sides.all? { |report| report.profile.calls_counted? } ? NAMES.keys : NAMES.keys - COUNTED

      # @return [Change] that of the whole program
      def total
        @total ||= Change.new(name: "total", before: sums(@before), after: sums(@after))
      end

      # @return [Array<Change>] one for each gem, the greatest change of wall time first
      def gems
        @gems ||=
          changes(
            *sides.map { |report| report.groups.by_gem.to_h { |group| [group.name, group.values.slice(*metrics)] } }
          )
      end

      # @return [Array<Change>] one for each file, in the same order. A file is identified by its path in its gem or
      #   application, so another version of the gem, or another folder, has the same files.
      def files
        @files ||= changes(*sides.map { |report| files_of(report) })
      end

      # @param budget [Budget]
      # @return [Array<Budget::Excess>] what grew more than the budget allows
      def excesses(budget) = budget.excesses(self)

      # @return [String] text for a terminal; for the options see Table
      def table(**options) = Table.new(self, **options).to_s

      # @return [Hash] for JSON
      def to_h(excesses = [])
        {
          before: head(@before),
          after: head(@after),
          total: change_hash(total),
          gems: gems.map { |change| change_hash(change) },
          files: files.map { |change| change_hash(change) },
          over_budget: excesses.map(&:to_h)
        }
      end

      private

      def sides = [@before, @after]

      def sums(report) = metrics.to_h { |metric| [metric, report.profile.total(metric)] }

      def files_of(report)
        profile = report.profile
        profile
          .nodes
          .group_by { |node| identity(profile, node) }
          .transform_values { |nodes| metrics.to_h { |metric| [metric, profile.sum(nodes, metric)] } }
      end

      def identity(profile, node)
        return profile.label(node) unless node.path

        path = profile.short(node.path)
        node.owner.kind == :application ? path : path.sub(OF_GEM) { "#{Regexp.last_match(1)}: " }
      end

      # A gem's folder, in the form that Owners#short returns.
      OF_GEM = %r{\A([^/]+?)-\d[^/]*/(?:lib/)?}

      def changes(before, after)
        (before.keys | after.keys)
          .map { |name| Change.new(name: name, before: before[name], after: after[name]) }
          .sort_by { |change| [-change.change("wall").abs, change.name] }
      end

      def head(report)
        report.profile.program.slice("command", "ruby", "accelerator", "started_at")
      end

      def change_hash(change)
        {
          name: change.name,
          status: change.status,
          before: change.before,
          after: change.after,
          change: metrics.to_h { |metric| [metric, change.change(metric)] }
        }
      end
    end
  end
end

require_relative "compare/budget"
require_relative "compare/table"
