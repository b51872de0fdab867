# frozen_string_literal: true

require_relative "preloaded_library"

module Attack
  # Makes one of the calls fail that a standby's client, the standby and their processes make for each other, by
  # preloading test/attack/standby_faults.c.
  class StandbyInterposer
    extend PreloadedLibrary

    SOURCE = File.join(__dir__, "standby_faults.c")

    # (a number in the log, or in the header, is an index into these lists)
    FUNCTIONS = File.read(SOURCE)[/^#define FUNCTIONS\(X\).*?\n\n/m].scan(/X\((\w+), /).flatten.freeze
    ROLES = %w[client maker standby child].freeze
    ACTIONS = {
      fail: 1,
      short: 2,
      delay: 3,
      kill: 4,
      kill_after: 5,
      term: 6,
      stop: 7,
      kill_client: 8,
      kill_standby: 9,
      kill_child: 10
    }.freeze

    # struct faults: what is met; what has happened; processes; counts; the log
    LOG_SIZE = 1 << 14
    HIT = 6 * 4
    LOG = HIT + (2 * 4) + (ROLES.size * 4) + (ROLES.size * FUNCTIONS.size * 4)

    # path: a file that is shared with the processes.
    def initialize(path)
      @path = path
      File.binwrite(path, "\0" * (LOG + 4 + (2 * LOG_SIZE)))
      File.chmod(0o666, path)
    end

    def environment = { "LD_PRELOAD" => self.class.library, "ATTACK_STANDBY" => @path }

    # Of the calls of this function in this role, the one with the number `at` (from 1) gets the action. error: a class
    # of Errno. lasting: all later ones fail, too. (The file stays the same one, because processes have it mapped. The
    # number is written last.)
    def arm(role, function, at, action: :fail, error: nil, lasting: false)
      disarm
      File.binwrite(@path, "\0" * (LOG + 4 - HIT - 8 - (ROLES.size * 4)), HIT + 8 + (ROLES.size * 4))
      words = [
        ROLES.index(role),
        FUNCTIONS.index(function),
        ACTIONS.fetch(action),
        error ? error::Errno : 0,
        lasting ? 1 : 0,
        0,
        0
      ]
      File.binwrite(@path, words.pack("L<*"), 4)
      File.binwrite(@path, [at].pack("L<"), 0)
    end

    def disarm = File.binwrite(@path, [0].pack("L<"), 0)

    # The process that has met the call, or nil.
    def hit
      times, pid = File.binread(@path, 8, HIT).unpack("L<2")
      pid if times.positive?
    end

    # The calls in the order in which they were made: [role, function].
    def log
      size = File.binread(@path, 4, LOG).unpack1("L<")
      File
        .binread(@path, 2 * [size, LOG_SIZE].min, LOG + 4)
        .unpack("S<*")
        .map { |call| [ROLES[call >> 8], FUNCTIONS[call & 255]] }
    end
  end
end
