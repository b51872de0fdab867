# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"
require_relative "support/deployed_applications"

# The recipes of docs/deploying.md: each from nothing, twice. What came from the image is counted, and `status` tells the
# same. (bin/deep plays them with a Rails application.)
class RecipesTest < TestCase
  include Command

  # Another application than two files: WARMSTART_RECIPES=rails_app
  APPLICATION =
    ENV["WARMSTART_RECIPES"] == "rails_app" ? DeployedApplications::Rails.new : DeployedApplications::Small.new
  ALL, MOVED, EDITED, NONE = %i[ALL MOVED EDITED NONE].map { |name| APPLICATION.class.const_get(name) }
  FILES, CONTAINERS, RELEASES = %i[FILES CONTAINERS RELEASES].map { |name| APPLICATION.class.const_get(name) }

  def setup
    skip "folders are moved and mounted as POSIX has it" if Program::WINDOWS
    @base = File.realpath(temporary_folder)
    @home = mkdir("home")
  end

  def mkdir(name) = File.join(@base, name).tap { |path| FileUtils.mkdir_p(path) }

  # A new clone: no file is one that was there before.
  def clone(folder, **options)
    FileUtils.rm_rf(folder)
    FileUtils.mkdir_p(folder)
    APPLICATION.write(folder, **options)
    sleep Program::AGEING
    folder
  end

  def copy(from, to)
    FileUtils.rm_rf(to)
    FileUtils.mkdir_p(File.dirname(to))
    FileUtils.cp_r(from, to) if File.directory?(from)
  end

  def environment(more = {}) =
    {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => @home,
      "GEM_HOME" => ENV["GEM_HOME"],
      "GEM_PATH" => ENV["GEM_PATH"]
    }.merge(APPLICATION.environment, more).compact

  # @return [Object] what became of the application's files: one of ALL, MOVED or NONE
  def start(folder, env = {}, prefix: [])
    out, errors, status =
      Open3.capture3(
        environment({ "WARMSTART_LOG" => "1" }.merge(env)),
        *prefix,
        *APPLICATION.command,
        chdir: folder,
        unsetenv_others: true
      )
    assert_equal ["ab\n", 0], [out, status.exitstatus], errors.lines.last(20).join
    APPLICATION.outcome(errors, folder)
  end

  def command(folder, *words, env: {}, prefix: [])
    out, errors, status =
      Open3.capture3(environment(env), *prefix, RbConfig.ruby, WARMSTART, *words, chdir: folder, unsetenv_others: true)
    assert_equal 0, status.exitstatus, out + errors
    out
  end

  def assert_start(outcomes, folder, env = {}, what = nil, **options)
    assert_includes outcomes, start(folder, env, **options), what
  end

  # Every file of the image is as it was recorded, as far as a boot looks at it.
  def assert_status(folder, env = {}, **options)
    facts = JSON.parse(command(folder, "status", "--json", env: env, **options))
    assert_includes FILES, facts["entries"]
    if facts["now"]
      assert_equal [facts["entries"] + facts["documents"], 0, 0],
                   [
                     facts["now"].values_at("as_recorded", "same_content").sum,
                     *facts["now"].values_at("changed", "gone")
                   ]
    end
    facts
  end

  def as_nobody =
    Process.uid.zero? ? ["setpriv", "--reuid=#{Program::NOBODY}", "--regid=#{Program::NOBODY}", "--clear-groups"] : []

  # @param path [#call] where the nth job clones
  def jobs(moved, path)
    2.times do |time|
      stored = mkdir("stored-#{time}")
      env = { "WARMSTART_CACHE_DIR" => File.join(@base, "cache-#{time}") }
      cache = env["WARMSTART_CACHE_DIR"]
      keys =
        3.times.map do |job|
          folder = clone(path.call(time, job))
          key = command(folder, "key", env: env).chomp
          copy(File.join(stored, key), cache)
          assert_start(job.zero? ? NONE : moved, folder, env, "job #{job}")
          assert_start(ALL, folder, env, "job #{job}, second boot")
          assert_status(folder, env)
          copy(cache, File.join(stored, key))
          FileUtils.rm_rf([folder, cache])
          key
        end
      assert_equal 1, keys.uniq.size
      FileUtils.rm_rf(stored)
    end
  end

  test "a CI system that clones at the same path, and keeps the folder under the key" do
    jobs(ALL, ->(time, _) { File.join(@base, "work-#{time}/shop") })
  end

  test "a CI system that clones at another path each time" do
    jobs(MOVED, ->(time, job) { File.join(@base, "builds-#{time}/#{job}/shop") })
  end

  test "a CI system that has nothing under the key restores the newest image that begins alike" do
    [->(_) { "work/shop" }, ->(job) { "builds/#{job}/shop" }].each_with_index do |path, time|
      env = { "WARMSTART_CACHE_DIR" => File.join(@base, "cache-#{time}") }
      stored = mkdir("stored-#{time}")
      keys =
        3.times.map do |job|
          folder = clone(File.join(@base, path.call(job)))
          # Another bundle, and a file that has changed.
          job.times { File.write(File.join(folder, "Gemfile.lock"), "\n", mode: "a") }
          File.write(File.join(folder, APPLICATION.own_file), "# edited #{job}\n", mode: "a") if job.positive?
          sleep Program::AGEING
          key, prefix = [[], ["--prefix"]].map { |options| command(folder, "key", *options, env: env).chomp }
          refute_path_exists File.join(stored, key)
          nearby = Dir[File.join(stored, "#{prefix}*")].max_by { |image| File.mtime(image) }
          assert_equal job.zero?, nearby.nil?
          copy(nearby, env["WARMSTART_CACHE_DIR"]) if nearby
          assert_start(job.zero? ? NONE : EDITED, folder, env, "job #{job}")
          assert_start(ALL, folder, env, "job #{job}, second boot")
          assert_status(folder, env)
          copy(env["WARMSTART_CACHE_DIR"], File.join(stored, key))
          FileUtils.rm_rf([folder, env["WARMSTART_CACHE_DIR"]])
          key
        end
      assert_equal 3, keys.uniq.size
    end
  end

  # GitLab keeps a folder of the clone, under one key for all commits, and replaces it after each job.
  test "a CI system that keeps a folder of the clone" do
    [->(_) { "one/shop" }, ->(job) { "builds/#{job}/shop" }].each_with_index do |path, time|
      kept = File.join(@base, "kept-#{time}")
      3.times do |job|
        folder = clone(File.join(@base, path.call(job)))
        env = { "WARMSTART_CACHE_DIR" => File.join(folder, "tmp/cache/warmstart") }
        File.write(File.join(folder, APPLICATION.own_file), "# edited\n", mode: "a") if job == 2
        sleep Program::AGEING
        copy(kept, env["WARMSTART_CACHE_DIR"])
        assert_start([NONE, time.zero? ? ALL : MOVED, EDITED][job], folder, env, "job #{job}")
        assert_start(ALL, folder, env, "job #{job}, second boot")
        assert_status(folder, env)
        copy(env["WARMSTART_CACHE_DIR"], kept)
        FileUtils.rm_rf(folder)
      end
    end
  end

  test "a cache that lay in the clone, adopted" do
    2.times do |time|
      kept = File.join(@base, "kept-#{time}")
      3.times do |job|
        folder = clone(File.join(@base, "job-#{time}-#{job}"))
        @home = mkdir("home-#{time}-#{job}") # (another machine)
        copy(kept, File.join(folder, "tmp/cache/warmstart")) if job.positive?
        command(folder, "adopt") if job.positive?
        assert_start(job.zero? ? NONE : MOVED, folder, {}, "job #{job}")
        assert_status(folder)
        copy(File.join(folder, "tmp/cache/warmstart"), kept)
        FileUtils.rm_rf(folder)
      end
    end
  end

  test "a second work tree beside the first" do
    2.times do |time|
      @home = mkdir("home-#{time}")
      # (Without gems, only a folder of the same name is known to have the same files.)
      names = APPLICATION.gems? ? %w[shop shop-feature] : %w[shop feature/shop]
      first, second = names.map { |name| File.join(@base, "trees-#{time}/#{name}") }
      clone(first, bundle: shared_bundle)
      work_tree(first, second)
      assert_start(NONE, first)
      assert_start(MOVED, second)
      [first, second].each do |folder|
        assert_start(ALL, folder)
        assert_status(folder)
      end
    end
  end

  def work_tree(first, second)
    [
      %w[init -q],
      %w[add -Af],
      %w[-c user.name=a -c user.email=a@b commit -q -m a],
      ["worktree", "add", "-q", "-b", "feature", second]
    ].each { |words| assert system(environment, "git", *words, chdir: first, unsetenv_others: true) }
    sleep Program::AGEING
  end

  # The gems' folder of Capistrano, which all releases share.
  def shared_bundle
    @shared_bundle ||= mkdir("shared/bundle").tap { |folder| APPLICATION.copy_gems(folder) } if APPLICATION.gems?
  end

  test "releases below a `current` link, with one image; then the fifth again" do
    2.times do |time|
      site = mkdir("site-#{time}")
      env = { "WARMSTART_CACHE_DIR" => mkdir("site-#{time}/shared/cache") }
      release = ->(number) { File.join(site, "releases/#{number}") }
      switch =
        lambda do |number|
          FileUtils.rm_f(File.join(site, "current"))
          File.symlink("releases/#{number}", File.join(site, "current"))
        end
      RELEASES.times do |number|
        clone(release.call(number), bundle: shared_bundle)
        switch.call(number)
        assert_start(number.zero? ? NONE : MOVED, release.call(number), env, "release #{number}")
      end
      switch.call(4)
      2.times { assert_start(ALL, release.call(4), env, "rolled back") }
      assert_status(release.call(4), env)
      assert_equal 1, Dir.children(env["WARMSTART_CACHE_DIR"]).size
      FileUtils.rm_rf(site)
    end
  end

  def mounts? = Process.uid.zero? && system("unshare", "-m", "true", err: File::NULL)

  # A command in a world in which a folder lies at another one's path.
  def bound(folder, path) =
    ["unshare", "-m", "sh", "-c", "mount --bind \"$0\" \"$1\" && cd \"$1/app\" && shift && exec \"$@\"", folder, path]

  # The same, by the file system of container engines: a layer that nobody writes to, below one of the container's own.
  def overlaid(folder, path)
    script =
      "mount -t tmpfs tmpfs \"$2\" && mkdir \"$2/own\" \"$2/work\" && " \
        "mount -t overlay overlay -o \"lowerdir=$0,upperdir=$2/own,workdir=$2/work\" \"$1\" && cd \"$1/app\" && " \
        "shift 2 && exec \"$@\""
    ["unshare", "-m", "sh", "-c", script, folder, path, mkdir("upper")]
  end

  def overlays? = File.read("/proc/filesystems").include?("overlay")

  test "a container's image: built by root, sealed, in other layers, run by another user, in a fleet" do
    skip "only root may mount" unless mounts?
    2.times do |time|
      root = mkdir("root-#{time}")
      FileUtils.chmod(0o755, [@base, root])
      folder = clone(File.join(root, "app"))
      env = { "WARMSTART_CACHE_DIR" => File.join(root, "var"), "HOME" => "/nowhere" }
      command(folder, "build", "--all", "--seal", "--", *APPLICATION.command, env: env.slice("WARMSTART_CACHE_DIR"))
      CONTAINERS.times do |container|
        layers = File.join(@base, "layers-#{time}-#{container}")
        system("cp", "-r", root, layers) || flunk
        mounted = container.odd? && overlays? ? overlaid(layers, root) : bound(layers, root)
        assert_start(ALL, folder, env, "container #{container}", prefix: [*mounted, *as_nobody])
        assert_match(/^sealed/, assert_status(folder, env, prefix: [*mounted, *as_nobody])["mode"]) if container.zero?
        FileUtils.rm_rf(layers)
      end
      FileUtils.rm_rf(root)
    end
  end

  test "a slug that is built at one path and runs at another" do
    [[], ["--portable"]].each_with_index do |options, time|
      cache = mkdir("slug-cache-#{time}")
      env = { "WARMSTART_CACHE_DIR" => cache }
      folder = clone(File.join(@base, "build_#{time}/app"))
      command(folder, "build", *options, "--", *APPLICATION.command, env: env)
      run = File.join(@base, "run_#{time}/app")
      copy(folder, run)
      FileUtils.rm_rf(folder)
      sleep Program::AGEING
      [MOVED, ALL, ALL].each { |outcomes| assert_start(outcomes, run, env, options.join) }
      assert_status(run, env)
      FileUtils.rm_rf(run)
    end
  end

  test "nothing can be written but a folder for temporary files" do
    2.times do |time|
      folder = clone(File.join(@base, "function-#{time}"))
      FileUtils.chmod_R("a-w,a+rX", folder)
      FileUtils.chmod(0o755, @base)
      temporary = mkdir("tmp-#{time}")
      FileUtils.chown(Program::NOBODY, Program::NOBODY, temporary) if Process.uid.zero?
      env = { "WARMSTART_CACHE_DIR" => temporary, "HOME" => "/nowhere", "TMPDIR" => temporary }
      prefix = [*read_only(temporary), *as_nobody]
      assert_start(NONE, folder, env, prefix: prefix)
      2.times { assert_start(ALL, folder, env, prefix: prefix) }
      assert_status(folder, env, prefix: prefix)
      FileUtils.chmod_R("u+w", folder)
      FileUtils.rm_rf(folder)
    end
  end

  # In a world in which only this folder can be written to.
  def read_only(folder)
    return [] unless mounts?

    script =
      "mount --bind \"$0\" \"$0\" && mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$0\" && mount -o remount,bind,ro / && shift && cd \"$PWD\" && exec \"$@\""
    ["unshare", "-m", "sh", "-c", script, @base, folder]
  end
end
