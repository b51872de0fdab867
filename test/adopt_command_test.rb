# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# `warmstart adopt` and `warmstart key`: an image that comes back from a CI system's cache, from a colleague or in a
# container's layer.
class AdoptCommandTest < TestCase
  include Command

  # The same application on another machine: its user has a home of its own, and so another secret.
  def copy(app)
    other = app.dup
    base = temporary_folder
    { folder: "application", home: "home" }.each do |name, folder|
      other.instance_variable_set(:"@#{name}", File.join(File.realpath(base), folder))
    end
    Dir.mkdir(other.home)
    FileUtils.cp_r(app.folder, other.folder)
    sleep Program::AGEING
    other
  end

  MORE = { "main.rb" => FILES.fetch("main.rb").sub("puts A", "require 'c'\nputs A"), "lib/c.rb" => "C = 'c'\n" }.freeze

  def recorded
    application(MORE).tap { |app| 2.times { assert_exit 0, boot(app).first } }
  end

  test "an image from another machine is refused, and is one's own when it was adopted" do
    app = recorded
    other = copy(app)
    run, events = boot(other, env: { "WARMSTART_READONLY" => "1" })
    assert_equal [%w[miss], "ab\n"], [events.values.uniq, run.stdout]
    before = Dir[other.path("tmp/cache/warmstart/*")].to_h { |path| [path, File.binread(path)] }
    dry = warmstart(other, "adopt", "--dry-run")
    assert_equal ["exit 0", "warmstart: nothing was changed (--dry-run)\n"], [dry.status, dry.stderr]
    assert_equal(before, Dir[other.path("tmp/cache/warmstart/*")].to_h { |path| [path, File.binread(path)] })
    adopted = warmstart(other, "adopt")
    assert_exit 0, adopted
    assert_match(
      /\Afound in #{other.path("tmp/cache/warmstart")}: \d+ files, 0 documents, .*\n  of the application in #{app.folder}\n  written 20.*\n\d+ taken over\n3 of these, with code that has another path now\n\z/,
      adopted.stdout
    )
    assert_equal "", adopted.stderr
    run, events = boot(other)
    assert_equal [%w[hit], 3, "exit 0"], [events.values.uniq, events.size, run.status]
  end

  test "only what is the same here is taken over, from a folder by name, too" do
    app = recorded
    other = copy(app)
    FileUtils.rm_rf(other.path("tmp"))
    other.write("lib/a.rb", "A = 'other'\n")
    File.unlink(other.path("lib/deep/b.rb"))
    sleep Program::AGEING
    run = warmstart(other, "adopt", "--json", image_folder(app))
    assert_equal ["", "exit 0"], [run.stderr, run.status]
    counts = JSON.parse(run.stdout)
    assert_equal [app.folder, 1, 1], counts.values_at("root", "changed", "gone")
    assert_equal counts["files"], counts.values_at("taken", "changed", "gone", "young", "fixed", "unwanted").sum
    other.write("lib/deep/b.rb", "B = 'b'\n")
    sleep Program::AGEING
    run, events = boot(other)
    assert_equal %w[otherb hit miss], [run.stdout.chomp, *events.values_at("lib/c.rb", "lib/a.rb")]
  end

  test "what cannot be adopted: one line, and nothing is changed" do
    app = application
    assert_complaint(/there is no .*: nothing was recorded yet.*; nothing was taken over/, warmstart(app, "adopt"))
    assert_complaint(/unexpected argument: b/, warmstart(app, "adopt", "a", "b"))
    assert_exit 2, warmstart(app, "adopt", "a", "b")
    boot(app)
    other = copy(app)
    FileUtils.rm_rf(other.path("tmp"))
    Dir[other.path("**/*.rb")].each { |path| other.write(path.delete_prefix("#{other.folder}/"), "# other\n") }
    sleep Program::AGEING
    assert_complaint(
      /\Awarmstart: none of its files is the same here; nothing was taken over\n\z/,
      warmstart(other, "adopt", image_folder(app))
    )
    segment = Dir[app.path("tmp/cache/warmstart/*.segment")].first
    File.truncate(segment, 100)
    assert_complaint(/nothing was taken over/, warmstart(copy(app), "adopt"))
    return if Program::WINDOWS || !Process.uid.zero?

    other = copy(recorded)
    FileUtils.chown_R(Program::NOBODY, Program::NOBODY, image_folder(other))
    assert_complaint(/belongs to another user.*nothing was taken over|owner/, warmstart(other, "adopt"))
  end

  test "status tells what the first boot at another path has taken over" do
    first = application(MORE)
    cache = { "WARMSTART_CACHE_DIR" => first.cache }
    2.times { boot(first, env: cache) }
    other = copy(first)
    other.write("lib/c.rb", "C = 'changed'\n")
    sleep Program::AGEING
    _, events = boot(other, env: cache)
    assert_equal %w[hit hit miss], events.values_at("lib/a.rb", "lib/deep/b.rb", "lib/c.rb")
    told = warmstart(other, "status", env: cache)
    assert_match(
      /^adopted +3 files of another image\n +2 +taken over\n +2 +of these, with code that has another path now\n +1 +with other contents here$/,
      told.stdout
    )
    adopted = JSON.parse(warmstart(other, "status", "--json", env: cache).stdout)["last_boot"]["adopted"]
    assert_equal [3, 2, 2, 1, 0], adopted.values_at("entries", "taken", "relocated", "changed", "fixed")
    refute_includes warmstart(first, "status", env: cache).stdout, "adopted"
  end

  test "the key is another one for another bundle, and begins alike; without a bundle there is one, too" do
    app = application
    key, prefix =
      %w[key].product([[], ["--prefix"]]).map { |command, options| warmstart(app, command, *options).stdout.chomp }
    assert_match(/\Awarmstart-\h{16}-\h{16}\z/, key)
    assert_match(/\Awarmstart-\h{16}-\z/, prefix)
    assert_equal({ "key" => key, "prefix" => prefix }, JSON.parse(warmstart(app, "key", "--json").stdout))
    assert_equal key, warmstart(copy(app), "key").stdout.chomp
    app.write("Gemfile.lock", "#{FILES.fetch("Gemfile.lock")}\n")
    other = warmstart(app, "key").stdout.chomp
    assert_equal [true, false], [other.start_with?(prefix), other == key]
    File.unlink(app.path("Gemfile.lock"))
    assert_equal 3, [key, other, warmstart(app, "key").stdout.chomp].uniq.size
    Dir.mkdir(File.join(app.base, "none"))
    assert_match(/\A#{prefix}\h{16}\n\z/, warmstart(app, "key", chdir: File.join(app.base, "none")).stdout)
  end
end
