# frozen_string_literal: true

# Which C functions of a folder call which, read from the sources as they are written here: a definition begins in the
# first column, and its body ends with a brace in the first column. A function that is only named counts as called,
# unless it is handed to one of `later`, which calls it another time.
class CallGraph
  Function = Struct.new(:name, :file, :private, :body)

  KEYWORDS = %w[if while for switch return sizeof defined do else].freeze
  DEFINITION = /^(?<head>(?:[A-Za-z_]\w*[ \t*]+)*[A-Za-z_]\w*[ \t*]+|(?:[A-Za-z_]\w*[ \t*]+)*[A-Za-z_]\w*[ *]*\n\*?)(?<name>[A-Za-z_]\w*)\((?<arguments>[^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*)\)\n\{\n(?<body>.*?)^\}/m

  attr_reader :functions

  def initialize(files, later: [])
    @later = /\b(#{Regexp.union(later)})\([^()]*\)/
    @functions = files.flat_map { |file| definitions(file) }
    @by_name = @functions.group_by(&:name)
  end

  # The function that `name` means in that file, with its variants for other systems.
  def find(name, file)
    all = @by_name.fetch(name, [])
    own = all.select { |function| function.file == file }
    own.any? ? own : all.reject(&:private)
  end

  # Everything that is reached from these functions: {function => the way to it, as names}.
  def reachable(entries)
    ways = {}
    waiting = entries.map { |function| [function, [function.name]] }
    while (function, way = waiting.shift)
      next if ways[function]

      ways[function] = way
      words(function).each { |word| find(word, function.file).each { |called| waiting << [called, way + [called.name]] unless called.equal?(function) } }
    end
    ways
  end

  # Names in a function's body that may be functions.
  def words(function) = function.body.gsub(@later, '\1').scan(/(?<![.\w]|->)[A-Za-z_]\w*/).uniq - KEYWORDS

  private

  def definitions(file)
    source = File.read(file, encoding: "UTF-8").gsub(%r{/\*.*?\*/}m) { |comment| "\n" * comment.count("\n") }.gsub(/"(?:\\.|[^"\\\n])*"/, '""')
    source.gsub(/^#.*$|__attribute__\(\((?:[^()]|\([^()]*\))*\)\)\s/, "").to_enum(:scan, DEFINITION).map do
      match = Regexp.last_match
      Function.new(match[:name], file, match[:head].include?("static"), match[:body])
    end
  end
end
