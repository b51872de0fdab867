# frozen_string_literal: true

module Gate
  # The table in docs/exactness.md that says how much was ever played, by Ruby; `bin/deep --record` adds to it.
  class Totals
    # Its columns, and which steps of bin/deep count there.
    KINDS = {
      "libraries" => /generated libraries/,
      "programs" => /generated programs/,
      "fault points" => /attack faults/,
      "failing steps" => /failing steps/,
      "kills" => /attack kills/,
      "standby changes" => /standby changes/
    }.freeze
    BLOCK = %r{(?<=<!-- totals -->\n).*?(?=<!-- /totals -->)}m

    # Raised if the page has no such table.
    class Missing < StandardError
    end

    # What steps (hashes of their results) have done: {Ruby => {kind => number}}.
    def self.of(steps)
      steps.each_with_object({}) do |step, numbers|
        ruby = step["name"][/\A(\d+\.\d+|head): /, 1]
        kind, = KINDS.find { |_, pattern| pattern.match?(step["name"]) }
        next unless ruby && kind && step["result"] != "not here" && step["count"].to_i.positive?

        (numbers[ruby] ||= Hash.new(0))[kind] += step["count"]
      end
    end

    def initialize(page)
      @page = page
    end

    # @param numbers [{String => {String => Integer}}]
    def add(numbers)
      text = File.read(@page, encoding: "UTF-8")
      block = text[BLOCK] or raise Missing, "#{@page} has no <!-- totals -->"
      rows = read(block)
      numbers.each do |ruby, kinds|
        row = (rows[ruby] ||= Hash.new(0))
        kinds.each { |kind, number| row[kind] += number }
      end
      File.write(@page, text.sub(BLOCK) { written(rows) })
    end

    private

    # {Ruby => {kind => number}} of the table's rows, but for its two lines of heading.
    def read(block)
      block
        .lines
        .grep(/\A\|/)
        .drop(2)
        .to_h do |line|
          ruby, *cells = line.split("|").drop(1).map(&:strip)
          [ruby, Hash.new(0).merge!(KINDS.keys.zip(cells.map { |cell| cell.delete(",").to_i }).to_h)]
        end
    end

    def written(rows)
      lines = [
        ["Ruby", *KINDS.keys],
        ["---", *KINDS.map { "---:" }],
        *rows.map { |ruby, row| [ruby, *KINDS.keys.map { |kind| grouped(row[kind]) }] }
      ]
      lines.map { |cells| "| #{cells.join(" | ")} |\n" }.join
    end

    # 12345 as 12,345, and nothing for 0.
    def grouped(number) = number.zero? ? "" : number.to_s.gsub(/(?<=\d)(?=(?:\d{3})+\z)/, ",")
  end
end
