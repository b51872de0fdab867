# frozen_string_literal: true

# On any system: what Warmstart's Windows rules answer to the questions of a file that record.rb has written.
#
#   ruby test/paths/compare.rb FILE [how many differences to print]
require_relative "answers"
require_relative "../../lib/warmstart/path"

# Where record.rb was when it asked.
WINDOWS_SURROUNDINGS = { directory: "C:/windows", home: "C:/home/me", drives: {} }.freeze

if $PROGRAM_NAME == __FILE__
  shown = Integer(ARGV.fetch(1, 20))
  count = differences = 0
  File.foreach(ARGV.fetch(0), mode: "rb") do |line|
    question, expected = PathAnswers.read(line)
    actual = PathAnswers.ask(Warmstart::Path::Windows, question, **WINDOWS_SURROUNDINGS)
    count += 1
    next if actual == expected

    differences += 1
    puts "#{question.inspect}\n  Ruby: #{expected.inspect}\n  ours: #{actual.inspect}" if differences <= shown
  end
  puts "#{count} questions, #{differences} answered otherwise"
  exit differences.zero?
end
