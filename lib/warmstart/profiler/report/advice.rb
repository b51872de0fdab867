# frozen_string_literal: true

require_relative "text"

module Warmstart
  module Profiler
    # @api private
    class Report
      # What could be done about the boot, and what that would save. Each rule is a class in advice/: it reads the
      # profile and returns an Advice, or nil if it has none. Nothing is guessed: the saving is computed from the
      # profile, and `how` says how. The savings of two pieces of advice may overlap, so they must not be added up.
      #
      # saving: nanoseconds of wall time, an upper bound if `bound` is "at most". items: [[label, nanoseconds or nil,
      # note], ...].
      Advice =
        Struct.new(:rule, :title, :saving, :bound, :how, :items, keyword_init: true) do
          def initialize(bound: "at most", items: [], **rest) = super
        end

      class Advice
        # Advice that saves less is not shown.
        SMALLEST = Text::MILLISECOND
        ITEMS = 6

        class << self
          def rules = @rules ||= []

          # @param profile [Profile]
          # @return [Array<Advice>] the greatest saving first
          def all(profile)
            rules
              .filter_map { |rule| rule.new(profile).advice }
              .select { |advice| advice.saving >= SMALLEST }
              .sort_by { |advice| [-advice.saving, advice.title] }
          end
        end

        # A rule. Subclasses define `advice`.
        class Rule
          def self.inherited(rule)
            super
            Advice.rules << rule
          end

          # @param profile [Profile]
          def initialize(profile)
            @profile = profile
          end

          private

          def advise(title, saving, how, bound: "at most", items: [])
            Advice.new(
              rule: self.class.name[/\w+\z/],
              title: title,
              saving: saving,
              bound: bound,
              how: how,
              items: items
            )
          end

          # Items for the costliest nodes by a measure of each. Nodes that took next to nothing are left out.
          def worst(nodes, count = ITEMS, &measure)
            list = nodes.map { |node| [node, measure.call(node)] }.select { |_, time| time >= SMALLEST / 100 }
            list
              .sort_by { |node, time| [-time, node.id] }
              .first(count)
              .map { |node, time| [@profile.label(node), time, note(node)] }
          end

          # Items for the nodes that have the most of something that was counted.
          def most(metric, noun)
            @profile
              .nodes
              .select { |node| node.self_of(metric).positive? }
              .max_by(ITEMS) { |node| [node.self_of(metric), -node.id] }
              .map { |node| [@profile.label(node), nil, Text.plural(node.self_of(metric), noun)] }
          end

          # Where a node came from. Subclasses may override it.
          def note(node) = node.from && "asked for by #{@profile.short(node.from)}"

          def wall(nodes) = @profile.sum(nodes, "wall")

          # The nodes that have none of the others above them.
          def outermost(nodes)
            among = nodes.to_h { |node| [node.id, true] }
            nodes.reject { |node| node.ancestors.any? { |ancestor| among[ancestor.id] } }
          end
        end
      end
    end
  end
end

require_relative "advice/files"
require_relative "advice/program"
require_relative "advice/requires"
