# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "../support/program"

# The attack (bin/attack). docs/security.md tells its purpose.
module Attack
  ROOT = Program::REPOSITORY

  # Raised if a case is not survived. The message is one line. Details are shown if one case is repeated by --only.
  class Failed < StandardError
    attr_reader :details

    def initialize(message, details = nil)
      super(message.lines.first.to_s.chomp)
      @details = details
    end
  end

  # The base of a section. A section is a class Attack::<Name> in test/attack/<name>.rb that has
  #
  #   SLICE, LONG     the number of cases in a seeded slice (about 40 seconds on two cores), and that of --long
  #   play(id)        runs one case; raises Failed (through the checks below) if it is not survived. If it returns a Symbol,
  #                   that is counted beside the survived cases (:not_reached)
  #
  # and may have
  #
  #   prepare         called once, before the worker processes are forked; `base` is a folder of the section's own
  #   ids(count)      the names of the cases, if they are not the numbers 0...count
  #   finish          called once at the end, in the process that has called prepare
  #
  # Each worker is a process and runs its cases one after the other. A case must depend only on the seed and its id.
  class Section
    SLICE = 100
    LONG = 20_000

    # The maximum number of lines that Warmstart may print on stderr in one process.
    COMPLAINTS = 1

    # Seconds. No program here takes so long, even on a busy machine; one that does hangs.
    DEADLINE = 60

    def self.title = name.split("::").last.gsub(/(?<=[a-z])(?=[A-Z])/, "_").downcase

    attr_reader :seed, :base

    def initialize(seed:, base:, long: false)
      @seed = seed
      @base = base
      @long = long
    end

    def long? = @long

    def default_count = long? ? self.class::LONG : self.class::SLICE

    def prepare
    end
    def finish
    end

    # All cases, in the order in which they are run. count: nil if none was given.
    def ids(count) = (0...(count || default_count)).map(&:to_s)

    def play(id) = raise(NotImplementedError, "#{self.class}#play(#{id})")

    private

    # Random numbers that depend only on the section, the seed and the case.
    def random(id) =
      Random.new("#{self.class.title} #{seed} #{id}".each_byte.reduce(0) { |sum, byte| (sum * 257 + byte) % (1 << 61) })

    # A folder for the case. It is removed when the block ends, whatever its modes are then.
    def folder
      path = File.realpath(Dir.mktmpdir("case-", base))
      yield path
    ensure
      system("chmod", "-R", "u+rwx", path, err: File::NULL) unless Process.uid.zero?
      FileUtils.rm_rf(path)
    end

    # A program (test/support/program.rb) in a folder for the case.
    def program(files, **options)
      folder { |path| yield Program.new(path, files, **options) }
    end

    def failed(message, details = nil) = raise(Failed.new(message, details))

    # Checks the promise: the same output, status, signal, features and constants as in plain Ruby, and at most one more
    # line on stderr.
    def same(plain, run, what)
      answered(run, what)
      lines = run.complaints
      if lines.size > self.class::COMPLAINTS
        failed("#{what}: #{lines.size} lines on stderr: #{lines.first.dump}", lines.join("\n"))
      end
      ours = run.without_complaints.transcript
      unless plain.transcript == ours
        failed("#{what}: #{difference(plain.transcript, ours)}", "#{plain.transcript}\n----\n#{run.transcript}")
      end
      run
    end

    def answered(run, what)
      failed("#{what}: hangs (#{run.status})", run.transcript) if run.status.start_with?("no answer")
    end

    def quiet(run, what)
      failed("#{what}: complains: #{run.complaints.first.dump}", run.complaints.join("\n")) if run.complaints.any?
    end

    # Checks the second boot after the image was disturbed: it is quiet, and every file of `hits` comes from the image.
    def warm(plain, hits, run, what = "the boot after next")
      same(plain, run, what)
      quiet(run, what)
      cold = hits - run.hits
      if cold.any?
        failed(
          "#{what} is not warm: #{cold.size} of #{hits.size} files do not come from the image, #{cold.first}",
          run.events.join("\n")
        )
      end
    end

    # The first line in which two texts differ.
    def difference(expected, actual)
      pair = expected.lines(chomp: true).zip(actual.lines(chomp: true)).find { |one, other| one != other }
      return "more than plain Ruby: #{(actual.lines - expected.lines).first.to_s.chomp.dump}" unless pair

      "#{pair[1].inspect[0, 200]} in the place of #{pair[0].inspect[0, 200]}"
    end
  end
end
