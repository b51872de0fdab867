# frozen_string_literal: true

require_relative "node"
require_relative "owners"

module Warmstart
  module Profiler
    class Report
      # A raw profile, checked and linked. All parts of a report read it.
      #
      # Wall time is that of the main thread only: the times of several threads overlap, so their sum would mean
      # nothing. All other metrics (CPU, GC, counts) are summed over all threads.
      # @api private
      class Profile
        FORMAT = "warmstart profile"
        VERSION = 1

        attr_reader :raw, :nodes, :owners

        # @param raw [Hash] parsed JSON, with names as strings
        # @raise [Invalid] it is not a profile, or one of another version
        def initialize(raw)
          check(raw)
          @raw = raw
          @nodes = link(raw.fetch("nodes"))
          @owners = Owners.new(raw)
          @nodes.each { |node| node.owner = @owners.of(node) }
        end

        def program = @raw.fetch("program")

        # Whether the boot had an image to read from.
        def from_image? = %w[warm sealed].include?(program["accelerator"])

        def command = Array(program["command"]).join(" ")
        def root = @nodes.first

        # What the head of a report says of the program. A status is told only if the boot failed.
        # @param more [Array<String, nil>] further facts
        # @return [Array<String>]
        def facts(*more)
          status = program["status"]
          [
            program["ruby"],
            "accelerator #{program["accelerator"] || "absent"}",
            ("bootsnap" if program["bootsnap"]),
            *more,
            ("it ended with status #{status}" unless [nil, 0].include?(status))
          ].compact
        end

        # @return [Array<Node>] the root of each thread, that of the main thread first
        def roots = @roots ||= @nodes.reject(&:parent)

        # The total of a metric for the whole program.
        def total(metric)
          metric == "wall" ? root.total_of(metric) : roots.sum { |node| node.total_of(metric) }
        end

        # The sum of a metric over the self values of some nodes.
        def sum(nodes, metric)
          nodes.sum { |node| metric == "wall" && !main?(node) ? 0 : node.self_of(metric) }
        end

        def main?(node) = node.thread == root.thread

        def share(value, metric = "wall")
          all = total(metric)
          all.positive? ? value.fdiv(all) : 0.0
        end

        def calls_counted? = !@raw["calls_source"].nil?

        # @return [Array<Node>] the nodes that loaded a file of Ruby code
        def loads = @loads ||= @nodes.select { |node| node.load? && node.result == "loaded" }

        # A path as it is shown: without the application's folder.
        def short(path) = @owners.short(path)

        # A node's name as it is shown in one line.
        def label(node)
          case node.kind
          when "initializer", "eval"
            "#{node.kind} #{short(node.name)}"
          when "ruby"
            "Ruby's own start"
          when "finish"
            "at exit"
          when "thread"
            node.name.start_with?("thread") ? node.name : "thread #{node.name}"
          when "require_relative"
            node.path ? feature(node.path) : node.name
          else
            node.load? && node.name.match?(Owners::ABSOLUTE) ? named_by_path(node) : node.name
          end
        end

        private

        # The feature by which a file that was loaded by `require_relative "../tree"` could be required.
        def feature(path)
          short(path).sub(%r{\A[^/]+-\d[^/]*/(?:lib/)?}, "").delete_suffix(".rb")
        end

        def named_by_path(node) = node.owner.kind == :application ? short(node.name) : feature(node.name)

        def check(raw)
          raise Invalid, "it is no profile of warmstart" unless raw.is_a?(Hash) && raw["format"] == FORMAT
          unless raw["version"] == VERSION
            raise Invalid, "its version is #{raw["version"].inspect}; this Warmstart reads version #{VERSION}"
          end
          unless raw["program"].is_a?(Hash) && raw["nodes"].is_a?(Array) && raw["nodes"].any?
            raise Invalid, "it has no program or no nodes"
          end
        end

        def link(list)
          known = {}
          list.map do |raw|
            parent = raw["parent"]
            raise Invalid, "node #{raw["id"]} has no parent #{parent}" unless parent.nil? || known[parent]

            known[raw.fetch("id")] = Node.new(raw, parent && known[parent])
          end
        rescue KeyError, TypeError, NoMethodError => error
          raise Invalid, "a node is not as it should be (#{error.message.lines.first.chomp})"
        end
      end
    end
  end
end
