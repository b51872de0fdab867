# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# `warmstart build`: what it makes is what the application then uses.
class BuildTest < TestCase
  include Command

  ALL_HITS = { "main.rb" => nil, "lib/a.rb" => "hit", "lib/deep/b.rb" => "hit" }.compact.freeze

  def built(app, *arguments, **options)
    warmstart(app, "build", *arguments, **options).tap { |run| assert_exit 0, run }
  end

  def leftovers(app) = Dir.glob("**/.warmstart-build-*", File::FNM_DOTMATCH, base: app.base)

  def hits(events) = events.select { |name, _| name.start_with?("lib/") }

  # ---- by running ----

  test "a command trains the image that the application then uses" do
    app = application
    run = built(app, "--", RbConfig.ruby, "main.rb")
    assert_equal "ab\n", run.stdout
    assert_complaint(
      %r{\Awarmstart: built .*tmp/cache/warmstart: \d+ files.*; #{Regexp.escape(app.folder)} reads it$},
      run
    )
    _, events = boot(app)
    assert_equal ALL_HITS, hits(events)
    assert_empty leftovers(app)
    assert_equal 0o700, File.stat(image_folder(app)).mode & 0o7777 unless Program::WINDOWS
  end

  # (Windows removes no folder in which a file is mapped.)
  test "nothing of the parts is mapped when they are removed" do
    unless File.exist?("/proc/self/maps") && !Program::WINDOWS
      skip "there is no /proc/self/maps; leftovers tell on Windows"
    end
    app = application("look.rb" => <<~RUBY)
      at_exit { puts File.readlines("/proc/self/maps").grep(/\\.warmstart-build-/) if $PROGRAM_NAME.end_with?("/warmstart") }
    RUBY
    [%w[--portable], %w[--reproducible], %w[--user], %w[--all --seal]].each do |options|
      run = built(app, *options, "--", RbConfig.ruby, "main.rb", env: { "RUBYOPT" => "-r#{app.path("look.rb")}" })
      assert_equal "ab\n", run.stdout, options
    end
  end

  test "a command that fails is reported, with its status, and the image stays" do
    app = application
    built(app, "--", RbConfig.ruby, "main.rb")
    before = Dir.children(image_folder(app)).sort
    run = warmstart(app, "build", "--", RbConfig.ruby, "main.rb", "7")
    assert_exit 7, run
    assert_complaint(/ended with status 7; the image is unchanged/, run)
    assert_equal before, Dir.children(image_folder(app)).sort
    assert_exit 127, warmstart(app, "build", "--", "no-such-command")
    run = warmstart(app, "build", "--", *(Program::WINDOWS ? %w[cmd /c rem] : %w[true]))
    assert_exit 1, run
    assert_complaint(/recorded nothing/, run)
    assert_empty leftovers(app)
  end

  test "files whose times are in the future: as any other" do
    app = application
    later = Time.now + 86_400
    %w[main.rb lib/a.rb lib/deep/b.rb config/boot.rb].each { |name| File.utime(later, later, app.path(name)) }
    app.age
    built(app, "--", RbConfig.ruby, "main.rb")
    _, events = boot(app)
    assert_equal ALL_HITS, hits(events)
    FileUtils.rm_rf(image_folder(app))
    boot(app)
    assert_equal ALL_HITS, hits(boot(app).last)
  end

  test "processes that the command starts record, too" do
    app =
      application(
        "driver.rb" =>
          "require_relative 'config/boot'\n2.times.map { |i| spawn(#{RbConfig.ruby.dump}, File.expand_path(\"child_\#{i}.rb\", __dir__)) }.each { |pid| Process.wait(pid) }\n",
        "child_0.rb" => "require_relative 'lib/a'\n",
        "child_1.rb" => "require_relative 'lib/deep/b'\n"
      )
    built(app, "--", RbConfig.ruby, "driver.rb")
    _, events = boot(app)
    assert_equal ALL_HITS, hits(events)
  end

  test "--user builds what exec uses" do
    app = application("plain.rb" => "require_relative 'lib/a'\n")
    built(app, "--user", "--", RbConfig.ruby, "plain.rb")
    run = warmstart(app, "exec", RbConfig.ruby, "plain.rb", env: { "WARMSTART_LOG" => "1" })
    assert_match(%r{hit .*/lib/a\.rb}, run.stderr)
    refute Dir.exist?(image_folder(app))
  end

  test "where a process of the command could not record all, the image stays" do
    app = application("plain.rb" => "require_relative 'lib/a'\nrequire 'set'\nrequire 'optparse'\n")
    [[], ["--user"]].each do |options|
      built(app, *options, "--", RbConfig.ruby, "plain.rb")
      image = -> do
        names = Dir.glob("**/*.{manifest,segment}", File::FNM_DOTMATCH, base: app.base)
        names.to_h { |name| [name, File.binread(File.join(app.base, name))] }
      end
      before = image.call
      run =
        warmstart(app, "build", *options, "--", RbConfig.ruby, "plain.rb", env: { "WARMSTART_MAXIMUM_SIZE" => "64K" })
      assert_exit 1, run
      assert_match(/^warmstart: raise WARMSTART_MAXIMUM_SIZE: /, run.stderr)
      assert_match(/^warmstart: not all could be recorded; the image is unchanged$/, run.stderr)
      assert_equal before, image.call
    end
  end

  # A process that the command has started holds the lock, as one that is writing does, while the command ends.
  HOLDER = <<~'RUBY'
    require_relative "lib/a"
    folder = Warmstart.session.directory
    [File.dirname(folder), folder].each { |path| Dir.mkdir(path, 0o700) unless Dir.exist?(path) }
    hold = <<~CODE
      File.open(ARGV[0], File::RDWR | File::CREAT, 0o600) do |lock|
        lock.flock(File::LOCK_EX)
        $stdout.puts
        $stdout.flush
        sleep 1
      end
    CODE
    plain = { "RUBYOPT" => nil, "WARMSTART" => "0" }
    IO.popen([plain, RbConfig.ruby, "--disable-gems", "-e", hold, "#{folder}/lock"]).gets
  RUBY

  {
    "training" => [[], %w[--user ./plain.rb]],
    "training with --user" => [["--user"], %w[--user ./plain.rb]]
  }.each do |name, (build, ask)|
    test "#{name} loses nothing while another process writes" do
      app = application("plain.rb" => HOLDER)
      built(app, *build, "--", RbConfig.ruby, "plain.rb")
      run = warmstart(app, "why", *ask, "lib/a.rb")
      assert_exit 0, run
      assert_equal "", run.stderr
    end
  end

  # ---- by compiling ----

  test "--all compiles everything and runs nothing" do
    app =
      application(
        "lib/broken.rb" => "def (\n",
        "app/models/thing.rb" => "Thing = 1\n",
        "test/thing_test.rb" => "1\n",
        "node_modules/x/y.rb" => "1\n"
      )
    run = built(app, "--all", "--verbose")
    assert_match(%r{left out .*/lib/broken\.rb: }, run.stderr)
    _, events = boot(app)
    assert_equal ALL_HITS, hits(events)
    known = ->(name) { JSON.parse(warmstart(app, "why", "--json", app.path(name)).stdout)["served"] }
    assert_equal [true, true, false, false, false],
                 %w[lib/never.rb app/models/thing.rb lib/broken.rb test/thing_test.rb node_modules/x/y.rb].map(&known)
    assert_operator JSON.parse(warmstart(app, "status", "--json").stdout)["compiled_only"], :>, 100
  end

  test "folders restrict --all" do
    app = application
    built(app, "--all", "--quiet", "lib/deep")
    answer = JSON.parse(warmstart(app, "status", "--json").stdout)
    assert_equal [1, 1], answer.values_at("entries", "compiled_only")
    run = warmstart(app, "build", "--all", "nowhere")
    assert_exit 1, run
    assert_complaint(/nowhere is not a folder/, run)
  end

  test "what a command recorded wins over what was compiled" do
    app = application
    built(app, "--all", "lib", "--", RbConfig.ruby, "main.rb")
    hints =
      %w[lib/a.rb lib/never.rb].map do |name|
        JSON.parse(warmstart(app, "why", "--json", name).stdout)["entry"]["hints"]
      end
    refute_includes hints[0], "compiled_only"
    assert_equal ["compiled_only"], hints[1]
  end

  test "a file that warns is kept for the level at which it is silent" do
    app = application("lib/a.rb" => "def a\n  unused = 1\nend\nA = 'a'\n")
    built(app, "--all", "lib")
    run, events = boot(app)
    assert_equal ["ab\n", ALL_HITS], [run.stdout, hits(events)]
    run, events = boot(app, env: { "RUBYOPT" => "-w" })
    assert_match(/assigned but unused variable - unused/, run.stderr)
    assert_equal "miss", events["lib/a.rb"]
    assert_equal "hit", events["lib/deep/b.rb"]
  end

  test "a bundle that cannot be set up stops the build with Bundler's own words" do
    app = application("Gemfile" => "source 'https://rubygems.org'\ngem 'no-such-gem-anywhere'\n", "Gemfile.lock" => nil)
    run = warmstart(app, "build", "--all")
    assert_exit 1, run
    assert_complaint(/cannot set up the bundle of .*Gemfile: .*no-such-gem-anywhere/, run)
    assert_empty leftovers(app)
  end

  # ---- sealed, reproducible, portable ----

  test "reproducible builds have the same bytes, whatever the number of processes" do
    app =
      application(
        400.times.to_h { |i| ["lib/many/file_#{i}.rb", "class C#{i}\n  def m(x) = [x, :s#{i}, \"t#{i}\"]\nend\n"] }
      )
    folders =
      [["-j1"], ["-j3"], ["-j2", "--", RbConfig.ruby, "main.rb"]].each_with_index.map do |arguments, number|
        folder = File.join(app.base, "built-#{number}")
        built(app, "--all", "--reproducible", "--image", folder, *arguments.take(1), "lib", *arguments.drop(1))
        folder
      end
    bytes = ->(folder) { Dir[File.join(folder, "*.{segment,manifest}")].sort.map { |path| File.binread(path) } }
    assert_equal 2, bytes[folders[0]].size
    assert bytes[folders[0]] == bytes[folders[1]]
    again = File.join(app.base, "again")
    built(app, "--all", "--reproducible", "--image", again, "lib", "--", RbConfig.ruby, "main.rb")
    assert bytes[folders[2]] == bytes[again]
  end

  test "a sealed image is believed, and refused when its fingerprint does not match" do
    app = application("VERSION" => "1\n")
    built(app, "--all", "--seal", "--fingerprint", "VERSION", "lib", "config")
    folder = image_folder(app)
    modes = [folder, Dir[File.join(folder, "*.segment")].first].map { |path| File.stat(path).mode & 0o777 }
    assert_equal [0o755, 0o644], modes unless Program::WINDOWS # (whose access lists windows_files_test.c looks at)
    answer = JSON.parse(warmstart(app, "status", "--json").stdout)
    assert_equal ["sealed", BASE.keys & %w[Gemfile.lock] | %w[VERSION]], [answer["mode"], answer["fingerprints"].sort]

    app.write("lib/a.rb", "A = 'not what was sealed'\n")
    run, events = boot(app)
    assert_equal ["ab\n", ALL_HITS], [run.stdout, hits(events)]

    app.write("VERSION", "2\n")
    run, = boot(app, env: { "WARMSTART_LOG" => nil })
    assert_equal "not what was sealedb\n", run.stdout
    assert_match(
      /\Awarmstart: build the image again for this application: sealed for another application: .*\n\z/,
      run.stderr
    )
    assert_match(/fingerprint/, warmstart(app, "status").stdout)
  end

  test "a portable image survives a copy that keeps whole seconds only" do
    app = application
    built(app, "--portable", "--", RbConfig.ruby, "main.rb")
    BASE.each_key do |name|
      path = app.path(name)
      time = Time.at(File.mtime(path).to_i)
      content = File.binread(path)
      File.unlink(path)
      File.binwrite(path, content)
      File.utime(time, time, path)
    end
    _, events = boot(app)
    assert_equal ALL_HITS, hits(events)
  end

  # ---- processors ----

  test "control groups limit the processors" do
    require_relative "../lib/warmstart/image/processors"
    write = ->(root, files) do
      files.each do |name, text|
        FileUtils.mkdir_p(File.dirname("#{root}/#{name}")) && File.write("#{root}/#{name}", text)
      end
    end
    count =
      lambda do |files, available = 8|
        root = temporary_folder
        write.call(root, files)
        Warmstart::Image::Processors.count(available: available, root: root)
      end
    assert_equal 8, count.call({})
    assert_equal 3,
                 count.call(
                   "proc/self/cgroup" => "0::/a/b\n",
                   "sys/fs/cgroup/a/cpu.max" => "250000 100000\n",
                   "sys/fs/cgroup/a/b/cpu.max" => "max 100000\n"
                 )
    assert_equal 2, count.call("proc/self/cgroup" => "0::/not/visible\n", "sys/fs/cgroup/cpu.max" => "200000 100000\n")
    assert_equal 1,
                 count.call(
                   "proc/self/cgroup" => "4:cpu,cpuacct:/x\n1:memory:/x\n",
                   "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us" => "50000\n",
                   "sys/fs/cgroup/cpu/x/cpu.cfs_period_us" => "100000\n"
                 )
    assert_equal 8,
                 count.call(
                   "proc/self/cgroup" => "4:cpu:/\n",
                   "sys/fs/cgroup/cpu/cpu.cfs_quota_us" => "-1\n",
                   "sys/fs/cgroup/cpu/cpu.cfs_period_us" => "100000\n"
                 )
  end

  test "--all leaves no folder out for its name below app, lib and config, but below their namesakes" do
    apart = %w[library/tests/a.rb app_old/docs/b.rb tests/c.rb]
    inside = %w[lib/tests/d.rb app/models/docs/e.rb config/test/f.rb]
    app = application((apart + inside).to_h { |name| [name, "1\n"] })
    built(app, "--all")
    taken = ->(name) { warmstart(app, "why", name).stdout[/\((\w+)\)/, 1] }
    assert_equal [["not_recorded"], ["fresh"]], [apart, inside].map { |names| names.map(&taken).uniq }
  end

  test "--exclude leaves out what matches, and only with --all" do
    app = application("lib/tasks/x.rake" => "task(:x)\n", "lib/old/c.rb" => "C = 1\n")
    built(app, "--all", "--exclude", "/old/", "--exclude", "deep/b\\.rb\\z")
    run = warmstart(app, "why", "lib/a.rb", "--json")
    assert_exit 0, run
    assert_exit 0, warmstart(app, "why", "lib/tasks/x.rake")
    %w[lib/old/c.rb lib/deep/b.rb].each { |name| assert_match(/not_recorded/, warmstart(app, "why", name).stdout) }
    assert_exit 2, warmstart(app, "build", "--exclude", "x", "--", "true")
    assert_exit 2, warmstart(app, "build", "--all", "--exclude", "(")
  end

  test "Ctrl-C while the bundle is looked at: one line, status 130, and no image" do
    app = application("Gemfile" => "File.write('looked', '')\nsleep 20\n")
    environment = {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => app.home,
      "GEM_HOME" => ENV["GEM_HOME"],
      "GEM_PATH" => ENV["GEM_PATH"]
    }.compact
    reader, writer = IO.pipe
    inherited = trap(:INT, "DEFAULT") # (where the tests run in the background it is ignored, by every child, too)
    pid =
      Process.spawn(
        environment,
        RbConfig.ruby,
        WARMSTART,
        "build",
        "--all",
        chdir: app.folder,
        out: writer,
        err: writer,
        pgroup: true,
        unsetenv_others: true
      )
    trap(:INT, inherited)
    writer.close
    sleep 0.05 until File.exist?(app.path("looked")) || Process.wait(pid, Process::WNOHANG)
    Process.kill(:INT, -pid) # (as a terminal does)
    assert_equal 130, Process.wait2(pid).last.exitstatus
    begin
      Process.kill(:KILL, -pid)
    rescue StandardError
      nil
    end
    assert_equal "warmstart: interrupted\n", reader.read
    assert_empty Dir[File.join(image_folder(app), "*.manifest")]
  end
end
