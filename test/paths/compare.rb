# frozen_string_literal: true

# On any system: what Warmstart's Windows rules answer to the questions of a file that record.rb has written.
#
#   ruby test/paths/compare.rb FILE [how many differences to print [of which kind]]
require_relative "answers"
require_relative "../../lib/warmstart/path"

# Where record.rb was when it asked.
WINDOWS_SURROUNDINGS = { directory: "C:/windows", home: "C:/home/me", drives: {} }.freeze

# Where the recorded answers are Wine's own, and Windows' are known to be others (docs/windows_and_files.md has the
# evidence): which questions. The two answers to such a one may differ by what ALIKE takes away, and by no more.
EMULATOR = {
  # Windows leaves "a../b" as it is; Wine takes one dot away.
  dots: ->(asked, _ruby) { asked.match?(%r{(?:[^/\\]\.|\.\.)\.[/\\]}n) },
  # Windows has one separator behind the host and the share of "//host//share//a", and nothing above "//"; Wine keeps
  # what there is.
  shares: ->(_asked, ruby) { ruby.match?(%r{\A//(?:.+//|.*/\z|\.\z)}nm) }
}.freeze
ALIKE = ->(answer) { answer.gsub(%r{\.+(?=/|\z)}n, "").squeeze("/").sub(%r{(?:/?:?:\$DATA)*/?\z}in, "") }

# @return [Symbol, nil] nil: the answer is the recorded one; :unexplained, or which of Wine's answers it is not
def difference(question, expected)
  rules = PathAnswers.rules(Warmstart::Path::Windows, question)
  actual = PathAnswers.ask(rules, question, **WINDOWS_SURROUNDINGS)
  # (its encoding is the running Ruby's)
  return if actual == expected || (question.first == "dirname" && actual.first == "." && expected.first == ".")

  known = %w[expand absolute].include?(question.first) && actual.last == expected.last
  asked = ["/", ""].map { |separator| question[2..].reverse.map { |part| part.to_s.b }.join(separator) }.join("\n")
  known &&= ALIKE.call(expected.first) == ALIKE.call(actual.first)
  EMULATOR.each { |name, asks| return name if known && asks.call(asked, expected.first) }
  :unexplained
end

if $PROGRAM_NAME == __FILE__
  shown = Integer(ARGV.fetch(1, 20))
  counts = Hash.new(0)
  File.foreach(ARGV.fetch(0), mode: "rb") do |line|
    question, expected = PathAnswers.read(line)
    found = difference(question, expected)
    counts[found || :equal] += 1
    next if found != (ARGV[2] || :unexplained).to_sym || (shown -= 1).negative?

    actual = PathAnswers.ask(PathAnswers.rules(Warmstart::Path::Windows, question), question, **WINDOWS_SURROUNDINGS)
    puts "#{question.inspect}\n  Ruby: #{expected.inspect}\n  ours: #{actual.inspect}"
  end
  puts counts.map { |name, count| "#{count} #{name}" }.join(", ")
  exit counts[:unexplained].zero?
end
