# frozen_string_literal: true

module Warmstart
  # How much the processes of an application use when they have booted, by command: `rails runner` takes another amount
  # than `rake -T`. The image keeps that in the text of its statistics, a line "boot_size.COMMAND BYTES" each
  # (docs/image_format.md).
  class BootSizes
    # Commands beyond these are forgotten, those that were recorded longest ago first.
    MAXIMUM = 32

    # A boot that uses more or less by that factor has changed.
    CHANGED = 1.25

    PREFIX = "boot_size."

    # A word that says what is to be done: "runner", "db:migrate"; no path, no option.
    WORD = /\A[a-z][\w:-]{0,40}\z/

    # @return [String] what this process was started for, as one word
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
      @sizes = lines.to_h { |line| line.delete_prefix(PREFIX).split(" ", 2) }.transform_values(&:to_i)
    end

    # @return [Integer, nil] bytes
    def [](command) = @sizes[command]

    # @param size [Integer] bytes
    # @param at_most [Boolean] it may be less: nothing was collected
    # @return [Boolean] is that news?
    def note(command, size, at_most: false)
      known = @sizes[command]
      return false if known && size >= known / CHANGED && (at_most || size <= known * CHANGED)

      @sizes.delete(command)
      @sizes[command] = size
      true
    end

    # For the statistics.
    def lines = @sizes.to_a.last(MAXIMUM).map { |command, size| "#{PREFIX}#{command} #{size}" }
  end
end
