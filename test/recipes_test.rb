# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"
require_relative "../examples/applications"

# The recipes of docs/deploying.md, in small: each from nothing, twice. What came from the image is counted, and `status`
# (or `why`) tells the same.
class RecipesTest < TestCase
  include Command

  # Two files.
  class Small
    ALL = { "lib/a.rb" => "hit", "lib/deep/b.rb" => "hit" }.freeze
    NONE = ALL.transform_values { "miss" }.freeze

    def all = ALL
    def none = NONE
    def environment = {}
    def command = [RbConfig.ruby, "main.rb"]

    def write(folder)
      FILES.each do |name, content|
        path = File.join(folder, name)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, content)
      end
    end

    def outcome(errors, folder)
      events = errors.scan(%r{^warmstart: (hit|miss|stale|revalidated) #{Regexp.escape(folder)}/(lib\S+)}).to_h { |event, name| [name, event] }
      events.transform_values { |event| event == "revalidated" ? "hit" : event }
    end
  end

  # The example application, with its gems in vendor/bundle, as CI systems and slugs have them. (`examples/setup rails_app`
  # has to have run.)
  class Rails
    EXAMPLE = Examples["rails_app"]
    FEWEST = 3_000

    def all = "all from the image"
    def none = "nothing from the image"
    def environment = { "BOOT_WITH" => "warmstart", "RAILS_ENV" => "production", "SECRET_KEY_BASE_DUMMY" => "1" }
    def command = [RbConfig.ruby, "bin/rails", "runner", "puts :ab"]

    def write(folder)
      FileUtils.mkdir_p([File.join(folder, "vendor/bundle/ruby"), File.join(folder, ".bundle")])
      names = Dir.children(EXAMPLE.folder) - %w[.bundle tmp log storage] - Dir.children(EXAMPLE.folder).grep(/Gemfile/)
      system("cp", "-r", *names.map { |name| File.join(EXAMPLE.folder, name) }, folder) || raise
      gems = File.join(Examples::FOLDER, "tmp/gems/ruby", RbConfig::CONFIG["ruby_version"])
      system("cp", "-r", gems, File.join(folder, "vendor/bundle/ruby")) || raise
      File.write(File.join(folder, ".bundle/config"), "---\nBUNDLE_PATH: \"vendor/bundle\"\n")
      put(folder, "Gemfile", File.join(EXAMPLE.folder, "Gemfile"), "path: \"../..\"", "path: #{Program::REPOSITORY.dump}")
      put(folder, "Gemfile.lock", EXAMPLE.lockfile, "remote: ../..", "remote: #{Program::REPOSITORY}")
      put(folder, "config/boot.rb", File.join(EXAMPLE.folder, "config/boot.rb"), "require_relative(\"../../..", "require(\"#{Program::REPOSITORY}")
    end

    # A file with one thing in it that is another.
    def put(folder, name, from, old, new)
      text = File.read(from)
      raise "#{from} is another" unless text.include?(old)

      File.write(File.join(folder, name), text.sub(old) { new })
    end

    def outcome(errors, _folder)
      events = errors.scan(/^warmstart: (hit|miss|stale|revalidated) (.*)/)
      hits, others = events.partition { |event, _| %w[hit revalidated].include?(event) }
      return none if hits.empty?

      others.empty? && hits.size > FEWEST ? all : [hits.size, others.size, others.first(40)]
    end
  end

  APPLICATION = ENV["WARMSTART_RECIPES"] == "rails_app" ? Rails.new : Small.new
  ALL, NONE = APPLICATION.all, APPLICATION.none

  def setup
    skip "folders are moved and mounted as POSIX has it" if Program::WINDOWS
    @base = File.realpath(temporary_folder)
    @home = mkdir("home")
  end

  def mkdir(name) = File.join(@base, name).tap { |path| FileUtils.mkdir_p(path) }

  # A new clone: no file is one that was there before.
  def clone(folder)
    FileUtils.rm_rf(folder)
    APPLICATION.write(folder)
    sleep Program::AGEING
    folder
  end

  def copy(from, to)
    FileUtils.rm_rf(to)
    FileUtils.mkdir_p(File.dirname(to))
    FileUtils.cp_r(from, to) if File.directory?(from)
  end

  def environment(more = {}) = { "PATH" => ENV["PATH"], "LANG" => "C.UTF-8", "HOME" => @home, "GEM_HOME" => ENV["GEM_HOME"], "GEM_PATH" => ENV["GEM_PATH"] }.merge(APPLICATION.environment, more).compact

  # @return [Hash] what became of the application's files
  def start(folder, env = {}, prefix: [])
    out, errors, status = Open3.capture3(environment({ "WARMSTART_LOG" => "1" }.merge(env)), *prefix, *APPLICATION.command, chdir: folder, unsetenv_others: true)
    assert_equal ["ab\n", 0], [out, status.exitstatus], errors.lines.last(20).join
    APPLICATION.outcome(errors, folder)
  end

  def command(folder, *words, env: {}, prefix: [])
    out, errors, status = Open3.capture3(environment(env), *prefix, RbConfig.ruby, WARMSTART, *words, chdir: folder, unsetenv_others: true)
    assert_equal 0, status.exitstatus, out + errors
    out
  end

  def as_nobody = Process.uid.zero? ? ["setpriv", "--reuid=#{Program::NOBODY}", "--regid=#{Program::NOBODY}", "--clear-groups"] : []

  # @param path [#call] where the nth job clones
  def jobs(path)
    2.times do |time|
      stored = mkdir("stored-#{time}")
      cache = File.join(@base, "cache-#{time}")
      keys = 3.times.map do |job|
        folder = clone(path.call(time, job))
        key = command(folder, "key", env: { "WARMSTART_CACHE_DIR" => cache }).chomp
        copy(File.join(stored, key), cache)
        env = { "WARMSTART_CACHE_DIR" => cache }
        assert_equal job.zero? ? NONE : ALL, start(folder, env), "job #{job}"
        assert_equal ALL, start(folder, env), "job #{job}, second boot"
        assert_match(/^files +2$/, command(folder, "status", env: env))
        copy(cache, File.join(stored, key))
        FileUtils.rm_rf([folder, cache])
        key
      end
      assert_equal 1, keys.uniq.size
    end
  end

  test "a CI system that clones at the same path, and keeps the folder under the key" do
    jobs(->(time, _) { File.join(@base, "work-#{time}/shop") })
  end

  test "a CI system that clones at another path each time" do
    jobs(->(time, job) { File.join(@base, "builds-#{time}/#{job}/shop") })
  end

  test "a cache that lay in the clone, adopted" do
    2.times do |time|
      kept = File.join(@base, "kept-#{time}")
      3.times do |job|
        folder = clone(File.join(@base, "job-#{time}-#{job}"))
        @home = mkdir("home-#{time}-#{job}") # (another machine)
        copy(kept, File.join(folder, "tmp/cache/warmstart")) if job.positive?
        command(folder, "adopt") if job.positive?
        assert_equal job.zero? ? NONE : ALL, start(folder), "job #{job}"
        copy(File.join(folder, "tmp/cache/warmstart"), kept)
      end
    end
  end

  test "a container's image: built by root, sealed, in other layers, run by another user, ten times" do
    skip "only root may mount" unless Process.uid.zero? && system("unshare", "-m", "true", err: File::NULL)
    2.times do |time|
      root = mkdir("root-#{time}")
      FileUtils.chmod(0o755, [@base, root])
      folder = clone(File.join(root, "app"))
      env = { "WARMSTART_CACHE_DIR" => File.join(root, "var"), "HOME" => "/nowhere" }
      command(folder, "build", "--all", "--seal", "--", *APPLICATION.command, env: { "WARMSTART_CACHE_DIR" => env["WARMSTART_CACHE_DIR"] })
      10.times do |container|
        layers = File.join(@base, "layers-#{time}-#{container}")
        system("cp", "-r", root, layers) || flunk
        mounted = ["unshare", "-m", "sh", "-c", "mount --bind \"$0\" \"$1\" && cd \"$1/app\" && shift && exec \"$@\"", layers, root]
        assert_equal ALL, start(folder, env, prefix: [*mounted, *as_nobody]), "container #{container}"
        assert_match(/^mode +sealed/, command(folder, "status", env: env, prefix: [*mounted, *as_nobody])) if container.zero?
      end
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
      2.times { assert_equal ALL, start(run, env) }
    end
  end

  test "nothing can be written but a folder for temporary files" do
    2.times do |time|
      folder = clone(File.join(@base, "function-#{time}"))
      FileUtils.chmod_R("a-w,a+rX", folder)
      FileUtils.chmod(0o755, @base)
      temporary = mkdir("tmp-#{time}")
      FileUtils.chown(Program::NOBODY, Program::NOBODY, temporary) if Process.uid.zero?
      env = { "WARMSTART_CACHE_DIR" => temporary, "HOME" => "/nowhere" }
      assert_equal NONE, start(folder, env, prefix: as_nobody)
      assert_equal ALL, start(folder, env, prefix: as_nobody)
      assert_match(/^files +2$/, command(folder, "status", env: env, prefix: as_nobody))
      FileUtils.chmod_R("u+w", folder)
    end
  end
end
