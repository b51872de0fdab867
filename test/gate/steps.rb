# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"

module Gate
  # Runs named steps one after the other, shows what they print, and ends with a table: step, seconds, tests, result.
  #
  # A step is one command. It is green if the command ends with 0 and has done as much as is expected of it: a step that
  # has silently done less than that is red. What cannot be had on this machine is a line of the table, too.
  class Steps
    # result: "green", "red", "told" (it failed, which fails nothing) or "not here"; count: what the command says that it
    # has done (Integer, or nil); note: why it is not green, or nil; failures: the lines that tell what failed.
    Result = Struct.new(:name, :seconds, :count, :result, :note, :failures, keyword_init: true)

    # Lines of a failed step that are shown again at the end, and their width.
    LINES, COLUMNS = 60, 300

    attr_reader :results

    # What a run has kept in the folder: [{"name" => ..., "count" => ...}, ...]; all of it is of one state of the files.
    def self.results(folder, tree: nil)
      saved = JSON.parse(File.read(File.join(folder, "results.json")))
      tree.nil? || saved["tree"] == tree ? saved["steps"] : []
    rescue Errno::ENOENT, JSON::ParserError
      []
    end

    # @param folder [String] where each step's output is kept, and the results
    # @param resume [Boolean] whether steps that were green when this very tree was last tried are not run again
    # @param tree [String, nil] what names the state of the repository
    def initialize(folder, resume: false, tree: nil, out: $stdout)
      @folder = folder
      @out = out
      @tree = tree
      @started = now
      @results = []
      FileUtils.mkdir_p(folder)
      @done = resume ? remembered : {}
    end

    # Runs a step.
    #
    # @param command [Array<String>]
    # @param counted [Regexp, nil] what it captures, wherever it fits, are numbers that are added up: of tests, say. Of each
    #   number a second one is taken away: of tests that were skipped
    # @param at_least [Integer, nil] how many there must be
    # @param absent [Regexp, nil] if the step has failed, and this fits, what it captures says what cannot be had here
    # @param told [Boolean] whether a failure is only told
    # @param seconds [Integer] after these it hangs, and is killed
    # @return [Boolean] whether it is not red, and was there
    def run(name, *command, environment: {}, counted: nil, at_least: nil, absent: nil, told: false, seconds: 3600)
      return again(@done[name]) if @done[name]

      head(name)
      began = now
      output, status = output_of(name, environment, command, seconds)
      count = counted && output.scan(counted).sum { |all, skipped| all.to_i - skipped.to_i }
      note = problem(status, count, at_least, seconds)
      step = Result.new(name: name, seconds: (now - began).round, count: count, result: "green", failures: [])
      lacks = output[absent, 1] if note && absent
      step.result, step.note = "not here", lacks[0, COLUMNS] if lacks
      step.result, step.note, step.failures = (told ? "told" : "red"), note, telling(output) if note && !lacks
      keep(step)
    end

    # What a step has printed, in this run or, if it was green, before; nil if it has not run.
    def output(name)
      File.read(file(name), encoding: "UTF-8")
    rescue Errno::ENOENT
      nil
    end

    # Begins a step that others do not wait for, until `finish` does. It shows nothing.
    def begin_beside(name, *command, environment: {}, seconds: 1800)
      began = now
      @beside ||= {}
      @beside[name] = Thread.new do
        output, status = Open3.capture2e(environment, "timeout", seconds.to_s, *command)
        note = problem(status, nil, nil, seconds)
        Result.new(
          name: name,
          seconds: (now - began).round,
          result: note ? "red" : "green",
          note: note,
          failures: note ? telling(output) : []
        )
      end
    end

    def finish(name)
      head(name)
      keep(@beside.delete(name).value)
    end

    # A step that does not run: why this machine cannot.
    def not_here(name, why)
      keep(Result.new(name: name, seconds: 0, result: "not here", note: why, failures: []))
    end

    # Prints what failed, and the table.
    # @return [Boolean] whether nothing is red
    def close
      failed = @results.select { |step| %w[red told].include?(step.result) }
      failed.each { |step| @out.puts "", "FAILED: #{step.name}: #{step.note}", step.failures }
      @out.puts "", table
      red.empty?
    end

    def red = @results.select { |step| step.result == "red" }

    def incomplete = @results.select { |step| step.result == "not here" }

    def table
      rows =
        [%w[step seconds tests result]] +
          @results.map do |step|
            [step.name, step.seconds.to_s, step.count.to_s, [step.result, step.note].compact.join(": ")]
          end
      rows << ["all", (now - @started).round.to_s, @results.sum { |step| step.count.to_i }.to_s, verdict]
      widths = rows.transpose.map { |column| column.map(&:size).max }
      rows.map do |name, seconds, tests, result|
        "#{name.ljust(widths[0])}  #{seconds.rjust(widths[1])}  #{tests.rjust(widths[2])}  #{result}"
      end
    end

    # What all of it comes to. (What could not run here is no failure, and is said.)
    def verdict
      return "red" if red.any?

      incomplete.any? ? "green, but incomplete: #{incomplete.size} not here" : "green"
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def head(name)
      @out.puts "", "== #{name} (#{(now - @started).round} s)"
      @out.flush
    end

    def problem(status, count, at_least, seconds)
      return "killed after #{seconds} s" if status.nil?
      return status.signaled? ? "signal #{status.termsig}" : "exit #{status.exitstatus}" unless status.success?

      "only #{count.to_i} of at least #{at_least}" if at_least && count.to_i < at_least
    end

    # What a command prints, which is shown meanwhile, and its status; nil if it was killed.
    def output_of(name, environment, command, seconds)
      text = +""
      reader, writer = IO.pipe
      pid = spawn(environment, *command, in: File::NULL, out: writer, err: writer, pgroup: true)
      writer.close
      shown =
        Thread.new do
          while (line = reader.gets)
            text << line.scrub
            @out.write(line)
            @out.flush
          end
        end
      process = Process.detach(pid)
      status = process.join(seconds)&.value
      stop(pid) if status.nil?
      # (A process that a test has left behind may hold the pipe.)
      shown.join(10) || shown.kill
      File.write(file(name), text)
      [text, status]
    rescue SystemCallError => error
      ["#{error.message}\n", FAILED]
    ensure
      # (Ctrl-C has ended this process's wait, and nothing else.)
      stop(pid) if pid && process&.alive? != false
      process&.join(10)
      shown&.kill
      reader&.close
    end

    # Kills a process and all that descend from it. (Tests and suites make process groups of their own.)
    def stop(pid)
      children = Hash.new { |all, parent| all[parent] = [] }
      Open3
        .capture2("ps", "-e", "-o", "ppid=,pid=")
        .first
        .each_line { |line| line.split.map(&:to_i).then { |parent, child| children[parent] << child } }
      family = [pid]
      family.each { |one| family.concat(children[one]) }
      [-pid, *family].each do |one|
        Process.kill(:KILL, one)
      rescue Errno::ESRCH
        nil # (it has ended meanwhile)
      end
    end

    # The status of a command that could not be started.
    FAILED =
      Struct
        .new(:exitstatus, :termsig) do
          def success? = false
          def signaled? = false
        end
        .new(127)
    private_constant :FAILED

    # The lines that tell what failed: those under the last heading of bin/test that is about failures, or the last ones.
    def telling(output)
      lines = output.lines(chomp: true)
      at = lines.rindex { |line| line.start_with?("== failed") }
      (at ? lines.drop(at + 1).first(LINES) : lines.last(LINES / 2)).map { |line| line[0, COLUMNS] }
    end

    def keep(step)
      @results << step
      # (What is still to be gone through again is kept, too: this run may be stopped as well.)
      left = @done.values.reject { |other| @results.any? { |result| result.name == other.name } }
      File.write(
        File.join(@folder, "results.json"),
        JSON.pretty_generate(tree: @tree, steps: (@results + left).map(&:to_h))
      )
      !["red", "not here"].include?(step.result)
    end

    def file(name) = File.join(@folder, "#{name.gsub(/[^\w.-]+/, "_")}.txt")

    # {name => result} of the green steps of an earlier run on this very tree.
    def remembered
      results =
        (@tree ? Steps.results(@folder, tree: @tree) : []).map { |step| Result.new(**step.transform_keys(&:to_sym)) }
      results.select { |step| step.result == "green" }.to_h { |step| [step.name, step] }
    end

    def again(step)
      @out.puts "", "== #{step.name}: green before"
      keep(step)
    end
  end
end
