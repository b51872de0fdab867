# frozen_string_literal: true

require_relative "test_helper"
require_relative "../lib/warmstart"
require_relative "../lib/warmstart/configuration"
require_relative "../lib/warmstart/location"

# Places that only Windows has, and other spellings of a place: a program in them does what it does in plain Ruby, at the
# boot that records and at those that follow. Where the system cannot make such a place (or Wine has no such thing), the
# test says so. docs/windows_and_files.md, "Tests", has the list of what only a run on Windows shows.
class WindowsPlacesTest < TestCase
  FILES = {
    "main.rb" => <<~RUBY,
      require "lib/a"
      require_relative "lib/b"
      require File.join(__dir__, "lib", "c.rb")
      begin; require "lib/none"; rescue LoadError => error; puts error.message; end
      puts __FILE__, __dir__, $0, $LOADED_FEATURES.grep(%r{lib[/\\\\]\\w\\.rb\\z}i), A.inspect, B.inspect, C.inspect
    RUBY
    "lib/a.rb" => "require 'lib/b'\nA = [__FILE__, __dir__, __method__]\n",
    "lib/b.rb" => "B = [__FILE__, __dir__]\n",
    "lib/c.rb" => "C = [__FILE__, __dir__]\n"
  }.freeze

  def setup
    skip "this is not Windows" unless Program::WINDOWS
  end

  # @return [Boolean] whether a command of the system's has done something
  def system?(*command) = system(*command, out: File::NULL, err: File::NULL) ? true : false

  def backslashed(path) = path.tr("/", "\\")

  # Runs the program as it is found at `place`, which is its folder by another spelling or another way.
  # @return [Program::Run] the last boot
  def assert_same_at(place, program, script: File.join(place, "main.rb"), chdir: program.folder)
    options = { script: [script], args: ["--disable-gems", "-I", place], chdir: chdir }
    plain = program.plain(**options)
    boots = Array.new(3) { program.boot(**options) }
    boots.each do |boot|
      assert_equal [plain.stdout, plain.stderr, plain.status], [boot.stdout, boot.stderr, boot.status], place
    end
    boots.last
  end

  def program_at(files = FILES) = program(files, load_path: [])

  {
    "backslashes" => ->(path) { path.tr("/", "\\") },
    "another case" => :swapcase.to_proc,
    "mixed slashes" => ->(path) { path.sub(%r{/(?=[^/]+\z)}, "\\") },
    "dots" => ->(path) { "#{path}/lib/../lib/.." }
  }.each do |name, spelling|
    test "a folder spelt with #{name}" do
      program = program_at
      run = assert_same_at(spelling.call(program.folder), program)
      assert_equal "exit 0", run.status
      # (The witness knows its folder by the usual spelling.)
      refute_empty run.hits, "nothing came from the image" unless name == "another case"
    end
  end

  test "a folder by its short name" do
    program =
      program(
        {
          "a rather long name/main.rb" => FILES["main.rb"],
          **FILES.except("main.rb").transform_keys { |name| "a rather long name/#{name}" }
        },
        load_path: []
      )
    long = program.path("a rather long name")
    short = IO.popen(["cmd", "/c", "for %I in (\"#{backslashed(long)}\") do @echo %~sI"], &:read).strip.tr("\\", "/")
    skip "this volume has no short names" unless short.include?("~") && Dir.exist?(short)
    assert_equal "exit 0", assert_same_at(short, program).status
  end

  test "a path that says that it is not to be read by Windows' rules" do
    program = program_at
    assert_same_at("//?/#{program.folder}", program)
    assert_same_at("\\\\?\\#{backslashed(program.folder)}", program)
  end

  test "a folder of a server" do
    program = program_at
    place = "//localhost/#{program.folder.sub(/\A(\w):/, "\\1$")}"
    skip "this machine serves no disk to itself" unless Dir.exist?(place)
    assert_equal "exit 0", assert_same_at(place, program).status
  end

  test "a place relative to a drive's current folder" do
    program = program_at
    # (Whether Ruby finds the program there is Ruby's affair; under Wine it does not.)
    assert_same_at(program.folder[0, 2], program, script: "#{program.folder[0, 2]}main.rb")
  end

  test "a drive that is another name of a folder" do
    program = program_at
    drive = ("R".."W").map { |letter| "#{letter}:" }.find { |name| !Dir.exist?("#{name}/") }
    skip "no drive is free" unless drive && system?("subst", drive, backslashed(program.folder))
    begin
      skip "the drive is not there" unless File.file?("#{drive}/main.rb")
      assert_equal "exit 0", assert_same_at("#{drive}/", program, script: "#{drive}/main.rb").status
    ensure
      system?("subst", drive, "/d")
    end
  end

  test "a folder behind a junction, and behind another one later" do
    program =
      program(
        {
          **FILES.transform_keys { |name| "one/#{name}" },
          **FILES.transform_keys { |name| "two/#{name}" },
          "two/lib/a.rb" => "A = :other\n"
        },
        load_path: []
      )
    link = File.join(temporary_folder, "link")
    %w[one two one].each do |target|
      FileUtils.rm_rf(link) if Dir.exist?(link) && !system?("cmd", "/c", "rmdir", backslashed(link))
      unless system?("cmd", "/c", "mklink", "/J", backslashed(link), backslashed(program.path(target))) &&
               File.file?(File.join(link, "main.rb"))
        skip "no junction can be made"
      end
      run = assert_same_at(link, program)
      assert_equal target == "two", run.stdout.include?(":other")
    end
  end

  test "a folder behind a symlink" do
    program = program_at
    link = File.join(temporary_folder, "link")
    begin
      File.symlink(program.folder, link)
    rescue SystemCallError, NotImplementedError
      skip "this user may not make symlinks"
    end
    skip "symlinks are none to Ruby here" unless File.symlink?(link)
    assert_equal "exit 0", assert_same_at(link, program).status
  end

  test "a path longer than 260 characters" do
    deep = Array.new(6) { |i| i.to_s * 45 }.join("/")
    program = program({ "main.rb" => FILES["main.rb"] }, load_path: [])
    begin
      FILES.each { |name, text| program.write("#{deep}/#{name}", text) }
    rescue SystemCallError
      skip "such paths cannot be made here"
    end
    program.age
    assert_same_at(program.path(deep), program)
  end

  test "names that differ in their case, where the folder tells them apart" do
    program =
      program_at(
        "main.rb" =>
          "%w[a A b B].each do |name|\n  require \"lib/\#{name}\"\nrescue LoadError => error\n  puts error.message\nend\nputs $LOADED_FEATURES.grep(%r{/lib/\\w\\.rb\\z}i)\n"
      )
    lib = program.path("lib")
    Dir.mkdir(lib)
    unless system?("fsutil", "file", "setCaseSensitiveInfo", backslashed(lib), "enable")
      skip "no folder here tells them apart"
    end
    { "a" => "puts :small\n", "A" => "puts :large\n", "b" => "puts :b\n" }.each do |name, text|
      File.binwrite(File.join(lib, "#{name}.rb"), text)
    end
    skip "the folder does not tell them apart" unless Dir.children(lib).size == 3
    program.age
    assert_same_at(program.folder, program)
  end

  # Gives a file or folder to somebody else. (Wine takes every other user of the system beneath for another one.)
  def give_away(path)
    return if ENV["WARMSTART_WINE"] && system?("Z:/usr/bin/chown", "12345", path.delete_prefix("Z:"))

    skip "this user may not give files away" unless system?("icacls", backslashed(path), "/setowner", "*S-1-5-32-546")
  end

  test "who owns a Gemfile and its folder decides whether it is the application's" do
    folder =
      ENV["WARMSTART_WINE"] ? "Z:#{Dir.mktmpdir("warmstart-test-", "Z:/tmp").delete_prefix("Z:")}" : temporary_folder
    @folders << folder
    folder = File.realpath(folder)
    script, gemfile = %w[mine/script.rb Gemfile].map { |name| File.join(folder, name) }
    FileUtils.mkdir_p(File.dirname(script))
    [script, gemfile].each { |path| File.write(path, "") }
    root = -> { Warmstart::Location.new(Warmstart::Configuration.new({}, {}), script: script).root }
    assert_equal folder, root.call
    give_away(gemfile)
    assert_equal script, root.call
    asks = Warmstart::Location.new(Warmstart::Configuration.new({}, {}), asked_by: script)
    assert_match(
      /\Aname the application by Warmstart\.setup\(root: .*; it is passed over: .* belongs to another user\z/,
      asks.complaint
    )
    give_away(script)
    assert_equal folder, root.call, "whose script runs may as well have put it there"
    assert_equal [folder, folder],
                 Warmstart::Location.climb(folder, Warmstart::Location.owners).first(2),
                 "a command runs nobody's code yet"
    File.unlink(script)
    File.write(script, "")
    give_away(folder)
    assert_equal script, root.call
  end

  test "an image that everybody may write to is refused, and the line says how to mend it" do
    program = program(FILES)
    2.times { program.boot }
    folder = program.image_folder
    skip "Wine's icacls changes nothing" if ENV["WARMSTART_WINE"]
    unless system?("icacls", backslashed(folder), "/grant", "*S-1-1-0:(OI)(CI)M", "/T")
      skip "access lists cannot be changed here"
    end
    run = program.boot
    assert_equal program.plain.stdout, run.stdout
    assert_match(/\Awarmstart: take away the right to write to .+ that icacls shows: .+\n\z/, run.stderr)
    assert_empty run.hits
  end
end
