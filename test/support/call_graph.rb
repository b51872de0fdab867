# frozen_string_literal: true

# Which C functions of a folder call which. It reads the sources in the layout of this repository: a definition begins
# in the first column, and its body ends with a brace in the first column. A function whose name is mentioned counts as
# called, unless it is passed to one of `later`, which calls it at another time.
class CallGraph
  Function = Struct.new(:name, :file, :private, :body)

  KEYWORDS = %w[if while for switch return sizeof defined do else].freeze
  DEFINITION =
    /^(?<head>(?:[A-Za-z_]\w*[ \t*]+)*[A-Za-z_]\w*[ \t*]+|(?:[A-Za-z_]\w*[ \t*]+)*[A-Za-z_]\w*[ *]*\n\*?)(?<name>[A-Za-z_]\w*)\((?<arguments>[^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*)\)\n\{\n(?<body>.*?)^\}/m

  attr_reader :functions

  def initialize(files, later: [])
    @later = /\b(#{Regexp.union(later)})\([^()]*\)/
    @functions = files.flat_map { |file| definitions(file) }
    @by_name = @functions.group_by(&:name)
  end

  # The functions that `name` can mean in that file: the function itself, with its variants for other systems.
  def find(name, file)
    all = @by_name.fetch(name, [])
    own = all.select { |function| function.file == file }
    own.any? ? own : all.reject(&:private)
  end

  # All functions that can be reached from these: {function => the chain of names that leads to it}.
  def reachable(entries)
    ways = {}
    waiting = entries.map { |function| [function, [function.name]] }
    while (function, way = waiting.shift)
      next if ways[function]

      ways[function] = way
      words(function).each do |word|
        find(word, function.file).each do |called|
          waiting << [called, way + [called.name]] unless called.equal?(function)
        end
      end
    end
    ways
  end

  # The names in a function's body that may be functions.
  def words(function) = function.body.gsub(@later, '\1').scan(/(?<![.\w]|->)[A-Za-z_]\w*/).uniq - KEYWORDS

  private

  def definitions(file)
    source =
      File
        .read(file, encoding: "UTF-8")
        .gsub(%r{/\*.*?\*/}m) { |comment| "\n" * comment.count("\n") }
        .gsub(/"(?:\\.|[^"\\\n])*"/, '""')
    source
      .gsub(/^#.*$|__attribute__\(\((?:[^()]|\([^()]*\))*\)\)\s/, "")
      .to_enum(:scan, DEFINITION)
      .map do
        match = Regexp.last_match
        Function.new(match[:name], file, match[:head].include?("static"), match[:body])
      end
  end
end
