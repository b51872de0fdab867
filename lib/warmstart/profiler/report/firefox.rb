# frozen_string_literal: true

require_relative "timeline"

module Warmstart
  module Profiler
    class Report
      # The profile in the Firefox Profiler's processed profile format (its docs-developer/CHANGELOG-formats.md and
      # src/types/profile.ts), version 58. Later versions of the viewer convert it. A thread's self times are samples
      # with a weight in milliseconds. Each node is a marker with all that was counted.
      # @api private
      class Firefox
        VERSION = 58
        GECKO_VERSION = 31

        # Owner or kind of a node => [name, a colour of the format]. The first one has to be grey, the format's default.
        CATEGORIES = {
          ruby: %w[Ruby grey],
          gem: %w[gems blue],
          application: %w[application green],
          standard: ["standard library", "lightblue"],
          bundler: %w[Bundler orange],
          rubygems: %w[RubyGems brown],
          outside: %w[outside darkgrey],
          document: %w[documents yellow],
          initializer: %w[initializers purple],
          eval: %w[evals magenta]
        }.freeze

        INTERVAL = 1

        # @param profile [Profile]
        def initialize(profile)
          @profile = profile
          @strings = indexes
          @sources = indexes
        end

        def to_h
          threads = @profile.roots.map { |root| thread(root) }
          { "meta" => meta, "libs" => [], "pages" => [], "shared" => shared, "threads" => threads }
        end

        private

        # Gives each key an index, in the order in which they come.
        def indexes = Hash.new { |hash, key| hash[key] = hash.size }

        def meta
          started = start_time
          {
            "interval" => 1,
            "startTime" => started,
            "profilingStartTime" => 0,
            "profilingEndTime" => ms(@profile.root.finish),
            "processType" => 0,
            "product" => @profile.command,
            "stackwalk" => 1,
            "debug" => false,
            "version" => GECKO_VERSION,
            "preprocessedProfileVersion" => VERSION,
            "categories" =>
              CATEGORIES.values.map do |name, color|
                { "name" => name, "color" => color, "subcategories" => ["Other"] }
              end,
            "markerSchema" => [schema],
            "sampleUnits" => {
              "time" => "ms",
              "eventDelay" => "ms",
              "threadCPUDelta" => "ns"
            },
            "symbolicated" => true,
            "symbolicationNotSupported" => true,
            "usesOnlyOneStackType" => true,
            "sourceCodeIsNotOnSearchfox" => true,
            "keepProfileThreadOrder" => true,
            "importedFrom" => "warmstart",
            "platform" => @profile.program["platform"].to_s,
            "arguments" => @profile.command,
            "logicalCPUs" => @profile.program["processors"] || 0
          }
        end

        def start_time
          require "time"
          Time.iso8601(@profile.program["started_at"].to_s).to_f * 1000
        rescue ArgumentError
          0.0
        end

        # The fields of a node's marker.
        FIELDS = {
          "path" => %w[file file-path],
          "from" => ["asked for by", "string"],
          "kind" => %w[kind string],
          "result" => %w[result string],
          "self" => %w[self duration],
          "cpu" => %w[CPU duration],
          "gc" => %w[GC duration],
          "objects" => %w[objects integer],
          "bytes" => %w[allocated bytes],
          "calls" => ["file system calls", "integer"],
          "failed" => ["of them failed", "integer"]
        }.freeze

        def schema
          {
            "name" => "load",
            "display" => %w[marker-chart marker-table timeline-overview],
            "chartLabel" => "{marker.name}",
            "tooltipLabel" => "{marker.name}",
            "tableLabel" => "{marker.data.path}",
            "isStackBased" => true,
            "fields" => FIELDS.map { |key, (label, format)| { "key" => key, "label" => label, "format" => format } }
          }
        end

        # (The names of sources are added to the strings, so this must come after all others.)
        def shared
          names = @sources.keys.map { |path| @strings[path] }
          {
            "stringArray" => @strings.keys,
            "sources" => {
              "length" => names.size,
              "uuid" => [nil] * names.size,
              "filename" => names
            }
          }
        end

        # The tables of a thread have a stack and a frame for each node, and a function for each name and file. They
        # refer to one another by index, and all columns of a table have the same length.
        def thread(root)
          nodes = root.subtree.select { |node| node.thread == root.thread }.sort_by(&:id)
          stacks = nodes.each_with_index.to_h { |node, index| [node.id, index] }
          resources, functions = indexes, indexes
          frames = nodes.map { |node| functions[[@profile.label(node), node.path, resources[node.owner.name]]] }
          {
            "processType" => "default",
            "processName" => @profile.command,
            "processStartupTime" => 0,
            "processShutdownTime" => nil,
            "registerTime" => ms(root.start),
            "unregisterTime" => ms(root.finish),
            "pausedRanges" => [],
            "showMarkersInTimeline" => true,
            "name" => root.kind == "program" ? "main" : root.name,
            "isMainThread" => root.kind == "program",
            "pid" => @profile.program["pid"].to_s,
            "tid" => root.thread,
            "samples" => samples(root, stacks),
            "markers" => markers(nodes),
            "stackTable" => stack_table(nodes, stacks),
            "frameTable" => frame_table(nodes, frames),
            "funcTable" => function_table(functions.keys),
            "resourceTable" => resource_table(resources.keys),
            "nativeSymbols" => {
              "libIndex" => [],
              "address" => [],
              "name" => [],
              "functionSize" => [],
              "length" => 0
            }
          }
        end

        def stack_table(nodes, stacks)
          {
            "frame" => nodes.each_index.to_a,
            "prefix" => nodes.map { |node| node.parent && stacks[node.parent.id] },
            "length" => nodes.size
          }
        end

        def frame_table(nodes, frames)
          size = nodes.size
          {
            "address" => [-1] * size,
            "inlineDepth" => [0] * size,
            "category" => nodes.map { |node| category(node) },
            "subcategory" => [0] * size,
            "func" => frames,
            "nativeSymbol" => [nil] * size,
            "innerWindowID" => [0] * size,
            "line" => [nil] * size,
            "column" => [nil] * size,
            "length" => size
          }
        end

        def function_table(keys)
          size = keys.size
          {
            "name" => keys.map { |name,| @strings[name] },
            "isJS" => [false] * size,
            "relevantForJS" => [false] * size,
            "resource" => keys.map(&:last),
            "source" => keys.map { |_, path,| path && @sources[path] },
            "lineNumber" => [nil] * size,
            "columnNumber" => [nil] * size,
            "length" => size
          }
        end

        def resource_table(names)
          {
            "length" => names.size,
            "lib" => [nil] * names.size,
            "name" => names.map { |name| @strings[name] },
            "host" => [nil] * names.size,
            "type" => [0] * names.size
          }
        end

        def samples(root, stacks)
          segments = Timeline.new(root).segments
          {
            "stack" => segments.map { |node,| stacks.fetch(node.id) },
            "time" => segments.map { |_, start,| ms(start) },
            "weight" => segments.map { |_, _, length| ms(length) },
            "weightType" => "tracing-ms",
            "length" => segments.size
          }
        end

        def markers(nodes)
          {
            "data" => nodes.map { |node| marker(node) },
            "name" => nodes.map { |node| @strings[@profile.label(node)] },
            "startTime" => nodes.map { |node| ms(node.start) },
            "endTime" => nodes.map { |node| ms(node.finish) },
            "phase" => [INTERVAL] * nodes.size,
            "category" => nodes.map { |node| category(node) },
            "length" => nodes.size
          }
        end

        def marker(node)
          {
            "type" => "load",
            "path" => node.path,
            "from" => node.from,
            "kind" => node.kind,
            "result" => node.result,
            "self" => ms(node.self_of("wall")),
            "cpu" => ms(node.total_of("cpu")),
            "gc" => ms(node.total_of("gc")),
            "objects" => node.total_of("objects"),
            "bytes" => node.total_of("bytes"),
            "calls" => node.total_of("calls"),
            "failed" => node.total_of("failed")
          }.compact
        end

        def category(node)
          kind =
            if node.document?
              :document
            elsif %w[initializer eval].include?(node.kind)
              node.kind.to_sym
            else
              node.owner.kind
            end
          CATEGORIES.keys.index(kind) || 0
        end

        def ms(nanoseconds) = nanoseconds / 1e6
      end
    end
  end
end
