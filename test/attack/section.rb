# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "../support/program"

# The attack (bin/attack): docs/security.md says what it is for.
module Attack
  ROOT = Program::REPOSITORY

  # A case did not survive. The message is one line; details are shown where one case is repeated by --only.
  class Failed < StandardError
    attr_reader :details

    def initialize(message, details = nil)
      super(message.lines.first.to_s.chomp)
      @details = details
    end
  end

  # The base of a section. A section is a class Attack::<Name> in test/attack/<name>.rb that has
  #
  #   SLICE, LONG     how many cases a seeded slice has (about 40 seconds on two cores), and how many --long has
  #   play(id)        plays one case; raises Failed (by way of the checks below) where it is not survived. A Symbol that it returns is
  #                   counted beside the survived (:not_reached)
  #
  # and may have
  #
  #   prepare         called once, before the worker processes are forked; `base` is a folder of the section's own
  #   ids(count)      the cases' names, where they are not the numbers 0...count
  #   finish          called once at the end, in the process that called prepare
  #
  # Each worker plays its cases one after the other in a process of its own. A case must follow from the seed and its id
  # alone.
  class Section
    SLICE = 100
    LONG = 20_000

    # How many of Warmstart's lines one process may print on stderr.
    COMPLAINTS = 1

    # Longer than any program here takes on a busy machine. What has not ended by then hangs.
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

    def prepare; end
    def finish; end

    # Every case that there is to play, in the order in which they are played. count: nil where nobody said how many.
    def ids(count) = (0...(count || default_count)).map(&:to_s)

    def play(id) = raise(NotImplementedError, "#{self.class}#play(#{id})")

    private

    # Random numbers that follow from the section, the seed and the case.
    def random(id) = Random.new("#{self.class.title} #{seed} #{id}".each_byte.reduce(0) { |sum, byte| (sum * 257 + byte) % (1 << 61) })

    # A folder of the case's own, which is gone when the block ends, whatever its modes are by then.
    def folder
      path = File.realpath(Dir.mktmpdir("case-", base))
      yield path
    ensure
      system("chmod", "-R", "u+rwx", path, err: File::NULL) unless Process.uid.zero?
      FileUtils.rm_rf(path)
    end

    # A program (test/support/program.rb) in a folder of the case's own.
    def program(files, **options)
      folder { |path| yield Program.new(path, files, **options) }
    end

    def failed(message, details = nil) = raise(Failed.new(message, details))

    # The promise: the same output, status, signal, features and constants as plain Ruby's, and at the most one line
    # more on stderr.
    def same(plain, run, what)
      answered(run, what)
      lines = run.complaints
      failed("#{what}: #{lines.size} lines on stderr: #{lines.first.dump}", lines.join("\n")) if lines.size > self.class::COMPLAINTS
      ours = run.without_complaints.transcript
      failed("#{what}: #{difference(plain.transcript, ours)}", "#{plain.transcript}\n----\n#{run.transcript}") unless plain.transcript == ours
      run
    end

    def answered(run, what)
      failed("#{what}: hangs (#{run.status})", run.transcript) if run.status.start_with?("no answer")
    end

    def quiet(run, what)
      failed("#{what}: complains: #{run.complaints.first.dump}", run.complaints.join("\n")) if run.complaints.any?
    end

    # The second boot after whatever was done to the image: it is quiet, and every file of `hits` comes from the image.
    def warm(plain, hits, run, what = "the boot after next")
      same(plain, run, what)
      quiet(run, what)
      cold = hits - run.hits
      failed("#{what} is not warm: #{cold.size} of #{hits.size} files do not come from the image, #{cold.first}", run.events.join("\n")) if cold.any?
    end

    # The first line in which two texts differ.
    def difference(expected, actual)
      pair = expected.lines(chomp: true).zip(actual.lines(chomp: true)).find { |one, other| one != other }
      return "more than plain Ruby: #{(actual.lines - expected.lines).first.to_s.chomp.dump}" unless pair

      "#{pair[1].inspect[0, 200]} in the place of #{pair[0].inspect[0, 200]}"
    end
  end
end
