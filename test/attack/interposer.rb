# frozen_string_literal: true

require "open3"
require "rbconfig"
require_relative "preloaded_library"

module Attack
  # Makes one of the calls fail that warmstart.so makes in a program, by preloading test/attack/faults.c. A program that
  # is started with `environment` counts its calls (count) and logs them (log). After `arm`, one of them fails.
  class Interposer
    extend PreloadedLibrary

    SOURCE = File.join(__dir__, "faults.c")

    # The names of the functions. A number in the log, or a bit in a mask, is an index into this list.
    FUNCTIONS = File.read(SOURCE)[/^#define FUNCTIONS\(X\).*?\n\n/m].scan(/X\((\w+)\)/).flatten.freeze
    ACTIONS = { fail: 1, short: 2, delay: 3, kill: 4, kill_half: 5, kill_after: 6 }.freeze

    HEADER = "Q<4L<4Q<" # struct faults
    HEADER_SIZE = 8 * 4 + 4 * 4 + 8
    LOG_SIZE = 1 << 16

    # What has happened: how often, at which function, and where in warmstart.so the call was.
    Hit =
      Struct.new(:times, :function, :offset) do
        # "malloc in ws_store_open at store.c:310", if this machine has the tools for that.
        def to_s
          native =
            Dir[
              File.join(Program::REPOSITORY, "lib/warmstart/native/ruby-#{RUBY_VERSION[/\A\d+\.\d+/]}-*/warmstart.so")
            ].first
          place, = Open3.capture2e("addr2line", "-f", "-s", "-e", native, (offset - 1).to_s(16)) if native
          [
            function,
            *(place&.lines(chomp: true)&.first(2)&.join(" at ")&.prepend("in ") unless place.to_s.include?("??"))
          ].join(" ")
        rescue SystemCallError
          function
        end
      end

    def self.mask(functions) = functions.sum { |name| 1 << FUNCTIONS.index(name) }

    # path: a file that is shared with the programs.
    def initialize(path)
      @path = path
      arm(nil)
    end

    # inherit: processes that the program starts are affected, too.
    def environment(inherit: false)
      { "LD_PRELOAD" => self.class.library, "ATTACK_FAULTS" => @path, "ATTACK_INHERIT" => ("1" if inherit) }
    end

    # Of the calls that are counted, the one with the number `at` (from 1; nil: none) gets the action. error: a class of
    # Errno. lasting: functions that fail from then on.
    def arm(at, action: :fail, error: nil, counted: FUNCTIONS, lasting: [])
      header = [
        0,
        at || 0,
        self.class.mask(counted),
        self.class.mask(lasting),
        ACTIONS.fetch(action),
        error ? error::Errno : 0,
        0,
        0,
        0
      ]
      File.binwrite(@path, header.pack(HEADER) + ("\0" * LOG_SIZE))
    end

    def count = header[0]

    # The functions in the order in which they were called.
    def log = File.binread(@path, [count, LOG_SIZE].min, HEADER_SIZE).bytes.map { |number| FUNCTIONS[number] }

    # @return [Hit, nil] nil: the call was not reached
    def hit
      times, function, offset = header.values_at(6, 7, 8)
      Hit.new(times, FUNCTIONS[function], offset) if times.positive?
    end

    private

    def header = File.binread(@path, HEADER_SIZE).unpack(HEADER)
  end
end
