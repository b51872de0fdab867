# frozen_string_literal: true

require "rbconfig"
require "socket"

module Attack
  # What a standby's client and a standby say to each other (ext/warmstart_standby/protocol.h).
  module StandbyProtocol
    MAGIC = 0x57535421
    VERSION = 1

    def self.answer(pid, status = 0, magic: MAGIC) = [magic, pid, status, 0].pack("Lll2")

    # A path of a socket may have 107 bytes at most, so it is reached by its folder's descriptor.
    def self.at(path) =
      File.open(File.dirname(path)) { |folder| yield "/proc/self/fd/#{folder.fileno}/#{File.basename(path)}" }
  end

  # Listens in a standby's place, and is none: it says nothing, or what is wrong, in one of many ways.
  class StandbyLiar
    WAYS = %i[
      closes
      silent
      silent_busy
      backlog
      nobody
      datagram
      garbage
      flood
      magic
      half
      drip
      deaf
      ended
      descriptors
      forked
      forked
      forked
    ].freeze
    # Seconds until it takes what the client has sent. (In that are the client's descriptors, so whoever reads from the
    # command waits for it.)
    SILENCE = { closes: 0, silent: 0.3, deaf: 0.3, silent_busy: 2.5 }.freeze
    # What comes after the first answer, when the client has said "go".
    LATER = %i[nothing close garbage ended half magic].freeze

    def initialize(random)
      @random = random
      @way = WAYS.sample(random: random)
      @later = LATER.sample(random: random)
      @holds = random.rand(2).zero?
      @held = []
    end

    def to_s =
      "what listens in the standby's place (#{[@way, (@later if @way == :forked), ("and holds the connection" if @holds)].compact.join(", ")})"

    # Whether the client is to believe that the standby is at work.
    def busy? = @way == :silent_busy

    # More variables than a socket's buffer has room for.
    def variables = @way == :deaf ? (1..200).to_h { |number| ["ATTACK_LARGE_#{number}", "x" * 2000] } : {}

    # path: the standby's socket
    def start(path)
      File.unlink(path)
      @server = StandbyProtocol.at(path) { |short| listen(short) }
      File.chmod(0o600, path)
      @thread = Thread.new { serve } unless %i[backlog nobody datagram].include?(@way)
    end

    # Another process, which is always busy, seems to be the standby: the client has patience with it. (For the client
    # it is the one that listens, because it has called listen last.)
    def stand_in
      ready, told = IO.pipe
      process =
        fork do
          ready.close
          @server.listen(10)
          told.close
          loop {} # rubocop:disable Lint/EmptyBlock
        ensure
          exit!
        end
      told.close
      ready.read
      ready.close
      process
    end

    def stop
      @thread&.kill&.join
      @held.each { |socket| socket.close unless socket.closed? }
      @server&.close
      @child&.then { |pid| Process.kill(:KILL, pid) && Process.wait(pid) }
    end

    private

    def listen(path)
      socket = Socket.new(:UNIX, @way == :datagram ? :DGRAM : :STREAM)
      socket.bind(Addrinfo.unix(path))
      socket.listen(@way == :backlog ? 0 : 10) unless %i[datagram nobody].include?(@way)
      @held << Socket.new(:UNIX, :STREAM).tap { |one| one.connect(Addrinfo.unix(path)) } if @way == :backlog
      socket
    end

    def serve
      loop do
        socket, = @server.accept
        @held << socket
        talk(socket)
        socket.close unless @holds && !SILENCE.key?(@way)
      rescue SystemCallError, IOError
        nil # (the client has gone)
      end
    end

    def talk(socket)
      return sleep(SILENCE.fetch(@way)) if SILENCE.key?(@way)

      request = read_request(socket) or return
      case @way
      when :garbage
        socket.write(@random.bytes(@random.rand(64)))
      when :flood
        socket.write(@random.bytes(1 << 20))
      when :magic
        socket.write(StandbyProtocol.answer(Process.pid, magic: StandbyProtocol::MAGIC ^ (1 << @random.rand(32))))
      when :half
        socket.write(StandbyProtocol.answer(Process.pid)[0, 1 + @random.rand(15)])
      when :drip
        StandbyProtocol.answer(0).each_char { |byte| socket.write(byte) && sleep(0.015) }
      when :ended
        socket.write(StandbyProtocol.answer([0, -1, -(1 << 31), 4_190_000].sample(random: @random)))
      when :descriptors
        send_descriptors(socket)
      when :forked
        pretend_to_fork(socket, request)
      end
    end

    def read_request(socket)
      header, _, _, *control = socket.recvmsg(32, scm_rights: false)
      _, _, pid, _, _, descriptors, environment = header.unpack("L8")
      control.each { |message| message.unix_rights&.each(&:close) }
      socket.read((4 * descriptors) + environment)
      pid
    end

    def send_descriptors(socket)
      files = Array.new(200) { File.open(File::NULL) }
      socket.sendmsg(StandbyProtocol.answer(0), 0, nil, Socket::AncillaryData.unix_rights(*files))
    ensure
      files&.each(&:close)
    end

    # (Its child is the client itself, this process, or one that does nothing.)
    def pretend_to_fork(socket, client)
      @child ||= Process.spawn("sleep 100", in: File::NULL, out: File::NULL, err: File::NULL, unsetenv_others: true)
      socket.write(StandbyProtocol.answer([@child, @child, client, Process.pid].sample(random: @random)))
      socket.read(1)
      case @later
      when :garbage
        socket.write(@random.bytes(@random.rand(64)))
      when :ended
        socket.write(StandbyProtocol.answer(0, 0))
      when :half
        socket.write(StandbyProtocol.answer(@child)[0, 1 + @random.rand(15)])
      when :magic
        socket.write(StandbyProtocol.answer(@child, magic: StandbyProtocol::MAGIC + 1))
      when :nothing
        sleep
      end
    end
  end

  # Talks to a standby as no client does.
  class StandbyGuest
    WAYS = %i[
      version
      magic
      environment
      no_environment
      descriptors
      too_many
      numbers
      text
      cut
      flood
      crowd
      no_go
      no_go
      wrong_go
    ].freeze

    def initialize(random, path)
      @random = random
      @path = path
      @way = WAYS.sample(random: random)
      @holds = random.rand(3).zero?
      @sockets = []
    end

    def to_s = "somebody who talks to the standby (#{@way}#{", and stays" if @holds})"

    # Whether the standby is to be there afterwards. (A client does not wait for one that listens to somebody else, and
    # ends it.)
    def harmless? = !@holds && !%i[crowd flood].include?(@way)

    def talk
      socket = connect
      begin
        send(:"talk_#{@way}", socket)
      rescue Errno::EPIPE, Errno::ECONNRESET, Errno::EAGAIN
        nil # (it has hung up)
      end
      close unless @holds
    end

    def close = @sockets.each { |socket| socket.close unless socket.closed? }

    private

    def connect =
      StandbyProtocol.at(@path) do |path|
        Socket.new(:UNIX, :STREAM).tap { |one| @sockets << one && one.connect(Addrinfo.unix(path)) }
      end

    TEXT = "A=1\0PATH=/bin\0"

    def say(
      socket,
      magic: StandbyProtocol::MAGIC,
      version: StandbyProtocol::VERSION,
      descriptors: 3,
      sent: descriptors,
      numbers: (0...descriptors).to_a,
      environment: TEXT.bytesize,
      text: TEXT
    )
      header = [magic, version, Process.pid, Process.getpgrp, 0, descriptors, environment, 0].pack("L2l3L3")
      files = Array.new(sent) { File.open(File::NULL) }
      socket.sendmsg(header, 0, nil, *(Socket::AncillaryData.unix_rights(*files) if files.any?))
      socket.write(numbers.pack("l*") + text)
    ensure
      files&.each(&:close)
    end

    # (Version 0 asks the standby to end.)
    def talk_version(socket) = say(socket, version: [2, 3, 99, 0xffffffff].sample(random: @random))
    def talk_magic(socket) = say(socket, magic: StandbyProtocol::MAGIC ^ (1 << @random.rand(32)))
    def talk_environment(socket) =
      say(socket, environment: [TEXT.bytesize + 1, 4 << 20, (4 << 20) + 1, 0xffffffff].sample(random: @random))
    def talk_no_environment(socket) = say(socket, environment: 0, text: "")

    def talk_descriptors(socket)
      claimed, sent = [[3, 0], [0, 3], [64, 3], [0xffffffff, 3], [65, 64]].sample(random: @random)
      say(socket, descriptors: claimed, sent: sent, numbers: [0, 1, 2])
    end

    def talk_too_many(socket) = say(socket, descriptors: 65 + @random.rand(180))

    def talk_numbers(socket)
      count = 1 + @random.rand(20)
      say(
        socket,
        descriptors: count,
        numbers:
          Array.new(count) do
            [-1, 0, 1, 2, 3, 5, 7, 1 << 30, @random.rand(64), @random.rand(1 << 31)].sample(random: @random)
          end
      )
    end

    def talk_text(socket)
      text = ["A=1", "\0" * 20, "=\0==\0A\0", "#{@random.bytes(300)}\0"].sample(random: @random)
      say(socket, text: text, environment: text.bytesize)
    end

    def talk_cut(socket)
      whole =
        [StandbyProtocol::MAGIC, StandbyProtocol::VERSION, Process.pid, Process.getpgrp, 0, 0, TEXT.bytesize, 0].pack(
          "L2l3L3"
        ) + TEXT
      socket.write(whole[0, @random.rand(whole.bytesize)])
    end

    def talk_flood(socket)
      20.times { socket.write_nonblock(@random.bytes(1 << 18)) }
    end

    def talk_crowd(_socket)
      (1 + @random.rand(80)).times do
        StandbyProtocol.at(@path) do |path|
          Socket.new(:UNIX, :STREAM).tap { |one| @sockets << one && one.connect_nonblock(Addrinfo.unix(path)) }
        end
      end
    end

    # The standby forks, and the child waits for "go".
    def talk_no_go(socket)
      say(socket)
      answer(socket)
    end

    def talk_wrong_go(socket)
      talk_no_go(socket)
      socket.write(["x", "\0", "xg" * 3].sample(random: @random))
    end

    def answer(socket) = socket.wait_readable(Program.patience(2)) && socket.recv(16)
  end
end
