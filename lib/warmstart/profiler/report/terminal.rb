# frozen_string_literal: true

require_relative "terminal/advice"
require_relative "terminal/groups"
require_relative "terminal/head"
require_relative "terminal/tree"

module Warmstart
  module Profiler
    class Report
      # The report as text for a terminal: totals and the costliest causes, groups, the tree, advice. No line is wider
      # than `width`.
      # @api private
      class Terminal
        # What the nodes can be sorted by => the heading of its column. "self" is the wall time of a node without those
        # below it.
        HEADINGS = {
          "wall" => "total",
          "self" => "self",
          "cpu" => "CPU",
          "gc" => "GC",
          "objects" => "objects",
          "bytes" => "allocated",
          "memory" => "memory",
          "calls" => "calls",
          "failed" => "failed",
          "files" => "files"
        }.freeze
        SORTS = HEADINGS.keys.freeze
        NARROWEST = 40
        TOP = 40

        # Replacements of the characters that a terminal without UTF-8 cannot show.
        PLAIN = {
          "█" => "#",
          "▏" => "",
          "▎" => "",
          "▍" => "",
          "▌" => "-",
          "▋" => "-",
          "▊" => "-",
          "▉" => "#",
          "…" => "~",
          "·" => "-",
          "›" => ">",
          "←" => "<",
          "├─" => "|-",
          "└─" => "`-",
          "│" => "|",
          "≤" => "<",
          "≈" => "~",
          "µ" => "u"
        }.freeze

        # @return [Integer] columns of `output`: COLUMNS if that is set, else those of the terminal, 80 if they are not
        #   known, and 120 for a file
        def self.width_of(output, environment = ENV)
          given = environment["COLUMNS"].to_i
          return given if given.positive?
          return 120 unless output.tty?

          require "io/console"
          columns = output.winsize.last
          columns.positive? ? columns : 80
        rescue SystemCallError, LoadError
          80
        end

        # @param width [Integer] columns
        # @param colors [Boolean]
        # @param top [Integer] how many nodes the tree shows, not counting those above them
        # @param min_ms [Numeric] nodes of less wall time, in milliseconds, are left out
        # @param sort [String] one of SORTS
        # @param grep [Regexp, String, nil] only nodes whose name or path matches are shown; a String ignores case
        # @param unicode [Boolean] whether the terminal can show UTF-8
        def initialize(report, width: 100, colors: false, top: TOP, min_ms: 0, sort: "wall", grep: nil, unicode: true)
          raise ArgumentError, "no order #{sort.inspect}; one of #{SORTS.join(", ")}" unless SORTS.include?(sort)

          @report = report
          @width = [width, NARROWEST].max
          @style = Style.new(colors)
          @sort = sort
          @unicode = unicode
          pattern = grep.is_a?(String) ? Regexp.new(grep, Regexp::IGNORECASE) : grep
          @selection =
            Selection.new(
              report.profile,
              metric: sort,
              top: top,
              min: (min_ms * Text::MILLISECOND).round,
              pattern: pattern
            )
        end

        # @return [String] text that ends with a newline
        def to_s
          text = "#{sections.map { |lines| lines.join("\n") }.join("\n\n")}\n"
          return text if @unicode

          text.gsub(Regexp.union(PLAIN.keys), PLAIN).encode(
            Encoding::US_ASCII,
            fallback: ->(char) { format("\\u%04x", char.ord) }
          )
        end

        private

        def sections
          options = { width: @width, style: @style }
          [
            Head.new(@report, **options).lines,
            GroupTables.new(@report.profile, @report.groups(sort: @sort), **options, sort: @sort).lines,
            tree_title + Tree.new(@report.profile, @selection, **options, sort: @sort).lines,
            AdviceList.new(@report.advice, **options).lines
          ]
        end

        def tree_title
          order = { "wall" => "total", "self" => "self" }.fetch(@sort, @sort)
          count = @selection.picked_count
          what =
            Display.fit(
              " (the #{Text.plural(count, "node")} of the greatest #{order} among " \
                "#{Text.count(@report.profile.nodes.size)})",
              @width - 4
            )
          [@style.paint("Tree", :heading) + @style.paint(what, :dim)]
        end
      end
    end
  end
end
