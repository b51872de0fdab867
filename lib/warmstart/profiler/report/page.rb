# frozen_string_literal: true

require "digest"
require "erb"
require "json"

module Warmstart
  module Profiler
    class Report
      # One HTML page that contains everything: page/page.html.erb with page.css, page.js and the profile as JSON. It
      # uses no network, and its content security policy forbids that: only this style and this script are allowed, by
      # their digests. Names come from the program, so each is escaped. In JSON everything that could end the script
      # element is escaped, too.
      # @api private
      class Page
        FOLDER = File.join(__dir__, "page")
        METRICS = {
          "wall" => "wall time",
          "cpu" => "CPU",
          "gc" => "GC",
          "objects" => "objects",
          "bytes" => "allocated",
          "calls" => "system calls",
          "failed" => "failed calls"
        }.freeze
        TIMES = %w[wall cpu gc].freeze
        CAUSES = 3
        GROUP_ROWS = 12

        # Characters that must not be in a script element, or in a line of JavaScript.
        UNSAFE = {
          "<" => "\\u003c",
          ">" => "\\u003e",
          "&" => "\\u0026",
          "\u2028" => "\\u2028",
          "\u2029" => "\\u2029"
        }.freeze

        # @param report [Report]
        def initialize(report)
          @report = report
          @profile = report.profile
        end

        # @return [String]
        def to_s
          ERB.new(file("page.html.erb"), trim_mode: "-").result(binding)
        end

        private

        def file(name) = File.read(File.join(FOLDER, name), encoding: Encoding::UTF_8)

        def style = @style ||= file("page.css")
        def script = @script ||= file("page.js")

        def policy
          "default-src 'none'; style-src '#{digest(style)}'; script-src '#{digest(script)}'; base-uri 'none'; " \
            "form-action 'none'"
        end

        def digest(text) = "sha256-#{Digest::SHA256.base64digest(text)}"

        def h(text) = ERB::Util.html_escape(Text.plain(text))

        def metrics
          @profile.calls_counted? ? METRICS : METRICS.except("calls", "failed")
        end

        # @return [Array<Array(String, String)>] [value, what it is] for the head
        def totals
          overhead = @profile.raw.dig("overhead", "share")
          [
            [Text.time(@profile.total("wall")), "wall time"],
            [Text.time(@profile.total("cpu")), "CPU"],
            [Text.time(@profile.total("gc")), "GC, #{Text.plural(@profile.total("gc_runs"), "run")}"],
            [Text.count(@profile.total("files")), "files compiled"],
            [Text.amount(@profile.total("objects")), "objects"],
            [Text.bytes(@profile.total("memory")), "more memory"],
            ([Text.count(@profile.total("calls")), "file system calls"] if @profile.calls_counted?),
            ([Text.count(@profile.total("failed")), "of them failed"] if @profile.calls_counted?),
            ([Text.percent(overhead), "of it is profiling"] if overhead)
          ].compact
        end

        def group_tables
          groups = @report.groups
          {
            "By kind" => groups.by_kind,
            "By gem" => groups.by_gem,
            "By folder of the application" => groups.by_folder
          }.reject { |_, list| list.empty? }
        end

        # A group's values of all metrics, between which the page can switch.
        def group_data(group) =
          metrics.keys.map { |metric| "data-#{metric}=\"#{compact(metric, group[metric])}\"" }.join(" ")

        # Times are in microseconds, which need fewer digits.
        def compact(metric, value) = TIMES.include?(metric) ? (value / 1000.0).round : value

        def data
          text =
            JSON.generate(
              { metrics: metrics, times: TIMES, nodes: nodes, owners: owners.keys.map(&:to_a), strings: strings.keys }
            )
          text.gsub(/[<>&\u2028\u2029]/, UNSAFE)
        end

        # Columns, with one value for each node. Texts are indexes into `strings`; -1 means none. Nodes are numbered by
        # position, because their ids need not be consecutive.
        def nodes
          list = @profile.nodes
          index = list.each_with_index.to_h { |node, position| [node.id, position] }
          {
            parent: list.map { |node| node.parent ? index.fetch(node.parent.id) : -1 },
            label: list.map { |node| string(@profile.label(node)) },
            path: list.map { |node| string(node.path && @profile.short(node.path)) },
            from: list.map { |node| string(node.from && @profile.short(node.from)) },
            kind: list.map { |node| string(node.kind) },
            error: list.map { |node| string(node.error) },
            owner: list.map { |node| owner(node.owner) },
            total: metrics.keys.to_h { |metric| [metric, list.map { |node| compact(metric, node.total_of(metric)) }] },
            self: metrics.keys.to_h { |metric| [metric, list.map { |node| compact(metric, node.self_of(metric)) }] }
          }
        end

        def strings = @strings ||= {}

        def string(text) = text ? strings[Text.plain(text)] ||= strings.size : -1

        def owners = @owners ||= {}

        def owner(owner)
          owners[[owner.folder ? "#{owner.name} #{owner.folder}/" : owner.name, owner.kind]] ||= owners.size
        end
      end
    end
  end
end
