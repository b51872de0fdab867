# frozen_string_literal: true

require_relative "test_helper"

# $LOAD_PATH belongs to the program, too; and folders change between boots and during one. The index must answer as
# Ruby's own search would, or not at all.
class LoadPathTest < TestCase
  FILES = {
    "one/a.rb" => "puts 'one/a'\n",
    "two/a.rb" => "puts 'two/a'\n",
    "three/a.rb" => "puts 'three/a'\n",
    "one/b.rb" => "puts 'one/b'\n",
    "two/c.rb" => "puts 'two/c'\n",
    "three/d.rb" => "puts 'three/d'\n",
    "two/b.rb" => "puts 'two/b'\n"
  }.freeze

  # What is answered, or raised. (A LoadError is no StandardError: `rescue` behind the require would not see it.)
  TRY = <<~'RUBY'
    TRY = lambda do |&asks|
      asks.call
    rescue LoadError, StandardError => error
      [error.class, error.message.sub(/#<.*>/, "")]
    end
  RUBY

  # The code, then requires. Three boots: the first records, the next have an index.
  def assert_same_search(
    code,
    files = FILES,
    requires: "%w[a b c d].each { |name| p [name, TRY.call { require(name) }] }",
    **options
  )
    plain = assert_same_behaviour(files.merge("main.rb" => <<~RUBY), misses: :any, **options)
      #{TRY}
      one, two, three = %w[one two three].map { |name| "\#{__dir__}/\#{name}" }
      $LOAD_PATH.unshift(one, two, three)
      require "d"
      #{code}
      #{requires}
      p Witness.features, $LOAD_PATH.first(6).map { |entry| entry.to_s.delete_prefix(__dir__) }
    RUBY
    assert_equal "exit 0", plain.status, plain.stderr
  end

  {
    "as they are" => "",
    "shift" => "$LOAD_PATH.shift",
    "push and delete" => "$LOAD_PATH.delete(one); $LOAD_PATH.push(one)",
    "unshift of the last" => "$LOAD_PATH.unshift($LOAD_PATH.delete(three))",
    "replace" => "rest = $LOAD_PATH.drop(3); $LOAD_PATH.replace([three, two, one] + rest)",
    "clear and concat" => "rest = $LOAD_PATH.dup; $LOAD_PATH.clear; $LOAD_PATH.concat(rest.rotate(1))",
    "clear and <<" => "rest = $LOAD_PATH.drop(3); $LOAD_PATH.clear; $LOAD_PATH << two << one; $LOAD_PATH.concat(rest)",
    "reverse!" => "$LOAD_PATH.reverse!",
    "sort!, uniq!, rotate!" => "$LOAD_PATH.sort!; $LOAD_PATH.uniq!; $LOAD_PATH.rotate!(2)",
    "insert in the middle" => "$LOAD_PATH.insert(1, three)",
    "[]= of an element" => "$LOAD_PATH[0] = three",
    "[]= of a range" => "$LOAD_PATH[0, 3] = [three, one]",
    "slice!" => "$LOAD_PATH.slice!(0, 2)",
    "map!" => "$LOAD_PATH.map! { |entry| entry == one ? two : entry }",
    "reject! and select!" => "$LOAD_PATH.reject! { |entry| entry == two }; $LOAD_PATH.select! { true }",
    "duplicates" => "$LOAD_PATH.unshift(two, two, one, two)",
    "an empty load path" =>
      "saved = $LOAD_PATH.dup; $LOAD_PATH.clear; p TRY.call { require('a') }; $LOAD_PATH.replace(saved)",
    "a folder that does not exist" => "$LOAD_PATH.unshift('/nowhere/at/all', \"\#{__dir__}/nope\")",
    "a file in place of a folder" => "$LOAD_PATH.unshift(\"\#{one}/a.rb\")",
    "trailing slashes, doubled slashes, dots" =>
      "$LOAD_PATH.unshift(\"\#{two}/\", \"\#{__dir__}//three\", \"\#{one}/../two/.\")",
    "relative entries" => "$LOAD_PATH.unshift('two', './three', '.')",
    "the empty entry" => "$LOAD_PATH.unshift('')",
    "an entry changed in place" => "(($LOAD_PATH[0] << 'x') rescue p $!.class)",
    "an entry that is thawed and changed later" =>
      "entry = +one; $LOAD_PATH.unshift(entry); require 'b'; p entry.frozen?",
    "home" => "ENV['HOME'] = two; $LOAD_PATH.unshift('~')",
    "home that changes" =>
      "ENV['HOME'] = two; $LOAD_PATH.unshift('~'); require 'a'; ENV['HOME'] = three; $LOADED_FEATURES.pop",
    "a binary entry" => "$LOAD_PATH.unshift(two.b)",
    "a String of another class" => "$LOAD_PATH.unshift(Class.new(String).new(two))",
    "a Pathname" => "require 'pathname'; $LOAD_PATH.unshift(Pathname(two))",
    "chdir with a relative entry" =>
      "$LOAD_PATH.unshift('two'); require 'c'; Dir.mkdir('sub') unless Dir.exist?('sub'); Dir.chdir('sub')",
    "chdir to and fro" =>
      "$LOAD_PATH.unshift('.'); Dir.chdir(two) { p require('a') }; Dir.chdir(three) { $LOADED_FEATURES.pop; p require('a') }"
  }.each { |sentence, code| test("the entries: #{sentence}") { assert_same_search(code) } }

  test "to_path is called as often as Ruby calls it" do
    assert_same_search(<<~RUBY)
      # (RubyGems prints it with an error from the middle of its search.)
      def STDERR.puts(text) = super(text.to_s.sub($$.to_s, "PID"))
      calls = 0
      entry = Object.new
      entry.define_singleton_method(:to_path) { calls += 1; two }
      $LOAD_PATH.unshift(entry)
      counts = %w[a b c d nope etc].map { |name| [TRY.call { require(name) }, calls] }
      at_exit { p counts }
    RUBY
  end

  test "to_path that answers another folder each time" do
    assert_same_search(<<~RUBY)
      folders = [one, two, three].cycle
      entry = Object.new
      entry.define_singleton_method(:to_path) { folders.next }
      $LOAD_PATH.unshift(entry)
    RUBY
  end

  test "entries that cannot be a path raise" do
    assert_same_search(
      "[nil, 1, Object.new, \"a\\0b\"].each { |bad| $LOAD_PATH.unshift(bad); p TRY.call { require('zz') }; $LOAD_PATH.shift }"
    )
  end

  test "an entry that vanishes while it is on the list, and a frozen list" do
    assert_same_search("$LOAD_PATH.freeze; p((($LOAD_PATH << 'x') rescue $!.class))")
  end

  test "several threads push and require" do
    files = 12.times.to_h { |i| ["dir#{i}/t#{i}.rb", "T#{i} = #{i}\n"] }
    assert_same_behaviour(files.merge("main.rb" => <<~'RUBY'), misses: :any)
      turn = Mutex.new # (Ruby's own expansion of the load path does not bear a change in its middle)
      threads = 12.times.map do |i|
        Thread.new { Thread.pass; turn.synchronize { $LOAD_PATH.unshift("#{__dir__}/dir#{i}"); require "t#{i}" } }
      end
      p threads.map(&:value), 12.times.map { |i| Object.const_get("T#{i}") }
      $LOAD_PATH.sort!
      $LOADED_FEATURES.sort!
    RUBY
  end

  test "one thread changes the list while others require" do
    files = 30.times.to_h { |i| ["lib/t#{i}.rb", "T#{i} = #{i}\n"] }
    assert_same_behaviour(files.merge("main.rb" => <<~'RUBY'), misses: :any)
      $LOAD_PATH.unshift("#{__dir__}/lib")
      done = false
      turn = Mutex.new
      churn = Thread.new { until done; turn.synchronize { $LOAD_PATH.push("/nowhere") }; Thread.pass; turn.synchronize { $LOAD_PATH.pop }; end }
      threads = 3.times.map { |n| Thread.new { 10.times.map { |i| turn.synchronize { require("t#{n * 10 + i}") } } } }
      p threads.map(&:value)
      done = true
      churn.join
      $LOADED_FEATURES.sort!
    RUBY
  end

  test "features that are deleted and required again from another folder" do
    assert_same_search(
      "p require('a'); $LOADED_FEATURES.delete(\"\#{one}/a.rb\"); $LOAD_PATH.delete(one); p require('a'), require('a.rb')"
    )
  end

  test "a .rb of the last entry beats a library of the first" do
    library = File.binread(RbConfig::CONFIG["rubyarchdir"] + "/etc.so")
    files =
      FILES.merge(
        "one/mine.so" => "not a library",
        "three/mine.rb" => "puts 'mine.rb'\n",
        "one/etc.so" => library,
        "two/both.so" => "x",
        "one/both.rb" => "puts :both\n"
      )
    assert_same_search(
      "",
      files,
      requires:
        "p require('mine'), require('both'), require('both.rb'), TRY.call { require('mine.so') }, require('etc'), Witness.features"
    )
  end

  test "folders with the same feature, in each order" do
    [0, 1, 2].permutation.each do |order|
      code = "$LOAD_PATH.replace([one, two, three].values_at(#{order.join(",")}) + $LOAD_PATH.drop(3))"
      assert_same_search(code, variants: %i[recording warm])
    end
  end

  test "features named like folders, files with several dots, files without extension" do
    files =
      FILES.merge(
        "one/name/part.rb" => "puts 'part'\n",
        "two/name.rb" => "puts 'name'\n",
        "one/name.rb/inside.rb" => "puts 'inside'\n",
        "one/v1.2.rb" => "puts 'v1.2'\n",
        "one/plain" => "puts 1\n",
        "three/plain.rb" => "puts 'plain'\n",
        "one/upper.RB" => "",
        "one/dir.so/x.rb" => "puts :x\n"
      )
    names = %w[name name/part name.rb name.rb/inside v1.2 v1.2.rb plain upper upper.RB dir.so/x dir dir.so].inspect
    assert_same_search("", files, requires: "#{names}.each { |name| p [name, TRY.call { require(name) }] }")
  end

  test "unreadable, empty and odd files in the way" do
    files =
      FILES.merge(
        "one/odd.rb/keep" => "",
        "two/odd.rb" => "puts 'odd'\n",
        "one/gone.rb" => :"nowhere.rb",
        "two/gone.rb" => "puts 'gone'\n"
      )
    assert_same_search(
      "File.mkfifo(\"\#{one}/pipe.rb\") unless File.exist?(\"\#{one}/pipe.rb\")",
      files,
      requires: "%w[odd gone].each { |name| p [name, TRY.call { require(name) }] }"
    )
  end

  # ---- what a search costs ----

  # The system calls of a program that name the path, by strace.
  def calls_naming(program, path)
    trace = File.join(program.base, "trace")
    program.send(:run, ["-r", Program::SETUP], prefix: ["strace", "-f", "-s", "4096", "-o", trace])
    File.readlines(trace).grep(/"#{Regexp.escape(path)}/).grep_v(/execve/)
  end

  # Folders that make a load path so long that it is watched.
  MANY = (1..30).map { |number| "many/#{number}" }.freeze

  test "a gem's folder that does not exist costs one call a boot, not one a look-up" do
    missing "there is no strace that may trace here" unless system("strace", "-o", File::NULL, "true", err: File::NULL)
    names = (1..30).map { |number| "n#{number}" }
    program =
      program(
        {
          **names.to_h { |name| ["gems/gems/n-1/lib/#{name}.rb", ""] },
          "gems/specifications/n-1.gemspec" => "",
          **MANY.to_h { |folder| ["#{folder}/keep", ""] },
          "main.rb" => "#{names.inspect}.each { |name| require name }\n"
        },
        load_path: ["gems/gems/missing-1/lib", "gems/gems/n-1/lib", *MANY],
        args: %w[--disable-gems],
        witness: false
      )
    missing = program.path("gems/gems/missing-1/lib")
    2.times { program.boot }
    calls = calls_naming(program, missing)
    assert_operator calls.size, :<, 5, calls.join # (ours, before and after its parent is watched; Ruby expands the entry)
    assert_empty calls.grep(%r{lib/n}), "no name is looked for in there"

    program.write("gems/gems/missing-1/lib/n7.rb", "puts 'from the other one'\n")
    2.times { assert_equal "from the other one\n", program.boot.stdout }
  end

  # The calls of ours that name a folder itself: name and, of a watch, whether it follows links.
  def looks_at(program, folder)
    calls = calls_naming(program, "#{folder}\"").grep(/inotify_add_watch|statx/)
    calls.map { |line| line.include?("IN_DONT_FOLLOW") ? "place" : line[/inotify_add_watch|statx/] }
  end

  test "a folder of a load path that is watched is watched first, and then looked at once" do
    missing "there is no strace that may trace here" unless system("strace", "-o", File::NULL, "true", err: File::NULL)
    program =
      program(
        {
          "gems/gems/n-1/lib/n.rb" => "",
          "gems/specifications/n-1.gemspec" => "",
          "own/lib/o.rb" => "",
          **MANY.to_h { |folder| ["#{folder}/keep", ""] },
          "main.rb" => "require 'n'\nrequire 'o'\n"
        },
        load_path: ["gems/gems/n-1/lib", "own/lib", *MANY],
        args: %w[--disable-gems],
        env: {
          "WARMSTART_AHEAD" => "0" # (a thread that looks in advance, where calls are slow, watches the same folders)
        },
        witness: false
      )
    2.times { program.boot }
    assert_equal %w[inotify_add_watch statx], looks_at(program, program.path("gems/gems/n-1/lib"))
    assert_equal %w[inotify_add_watch place statx], looks_at(program, program.path("own/lib"))
  end

  CHILD = Process.respond_to?(:fork) ? %w[b] : []

  # Which of a first boot's names are left to Ruby's own search.
  def searched_at_first(main, more = {}, load_path:, **options)
    files = {
      **more,
      **LONG.to_h { |folder| ["#{folder}/keep", ""] },
      "one/a.rb" => "",
      "one/b.rb" => "",
      "main.rb" => main
    }
    program = program(files, load_path: load_path, witness: false, **options)
    run = program.boot(env: { "WARMSTART_LOG" => "1" })
    assert_equal ["exit 0", program.plain.stdout], [run.status, run.stdout]
    assert_equal program.plain.stdout, program.boot.stdout
    run.stderr.scan(/searched (\w+) \(no_index\)/).flatten
  end

  # Session::LONG_LOAD_PATH; Ruby has some more.
  LONG = (1..64).map { |number| "many/#{number}" }.freeze

  # Under Wine an index of so many folders may take longer than the second that a boot waits for it.
  AWAIT_INDEX = Program::WINDOWS ? "Warmstart::Native.wait(60_000) if defined?(Warmstart)\n" : ""

  test "a first boot has an index if the load path is long when it begins, or after bundler/setup" do
    features = "#{AWAIT_INDEX}p require('a'), require('b'), $LOADED_FEATURES.grep(/one/)\n"
    assert_equal %w[a b], searched_at_first(features, load_path: ["one", *LONG.drop(20)])
    assert_empty searched_at_first(features, load_path: [*LONG, "one"])
    later = "require 'a'\n$LOAD_PATH.concat(Dir[\"\#{__dir__}/many/*\"])\nrequire 'bundler/setup'\n#{features}"
    assert_equal %w[a], searched_at_first(later, load_path: %w[one], rubygems: true) & %w[a b]
  end

  test "an index that comes later is found by the next require, and never in a child" do
    main = <<~RUBY
      Warmstart::Native.request_index(1, 0) if defined?(Warmstart)
      Process.wait(fork { require "b"; exit!(0) }) if Process.respond_to?(:fork)
      Warmstart::Native.wait(60_000) if defined?(Warmstart)
      p require("a"), require("b")
    RUBY
    # (So many folders take the thread longer than the program takes to fork. If it were faster, the index would be there
    # before the fork, and the child would have it.)
    many = (1..1_000).to_h { |number| ["one/folders/#{number}/keep", ""] }
    searched = nil
    5.times { (searched = searched_at_first(main, many, load_path: %w[one])) == CHILD && break }
    assert_equal CHILD, searched
  end

  # What is loaded once Rails has said that it is ready, and how the second boot came by it.
  LANDING = <<~RUBY
    require "d"
    if defined?(Warmstart)
      Warmstart.send(:session).application_ready
      Warmstart.boot_complete! if ENV["SAYS_SO"]
    end
    require "a"
    $stdout.flush
    Process.wait(fork { require "b"; exit!(0) }) if Process.respond_to?(:fork)
    sleep 0.3
    require "c"
    p $LOADED_FEATURES.count { |path| path.start_with?(__dir__) }
  RUBY

  def landing(env = {})
    program = program(FILES.merge("main.rb" => LANDING), load_path: %w[one two three], witness: false)
    2.times { program.boot(env: env) }
    run = program.boot(env: env.merge("WARMSTART_LOG" => "1"))
    assert_equal program.plain.stdout, run.stdout
    run.stderr.scan(/searched (\w+) \(complete\)/).flatten
  end

  test "once Rails is ready the index answers until there is a pause, and not in a child" do
    assert_equal CHILD + %w[c], landing
  end

  test "boot_complete! leaves every search to Ruby at once" do
    assert_equal ["a", *CHILD, "c"], landing({ "SAYS_SO" => "1" })
  end
end
