# frozen_string_literal: true

require_relative "test_helper"
require "socket"

# A path of the image that leads through a link by now, or does so no longer, or to another place. What `__dir__` says
# and how often a file runs follow from it, as in plain Ruby, at each boot and while one lasts.
class LinksTest < TestCase
  SAY = "puts \"\#{__FILE__} \#{__dir__} \#{$LOADED_FEATURES.grep(/application/).size}\"\n"

  FILES = {
    "lib/a.rb" => "#{SAY}require_relative 'deep/b'\n",
    "lib/deep/b.rb" => "#{SAY}require 'c'\n",
    "lib/c.rb" => SAY,
    "lib/other.rb" => "",
    "other/keep.rb" => "",
    "main.rb" => <<~RUBY
      $LOAD_PATH.unshift File.join(__dir__, "lib")
      require "a"
      require_relative "lib/deep/b"
      puts (require File.join(__dir__, "lib/c"))
      Dir[File.join(__dir__, "{other,lib2,moved}/**/*.rb")].sort.each { |path| puts (require path) }
      puts $LOADED_FEATURES.grep(/application/)
    RUBY
  }.freeze

  # Boots, changes something, boots three times: each as plain Ruby.
  def assert_noticed(files = FILES, **options)
    program = program(files, load_path: [], args: %w[--disable-gems], witness: false, **options)
    assert_same_boots program, 3
    Dir.chdir(program.folder) { yield program }
    program.age
    plain = program.plain
    3.times { assert_same_run plain, program.boot }
    program
  end

  test "a file has become a link" do
    assert_noticed do
      File.rename("lib/c.rb", "other/c.rb")
      File.symlink("../other/c.rb", "lib/c.rb")
    end
  end

  test "a file that has two names is known by one of them through a link" do
    assert_noticed do
      File.link("lib/c.rb", "other/c.rb")
      File.unlink("lib/c.rb")
      File.symlink("../other/c.rb", "lib/c.rb")
    end
  end

  test "a folder has become a link, with the very files" do
    assert_noticed do
      File.rename("lib/deep", "lib2")
      File.symlink("../lib2", "lib/deep")
    end
  end

  test "a load-path entry has become a link, with the very files" do
    assert_noticed do
      File.rename("lib", "lib2")
      File.symlink("lib2", "lib")
    end
  end

  # What is missing in every boot is believed to be missing where the folders stand as they were; but a link's target
  # comes and goes, or becomes another thing, without a trace in the folder of the link. (In a gem's folder; an
  # application's own are looked at each time.)
  OPTIONAL = {
    "gems/specifications/h-2.gemspec" => "",
    "gems/gems/h-2/lib/keep.rb" => "",
    "other/keep.rb" => "",
    "main.rb" => <<~RUBY
    $LOAD_PATH.unshift File.join(__dir__, "gems/gems/h-2/lib")
    %w[optional optional.rb/x plugin/x plugin].each do |name|
      p name, (require name)
    rescue LoadError => error
      puts error.message
    end
  RUBY
  }.freeze

  def assert_link_followed(link, before, after)
    program = program(OPTIONAL, load_path: [], args: %w[--disable-gems], witness: false)
    Dir.chdir(program.folder) do
      before.call
      File.symlink("../../../../other/target", "gems/gems/h-2/lib/#{link}")
      program.age
      assert_same_boots program, 3
      FileUtils.rm_rf("other/target")
      after.call
    end
    program.age
    assert_same_boots program, 3
  end

  NOTHING = -> {}
  FILE = -> { File.write("other/target", "puts :file\n") }
  FOLDER = -> do
    Dir.mkdir("other/target")
    File.write("other/target/x.rb", "puts :inside\n")
  end
  SOCKET = -> { UNIXServer.new("other/target").close }
  { "nothing" => NOTHING, "a file" => FILE, "a folder" => FOLDER, "a socket" => SOCKET }.to_a
    .permutation(2) do |(was, before), (is, after)|
      %w[optional.rb plugin].each do |link|
        test "#{link} is a link that led to #{was} and leads to #{is}" do
          skip "no sockets in folders" if Program::WINDOWS
          assert_link_followed(link, before, after)
        end
      end
    end

  test "a folder above it all has become a link" do
    assert_noticed do |program|
      File.rename(program.folder, "#{program.base}/application2")
      File.symlink("application2", program.folder)
    end
  end

  test "a link has become a folder, a file, or leads elsewhere" do
    files =
      FILES.merge(
        "lib/deep/b.rb" => nil,
        "lib/deep" => :"../other",
        "other/b.rb" => FILES["lib/deep/b.rb"],
        "lib/c.rb" => :"../other/d.rb",
        "other/d.rb" => SAY
      ).compact
    assert_noticed(files) do
      File.unlink("lib/deep")
      File.rename("other", "lib/deep")
      File.symlink("lib/deep", "other")
    end
    assert_noticed(files) do
      File.unlink("lib/c.rb")
      File.rename("other/d.rb", "lib/c.rb")
    end
    assert_noticed(files) do
      File.rename("other", "moved")
      File.unlink("lib/deep")
      File.symlink("../moved", "lib/deep")
      File.symlink("moved", "other")
    end
  end

  # ---- while a boot lasts ----

  # The program renames between two requires, by `how`.
  def renaming(how)
    FILES.merge("main.rb" => <<~RUBY)
      $LOAD_PATH.unshift File.join(__dir__, "lib")
      Dir.chdir(__dir__)
      File.exist?("lib2") and (File.unlink("lib"); File.rename("lib2", "lib"))
      require "c"
      if ENV["RENAME"] then #{how} end
      require "a"
      Dir[File.join(__dir__, "lib2/**/*.rb")].sort.each { |path| puts (require path) }
      puts $LOADED_FEATURES.grep(/application/)
    RUBY
  end

  def assert_noticed_at_once(how)
    program = program(renaming(how), load_path: [], args: %w[--disable-gems], witness: false)
    3.times { program.boot } # (without it: a is known by its first name)
    assert_same_boots program, 2, env: { "RENAME" => "1" }
  end

  test "the program renames a folder between two requires" do
    assert_noticed_at_once('File.rename("lib", "lib2"); File.symlink("lib2", "lib")')
    assert_noticed_at_once('File.symlink("lib2", "l"); File.rename("lib", "lib2"); File.rename("l", "lib")')
    assert_noticed_at_once('File.rename("lib", "lib2"); File.symlink("lib2", "lib"); $LOAD_PATH.push("/")')
  end

  test "a child of the program does" do
    assert_noticed_at_once('system("mv lib lib2; ln -s lib2 lib")')
    assert_noticed_at_once("`mv lib lib2; ln -s lib2 lib`")
    if Process.respond_to?(:fork)
      assert_noticed_at_once('Process.wait(fork { File.rename("lib", "lib2"); File.symlink("lib2", "lib"); exit! })')
    end
  end

  HELPERS = <<~RUBY
    MOVE = "mv lib lib2; ln -s lib2 lib"
    $VERBOSE = nil
    result = ->(ractor) { ractor.respond_to?(:value) ? ractor.value : ractor.take }
  RUBY

  {
    "in another thread" => "Thread.new { system(MOVE) }.join",
    "in a thread that was there before" => <<~RUBY,
      orders, done = Queue.new, Queue.new
      thread = Thread.new { done << system(orders.pop) }
      require "other"
      orders << MOVE
      done.pop
    RUBY
    "by a thread of Process.detach" => "Process.detach(spawn(MOVE)).join",
    "by Open3" => 'require "open3"; Open3.capture2e(MOVE)',
    "in another Ractor" => "result.(Ractor.new(MOVE) { |move| system(move) })"
  }.each do |how, code|
    test "a child of the program does that was waited for #{how}" do
      skip "no children are counted" if Program::WINDOWS
      assert_noticed_at_once("#{HELPERS}#{code}")
    end
  end

  test "another Ractor renames a folder" do
    assert_noticed_at_once(<<~RUBY)
      #{HELPERS}
      result.(Ractor.new { File.rename("lib", "lib2"); File.symlink("lib2", "lib") })
    RUBY
  end

  test "a forked child looks for itself" do
    skip "no fork" unless Process.respond_to?(:fork)
    assert_noticed_at_once(
      'fork { File.rename("lib", "lib2"); File.symlink("lib2", "lib"); require "a"; $stdout.flush; exit! }; Process.wait'
    )
  end

  test "what renames and links files shows its errors as ever" do
    code = <<~RUBY
      [[:rename, "no", "x"], [:symlink, "a", __FILE__], [:link, "no", "x"], [:rename, 1, "x"], [:rename], [:link, "a\\0", "b"]].each do |name, *rest|
        def self.deep(name, rest) = File.public_send(name, *rest)
        deep(name, rest)
      rescue StandardError => error
        puts error.full_message(highlight: false), error.backtrace_locations.inspect, error.cause.inspect
      end
      puts %i[rename symlink link].map { |name| [File.method(name), File.method(name).arity, File.method(name).source_location].inspect }
    RUBY
    program = program({ "main.rb" => code }, witness: false, args: %w[--disable-gems])
    assert_same_boots program, 2
  end
end
