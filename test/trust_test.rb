# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# What is created where, and whose files are believed: docs/security.md.
class TrustTest < TestCase
  include Command

  USER = 12_345

  def root_only
    skip "only root can give files away" if Program::WINDOWS || !Process.uid.zero?
  end

  def give_away(app, user = USER) = FileUtils.chown_R(user, user, app.base)

  # [owner, path] of what lies in the application's folder and the home, beside the program.
  def foreign_files(app, user = USER)
    Dir
      .glob("**/*", File::FNM_DOTMATCH, base: app.base)
      .map { |name| File.join(app.base, name) }
      .reject { |path| File.lstat(path).uid == user }
  end

  # The application's own start by another user than the test's.
  def boot_as(app, user, *command, env: {}, umask: nil, group: user)
    command = [RbConfig.ruby, app.path("main.rb")] if command.empty?
    command = ["sh", "-c", "umask #{umask}; exec \"$@\"", "sh", *command] if umask
    command = ["setpriv", "--reuid=#{user}", "--regid=#{group}", "--clear-groups", *command] unless user == Process.uid
    environment = {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => app.home,
      "GEM_HOME" => ENV["GEM_HOME"],
      "GEM_PATH" => ENV["GEM_PATH"]
    }
    app.execute(command, env: environment.merge(env).compact)
  end

  def assert_one_line(pattern, run)
    assert_exit 0, run
    assert_equal "ab\n", run.stdout
    assert_equal 1, run.stderr.lines.size, run.stderr
    assert_match(/\Awarmstart: /, run.stderr)
    assert_match pattern, run.stderr
  end

  # What lasts, and this user cannot mend, is said where somebody asks: in the log, and by `status`.
  def assert_silent(pattern, app, user, *command, env: {})
    run = boot_as(app, user, *command, env: env)
    assert_equal ["exit 0", "ab\n", ""], [run.status, run.stdout, run.stderr]
    assert_match(pattern, boot_as(app, user, *command, env: { **env, "WARMSTART_LOG" => "1" }).stderr)
  end

  # ---- what is created where ----

  test "root makes nothing in another user's folders, neither by the application's own setup nor by -r" do
    root_only
    app = application
    give_away(app)
    2.times { assert_silent(/another user owns/, app, 0) }
    assert_silent(/another user owns/, app, 0, RbConfig.ruby, "-r", Program::SETUP, app.path("main.rb"))
    run = warmstart(app, "build", "--root", app.folder, "--", RbConfig.ruby, "main.rb")
    refute_equal "exit 0", run.status
    assert_match(/\Awarmstart: another user owns .*; the image is unchanged/, run.stderr)
    assert_empty foreign_files(app)
  end

  test "a folder that another user has made for the image and the record of the bundle brings no line" do
    root_only
    bundler = File.join(Program::REPOSITORY, "lib/warmstart/bundler")
    app = application("Gemfile" => "", "config/boot.rb" => "require #{bundler.inspect}\n")
    place = { "WARMSTART_CACHE_DIR" => File.join(app.base, "var") }
    give_away(app)
    2.times { assert_exit 0, boot_as(app, USER, env: place) }
    refute_empty Dir["#{app.base}/var/*/*.record"]
    File.chmod(0o755, app.base, app.folder)
    assert_silent(/Permission denied/, app, USER + 1, env: place)
    FileUtils.chown_R(USER + 2, nil, Dir["#{app.base}/var/*"].each { |folder| File.chmod(0o755, folder) })
    assert_silent(/another user owns/, app, USER, env: place)
  end

  test "where root names a folder of its own, root records" do
    root_only
    app = application
    give_away(app)
    2.times do
      assert_exit 0, boot_as(app, 0, env: { "WARMSTART_CACHE_DIR" => File.join(@own = "#{app.base}-root", "cache") })
    end
    assert_empty foreign_files(app)
    assert_equal 1, Dir["#{@own}/cache/*/*.manifest"].size
  ensure
    FileUtils.rm_rf(@own) if @own
  end

  test "under a umask that leaves nothing, images and records are made and read all the same" do
    root_only
    app = application
    give_away(app)
    first = boot_as(app, USER, umask: "0777")
    assert_exit 0, first
    assert_empty first.stderr
    second = boot_as(app, USER, env: { "WARMSTART_LOG" => "1" }, umask: "0777")
    assert_match(%r{hit .*lib/a.rb}, second.stderr)
    built = boot_as(app, USER, RbConfig.ruby, WARMSTART, "build", "--all", "--root", app.folder, "lib", umask: "0777")
    assert_exit 0, built
    assert_match(%r{hit .*lib/a.rb}, boot_as(app, USER, env: { "WARMSTART_LOG" => "1" }, umask: "0777").stderr)
  end

  # ---- images that a clone brings along ----

  EVIL = "A = 'evil'\n"

  # The application as a clone brings it: with a sealed image of other code than its files hold.
  def hostile_clone(app, **options)
    app.write("lib/a.rb", EVIL)
    app.age
    assert_exit 0, warmstart(app, "build", "--all", "--seal", "lib", **options)
    app.write("lib/a.rb", FILES["lib/a.rb"])
    copy = "#{app.folder}.copy"
    FileUtils.cp_r(app.folder, copy, preserve: true)
    FileUtils.rm_rf(app.folder)
    File.rename(copy, app.folder)
    sleep Program::AGEING
  end

  test "an image that a clone brings along is not believed, and the next one is made here" do
    app = application
    hostile_clone(app)
    assert_one_line(
      /\Awarmstart: set WARMSTART_CACHE_DIR to a folder of your own .*: made on another machine or by another user: /,
      boot_as(app, Process.uid, env: { "WARMSTART_READONLY" => "1" })
    )
    assert_empty boot_as(app, Process.uid).stderr # (it is made anew)
    run, events = boot(app)
    assert_equal %W[ab\n hit], [run.stdout, events["lib/a.rb"]]
    refute_match(/made on another/, run.stderr)
  end

  test "an image that lies where it was made is believed" do
    app = application
    app.write("lib/a.rb", EVIL)
    app.age
    run = warmstart(app, "build", "--all", "--seal", "lib")
    assert_match(
      /\Awarmstart: built .* reads it, but only for this user on this machine; .*WARMSTART_CACHE_DIR.*\n\z/,
      said_by_build(run)
    )
    app.write("lib/a.rb", FILES["lib/a.rb"])
    assert_equal "evilb\n", boot(app).first.stdout
    File.rename(image_folder(app), aside = "#{image_folder(app)}-aside")
    File.rename(aside, image_folder(app))
    assert_equal "evilb\n", boot(app).first.stdout
  end

  test "a folder that the environment names may hold what was made elsewhere; one that a file of the application's names may not" do
    app =
      application(
        "config/boot.rb" =>
          "require #{File.join(Program::REPOSITORY, "lib/warmstart").dump}\nWarmstart.setup(cache_dir: File.expand_path('../images', __dir__))\n"
      )
    variable = { "WARMSTART_CACHE_DIR" => app.path("images") }
    hostile_clone(app, env: variable)
    assert_equal "evilb\n", boot_as(app, Process.uid, env: variable).stdout
    assert_match(/made on another machine/, boot_as(app, Process.uid, env: { "WARMSTART_LOG" => "1" }).stderr)
  end

  test "as in a container: root seals into a folder that the environment names, and another user's processes are served from it" do
    root_only
    app = application
    File.chmod(0o755, app.base, app.folder)
    variable = { "WARMSTART_CACHE_DIR" => File.join(app.base, "var/cache") }
    assert_exit 0, built = warmstart(app, "build", "--all", "--seal", "lib", env: variable)
    refute_match(/only for this user/, said_by_build(built))
    run = boot_as(app, USER, env: { "HOME" => nil, "WARMSTART_LOG" => "1", **variable })
    assert_match(%r{hit .*lib/a.rb}, run.stderr)
    refute_path_exists File.join(app.home, ".cache")
  end

  # ---- a group that may write ----

  GROUP = 54_321

  # As the images for OpenShift are made: root builds, the group may do what the owner may, and anybody of the group runs
  # it.
  def built_for_a_group
    root_only
    skip "only Linux tells whether there is an access list" unless RUBY_PLATFORM.include?("linux")
    app = application
    env = { "WARMSTART_CACHE_DIR" => File.join(app.base, "var"), "WARMSTART_LOG" => "1", "HOME" => nil }
    assert_exit 0, warmstart(app, "build", "--all", "--seal", "lib", env: env.slice("WARMSTART_CACHE_DIR"))
    system("chgrp", "-R", GROUP.to_s, app.base, exception: true)
    system("chmod", "-R", "g=u", app.base, exception: true)
    yield app, ->(group = GROUP) { boot_as(app, USER, env: env, group: group) }
  end

  test "where a group may write to what runs, it may write to the image, and its members are served" do
    built_for_a_group do |app, boot|
      assert_match(%r{hit .*lib/a.rb}, boot.call.stderr)
      run = warmstart(app, "status", env: { "WARMSTART_CACHE_DIR" => File.join(app.base, "var") })
      assert_exit 0, run
    end
  end

  {
    "to the image alone" => ->(app, _) { File.chmod(0o644, app.path("config/boot.rb")) },
    "to what runs, while another may write to the image" => ->(_, files) do
      files.each { |path| File.chown(nil, GROUP + 1, path) }
    end,
    "to both, as everybody may" => ->(app, files) do
      [*files, app.path("config/boot.rb")].each { |path| File.chmod(File.stat(path).mode | 0o002, path) }
    end,
    "to what runs, and the owner is another" => ->(_, files) { files.each { |path| File.chown(USER + 1, nil, path) } },
    "by an access list, on what runs" => ->(app, _) do
      system("setfacl", "-m", "u:#{USER + 1}:rw", app.path("config/boot.rb"), err: File::NULL) || :no_lists
    end,
    "by an access list, on the image" => ->(_, files) do
      files.each { |path| return :no_lists unless system("setfacl", "-m", "u:#{USER + 1}:rwx", path, err: File::NULL) }
    end
  }.each do |what, spoil|
    test "a group that may write #{what}: the image is refused" do
      built_for_a_group do |app, boot|
        files =
          [File.join(app.base, "var", Dir.children(File.join(app.base, "var")).first)].then do |folders|
            folders + Dir["#{folders.first}/*.{manifest,segment}"]
          end
        missing "there are no access lists here" if spoil.call(app, files) == :no_lists
        run = boot.call
        assert_equal "ab\n", run.stdout
        refute_match(/hit /, run.stderr)
        assert_match(/no boot image in .*: (?:group or others may write|another user owns)/, run.stderr)
      end
    end
  end

  test "an image built in another locale, too, serves there" do
    app = application
    variable = { "WARMSTART_CACHE_DIR" => File.join(app.base, "var") }
    %w[C.UTF-8 C].each do |locale|
      assert_exit 0,
                  warmstart(
                    app,
                    "build",
                    "--seal",
                    "--",
                    RbConfig.ruby,
                    "main.rb",
                    env: {
                      **variable,
                      "LC_ALL" => locale
                    }
                  )
    end
    %w[C.UTF-8 C].each do |locale|
      run = boot_as(app, Process.uid, env: { **variable, "LC_ALL" => locale, "WARMSTART_LOG" => "1" })
      assert_match(%r{hit .*lib/a.rb}, run.stderr, locale)
      assert_exit 0, warmstart(app, "status", env: { **variable, "LC_ALL" => locale })
    end
  end

  test "status, why and verify say that an image was made elsewhere" do
    app = application
    hostile_clone(app)
    [%w[status], %w[verify], %w[why lib/a.rb]].each do |command|
      run = warmstart(app, *command)
      assert_equal ["exit 1", "elsewhere"],
                   [run.status, (run.stdout + run.stderr)[/made on another machine/] && "elsewhere"],
                   command
    end
    assert_equal "elsewhere", JSON.parse(warmstart(app, "why", "--json", "lib/a.rb").stdout)["reason"]
  end

  test "without a home, or with one that came with the application, there is no image inside the application" do
    app = application
    assert_silent(/HOME is not set; set WARMSTART_CACHE_DIR/, app, Process.uid, env: { "HOME" => nil })
    assert_silent(
      /the user's cache folder lies in the application's.*; set WARMSTART_CACHE_DIR/,
      app,
      Process.uid,
      env: {
        "HOME" => app.folder
      }
    )
    assert_silent(
      /the user's cache folder lies in the application's/,
      app,
      Process.uid,
      env: {
        "XDG_CACHE_HOME" => app.path("cache")
      }
    )
    refute_path_exists image_folder(app)
    FileUtils.mkdir_p(app.path("home"))
    [[app.path("home"), ""], [app.folder, ""], [app.folder, "home"]].each do |target, rest|
      File.symlink(target, link = File.join(app.base, "link"))
      assert_silent(
        /the user's cache folder lies in the application's/,
        app,
        Process.uid,
        env: {
          "HOME" => File.join(link, rest).chomp("/")
        }
      )
      File.unlink(link)
    end
    FileUtils.mkdir_p(home = File.join(app.base, "another"))
    File.symlink(app.folder, File.join(home, ".cache"))
    assert_silent(/the user's cache folder lies in the application's/, app, Process.uid, env: { "HOME" => home })
    refute_path_exists image_folder(app)
  end

  test "an application below the home by way of a link is believed as any other" do
    app = application
    File.symlink(app.base, link = File.join(app.base, "link"))
    2.times { assert_exit 0, boot_as(app, Process.uid, env: { "HOME" => link }) }
    assert_path_exists File.join(app.base, ".cache/warmstart/secret")
    assert_match(%r{hit .*lib/a.rb}, boot_as(app, Process.uid, env: { "HOME" => link, "WARMSTART_LOG" => "1" }).stderr)
  end

  test "where the home cannot be written to, nothing is recorded, and status says so" do
    app = application
    File.write(file = File.join(app.base, "file"), "")
    2.times { assert_silent(/nothing was recorded/, app, Process.uid, env: { "HOME" => file }) }
    run = warmstart(app, "status", env: { "HOME" => file })
    assert_match(
      %r{^records +nothing: #{Regexp.escape(file)}/.*warmstart cannot be made in #{Regexp.escape(file)}; WARMSTART_CACHE_DIR names another folder$},
      run.stdout
    )
    assert_empty Dir[File.join(image_folder(app), "*.manifest")]
  end

  test "the secret costs one open and one read" do
    missing "there is no strace that may trace here" unless system("strace", "-o", File::NULL, "true", err: File::NULL)

    app = application
    2.times { assert_exit 0, boot_as(app, Process.uid) }
    log = File.join(app.base, "strace.txt")
    assert_exit 0, boot_as(app, Process.uid, "strace", "-y", "-o", log, RbConfig.ruby, app.path("main.rb"))
    assert_equal %w[close openat read statx],
                 File
                   .readlines(log)
                   .grep(%r{warmstart/secret[">]})
                   .map { |line| line[/\A\w+/].sub("fstat", "statx") }
                   .sort
  end

  # ---- whose files are believed ----

  def owner_of(app, **options)
    require_relative "../lib/warmstart/location"
    require_relative "../lib/warmstart"
    require_relative "../lib/warmstart/configuration"
    configuration = Warmstart::Configuration.new({}, { "WARMSTART_CACHE_DIR" => app.cache })
    Warmstart::Location.new(configuration, root: app.folder, **options).owner
  end

  test "a Gemfile gives its owner's files trust only where link, target and folder are one user's" do
    root_only
    app = application
    assert_nil owner_of(app)
    FileUtils.chown_R(USER, USER, app.folder)
    assert_equal USER, owner_of(app)
    other = File.join(app.base, "Gemfile")
    FileUtils.mv(app.path("Gemfile"), other)
    File.symlink(other, app.path("Gemfile"))
    File.lchown(USER + 1, USER + 1, app.path("Gemfile"))
    assert_nil owner_of(app)
    File.lchown(USER, USER, app.path("Gemfile"))
    assert_equal USER, owner_of(app)
    File.chown(USER + 1, USER + 1, app.folder)
    assert_nil owner_of(app)
    File.chown(0, 0, app.folder)
    assert_equal USER, owner_of(app)
  end
end
