# frozen_string_literal: true

require_relative "text"

module Warmstart
  module Profiler
    class Report
      # The self values of all nodes, summed up in three ways: by owner, by folder of the application, and by kind of
      # work.
      # @api private
      class Groups
        # One line: a name, its nodes, and the sums of their self values.
        Group = Struct.new(:name, :kind, :nodes, :values, keyword_init: true) { def [](metric) = values.fetch(metric) }

        METRICS = %w[wall cpu gc gc_runs objects bytes memory calls failed files].freeze

        KINDS = {
          "program" => "the program itself",
          "thread" => "other threads",
          "ruby" => "Ruby's own start",
          "require" => "loading code",
          "require_relative" => "loading code",
          "load" => "loading code",
          "autoload" => "loading code",
          "yaml" => "YAML",
          "json" => "JSON",
          "bundler" => "Bundler",
          "initializer" => "initializers",
          "eval" => "evals of strings",
          "finish" => "at exit"
        }.freeze

        # @param profile [Profile]
        # @param sort [String] the metric by which groups are sorted, the greatest first
        def initialize(profile, sort: "wall")
          @profile = profile
          @sort = METRICS.include?(sort) ? sort : "wall"
        end

        # Groups for gems, the standard library, the application, RubyGems, Bundler, Ruby itself, and files outside of
        # all these.
        def by_gem = @by_gem ||= group(@profile.nodes) { |node| [node.owner.name, node.owner.kind] }

        # Groups for the application's folders.
        def by_folder
          @by_folder ||=
            group(@profile.nodes.select { |node| node.owner.kind == :application }) do |node|
              ["#{node.owner.folder}/", :application]
            end
        end

        def by_kind = @by_kind ||= group(@profile.nodes) { |node| [KINDS.fetch(node.kind, node.kind), :kind] }

        # For JSON and the page.
        def to_h
          { gems: by_gem, folders: by_folder, kinds: by_kind }.transform_values do |groups|
            groups.map do |group|
              { name: group.name, kind: group.kind, nodes: group.nodes.size, **group.values.transform_keys(&:to_sym) }
            end
          end
        end

        private

        def group(nodes, &name)
          nodes
            .group_by(&name)
            .map do |(title, kind), members|
              Group.new(
                name: title,
                kind: kind,
                nodes: members,
                values: METRICS.to_h { |metric| [metric, @profile.sum(members, metric)] }
              )
            end
            .sort_by { |entry| [-entry[@sort], entry.name] }
        end
      end
    end
  end
end
