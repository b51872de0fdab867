# frozen_string_literal: true

module Warmstart
  # How much memory the processes of an application use at the end of the boot, by command: `rails runner` uses another
  # amount than `rake -T`. The image keeps this in the text of its statistics, in lines
  # "boot_size.COMMAND KEPT UNCOLLECTED KIND" (docs/image_format.md).
  # @api private
  class BootSizes
    # The number of commands that are kept; those that were recorded longest ago are dropped.
    MAXIMUM = 32

    # A size counts as changed if it differs by more than this factor. What is kept is estimated by the share of garbage
    # at the last collection; what would be in use without a collection is counted.
    CHANGED = 1.25
    CHANGED_COUNT = 1.1

    PREFIX = "boot_size."

    # An argument that says what is to be done, as "runner" or "db:migrate"; neither a path nor an option.
    WORD = /\A[a-z][\w:-]{0,40}\z/

    # What is known of the boots of a command, in bytes. kept: what is in use at the end, without garbage; uncollected:
    # what would be in use if nothing were collected (0: kept is an estimate); server: whether such a process has served.
    Known = Struct.new(:kept, :uncollected, :server)

    # @return [String] the command that this process was started for, as one word
    def self.command(program = $PROGRAM_NAME, arguments = ARGV, environment = ENV)
      # (as bytes: these may be of any encoding, and invalid in it)
      words = [
        File.basename(program.b),
        arguments.first&.b&.slice(WORD),
        environment["RAILS_ENV"] || environment["RACK_ENV"]
      ]
      words.compact.map(&:b).join("/").gsub(%r{[^\w:./-]}, "_")
    end

    # @param text [String, nil] statistics
    def initialize(text)
      lines = (text || "").lines(chomp: true).select { |line| line.start_with?(PREFIX) }
      @known =
        lines.to_h do |line|
          name, kept, uncollected, kind = line.delete_prefix(PREFIX).split(" ", 4)
          [name.to_s, Known.new(kept.to_i, uncollected.to_i, kind == "server")]
        end
    end

    # @return [Known, nil]
    def [](command) = @known[command]

    # @param kept [Integer] bytes
    # @param uncollected [Integer] bytes
    # @param at_most [Boolean] whether less may be kept, because nothing was collected
    # @return [Boolean] whether this is new or has changed
    def note(command, kept, uncollected, at_most: false)
      known = Native.value(@known, command)
      return renew(command, Known.new(kept, uncollected, false)) unless known

      kept = known.kept if at_most && Native.more?(kept, known.kept)
      changed =
        Native.differs?(known.kept, kept, CHANGED) || Native.differs?(known.uncollected, uncollected, CHANGED_COUNT)
      changed ? renew(command, Known.new(kept, uncollected, known.server)) : false
    end

    # Notes about how much the command keeps, if nothing is known of it.
    # @param kept [Integer] bytes
    # @return [Boolean] whether this is new
    def estimate(command, kept) = @known[command] ? false : renew(command, Known.new(kept, 0, false))

    # Notes that a process of the command has served.
    # @return [Boolean] whether this is new. Without a size nothing is noted.
    def serves(command)
      known = @known[command]
      return false if !known || known.server

      known.server = true
    end

    # @return [Array<String>] lines for the statistics
    def lines
      @known
        .to_a
        .last(MAXIMUM)
        .map do |command, known|
          "#{PREFIX}#{command} #{known.kept} #{known.uncollected} #{known.server ? "server" : "command"}"
        end
    end

    private

    def renew(command, known)
      @known.delete(command)
      @known[command] = known
      true
    end
  end
end
