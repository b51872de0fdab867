# frozen_string_literal: true

# Under CRuby for Windows: asks File for the answers to generated questions, for path_rules_test.rb and compare.rb on
# any system.
#
#   ruby test/paths/record.rb COUNT SEED FILE
#
# SURROUNDINGS of compare.rb are where it asks from. With the probe (build_probe) the answers of expand_path are Ruby's
# before it asks the disk for the long name and the case of the last part.
require_relative "answers"

abort "record.rb: this is not Windows" unless RUBY_PLATFORM.match?(/mingw|mswin/)
abort "usage: record.rb COUNT SEED FILE" unless ARGV.size == 3

count, seed, file = ARGV
file = File.expand_path(file)
probe = File.expand_path("../../tmp/windows/probe.so", __dir__)
lexical = File.exist?(probe) && require(probe)
target = File
if lexical
  target = File.dup
  target.define_singleton_method(:expand_path) { |path, base = nil| PathProbe.expand(path, base, true) }
  target.define_singleton_method(:absolute_path) { |path, base = nil| PathProbe.expand(path, base, false) }
end

ENV["HOME"] = "C:\\home/me"
Dir.chdir("C:/windows")
questions = PathQuestions.new(Integer(seed), windows: true)
File.open(file, "wb") do |output|
  Integer(count).times do
    question = questions.take
    output << PathAnswers.write(question, PathAnswers.ask(target, question)) << "\n"
  end
end
