# frozen_string_literal: true

# Small libraries that are made at random from a seed: files that require, autoload, define, raise and print. The same
# seed makes the same library. Every name contains the seed, so that many libraries can run in one process without a
# conflict.
module Exactness
  # One statement, or one that contains others between `text` and `close`.
  Statement =
    Struct.new(:text, :body, :close) do
      def lines(indent = "")
        return text.lines(chomp: true).map { |line| indent + line } unless body

        [
          *text.lines(chomp: true).map { |line| indent + line },
          *body.flat_map { |inner| inner.lines("#{indent}  ") },
          indent + close
        ]
      end

      def copy = Statement.new(text, body&.map(&:copy), close)
    end

  # files: {path => [Statement]}; links: {path => target}. The first file is the script that is run.
  Library =
    Struct.new(:seed, :files, :links, keyword_init: true) do
      def name = "n#{seed}"

      def copy = Library.new(seed: seed, files: files.transform_values { |list| list.map(&:copy) }, links: links.dup)

      # {path => content}, as Program takes it. The first line of each file ends an endless recursion.
      def contents
        bound = "raise 'too much' if ($#{name} = $#{name}.to_i + 1) > 60"
        files
          .to_h { |path, list| [path, "#{[bound, *list.flat_map(&:lines)].join("\n")}\n"] }
          .merge(links.transform_values(&:to_sym))
      end

      def size = files.sum { |_, list| list.sum { |statement| statement.lines.size } } + links.size
    end
end
