# frozen_string_literal: true

# Runs the test files that are its arguments in one process, by the gem test-unit, and writes each test's result to
# DOWNSTREAM_RESULTS as JSON, with minitest's marks.
require "json"
require "test/unit"
require "test/unit/collector/descendant"
require "test/unit/ui/testrunnermediator"

Test::Unit::AutoRunner.need_auto_run = false
ARGV.each { |file| require File.expand_path(file) }
marks = {}
mediator = Test::Unit::UI::TestRunnerMediator.new(Test::Unit::Collector::Descendant.new.collect("all"))
mediator.add_listener(Test::Unit::TestResult::FAULT) do |fault|
  marks[fault.test_name] = fault.single_character_display.tr("OP", "S")
end
mediator.add_listener(Test::Unit::TestCase::FINISHED) { |name| marks[name] ||= "." }
passed = mediator.run.passed?
File.write(ENV.fetch("DOWNSTREAM_RESULTS"), JSON.generate(marks))
exit passed
