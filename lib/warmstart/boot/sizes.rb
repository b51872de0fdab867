# frozen_string_literal: true

module Warmstart
  # How much memory the processes of an application use at the end of the boot, by command: `rails runner` uses another
  # amount than `rake -T`. The image keeps this in the text of its statistics, in lines "boot_size.COMMAND BYTES"
  # (docs/image_format.md).
  # @api private
  class BootSizes
    # The number of commands that are kept; those that were recorded longest ago are dropped.
    MAXIMUM = 32

    # A size counts as changed if it differs by more than this factor.
    CHANGED = 1.25

    PREFIX = "boot_size."

    # An argument that says what is to be done, as "runner" or "db:migrate"; neither a path nor an option.
    WORD = /\A[a-z][\w:-]{0,40}\z/

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
      @sizes =
        lines.to_h do |line|
          name, size = line.delete_prefix(PREFIX).split(" ", 2)
          [name.to_s, size.to_i]
        end
    end

    # @return [Integer, nil] bytes
    def [](command) = @sizes[command]

    # @param size [Integer] bytes
    # @param at_most [Boolean] whether the size may be less, because nothing was collected
    # @return [Boolean] whether the size is new or has changed
    def note(command, size, at_most: false)
      known = @sizes[command]
      return false if known && size >= known / CHANGED && (at_most || size <= known * CHANGED)

      @sizes.delete(command)
      @sizes[command] = size
      true
    end

    # @return [Array<String>] lines for the statistics
    def lines = @sizes.to_a.last(MAXIMUM).map { |command, size| "#{PREFIX}#{command} #{size}" }
  end
end
