# frozen_string_literal: true

# Little libraries made at random from a seed: files that require, autoload, define, raise and print. The same seed
# makes the same library. Every name carries the seed, so that many of them live in one process without meeting.
module Exactness
  # One statement, or one that holds others between its text and its close.
  Statement = Struct.new(:text, :body, :close) do
    def lines(indent = "")
      return text.lines(chomp: true).map { |line| indent + line } unless body

      [*text.lines(chomp: true).map { |line| indent + line }, *body.flat_map { |inner| inner.lines("#{indent}  ") }, indent + close]
    end

    def copy = Statement.new(text, body&.map(&:copy), close)
  end

  # files: {path => [Statement]}; links: {path => target}. The first file is the script that starts it all.
  Library = Struct.new(:seed, :files, :links, keyword_init: true) do
    def name = "n#{seed}"

    def copy = Library.new(seed: seed, files: files.transform_values { |list| list.map(&:copy) }, links: links.dup)

    # {path => content}, as Program takes it. A file that goes on for ever ends by this first line.
    def contents
      bound = "raise 'too much' if ($#{name} = $#{name}.to_i + 1) > 60"
      files.to_h { |path, list| [path, "#{[bound, *list.flat_map(&:lines)].join("\n")}\n"] }.merge(links.transform_values(&:to_sym))
    end

    def size = files.sum { |_, list| list.sum { |statement| statement.lines.size } } + links.size
  end
end
