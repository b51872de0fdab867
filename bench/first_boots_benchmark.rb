# frozen_string_literal: true

require "shellwords"

module Benchmarks
  # First boots where something is there already: after a cache was restored (all files have other times), in a clone at
  # another path, of a second application with the same gems, and after a pull from a store, whose time counts, too;
  # beside bootsnap with its cache restored, and from nothing. It runs the
  # shop, and copies of it in tmp/ (as deep as the example, whose files name Warmstart's by relative paths).
  class FirstBoots < Benchmark
    APPLICATION = "shop"
    COPIES = { "another path" => APPLICATION, "a second application" => "second" }.freeze
    REPOSITORY = File.expand_path("..", __dir__)
    # The examples' gems lie there. Their files get other times, as those of a clone have.
    GEMS = File.join(Examples::FOLDER, "tmp/gems")

    def run
      @app = application(APPLICATION)
      Dir.mktmpdir("warmstart-first-boots-") do |work|
        @work = work
        COPIES.each_value { |name| copy(name) }
        record
        result("first boots of the #{APPLICATION}, production mode", measure(variants, warmups: 0))
      end
    ensure
      COPIES.each_value { |name| FileUtils.rm_rf(place(name)) }
    end

    private

    def place(name) = File.join(REPOSITORY, "tmp", name)

    def copy(name)
      FileUtils.rm_rf(place(name))
      FileUtils.mkdir_p(place(name))
      names = Dir.children(@app.folder) - %w[tmp log .bundle]
      names.each { |entry| FileUtils.cp_r(File.join(@app.folder, entry), place(name), preserve: true) }
    end

    # Makes the caches, and gives all files other times afterwards.
    def record
      2.times do
        boot_of("warmstart", "WARMSTART_CACHE_DIR" => kept("warmstart"))
        boot_of("bootsnap", "BOOTSNAP_CACHE_DIR" => kept("bootsnap"))
      end
      [@app.folder, *COPIES.values.map { |name| place(name) }, GEMS].each { |folder| touch(folder) }
      sleep 0.1
      2.times { boot_of("warmstart", "WARMSTART_CACHE_DIR" => kept("warm")) }
      push
    end

    # The store lies in a folder, so a pull from it has no network's time.
    def push
      key = File.join(@work, "key")
      public = command("key", "new", key)
      File.write("#{key}.pub", public)
      command("push", "--application", APPLICATION, "--key", key, kept("store"), cache: kept("warmstart"))
    end

    def command(*arguments, cache: kept("warmstart"))
      environment = @app.environment("warmstart").merge(bundle(@app.folder), "WARMSTART_CACHE_DIR" => cache)
      output = IO.popen([environment, *warmstart, *arguments, { chdir: @app.folder, err: File::NULL }], &:read)
      raise Unavailable, "warmstart #{arguments.first} fails" unless $?.success?

      output
    end

    def warmstart = [RbConfig.ruby, File.join(REPOSITORY, "exe/warmstart")]

    # A pull into an empty folder and the first boot, one after the other.
    def pulled
      key = File.join(@work, "key.pub")
      pull = [*warmstart, "pull", "--application", APPLICATION, "--trust", key, kept("store")]
      script = "#{Shellwords.join(pull)} && exec #{Shellwords.join(@app.boot_command)}"
      at(@app.folder, "warmstart", "nothing").merge(command: ["sh", "-c", script])
    end

    def kept(name) = File.join(@work, "kept-#{name}")

    def boot_of(variant, settings)
      system(
        @app.environment(variant).merge(bundle(@app.folder), settings),
        *@app.boot_command,
        :chdir => @app.folder,
        %i[out err] => File::NULL
      ) or raise Unavailable, "the #{APPLICATION} does not boot"
    end

    def touch(folder)
      Dir
        .glob("**/*", File::FNM_DOTMATCH, base: folder)
        .each_slice(1000) do |names|
          paths = names.map { |name| File.join(folder, name) }.select { |path| File.file?(path) }
          File.utime(Time.now, Time.now, *paths) if paths.any?
        end
    end

    def variants
      {
        "plain" => at(@app.folder, "plain"),
        "bootsnap" => at(@app.folder, "bootsnap", "bootsnap", revalidate),
        "bootsnap, from nothing" => at(@app.folder, "bootsnap", "nothing"),
        "bootsnap, another path" => at(place(APPLICATION), "bootsnap", "bootsnap", revalidate),
        "warm" => at(@app.folder, "warmstart", nil, { "WARMSTART_CACHE_DIR" => kept("warm") }),
        "restored" => at(@app.folder, "warmstart", "warmstart"),
        "pulled" => pulled,
        **COPIES.to_h { |title, name| [title, at(place(name), "warmstart", "warmstart")] },
        "from nothing" => at(@app.folder, "warmstart", "nothing")
      }
    end

    # (The example's .bundle/config says relatively where the gems are. Nobody reads it here: a clone has none.)
    def bundle(folder)
      {
        "BUNDLE_GEMFILE" => File.join(folder, File.basename(@app.gemfile)),
        "BUNDLE_PATH" => GEMS,
        "BUNDLE_APP_CONFIG" => File.join(folder, "none")
      }
    end

    def revalidate = { "BOOTSNAP_REVALIDATE" => "1" }

    # @param cache [String, nil] which cache is restored before each run
    def at(folder, variant, cache = nil, settings = {})
      cached = File.join(@work, "restored")
      places = { "WARMSTART_CACHE_DIR" => cached, "BOOTSNAP_CACHE_DIR" => cached }
      {
        command: @app.boot_command,
        env: @app.environment(variant).merge(cache ? places : {}, bundle(folder), settings),
        chdir: folder,
        prepare: (-> { restore(cached, kept(cache)) } if cache)
      }
    end

    def restore(cached, from)
      FileUtils.rm_rf(cached)
      FileUtils.mkdir_p(cached)
      FileUtils.cp_r("#{from}/.", cached) if File.directory?(from)
      sleep 0.1 # (an image that was written just now is no obstacle, but a source that is too young would be)
    end
  end
end
