# frozen_string_literal: true

require_relative "test_helper"

# Files and folders of the load path that appear, disappear and move, between boots and during one.
class LoadPathChangesTest < TestCase
  FILES = {
    "one/a.rb" => "puts 'one/a'\n",
    "two/a.rb" => "puts 'two/a'\n",
    "three/a.rb" => "puts 'three/a'\n",
    "one/b.rb" => "puts 'one/b'\n",
    "two/c.rb" => "puts 'two/c'\n",
    "three/d.rb" => "puts 'three/d'\n",
    "two/b.rb" => "puts 'two/b'\n"
  }.freeze

  # Boots twice, changes something, and compares two more boots with plain Ruby.
  def assert_follows(files, main, load_path: %w[one two three], **options)
    program = program(files.merge("main.rb" => main), load_path: load_path, **options)
    assert_same_boots program, 2
    yield program
    plain = program.plain
    assert_equal "exit 0", plain.status, plain.stderr
    2.times { assert_same_run plain, program.boot }
    program
  end

  # (A LoadError is no StandardError: `rescue` behind the require would not see it.)
  REQUIRES = <<~RUBY
    %w[a b c d e sub/f].each { |name| p [name, begin; require(name); rescue LoadError; $!.message; end] }
    p Witness.features
  RUBY

  test "a file appears in an earlier folder" do
    assert_follows(FILES, REQUIRES) { |program| program.write("one/c.rb", "puts 'one/c'\n") }
    assert_follows(FILES, REQUIRES) { |program| program.write("one/d.so", "no library") }
  end

  test "a file appears where there was none" do
    assert_follows(FILES, REQUIRES) { |program| program.write("three/e.rb", "puts 'three/e'\n") }
    assert_follows(FILES, REQUIRES) { |program| program.write("one/sub/f.rb", "puts 'one/sub/f'\n") }
  end

  test "a file disappears" do
    assert_follows(FILES, REQUIRES) { |program| File.unlink(program.path("one/a.rb")) }
    assert_follows(FILES, REQUIRES) { |program| File.unlink(program.path("three/d.rb")) }
  end

  test "a file moves" do
    assert_follows(FILES, REQUIRES) { |program| File.rename(program.path("one/b.rb"), program.path("three/b.rb")) }
  end

  test "a folder appears, disappears, moves" do
    assert_follows(FILES, REQUIRES, load_path: %w[zero one two three]) do |program|
      program.write("zero/a.rb", "puts 'zero/a'\n")
    end
    assert_follows(FILES, REQUIRES) { |program| FileUtils.rm_rf(program.path("one")) }
    assert_follows(FILES, REQUIRES) do |program|
      File.rename(program.path("one"), program.path("uno"))
      File.rename(program.path("two"), program.path("one"))
    end
  end

  test "a folder deep in a gem gets a file" do
    files = { "one/x.rb" => "", "two/deep/er/sub/g.rb" => "puts 'two'\n" }
    assert_follows(files, "p require('deep/er/sub/g')\n") do |program|
      program.write("one/deep/er/sub/g.rb", "puts 'one'\n")
    end
  end

  test "a new file shadows a gem's" do
    files = { "gems/specifications/x.gemspec" => "", "gems/gems/x-1/lib/x/part.rb" => "puts 'gem'\n", "one/y.rb" => "" }
    assert_follows(files, "p require('x/part')\n", load_path: %w[one gems/gems/x-1/lib]) do |program|
      program.write("one/x/part.rb", "puts 'shadow'\n")
    end
  end

  test "a program writes the file that it has missed into a gem's folder" do
    files = {
      "gems/specifications/x.gemspec" => "",
      "gems/gems/x-1/lib/x.rb" => "X = 1\n",
      "gems/gems/x-1/lib/x/deep/y.rb" => "Y = 1\n"
    }
    program = program(files.merge("main.rb" => <<~'RUBY'), load_path: %w[gems/gems/x-1/lib])
      require "x"
      lib = File.dirname($LOADED_FEATURES.last)
      %w[made x/made x/deep/made new/made].each do |name|
        2.times { begin; require name; rescue LoadError => error; p error.message, error.path; end }
        Dir.mkdir("#{lib}/new") if name.start_with?("new")
        File.write("#{lib}/#{name}.rb", "puts __FILE__.delete_prefix(File.dirname(__FILE__))\n")
        p require(name), require(name)
        File.unlink("#{lib}/#{name}.rb")
      end
      Dir.rmdir("#{lib}/new")
      p Witness.features
    RUBY
    assert_same_boots program, 2
  end

  test "a new file shadows one of Ruby's own" do
    assert_follows(
      { "one/a.rb" => "" },
      "p require('set'), defined?(MINE), require('shellwords'), require('English')\n"
    ) { |program| program.write("one/English.rb", "MINE = 1\nputs 'shadow'\n") }
  end

  test "a load-path entry that is a symlink is pointed elsewhere" do
    files = { "v1/a.rb" => "p 1, __dir__\n", "v2/a.rb" => "p 2, __dir__\n", "v2/b.rb" => "p :b\n", "current" => :v1 }
    assert_follows(
      files,
      "p require('a'), begin; require('b'); rescue LoadError; $!.class; end, Witness.features\n",
      load_path: %w[current]
    ) { |program| program.write("current", :v2) }
  end

  test "a symlink in the middle of a load-path entry is pointed elsewhere" do
    files = { "v1/lib/a.rb" => "p 1, __dir__\n", "v2/lib/a.rb" => "p 2, __dir__\n", "current" => :v1 }
    assert_follows(
      files,
      "$LOAD_PATH.unshift(\"\#{__dir__}/current/lib\")\np require('a'), Witness.features\n",
      load_path: []
    ) { |program| program.write("current", :v2) }
  end

  test "a symlinked file is pointed elsewhere" do
    files = {
      "one/a.rb" => :"../v1.rb",
      "v1.rb" => "p 1, __FILE__, __dir__\n",
      "v2.rb" => "p 2, __FILE__, __dir__\n",
      "deep/v3.rb" => "p 1, __FILE__, __dir__\n"
    }
    assert_follows(files, "p require('a'), Witness.features\n", load_path: %w[one]) do |program|
      program.write("one/a.rb", :"../v2.rb")
    end
    assert_follows(files, "p require('a'), Witness.features\n", load_path: %w[one]) do |program|
      program.write("one/a.rb", :"../deep/v3.rb")
    end
  end

  test "the load path is another one in the next boot" do
    program = program(FILES.merge("main.rb" => REQUIRES), load_path: [])
    [%w[one two three], %w[three two one], %w[two], %w[one three], [], %w[two one]].each do |names|
      args = names.flat_map { |name| ["-I", program.path(name)] }
      assert_same_boots program, 2, args: args
    end
  end

  test "RUBYLIB, -C and relative -I" do
    program = program(FILES.merge("main.rb" => REQUIRES), load_path: [])
    3.times do
      assert_same_run program.plain(env: { "RUBYLIB" => program.path("two") }),
                      program.boot(env: { "RUBYLIB" => program.path("two") })
      args = ["-C", program.path("one"), "-I", ".", "-I", "../three"]
      assert_same_run program.plain(args: args), program.boot(args: args)
    end
  end

  # ---- during a boot ----

  def assert_same_while_changing(main, files = FILES)
    program = program(files.merge("main.rb" => main), load_path: %w[one two three])
    3.times do
      program.restore
      plain = program.plain
      assert_equal "exit 0", plain.status, plain.stderr
      program.restore
      assert_same_run plain, program.boot
    end
  end

  test "a file appears in an earlier folder during the boot" do
    assert_same_while_changing(<<~'RUBY')
      p require("a")
      File.write("#{__dir__}/one/c.rb", "puts 'new c'\n")
      p require("c"), Witness.features
    RUBY
  end

  test "a file appears during the boot after its feature was not found" do
    assert_same_while_changing(<<~'RUBY')
      p begin; require("fresh"); rescue LoadError; $!.message; end
      File.write("#{__dir__}/three/fresh.rb", "puts 'fresh'\n")
      p require("fresh")
      File.write("#{__dir__}/one/sub.rb", "puts 'sub'\n")
      p require("sub"), Witness.features
    RUBY
  end

  test "a folder appears during the boot" do
    assert_same_while_changing(<<~'RUBY')
      require "a"
      Dir.mkdir("#{__dir__}/one/made")
      File.write("#{__dir__}/one/made/x.rb", "puts 'x'\n")
      p require("made/x"), Witness.features
      File.unlink("#{__dir__}/one/made/x.rb"); Dir.rmdir("#{__dir__}/one/made")
    RUBY
  end

  test "a file disappears or moves during the boot" do
    assert_same_while_changing(<<~'RUBY')
      p require("c")
      File.unlink("#{__dir__}/one/a.rb")
      p require("a")
      File.rename("#{__dir__}/one/b.rb", "#{__dir__}/three/moved.rb")
      p require("moved"), require("b"), Witness.features
    RUBY
  end

  test "a file that is generated and then required, many times" do
    assert_same_while_changing(<<~'RUBY')
      20.times do |i|
        File.write("#{__dir__}/two/generated#{i}.rb", "p #{i}\n")
        require "generated#{i}"
      end
      p Witness.features
    RUBY
  end

  # Ruby keeps the realpath that an entry had when it expanded the load path, until that changes
  # (rb_get_expanded_load_path).
  LINKS = {
    "leads elsewhere" => 'File.unlink(link); File.symlink("two", link)',
    "leads elsewhere by a rename" => 'File.symlink("two", link + "2"); File.rename(link + "2", link)',
    "leads elsewhere by a child's hand" => 'system("ln", "-sfn", "two", link)',
    "leads nowhere" => 'File.unlink(link); File.symlink("none", link)',
    "is gone" => "File.unlink(link)",
    "has become a folder" => %q(File.unlink(link); Dir.mkdir(link); File.write("#{link}/c.rb", "puts 'made/c'\n"))
  }.freeze

  LINKS.each do |title, change|
    test "a link on the load path #{title} while the program runs" do
      skip "links take a right there" if Program::WINDOWS
      program = program(FILES.merge("four/e.rb" => "puts 'four/e'\n", "main.rb" => <<~'RUBY'), load_path: %w[three])
        link = ENV.fetch("LINK", "#{__dir__}/link")
        begin
          File.symlink("one", link)
          $LOAD_PATH.unshift(link)
          require "b"
          eval ENV["CHANGE"], binding
          $LOAD_PATH << "#{__dir__}/four" if ENV["MORE"]
          %w[a c d e].each { |name| p [name, begin; require(name); rescue LoadError; $!.message; end] }
          p Witness.features
        ensure
          File.symlink?(link) ? File.unlink(link) : system("rm", "-rf", link)
        end
      RUBY
      assert_same_boots program, 3, env: { "CHANGE" => "" }
      [{}, { "LINK" => program.path("unknown") }].product([{}, { "MORE" => "1" }]) do |link, more|
        env = { "CHANGE" => change, **link, **more }
        plain = program.plain(env: env)
        assert_equal "exit 0", plain.status, plain.stderr
        assert_same_run plain, program.boot(env: env.merge("WARMSTART_READONLY" => "1")), env.inspect
      end
    end
  end

  test "a relative entry, which is a link in another folder, becomes a folder there" do
    skip "links take a right there" if Program::WINDOWS
    program = program(FILES.merge("x/none" => "", "y/none" => "", "main.rb" => <<~'RUBY'), load_path: %w[three])
      $LOAD_PATH.unshift("relative")
      Dir.chdir("#{__dir__}/x")
      require "d"
      Dir.chdir("#{__dir__}/y")
      require "b"
      File.unlink("relative")
      Dir.mkdir("relative")
      p require("a"), Witness.features
      Dir.rmdir("relative")
      File.symlink("../one", "relative")
    RUBY
    File.symlink("../one", program.path("y/relative"))
    assert_same_boots program, 4
  end
end
