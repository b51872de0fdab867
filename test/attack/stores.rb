# frozen_string_literal: true

require "json"
require "socket"
require_relative "../support/web_server"
require_relative "../../lib/warmstart/stores/keys"
require_relative "../../lib/warmstart/stores/pieces"
require_relative "section"

module Attack
  # A store in which a stranger can do everything: write lists, pieces and the index, and, as a web server, answer what
  # he likes. He has an image with other code of the same application, which a boot would run, because his files had the
  # sizes and times of the real ones; and images that the team's key has signed for other purposes. In each case a pull
  # and two boots: the boots behave as plain Ruby, the pull ends in time with at most one line, and leaves nothing behind.
  class Stores < Section
    SLICE = 72 # (three of each kind)
    LONG = 5_000

    GOOD, EVIL = %w[honest.... OWNED.....].freeze
    # (Both have one size. The time is long ago, so that no file is too young.)
    FILES = {
      "Gemfile" => "",
      "Gemfile.lock" => "GEM\n  specs:\n    rack (1)\n",
      "lib/a.rb" => "def a = %w[#{GOOD}]\n",
      "lib/b.rb" => "B = [#{(1..300).map { |number| "%q(text #{number})" }.join(", ")}]\ndef b = B.size\n",
      "main.rb" => "require 'a'\nrequire 'b'\np a, b\n"
    }.freeze
    TIME = Time.at(1_700_000_000)
    WARMSTART = File.join(ROOT, "exe/warmstart")

    KINDS = %i[
      stranger_signs
      nobody_signs
      signature_copied
      two_signatures
      other_application
      other_bundle
      other_key
      older
      key_taken_back
      evil_pieces
      pieces_swapped
      list_bit
      list_number
      piece_bit
      piece_longer
      piece_bomb
      index_lies
      index_bit
      place
      answers
      changes
      list_cut
      piece_cut
      list_bomb
    ].freeze

    def prepare
      @program = Program.new(Dir.mktmpdir("program-", base), FILES, args: %w[--disable-gems], load_path: %w[lib])
      @keys = %w[team stranger].to_h { |name| [name, signing(name)] }
      @evil = image("evil", key: "stranger") { write("lib/a.rb", FILES["lib/a.rb"].sub(GOOD, EVIL)) }
      @other = image("other", "--application", "blog") { nil }
      @older = image("older") { write("main.rb", "#{FILES["main.rb"]}# older\n") }
      @good = image("good") { nil }
      @plain = @program.plain
      check_the_evil_one
      @name = @good.keys.grep(%r{\Aimages/.*/\h{16}\z}).first
    end

    def play(id)
      @random = random(id)
      kind = KINDS[id.to_i % KINDS.size]
      folder do |path|
        @files = @good.dup
        @store = File.join(path, "store")
        @answer = nil
        @trusted = "team"
        send(kind)
        @files.each { |name, bytes| put(name, bytes) }
        hurt_places if kind == :place
        pull_and_boot(path, kind)
      end
    end

    private

    # ---- what the stranger has ----

    def signing(name)
      path = File.join(base, name)
      public = Warmstart::Stores::Keys::Signing.make(path).public
      File.write("#{path}.pub", "ed25519 #{public} #{name}\n")
      Warmstart::Stores::Keys::Signing.read(path)
    end

    def write(name, text)
      @program.write(name, text)
      @program.set_times(name, TIME)
    end

    # The files of a store into which the image of the application was pushed, as it is after the block.
    def image(name, *options, key: "team")
      FILES.each { |file, text| write(file, text) }
      yield
      FileUtils.rm_rf(Dir[File.join(@program.cache, "*")])
      run("build", "--portable", "--root", ".", "--quiet", "--", RbConfig.ruby, *load)
      run("push", "--key", File.join(base, key), "--application", "shop", *options, File.join(base, name))
      FILES.each { |file, text| write(file, text) }
      paths = Dir.glob("**/*", base: File.join(base, name)).select { |file| File.file?(File.join(base, name, file)) }
      paths.to_h { |file| [file, File.binread(File.join(base, name, file))] }
    end

    def load = ["--disable-gems", "-I", @program.path("lib"), "-r", Program::SETUP, @program.path("main.rb")]

    def run(*arguments, program: @program)
      result = program.execute([RbConfig.ruby, WARMSTART, *arguments], env: environment(program))
      return result if result.status == "exit 0"

      raise "#{arguments.first}: #{result.status} #{result.stderr}"
    end

    def environment(program) =
      { "PATH" => ENV["PATH"], "LANG" => "C.UTF-8", "HOME" => program.home, "WARMSTART_CACHE_DIR" => program.cache }

    # His image would run, if it were taken.
    def check_the_evil_one
      folder do |path|
        @store = File.join(path, "store")
        @evil.each { |name, bytes| put(name, bytes) }
        program = machine(path)
        run("pull", "--application", "shop", "--trust", File.join(base, "stranger.pub"), @store, program: program)
        output = program.boot.stdout
        raise "the evil image does not run: #{output}" unless output.include?(EVIL)
      end
    end

    # ---- what he does ----

    def unpack(bytes) = Warmstart::Stores.uncompress(bytes, 1 << 24)
    def list = unpack(@files.fetch(@name))
    def list=(text)
      @files[@name] = Warmstart::Stores.compress(text)
    end
    def facts(bytes = list) = JSON.parse(bytes.lines.first)
    def text(facts) = "#{JSON.generate(facts)}\n"
    def evil_list = unpack(@evil.fetch(@name))
    def with_evil_pieces = @files.merge!(@evil.reject { |name, _| name.start_with?("images/") })
    def some_piece = @files.keys.grep(/\Apieces/).sort.sample(random: @random)

    def stranger_signs
      with_evil_pieces
      first = evil_list.lines.first
      self.list = first + @keys["stranger"].sign(first)
    end

    def nobody_signs
      with_evil_pieces
      self.list = evil_list.lines.first + ["", "\n", "ed25519\n", "ed25519 x y\n", "x\n" * 1000].sample(random: @random)
    end

    def signature_copied
      with_evil_pieces
      self.list = evil_list.lines.first + list.lines.last
    end

    # The good list with its signature stands below the evil one, or before it.
    def two_signatures
      with_evil_pieces
      lines = [evil_list.lines.first, list.lines.first, list.lines.last, @keys["stranger"].sign(evil_list.lines.first)]
      self.list = lines.values_at(*(0..3).to_a.shuffle(random: @random)).join
    end

    # Signed by the team, but for an image of another application, in the place of this one's.
    def other_application
      @files.merge!(@other)
      @files[@name] = @other.find { |name, _| name.match?(%r{\Aimages/.*/blog/\h{16}\z}) }.last
    end

    def other_bundle
      moved = @name.sub(/\h{16}\z/, "0123456789abcdef")
      @files[moved] = @files.fetch(@name)
      index = JSON.generate([["0123456789abcdef", ["rack-1"]]])
      @files.delete(@name)
      @files[File.join(File.dirname(@name), "index")] = index
    end

    def other_key
      changed = facts.merge("key" => "0" * 16)
      self.list = text(changed) + @keys["team"].sign(text(changed))
    end

    def older = @files.merge!(@older)

    # The image is the good one; the team trusts another key by now.
    def key_taken_back
      @trusted = "stranger"
    end

    # The list is the good one; each piece is the evil image's, under the good one's names.
    def evil_pieces
      names = facts["pieces"].map { |digest, _| Warmstart::Stores.piece(digest) }
      evil = facts(evil_list)["pieces"].map { |digest, _| @evil.fetch(Warmstart::Stores.piece(digest)) }
      names.zip(evil) { |name, bytes| @files[name] = bytes if bytes }
    end

    def pieces_swapped
      names = @files.keys.grep(/\Apieces/)
      names.zip(@files.values_at(*names.rotate)) { |name, bytes| @files[name] = bytes }
    end

    def flip(bytes)
      bytes.dup.tap do |copy|
        (1 + @random.rand(3)).times do
          at = @random.rand(copy.bytesize)
          copy.setbyte(at, copy.getbyte(at) ^ (1 << @random.rand(8)))
        end
      end
    end

    def cut(bytes) = bytes.byteslice(0, @random.rand(bytes.bytesize))

    # What is changed may be what the store keeps, or what was compressed.
    def hurt_list
      if @random.rand(2).zero?
        @files[@name] = yield @files[@name]
      else
        self.list = yield list
      end
    end

    def list_bit = hurt_list { |bytes| flip(bytes) }
    def list_cut = hurt_list { |bytes| cut(bytes) }
    def list_bomb = self.list = "\0" * (1 << 26)
    def piece_bit = some_piece.then { |name| @files[name] = flip(@files[name]) }
    def piece_cut = some_piece.then { |name| @files[name] = cut(@files[name]) }
    def piece_longer = some_piece.then { |name| @files[name] += @random.bytes(1 + @random.rand(1 << 22)) }
    def piece_bomb = @files[some_piece] = Zlib.deflate("\0" * (1 << 26))

    # A list whose numbers are wild, and which the team's key has signed all the same.
    def list_number
      numbers = [-1, 0, 1, 1 << 31, 1 << 62, 1 << 80, 0.5, nil, "1", [], {}]
      changed = facts
      3.times do
        rows = [changed["pieces"], *changed["files"].map(&:last).flat_map { |runs| [runs, *runs] }].grep(Array)
        row = rows.sample(random: @random)
        row[@random.rand([row.size, 1].max)] = numbers.sample(random: @random)
      end
      self.list = text(changed) + @keys["team"].sign(text(changed))
    end

    def index_lies
      @files.delete(@name)
      rows = Array.new(200) { [format("%016x", @random.rand(1 << 64)), ["rack-1"]] }
      rows += [["../../x", []], [1, 2], nil, "x", [File.basename(@name), [1, nil, {}]]]
      @files[File.join(File.dirname(@name), "index")] = JSON.generate(rows.shuffle(random: @random))
    end

    def index_bit
      @files.delete(@name)
      index = File.join(File.dirname(@name), "index")
      @files[index] = [flip(@files[index]), cut(@files[index]), "[" * 100_000, @random.bytes(5 << 20)].sample(
        random: @random
      )
    end

    def place = nil

    # Something else lies in the place of a file.
    def hurt_places
      path = File.join(@store, [some_piece, @name].sample(random: @random))
      FileUtils.rm_rf(path)
      case @random.rand(6)
      when 0
        File.mkfifo(path)
      when 1
        File.symlink("/dev/zero", path)
      when 2
        Dir.mkdir(path)
      when 3
        Dir.chdir(File.dirname(path)) { UNIXServer.new(File.basename(path)).close } # (a socket's name has a limit)
      when 4
        File.open(path, "w") { |file| file.truncate(1 << 40) }
      when 5
        File.symlink(path, path)
      end
    end

    # ---- what his server answers ----

    ENDLESS = ->(socket, text) { loop { socket.write(text) } }
    ANSWERS = [
      ->(_, _) { :cut },
      ->(_, _) { 500 },
      ->(_, _) { sleep },
      ->(socket, _) { socket.write("HTTP/1.1 200 OK\r\n") && ENDLESS.call(socket, "X: #{"y" * 500}\r\n") },
      ->(socket, _) { socket.write("HTTP/1.1 200 OK\r\n\r\n") && ENDLESS.call(socket, "z" * 10_000) },
      ->(socket, _) { ENDLESS.call(socket, "HTTP" * 1000) },
      ->(socket, _) { socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n") && :cut },
      ->(socket, _) { socket.write("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabcde") && :cut },
      ->(socket, _) do
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n") && :cut
      end,
      ->(socket, _) do
        socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc") && :cut
      end,
      ->(socket, _) { socket.write("HTTP/1.1 100 Continue\r\n\r\n" * 100_000) && :cut },
      ->(socket, request) { WebServer.answer(socket, 302, "", "Location" => request.path) && :done },
      ->(socket, _) { WebServer.answer(socket, 302, "", "Location" => "file:///etc/passwd") && :done },
      ->(socket, _) { WebServer.answer(socket, 302, "", "Location" => "http://[::1") && :done },
      ->(socket, _) { WebServer.answer(socket, 401, "x" * 100, "WWW-Authenticate" => "Basic") && :done },
      ->(socket, _) { socket.write(Random.bytes(300)) && :cut }
    ].freeze

    # From some request on.
    def answers
      answer = ANSWERS.sample(random: @random)
      first = @random.rand(4)
      count = 0
      @answer = ->(request, socket) { answer.call(socket, request) if (count += 1) > first }
    end

    # What is asked for twice is another thing the second time; what is asked for once may be.
    def changes
      seen = Hash.new(0)
      with_evil_pieces
      @answer = ->(request, socket) do
        name = request.path.delete_prefix("/store/")
        evil = (seen[name] += 1) > 1 || @random.rand(3).zero?
        next unless evil && @evil.key?(name)

        WebServer.answer(socket, 200, @evil[name])
        :done
      end
    end

    # ---- what must hold ----

    def put(name, bytes)
      path = File.join(@store, name)
      FileUtils.mkdir_p(File.dirname(path))
      File.binwrite(path, bytes)
    end

    # The application on another machine: the same files, a cache of its own.
    def machine(path)
      @program.dup.tap do |program|
        cache = File.join(path, "cache")
        Dir.mkdir(cache)
        { base: path, cache: cache }.each { |name, value| program.instance_variable_set(:"@#{name}", value) }
      end
    end

    def pull_and_boot(path, kind)
      program = machine(path)
      server = WebServer.new(&@answer) if @answer || @random.rand(3).zero? && kind != :place
      server&.files&.merge!(@files.transform_keys { |name| "/store/#{name}" })
      run = pull(program, server ? server.address : @store)
      answered(run, "pull")
      failed("pull: #{run.status}", run.stderr) unless ["exit 0", "exit 1"].include?(run.status)
      failed("pull: #{run.stderr.lines.size} lines", run.stderr) if run.stderr.lines.size > 1
      failed("pull: no line of ours", run.stderr) unless run.stderr.empty? || run.stderr.start_with?("warmstart: ")
      failed("pull: took what no key has signed that is trusted") if @trusted != "team" && run.status == "exit 0"
      left = Dir.children(program.cache).grep(/\A\./)
      failed("pull: leaves #{left.first}") if left.any?

      2.times { |number| same(@plain, program.boot, "boot #{number + 1} after #{kind}") }
      run.status == "exit 0" ? nil : :refused
    ensure
      server&.close
    end

    def pull(program, store)
      command = [RbConfig.ruby, WARMSTART, "pull", "--application", "shop", "--timeout", "4"]
      program.execute(
        ["prlimit", "--as=#{3 << 30}", *command, "--trust", File.join(base, "#{@trusted}.pub"), store],
        env: environment(program)
      )
    end
  end
end
