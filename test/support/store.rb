# frozen_string_literal: true

require "json"
require "zlib"
require_relative "command"
require_relative "../../lib/warmstart/stores/keys"
require_relative "../../lib/warmstart/stores/pull"

# Applications that push into and pull from a store. The tests of stores include this module beside Command.
module StoreCases
  # A gem beside the application: its files have a folder as gems have.
  GEM_FILES = {
    "main.rb" =>
      Command::FILES.fetch("main.rb").sub(
        "require 'a'",
        "$LOAD_PATH << File.realpath('gems/thing-1.0/lib', __dir__)\nrequire 'a'; require 'thing'"
      )
  }.freeze
  THING = {
    "gems/thing-1.0/lib/thing.rb" => "class Thing\n#{(1..200).map { |n| "  def m#{n} = #{n}\n" }.join}end\n"
  }.freeze

  # An application that has recorded an image into the folder that the environment names.
  def recorded = application({ **GEM_FILES, **THING }).tap { |app| 2.times { boot(app, env: cache(app)) } }

  def gem_folder(app) = app.path("gems")

  def cache(app) = { "WARMSTART_CACHE_DIR" => app.cache }

  def store(app) = File.join(app.base, "store")

  # The same application on another machine: the same path, a cache folder of its own.
  def elsewhere(app)
    app.dup.tap { |other| other.instance_variable_set(:@cache, File.realpath(temporary_folder)) }
  end

  # The same application at another path, of another user.
  def other_path(app)
    base = File.realpath(temporary_folder)
    FileUtils.cp_r(app.folder, File.join(base, "copy"))
    %w[home cache].each { |name| Dir.mkdir(File.join(base, name)) }
    sleep Program::AGEING
    app.dup.tap do |other|
      { folder: "copy", home: "home", cache: "cache" }.each do |name, folder|
        other.instance_variable_set(:"@#{name}", File.join(base, folder))
      end
    end
  end

  # A private key; its public one lies beside it.
  def key(app, name = "team")
    path = File.join(app.base, name)
    return path if File.exist?(path)

    public = Warmstart::Stores::Keys::Signing.make(path).public
    File.write("#{path}.pub", "ed25519 #{public} #{name}\n")
    path
  end

  def push(app, *options, to: store(app), key: key(app), name: "shop", env: {}, status: 0)
    options = ["--key", key, *options] if key
    options = ["--application", name, *options] if name
    answered(warmstart(app, "push", *options, to, env: cache(app).merge(env)), status)
  end

  def pull(app, *options, from: store(app), trust: "#{key(app)}.pub", name: "shop", env: {}, status: 0)
    options = ["--trust", trust, *options] if trust
    answered(warmstart(app, "pull", "--application", name, *options, from, env: cache(app).merge(env).compact), status)
  end

  def prune(app, *options, from: store(app), env: {}, status: 0)
    answered(warmstart(app, "prune", *options, from, env: env), status)
  end

  def answered(run, status) = run.tap { assert_exit status, run }

  def json(run) = JSON.parse(run.stdout)

  # The files of the images in a cache folder, by name.
  def image_bytes(folder)
    paths = Dir[File.join(folder, "*/*")].reject { |path| File.basename(path) == "lock" }
    paths.to_h { |path| [File.basename(path), File.binread(path)] }
  end

  def lists(app) = Dir[File.join(store(app), "images/*/*/*")].grep_v(/index\z/)

  # What a list says of its image.
  def facts_of(list) = JSON.parse(Zlib.inflate(File.binread(list)).lines.first)

  def lock(app, gems)
    specs = gems.map { |name| "    #{name.sub("-", " (")})\n" }.join
    app.write("Gemfile.lock", Command::FILES.fetch("Gemfile.lock").sub("specs:\n", "specs:\n#{specs}"))
  end

  # Pieces that two applications' lists name.
  def shared_names(app)
    pieces = lists(app).map { |path| facts_of(path).fetch("pieces").map(&:first) }
    pieces.combination(2).map { |one, other| (one & other).size }.max
  end

  # Why a pull refuses what the store has now.
  def refusal(app)
    key, _, bundle = lists(app).first.split("/").last(3)
    trusted = Warmstart::Stores::Keys::Trusted.new
    trusted.add_file("#{key(app)}.pub")
    wanted = { application: "shop", key: key, bundle: bundle, gems: [] }
    source = Warmstart::Stores.open(store(app), seconds: 60)
    pull = Warmstart::Stores::Pull.new(source, wanted: wanted, trusted: trusted, limit: 1 << 20)
    pull.fetch(pull.list, temporary_folder)
    flunk "it was taken"
  rescue Warmstart::Stores::Trouble => error
    error.message
  end

  def sign(key, text) = Warmstart::Stores::Keys::Signing.read(key).sign(text).chomp

  # A list with other facts, signed by the right key.
  def signed(app, list)
    facts = JSON.parse(list.lines.first)
    yield facts
    text = "#{JSON.generate(facts)}\n"
    "#{text}#{sign(key(app), text)}\n"
  end

  def age_files(paths, days:)
    time = Time.now - (days * 86_400) - 60
    paths.each { |path| File.utime(time, time, path) }
  end

  # A store in memory, whose writes fail from some point on.
  class MemoryStore
    attr_reader :files
    attr_accessor :fails_after, :writes

    def initialize(files = {})
      @files = files
      @lock = Mutex.new
      @writes = 0
    end

    def dup_files = self.class.new(@files.dup)
    def to_s = "memory"
    def read(name, _limit) = @files[name]
    def has?(name) = @files.key?(name)

    def write(name, bytes)
      @lock.synchronize do
        raise Warmstart::Stores::Trouble, "cut" if @fails_after && @writes >= @fails_after

        @writes += 1
        @files[name] = bytes
      end
    end
  end

  FACTS = { application: "shop", key: "0" * 16, bundle: "1" * 16, root: "/shop", time: 1, gems: [] }.freeze

  def send_image(store, files)
    names = files.transform_keys { |name| name.sub(/\Ak-1/, "#{"0" * 16}-#{"2" * 16}").sub(/\Ak\b/, "0" * 16) }
    Warmstart::Stores::Push.new(store, key: nil).run(names, FACTS)
  end

  def fetched(store)
    wanted = FACTS.slice(:application, :key, :bundle, :gems)
    pull = Warmstart::Stores::Pull.new(store, wanted: wanted, trusted: nil, limit: 1 << 20)
    folder = temporary_folder
    pull.fetch(pull.list, folder)
    Dir.children(folder).to_h { |name| [name, File.binread(File.join(folder, name))] }
  end
end
