# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/installed_gem"

# What each start loads of lib/ comes as it was compiled beside the extension (ext/compile_library.rb), and only while
# nothing has changed since; otherwise Ruby loads it as usual, and says nothing.
class CompiledLibraryTest < TestCase
  # (Ruby reserves gigabytes for what the counts of a damaged file say. It takes long where memory is slow.)
  MAIN = <<~'RUBY'
    p Warmstart.respond_to?(:boot_finished!), Warmstart.session.nil?
    status = "/proc/self/status"
    warn "gigabytes were reserved" if File.exist?(status) && File.read(status)[/^VmPeak:\s+(\d+)/, 1].to_i > 2_000_000
  RUBY

  # A copy of the gem, compiled there.
  def copy
    unless File.file?(File.join(Program::REPOSITORY, "lib/warmstart/native", InstalledGem::BUILD, "library.compiled"))
      missing "built elsewhere: lib/ was not compiled"
    end
    @folder = File.join(temporary_folder, "gem")
    InstalledGem.copy(@folder, "0.1.0")
    FileUtils.mkdir_p(File.join(@folder, "ext"))
    FileUtils.cp(File.join(Program::REPOSITORY, "ext/compile_library.rb"), File.join(@folder, "ext"))
    @api = File.join(@folder, "lib/warmstart/api.rb")
    Dir[File.join(@folder, "lib/**/*.rb")].each { |path| File.utime(1_700_000_000, 1_700_000_000, path) }
    compile
  end

  def compiled = Dir[File.join(@folder, "lib/warmstart/native/*/library.compiled")].first

  def compile
    output, status = Open3.capture2e(RbConfig.ruby, File.join(@folder, "ext/compile_library.rb"), compiled)
    assert status.success?, output
  end

  # Another method of the same length in api.rb.
  def edit(time)
    text = File.read(@api)
    File.write(@api, text.sub("def boot_complete!", "def boot_finished!"))
    assert_equal text.size, File.size(@api)
    File.utime(time, time, @api)
  end

  def start(*flags)
    program = program({ "main.rb" => MAIN }, witness: false)
    run = program.ruby(*flags, "-r", File.join(@folder, "lib/warmstart/setup"), program.path("main.rb"))
    assert_equal ["exit 0", ""], [run.status, run.stderr]
    run.stdout
  end

  test "it is used while sizes and times are as they were" do
    copy
    edit(1_700_000_000)
    assert_equal "false\nfalse\n", start
  end

  test "a file that has another time is loaded, whatever was compiled" do
    copy
    edit(1_700_000_001)
    assert_equal "true\nfalse\n", start
  end

  test "a file that has another size, or has gone" do
    copy
    File.write(@api, "#{File.read(@api)}def Warmstart.boot_finished! = 1\n")
    File.utime(1_700_000_000, 1_700_000_000, @api)
    assert_equal "true\nfalse\n", start
    FileUtils.rm(File.join(@folder, "lib/warmstart/boot/image_key.rb"))
    program = program({ "main.rb" => "p 1\n" }, witness: false)
    run = program.ruby("-r", File.join(@folder, "lib/warmstart/setup"), program.path("main.rb"))
    assert_equal "1\n", run.stdout
    assert_equal ["exit 0", 1], [run.status, run.stderr.lines.size]
  end

  test "a folder that has been moved" do
    copy
    edit(1_700_000_000)
    moved = "#{@folder}.moved"
    File.rename(@folder, moved)
    @folder = moved
    assert_equal "true\nfalse\n", start
  end

  test "what is cut off, of another Ruby, or junk is left alone" do
    copy
    edit(1_700_000_000)
    whole = File.binread(compiled)
    identity, files = Marshal.load(whole)
    older = identity.dup.tap { |list| list[3] = "0000000000" }
    codes = files.sum(&:last)
    without = [
      Marshal.dump([older, files]) + whole[-codes..],
      whole[0...-codes] + "YARB junk".ljust(codes),
      whole[0...-codes],
      Marshal.dump([identity, [1]]),
      Marshal.dump([identity, files.map { |path, *times, _| [path, *times, -1] }])
    ]
    [whole[0, whole.size / 2], "", "junk", Marshal.dump(1), *without].each do |content|
      File.binwrite(compiled, content)
      assert_equal "true\nfalse\n", start
    end
    File.chmod(0, compiled)
    start
  end

  test "programs that count lines have every file loaded by Ruby" do
    copy
    edit(1_700_000_000)
    assert_equal "true\nfalse\n", start("-rcoverage")
  end

  test "a Ruby that was given another parser has every file loaded" do
    skip "it has one parser" if Program::RUBY_NUMBER < Gem::Version.new("3.3")
    copy
    edit(1_700_000_000)
    other = RUBY_DESCRIPTION.include?("+PRISM") ? "parse.y" : "prism"
    assert_equal "true\nfalse\n", start("-W0", "--parser=#{other}")
  end

  test "the collector is on afterwards, and off where it was" do
    copy
    program = program({ "main.rb" => "", "off.rb" => "GC.disable\n", "look.rb" => "p GC.disable\n" }, witness: false)
    setup = File.join(@folder, "lib/warmstart.rb")
    assert_equal "false\n", program.ruby("-r", setup, "-r", program.path("look.rb"), program.path("main.rb")).stdout
    assert_equal "true\n",
                 program.ruby(
                   "-r",
                   program.path("off.rb"),
                   "-r",
                   setup,
                   "-r",
                   program.path("look.rb"),
                   program.path("main.rb")
                 ).stdout
  end

  test "made anew: waits until a file's time cannot hide a change" do
    copy
    FileUtils.touch(@api)
    begun = Time.now
    compile
    assert_operator Time.now - begun, :>=, 1
    _, files = Marshal.load(File.binread(compiled))
    assert_equal [], Dir["#{compiled}.*"]
    assert_equal(files.map(&:first).uniq.size, files.size)
  end
end
