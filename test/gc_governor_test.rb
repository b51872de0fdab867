# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/clock"
require_relative "../lib/warmstart/native"
require_relative "../lib/warmstart/boot/sizes"
require_relative "../lib/warmstart/boot/gc_governor"

# Collections during the boot: few; what the program says of the collector holds; afterwards, and in every other
# process, all is normal. No time passes for the governor but what a program says (support/clock.rb), and a program that
# makes garbage waits after each megabyte until the governor has looked, so what happens does not depend on the machine.
class GCGovernorTest < TestCase
  MEGABYTE = 1 << 20

  # Methods of the programs. Garbage is of Strings that have memory of their own; waiting requires nothing.
  TOOLS = Clock::IN_PROGRAM + <<~RUBY
    def governor = Warmstart::Native.governor
    # (Without a clock of our own a look takes real time, and after a second without a require this is no boot any more.)
    def each_megabyte(count)
      count.times do |i|
        64.times { yield }
        require "tools" unless TestClock::FILE
        next_look if TestClock::FILE || i % 8 == 7 || i + 1 == count
      end
    end
    def garbage(megabytes) = each_megabyte(megabytes) { "x" * (16 << 10) }
    def keep(megabytes) = each_megabyte(megabytes) { ($kept ||= []) << "x" * (16 << 10) }
    def collections = GC.count.then { |before| yield; GC.count - before }
    # (without the timer's thread of newer Rubies)
    def threads = Dir.children("/proc/self/task").size - ((RUBY_VERSION.split(".").map(&:to_i) <=> [3, 3]).negative? ? 0 : 1)
    def govern(**more)
      Warmstart::Native.define_collector unless Warmstart::Native.governing?
      Warmstart::Native.govern({ page_size: 65_536, step: 32, floor: 0, early: 0, command: false, regrowth: 0, landing_step: 8,
                                 allowed: 1000, files: 0, careful: false, idle: 60_000, budget: 60_000 }.merge(more))
    end
    def normal? = !(defined?(Warmstart) && governor[:governing]) && collections { garbage(300) } > 0
  RUBY

  def clock = @clock ||= Clock.new(File.join(temporary_folder, "clock"))

  def preloads(*libraries) = { "LD_PRELOAD" => [*libraries, clock.environment["LD_PRELOAD"]].compact.join(":") }

  def governed(main, files = {}, gc: "32", **options)
    environment = { "WARMSTART_GC" => gc, **clock.environment, **options.delete(:env).to_h }
    files = { "tools.rb" => TOOLS, "main.rb" => "require 'tools'\n#{main}", **files }
    program(files, witness: false, env: environment, **options)
  end

  # The program's lines, governed.
  def lines(main, files = {}, **options)
    run = governed(main, files, **options).boot
    assert_equal ["", "exit 0"], [run.stderr, run.status]
    run.stdout.lines(chomp: true)
  end

  # The same, also where there is no such clock: no pause of the program's ends it.
  def steady_lines(main, files = {}) = lines("govern\n#{main}", files, gc: "off")

  # The same output governed and in plain Ruby, which is the plain run's.
  def assert_same_output(main, files = {}, **options)
    program = governed(main, files, **options)
    plain = program.plain
    governed = program.boot
    assert_equal [plain.stdout, plain.stderr, plain.status], [governed.stdout, governed.stderr, governed.status]
    assert_equal "", plain.stderr
    plain.stdout
  end

  # (It is not loaded where nothing is to be governed.)
  LOAD = "require #{File.join(Program::REPOSITORY, "lib/warmstart/boot/gc_governor").dump}\n"

  # ---- the step ----

  test "a program that allocates without requiring collects at each step, and stays within it" do
    output = steady_lines(<<~RUBY)
      counted = collections { 300.times { 700.times { "x" * 1500 }; next_look } }
      # (One that Ruby begins by itself is counted at the next look.)
      next_look
      facts = governor
      p facts[:collections].between?(1, counted)
      p counted, (facts[:peak] - facts[:first]) >> 20, facts[:governing]
    RUBY
    assert_equal %w[true true], output.values_at(0, 3)
    assert_includes 1..11, output[1].to_i
    assert_operator output[2].to_i, :<, 100
  end

  test "what is kept makes a collection for each step of growth" do
    output = steady_lines("keep(200)\np governor[:collections], governor[:step] >> 20\n")
    assert_includes 2..7, output[0].to_i
    assert_equal "32", output[1]
  end

  test "fewer collections than Ruby makes" do
    main = "p(collections { keep(150) })\n"
    program = governed(main, gc: "64")
    runs = [program.plain, program.boot, program.boot(env: { "WARMSTART_GC" => "off" })]
    plain, governed, off = runs.map { |run| run.stdout.to_i }
    assert_operator governed, :<=, 3
    assert_operator plain, :>, 2 * governed
    assert_operator off, :>, 2 * governed
  end

  test "several threads that allocate and require" do
    files = (1..40).to_h { |i| ["part#{i}.rb", "PART#{i} = Array.new(2000) { |i| i.to_s * 20 }\n"] }
    output = steady_lines(<<~RUBY, files)
      (1..40).each_slice(10).map { |part| Thread.new { part.each { |i| require "part\#{i}"; garbage(4) } } }.each(&:join)
      p governor[:governing], governor[:collections] > 0, (1..40).all? { |i| Object.const_get("PART\#{i}").size == 2000 }
    RUBY
    assert_equal %w[true true true], output
  end

  # Files of a program that is no small one.
  PARTS = (1..412).to_h { |i| ["part#{i}.rb", "PART#{i} = #{i}\n"] }.freeze

  test "a program is left to Ruby until it has loaded many files" do
    output = lines(<<~'RUBY', PARTS, gc: "on")
      state = -> { governor.values_at(:governing, :expecting) }
      p state.call, collections { garbage(100) } > 0
      (1..100).each { |i| require "part#{i}" }
      p state.call, collections { garbage(100) } > 0, GC.disable, GC.disable, GC.enable, GC.enable
      (101..200).each { |i| require "part#{i}" }
      p state.call
    RUBY
    assert_equal ["[false, true]", "true", "[false, true]", "true", "false", "true", "true", "false", "[true, false]"],
                 output
  end

  test "what ends the boot of a program that has loaded few files: it never begins, and leaves nothing" do
    rest =
      "(1..200).each { |i| require \"part\#{i}\" }\np governor.values_at(:governing, :expecting, :ended_by), normal?, GC.method(:enable).source_location&.first\n"
    {
      "Warmstart.boot_complete!" => ":complete",
      "Warmstart.session.application_ready" => ":complete",
      "GC.stress = true; GC.stress = false" => ":stress",
      "pass 61" => ":budget",
      "GC.disable; require 'part1'; (2..160).each { |i| require \"part\#{i}\" }; GC.enable" => ":refused"
    }.each do |ending, reason|
      assert_equal ["[false, false, #{reason}]", "true", '"<internal:gc>"'],
                   lines("#{ending}\n#{rest}", PARTS, gc: "on"),
                   ending
    end
  end

  test "after a pause it begins again, when as many files have been loaded as at first" do
    output = lines(<<~'RUBY', PARTS, gc: "on")
      state = -> { governor.values_at(:governing, :expecting, :ended_by) }
      (1..100).each { |i| require "part#{i}" }
      pass 1.1
      (101..200).each { |i| require "part#{i}" }
      p state.call
      (201..260).each { |i| require "part#{i}" }
      p state.call
      next_look
      pass 1.1, working: 0.3
      next_look
      p state.call, collections { garbage(100) } > 0, GC.disable, GC.enable
      (261..405).each { |i| require "part#{i}" }
      p state.call
      (406..412).each { |i| require "part#{i}" }
      p state.call, GC.disable, GC.enable, collections { garbage(2) }
      Warmstart.boot_complete!
      p state.call, normal?, GC.method(:enable).source_location&.first
    RUBY
    idle, booting = "[false, true, :idle]", "[true, false, nil]"
    assert_equal ["[false, true, nil]", booting, idle, "true", "false", "true", idle, booting, "false", "true", "0"],
                 output.first(11)
    assert_equal ["[false, false, :complete]", "true", '"<internal:gc>"'], output.drop(11)
  end

  test "a child of a program that has loaded few files never begins" do
    needs_fork
    main =
      "STDOUT.sync = true\nProcess.wait(fork { (1..200).each { |i| require \"part\#{i}\" }; p governor.values_at(:governing, :expecting), normal? })\np governor[:expecting]\n"
    assert_equal ["[false, false]", "true", "true"], lines(main, PARTS, gc: "on")
  end

  test "while a TracePoint is enabled it does not begin, and nothing of Warmstart's is seen" do
    main =
      "$seen = []\nTracePoint.new(:call) { |call| $seen << call.path if call.path.include?(\"/warmstart/\") }.enable\n(1..200).each { |i| require \"part\#{i}\" }\np governor.values_at(:governing, :ended_by), $seen\n"
    assert_equal ["[false, :refused]", "[]"], lines(main, PARTS, gc: "on")
  end

  test "two steps without a file end a boot that is not known to be large; where a step is asked for, nothing does" do
    main =
      "govern(careful: %s)\nkeep(20)\n100.times { garbage(4) }\np governor[:ended_by], governor[:collections] > 0\n"
    assert_equal %w[:grown true], lines(format(main, true), gc: "off")
    assert_equal %w[nil true], lines(format(main, false), gc: "off")
  end

  test "a boot that is not known to be large takes half of what it keeps between two collections" do
    files = (1..50).to_h { |i| ["part#{i}.rb", "keep(2)\n"] }
    output = lines(<<~'RUBY', files, gc: "off")
      govern(careful: true, step: 500)
      (1..50).each { |i| require "part#{i}" }
      p governor[:ended_by], governor[:collections]
    RUBY
    assert_equal "nil", output[0]
    assert_includes 3..9, output[1].to_i
  end

  # ---- the end ----

  test "after the boot everything is normal: collections, methods" do
    output = lines(<<~RUBY, env: { "WARMSTART_READONLY" => "1" })
      garbage(10)
      p governor[:governing]
      Warmstart.boot_complete!
      p governor[:ended_by], governor[:governing], normal?, GC.disable, GC.enable
      p %i[enable disable stress=].map { |name| GC.method(name).source_location&.first }.uniq
    RUBY
    assert_equal ["true", ":complete", "false", "true", "false", "true", '["<internal:gc>"]'], output
  end

  test "its thread is gone after the boot" do
    skip "Windows lists no threads in a file system" if Program::WINDOWS
    output =
      lines("p threads\nWarmstart.boot_complete!\np wait_for { threads == 1 }\n", env: { "WARMSTART_READONLY" => "1" })
    assert_equal %w[2 true], output
  end

  test "methods are Ruby's own again, and look alike meanwhile" do
    assert_same_output(<<~RUBY, { "puma/launcher.rb" => "module Puma; class Launcher; end; end\n" })
      require "puma/launcher"
      describe = lambda do
        %i[enable disable stress=].map { |name| GC.method(name) }.push(Process.method(:_fork)).map do |method|
          [method.owner, method.name, method.original_name, method.arity, method.parameters.size, method.owner.public_method_defined?(method.name)]
        end
      end
      p describe.call
      Warmstart.boot_complete! if defined?(Warmstart)
      p describe.call, GC.method(:enable).source_location, GC.method(:stress=).source_location
    RUBY
  end

  test "requires keep it, however long it takes; a second without one ends it, if the program has worked meanwhile" do
    own_clock "only by a clock of our own are nine tenths of a second never more"
    output = lines(<<~RUBY, { "a.rb" => "" })
      14.times { require "a"; pass 0.9, working: 0.3; next_look }
      p governor[:governing]
      require "a"
      pass 0.6
      next_look
      pass 0.6, working: 0.3
      next_look
      p governor[:governing], governor[:ended_by]
    RUBY
    assert_equal %w[true false :idle], output
  end

  test "a second in which a busy machine does not let the program work is no pause, but four seconds are" do
    own_clock "only a clock of our own stands still while a program works"
    output =
      lines("require 'set'\npass 3.9\nnext_look\np governor[:governing]\npass 0.2\nnext_look\np governor[:ended_by]\n")
    assert_equal %w[true :idle], output
  end

  test "where the size of the boot is known a pause is four seconds long, until the application is ready" do
    own_clock "only a clock of our own stands still while a program works"
    main =
      "#{known(90)}require 'set'\n%s\nnext_look\npass 3.9, working: 2\nnext_look\np governor[:governing]\npass 0.2\nnext_look\np governor[:ended_by]\n"
    assert_equal %w[true :idle], lines(main % "", gc: "off")
    assert_equal %w[false :complete], lines(main % "GOVERNOR.land", gc: "off")
  end

  test "the budget ends it, also while the program has the collector off" do
    output = lines(<<~RUBY, gc: "off")
      over = -> { pass 0.19; next_look; before = governor[:governing]; pass 0.02; next_look; before && !governor[:governing] }
      p govern(budget: 200), over.call, governor[:ended_by], normal?
      p govern(budget: 200), GC.disable, over.call, GC.disable
    RUBY
    # (Where the time is real, it may be over before the first look.)
    output[1] = output[6] = "true" unless Clock.available?
    assert_equal %w[true true :budget true true false true true], output
  end

  test "more growth than is allowed ends it" do
    output = lines(<<~RUBY, gc: "off")
      govern(allowed: 60)
      keep(100)
      p governor[:ended_by], normal?
    RUBY
    assert_equal %w[:memory true], output
  end

  test "an application that is ready goes on until it has grown a little" do
    output = lines(<<~RUBY)
      Warmstart.session.application_ready
      p governor[:governing]
      keep(20)
      p governor[:ended_by], governor[:collections], normal?
    RUBY
    assert_equal %w[true :complete 0 true], output
  end

  test "Warmstart.unload! ends it" do
    assert_equal %w[true false true],
                 lines("p governor[:governing]\nWarmstart.unload!\np governor[:governing], normal?\n")
  end

  test "however the program ends: status, output and exit handlers are as in plain Ruby" do
    {
      "exit 3" => 3,
      "raise 'x'" => 1,
      "abort 'bye'" => 1,
      "exit! 4" => 4,
      "Thread.new { Thread.main.raise('y') }.join; sleep" => 1,
      "Process.kill(:TERM, $$); sleep" => Program::WINDOWS ? 3 : "TERM",
      "throw :nobody" => 1
    }.each do |ending, status|
      program = governed("at_exit { puts 'handler'; garbage(50) }\ngarbage(10)\n#{ending}\n")
      plain, governed = program.plain, program.boot
      assert_equal [plain.stdout, plain.stderr, plain.status],
                   [governed.stdout, governed.stderr, governed.status],
                   ending
      assert_includes governed.status, status.to_s
    end
  end

  test "exit handlers older than ours: the collector is as usual when they have taken a quarter of a step" do
    program =
      governed(
        "garbage(10)\n",
        {
          "older.rb" =>
            "require 'tools'\nat_exit { p governor[:ended_by], collections { garbage(300) } > 0, governor[:ended_by], normal? }\n"
        }
      )
    run = program.plain(args: ["-r", program.path("older.rb"), "-r", Program::SETUP])
    assert_equal [":end\ntrue\n:complete\ntrue\n", "", "exit 0"], [run.stdout, run.stderr, run.status]
  end

  test "threads that are killed or raised in while it is at work hear of it" do
    assert_equal ["30"], lines(<<~RUBY, gc: "16")
      heard = 30.times.count do |i|
        begun = false
        thread = Thread.new { loop { 50.times { begun = "x" * 100 }; Thread.pass } rescue :raised }
        Thread.pass until begun
        sleep 0.002
        i.even? ? thread.kill : thread.raise("stop")
        thread.join(#{Program.patience(30)})
      end
      puts heard
    RUBY
  end

  test "threads that are killed or raised in where it ends hear of it, too" do
    assert_equal %w[30 true true], lines(<<~RUBY, gc: "off")
      began = true
      heard = 30.times.count do |i|
        begun = false
        thread = Thread.new { loop { 50.times { begun = "x" * 100 }; Thread.pass } rescue :raised }
        Thread.pass until begun
        began &&= govern(budget: 1)
        pass 0.01 # (The next look ends it.)
        i.even? ? thread.kill : thread.raise("stop")
        thread.join(#{Program.patience(30)}).tap { wait_for { next_look || !governor[:governing] } }
      end
      GC.enable
      puts heard, began, GC.method(:enable).source_location&.first == "<internal:gc>"
    RUBY
  end

  test "the end of a program collects nothing: it all goes with the process" do
    main =
      "KEPT = Object.new\nCOUNT = GC.count\nObjectSpace.define_finalizer(KEPT, proc { puts \"finalizer: \#{GC.count - COUNT}\" })\ngarbage(25)\n"
    assert_equal ["finalizer: 0"], lines(main)
    assert_equal ["thread", "finalizer: 0"],
                 lines(
                   "Thread.new { begin; sleep; ensure; puts 'thread'; end }\nThread.pass until Thread.list.last.stop?\n#{main}"
                 )
  end

  # ---- the program's own choices ----

  test "GC.enable and GC.disable answer as in plain Ruby, in every order" do
    output = assert_same_output(<<~RUBY)
      %i[enable disable].repeated_permutation(4) { |calls| GC.enable; p calls.map { |call| GC.public_send(call) } }
      enable, disable = GC.method(:enable), GC.method(:disable)
      p disable.call, enable.unbind.bind_call(GC), GC.disable
      Warmstart.boot_complete! if defined?(Warmstart)
      p GC.disable, enable.call, disable.call, GC.enable, GC.enable
    RUBY
    assert_equal 24, output.lines.size
  end

  test "GC.disable by the program: no collection, also after the boot; GC.enable: collections again" do
    output = lines(<<~RUBY)
      GC.disable
      p(collections { garbage(150) })
      Warmstart.boot_complete!
      p collections { garbage(100) }, GC.enable, normal?
    RUBY
    assert_equal %w[0 0 true true], output
  end

  test "GC.disable and GC.enable in the middle of a boot: governed before and after" do
    assert_equal %w[0 true true],
                 steady_lines(
                   "GC.disable\np(collections { keep(100) })\nGC.enable\np collections { keep(40) } > 0, governor[:governing]\n"
                 )
  end

  test "a collector that is off, or under stress, before the boot stays so" do
    program =
      governed(
        "p governor[:governing], collections { garbage(50) }\nWarmstart.boot_complete!\np GC.disable, GC.method(:disable).source_location&.first\n",
        { "before.rb" => "GC.disable\n" }
      )
    run = program.plain(args: ["-r", program.path("before.rb"), "-r", Program::SETUP])
    assert_equal ["false\n0\ntrue\n\"<internal:gc>\"\n", "", "exit 0"], [run.stdout, run.stderr, run.status]
    output =
      lines(
        "#{LOAD}GC.stress = true\nstarted = Warmstart::GCGovernor.new(32).start {}\nGC.stress = false\np started, GC.disable\n",
        gc: "off"
      )
    assert_equal %w[false false], output
  end

  test "GC.stress in the middle of a boot ends it at once" do
    output = steady_lines(<<~RUBY)
      p(collections { Array.new(100) { Object.new } })
      p (GC.stress = true), GC.stress, collections { Array.new(100) { Object.new } } >= 100
      GC.stress = false
      p governor[:ended_by], GC.stress, normal?
    RUBY
    assert_equal %w[0 true true true :stress false true], output
  end

  test "C code that switches the collector on has its way" do
    output = steady_lines(<<~RUBY)
      #{require_fiddle}
      Fiddle::Function.new(Fiddle::Handle::DEFAULT["rb_gc_enable"], [], Fiddle::TYPE_VOIDP).call
      p wait_for { !governor[:governing] }, governor[:ended_by], normal?
    RUBY
    assert_equal %w[true :enabled true], output
  end

  test "collections that are asked for happen at once" do
    assert_same_output(<<~RUBY)
      require "weakref"
      def finalized
        seen = []
        make = -> { 10.times { ObjectSpace.define_finalizer(Object.new, proc { seen << 1 }) } }
        Thread.new { make.call }.join
        yield
        seen.size > 5
      end
      ways = { start: -> { GC.start }, garbage_collect: -> { ObjectSpace.garbage_collect }, compact: -> { GC.respond_to?(:compact) && GC.compact },
               full: -> { GC.start(full_mark: true, immediate_sweep: true) } }
      ways.each { |name, way| p [name, finalized(&way)] }
      counts = [-> { GC.start }, -> { GC.start(full_mark: false) }, -> { ObjectSpace.garbage_collect }]
      p counts.map { |way| collections(&way) }
      references = Thread.new { Array.new(100) { WeakRef.new(Object.new) } }.value
      GC.start
      p references.count(&:weakref_alive?) < 10
      GC.disable
      p collections { GC.start }, GC.enable
    RUBY
  end

  test "settings of the collector are the program's, during the boot and after" do
    assert_same_output(<<~RUBY)
      require "objspace"
      GC::Profiler.enable
      GC.measure_total_time = false
      if GC.respond_to?(:auto_compact=)
        GC.auto_compact = true
        GC.start
      end
      ObjectSpace.trace_object_allocations { p ObjectSpace.allocation_sourceline(Object.new) }
      keep(80)
      Warmstart.boot_complete! if defined?(Warmstart)
      p GC.measure_total_time, GC.respond_to?(:auto_compact) && GC.auto_compact, GC::Profiler.enabled?, GC::Profiler.raw_data.size > 0
      p GC.config if GC.respond_to?(:config)
    RUBY
  end

  test "GC.config in the middle of a boot stays" do
    skip "GC.config came with Ruby 3.4" unless GC.respond_to?(:config)
    output =
      steady_lines(
        "GC.config(rgengc_allow_full_mark: false)\nbefore = GC.stat(:major_gc_count)\nkeep(100)\np GC.stat(:major_gc_count) - before\n" \
          "Warmstart.boot_complete!\np GC.config[:rgengc_allow_full_mark]\n"
      )
    assert_operator output[0].to_i, :<=, 1 # (one that had begun before)
    assert_equal "false", output[1]
  end

  # (Ruby is built here without modular collectors: the program answers as MMTk's GC.config does, and as one with Ruby's
  # own that is loaded by RUBY_GC_LIBRARY.)
  test "another collector than Ruby's is left alone" do
    config = ->(text) { "def GC.config(*) = #{text}\n" }
    configurations = {
      config.('{ mmtk_worker_count: 2, mmtk_plan: "Immix", implementation: "mmtk" }') => true,
      config.('{ implementation: "of another make" }') => true,
      config.('{ rgengc_allow_full_mark: true, implementation: "default" }') => false,
      "" => false
    }
    configurations.each do |collector, stays|
      main =
        "require_relative 'collector'\nenable, stress = GC.method(:enable), GC.method(:stress=)\nrequire #{Program::SETUP.dump} if ENV['WARMSTART_LOG']\n" \
          "p GC.method(:enable) == enable, GC.method(:stress=) == stress, GC.disable, GC.enable\n"
      run =
        program({ "main.rb" => main, "collector.rb" => collector }, witness: false).plain(
          env: {
            "WARMSTART_LOG" => "1",
            "WARMSTART_GC" => "64"
          }
        )
      assert_equal [stays, stays, false, true].join("\n"), run.stdout.chomp, run.stderr
      assert_equal stays,
                   run.stderr.include?("the collector stays as it is: the program has configured the collector itself"),
                   run.stderr
    end
  end

  test "the variables of Ruby's collector hold after the boot" do
    main =
      "Warmstart.boot_complete! if defined?(Warmstart)\nGC.start\nkeep(1)\np GC.stat(:malloc_increase_bytes_limit)\n"
    assert_same_output(main, env: { "RUBY_GC_MALLOC_LIMIT" => "123456789", "RUBY_GC_MALLOC_LIMIT_MAX" => "234567890" })
  end

  # ---- other processes ----

  test "forked children are normal, the parent goes on" do
    needs_fork
    output = steady_lines(<<~RUBY)
      $stdout.sync = true
      child = ->(name) { puts "\#{name}: \#{governor[:governing]} \#{normal?} \#{GC.disable} \#{GC.enable} \#{GC.method(:enable).source_location&.first} \#{threads}" }
      Process.wait(fork { child.call("fork") })
      Process.wait(Process.fork { Process.wait(fork { child.call("grandchild") }) })
      IO.popen("-") { |io| io ? puts(io.read) : child.call("popen") }
      p governor[:governing], collections { garbage(20) }
      GC.disable
      Process.wait(fork { p collections { garbage(60) }, GC.enable, normal? })
    RUBY
    child = "false true false true <internal:gc> 1"
    assert_equal ["fork: #{child}", "grandchild: #{child}", "popen: #{child}", "true", "0", "0", "true", "true"], output
  end

  test "Process.daemon leaves a normal program" do
    needs_fork
    program =
      governed(
        "Process.daemon(true, true)\nFile.write('result.tmp', [governor[:governing], normal?, threads].inspect)\nFile.rename('result.tmp', 'result')\n"
      )
    program.boot
    result = program.path("result")
    limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + Program::TIMEOUT
    sleep 0.02 until File.exist?(result) || Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit
    assert_equal "[false, true, 1]", File.read(result)
  end

  test "exec, a spawned program, a shell's" do
    main =
      "STDOUT.sync = true\nRUBY = [#{RbConfig.ruby.dump}, '-I', __dir__, '-r', 'tools', '-e', 'p normal?']\n" \
        "system(*RUBY)\nputs `\#{RUBY.first} -e 'p GC.disable'`\nexec(*RUBY)\n"
    assert_equal %w[true false true], lines(main)
  end

  def needs_fork = Program::WINDOWS && skip("Windows knows no fork")

  # (It is for Linux, and a C compiler makes it.)
  def own_clock(why)
    skip why unless RUBY_PLATFORM.include?("linux")
    missing "there is no C compiler: #{why}" unless Clock.available?
  end

  test "a server that forks its workers has booted before" do
    needs_fork
    files = { "puma/launcher.rb" => "module Puma; class Launcher; end; end\n" }
    main =
      "count = GC.count\nProcess.wait(fork { p governor[:governing]; exit! })\np governor[:governing], governor[:ended_by], GC.count > count, Warmstart::Native.complete?\n"
    booted = %w[false false :complete true true]
    assert_equal booted, lines("STDOUT.sync = true\nrequire 'puma/launcher'\n#{main}", files)
    assert_equal booted, lines("STDOUT.sync = true\n#{main}", files, args: ["-rpuma/launcher"])
    assert_equal %w[false true nil false false], lines("STDOUT.sync = true\n#{main}", files)
  end

  test "who forks workers is a server: each that is known" do
    needs_fork
    Warmstart::GCGovernor::PRELOADING_SERVERS.each do |name, feature|
      definition = "#{name.split("::").map { |part| "module #{part}" }.join("; ")}#{"; end" * name.split("::").size}\n"
      serves = "Warmstart.session.instance_variable_get(:@governor).serves?"
      main =
        "STDOUT.sync = true\nrequire '#{feature}'\np #{serves}\nProcess.wait(fork { exit! })\np governor[:ended_by], #{serves}\n"
      assert_equal %w[false :complete true], lines(main, { "#{feature}.rb" => definition }), name
    end
  end

  # Megabytes that the process has to itself after a boot full of garbage, and then each of two children that use what
  # they share. (They must collect more than twice: an object that grows old is written.)
  def shares(before_garbage, before_fork, files)
    needs_fork
    skip "the system does not tell what processes share" unless File.exist?("/proc/self/smaps")
    output = lines(<<~RUBY, files, gc: "1000")
      STDOUT.sync = true
      def own = File.read("/proc/self/smaps").scan(/^Private_Dirty: +(\\d+)/).sum { |(kilobytes)| kilobytes.to_i } >> 10
      #{before_garbage}
      KEPT = []
      200_000.times { |i| KEPT << "x" * (200 + i % 100); "y" * (150 + i % 100) }
      puts own
      #{before_fork}
      2.times.map { fork { pieces = Array.new(9) { "x" * 100_000 }; 4.times { GC.start }; sleep 0.5; puts own if pieces.size == 9; exit! } }.each { |child| Process.wait(child) }
    RUBY
    before, *workers = output.map(&:to_i)
    assert_equal [true, 2], [before > 60, workers.size]
    workers.all? { |own| own < before / 3 } || output
  end

  test "a server's workers share their memory, although it was full of garbage, also if the boot has ended before" do
    ["", "Warmstart::Native.end_governor(:idle)", "Warmstart.boot_complete!"].each do |ending|
      assert_equal true,
                   shares(
                     "require 'puma/launcher'",
                     ending,
                     { "puma/launcher.rb" => "module Puma; class Launcher; end; end\n" }
                   ),
                   ending
    end
  end

  test "a server that is loaded when the governor has ended prepares its workers, too" do
    %w[Warmstart::Native.end_governor(:complete) Warmstart.session.server_ready].each do |ending|
      assert_equal true,
                   shares(
                     "",
                     "#{ending}; require 'puma/launcher'",
                     { "puma/launcher.rb" => "module Puma; class Launcher; end; end\n" }
                   ),
                   ending
    end
  end

  test "children of a command share its memory: Rails' parallel tests, the gem parallel" do
    rails = {
      "active_support/testing/parallelization.rb" =>
        "module ActiveSupport; module Testing; class Parallelization; def start = 0; end; end; end\n"
    }
    assert_equal true,
                 shares(
                   "require 'active_support/testing/parallelization'",
                   "ActiveSupport::Testing::Parallelization.new.start",
                   rails
                 )
    parallel = {
      "parallel.rb" =>
        "module Parallel; class << self; def run = create_workers; private def create_workers = 0; end; end\n"
    }
    assert_equal true, shares("require 'parallel'", "Parallel.run", parallel)
    refute_equal true, shares("", "", {}), "it is no test if they share without it"
  end

  test "workers of a server of jobs share its memory" do
    {
      "solid_queue/supervisor" => "SolidQueue::Supervisor#start",
      "resque/worker" => "Resque::Worker#work"
    }.each do |feature, name|
      outer, inner, method = name.split(/::|#/)
      files = { "#{feature}.rb" => "module #{outer}; class #{inner}; def #{method} = 0; end; end\n" }
      assert_equal true, shares("require '#{feature}'", "#{outer}::#{inner}.new.#{method}", files), name
    end
  end

  test "the collector that the program has switched off does not run before a fork, whenever it was" do
    files = {
      "parallel.rb" => "module Parallel; def self.create_workers = 0; end\n",
      "puma/launcher.rb" => "module Puma; class Launcher; end; end\n"
    }
    forks = { "parallel" => "Parallel.create_workers", "puma/launcher" => "Process.wait(fork { exit! })" }
    forks.delete("puma/launcher") unless Process.respond_to?(:fork)
    forks
      .to_a
      .product(
        [
          "GC.disable",
          "Warmstart::Native.end_governor(:idle); GC.disable",
          "GC.disable; Warmstart::Native.end_governor(:idle)"
        ]
      ) do |(feature, fork), off|
        assert_equal %w[0 true],
                     lines(
                       "STDOUT.sync = true\nrequire '#{feature}'\n#{off}\np collections { #{fork} }, GC.disable\n",
                       files
                     ),
                     [feature, off]
      end
  end

  test "a server whose constant is an autoload's has booted before, too; a program's own is no server" do
    needs_fork
    main =
      "count = GC.count\nProcess.wait(fork { p governor[:governing]; exit! })\np governor[:governing], governor[:ended_by], GC.count > count, Warmstart::Native.complete?\n"
    puma = "module Puma; autoload :Launcher, 'puma/launcher'; end\n"
    launcher = "module Puma; class Launcher; end; end\n"
    assert_equal %w[false false :complete true true],
                 lines(
                   "STDOUT.sync = true\nrequire 'puma'\nPuma::Launcher\n#{main}",
                   { "puma.rb" => puma, "puma/launcher.rb" => launcher }
                 )
    own = {
      "puma.rb" => puma.sub("'puma/launcher'", "File.join(__dir__, 'own/puma/launcher')"),
      "own/puma/launcher.rb" => launcher
    }
    assert_equal %w[false true nil false false],
                 lines("STDOUT.sync = true\nrequire 'puma'\nPuma::Launcher\n#{main}", own)
  end

  test "a fork that fails shows what it shows in plain Ruby" do
    assert_same_output(<<~RUBY, env: preloads(failing_fork))
      begin; fork { }; rescue Errno::ENOMEM => error; puts error.message, error.backtrace; end
    RUBY
  end

  # (Where nobody has another _fork, newer Rubies do not call it: no frame of it.)
  test "a fork that fails in a server, while the governor is at work, shows one frame more at the most" do
    files = { "puma/launcher.rb" => "module Puma; class Launcher; end; end\n" }
    assert_same_output(<<~RUBY, files, env: { **preloads(failing_fork), "WARMSTART_GC" => "64" })
      require "puma/launcher"
      abort "no governor" if defined?(Warmstart) && !Warmstart::Native.governing?
      begin
        fork { }
      rescue Errno::ENOMEM => error
        frames, others = error.backtrace.partition { |frame| frame.include?("_fork") }
        puts others, frames.size <= 1, error.backtrace_locations.map(&:label) - ["_fork", "Process._fork"]
      end
    RUBY
  end

  test "a server that is loaded after a boot in which nothing was postponed forks as in plain Ruby" do
    assert_same_output(
      <<~RUBY,
      Warmstart.boot_complete! if defined?(Warmstart)
      require "puma/launcher"
      begin; fork { }; rescue Errno::ENOMEM => error; puts error.backtrace; end
    RUBY
      { "puma/launcher.rb" => "module Puma; class Launcher; end; end\n" },
      gc: "on",
      env: preloads(failing_fork)
    )
  end

  test "the patch of fork is taken out by the first fork, a server that begins to serve, unload!, and by itself" do
    needs_fork
    files = {
      "puma/launcher.rb" => "module Puma; class Launcher; end; end\n",
      "puma/server.rb" => "module Puma; class Server; def run = 0; end; end\n"
    }
    main =
      "STDOUT.sync = true\nrubys = Process.method(:_fork).unbind\nrequire 'puma/launcher'\np Process.method(:_fork).unbind == rubys\n%s\np Process.method(:_fork).unbind == rubys\n"
    outs = [
      "Process.wait(fork { exit! })",
      "require 'puma/server'\nPuma::Server.new.run",
      "Warmstart.unload!",
      "Warmstart::Native.undefine_fork"
    ]
    outs.each { |out| assert_equal %w[false true], lines(main % out, files), out }
    assert_equal %w[false true],
                 lines(
                   main %
                     "Process.wait(fork { exit!(Process.method(:_fork).unbind == rubys && Process.wait(fork { exit! })) })",
                   files
                 )
    uninstalled =
      "STDOUT.sync = true\nrequire 'puma/launcher'\nWarmstart::Native.undefine_fork\np collections { Process.wait(fork { exit! }) }, governor[:governing]\n"
    assert_equal %w[0 true], lines(uninstalled, files)
  end

  test "it governs once at a time" do
    assert_equal %w[true false true true],
                 lines(
                   "p govern, govern, governor[:governing]\nWarmstart::Native.end_governor(:complete)\np normal?\n",
                   gc: "off"
                 )
  end

  # (Where a limit of processes is reached Ruby itself waits, and tries again for ever.)
  def failing_fork = preloaded("#include <errno.h>\nint fork(void) { errno = ENOMEM; return -1; }\n")

  # @return [String] a library made of some C, for LD_PRELOAD
  def preloaded(text)
    skip "nothing is preloaded but by Linux's linker" unless RUBY_PLATFORM.include?("linux")
    source, library = %w[preloaded.c preloaded.so].map { |name| File.join(temporary_folder, name) }
    File.write(source, text)
    assert system(*RbConfig::CONFIG["CC"].split, "-shared", "-fPIC", "-o", library, source)
    library
  end

  # Says on stdout from what kind of thread each postponed job is asked for.
  ASKING = <<~'C'
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <unistd.h>
    int ruby_thread_has_gvl_p(void);
    int rb_postponed_job_register_one(unsigned flags, void (*job)(void *), void *data)
    {
        int (*original)(unsigned, void (*)(void *), void *) = (int (*)(unsigned, void (*)(void *), void *))dlsym(RTLD_NEXT, "rb_postponed_job_register_one");
        const char *who = ruby_thread_has_gvl_p() ? "Ruby's\n" : "another\n";
        return write(1, who, who[0] == 'R' ? 7 : 8) > 0 ? original(flags, job, data) : 0;
    }
  C

  test "before Ruby 3.3 a job is asked for by threads of Ruby's that have the lock, and by nobody else" do
    skip "since Ruby 3.3 whoever likes may ask" unless Program::RUBY_NUMBER < "3.3"
    needs_fork
    main =
      "govern\nkeep(40)\nThread.new { garbage(40) }.join\nProcess.wait(fork { garbage(10); exit!(normal?) })\np $?.success?\n"
    assert_equal %w[Ruby's true], lines(main, gc: "off", env: preloads(preloaded(ASKING))).uniq.sort
  end

  test "Ractors" do
    assert_same_output(
      "Warning[:experimental] = false\np Ractor.new { [GC.disable, GC.enable, GC.start] }.then { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }\n"
    )
  end

  test "Ractors, also of a class of the program's, begin while it is at work or before" do
    ractors =
      "Warning[:experimental] = false\nclass Worker < Ractor; end\nshow = ->(class_) { class_.new { [1, 2].map { |i| Thread.new { i.to_s * 3 }.value } }.then { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take } }\n"
    assert_equal ['["111", "222"]', '["111", "222"]', "true"],
                 lines(
                   "#{ractors}govern\np show.call(Worker), show.call(Ractor)\nkeep(40)\nWarmstart::Native.end_governor(:complete)\np normal?\n",
                   gc: "off"
                 )
    assert_equal ['["111", "222"]', '["111", "222"]', "true"],
                 lines(
                   "#{ractors}p show.call(Worker)\ngovern || Warmstart::Native.undefine_collector\np show.call(Ractor)\nWarmstart::Native.end_governor(:complete)\np normal?\n",
                   gc: "off"
                 )
  end

  # ---- limits ----

  test "a program that leaves closing its files to the collector has descriptors enough" do
    output = steady_lines(<<~RUBY)
      Process.setrlimit(:NOFILE, 1024) unless File::ALT_SEPARATOR      # (there the C library's limit is 2048)
      5000.times { File.open(__FILE__).read }
      p governor[:ended_by]
    RUBY
    assert_equal %w[:files], output
  end

  test "the limit of descriptors is asked for only while many are open" do
    missing "there is no strace that may trace here" unless system("strace", "-o", File::NULL, "true", err: File::NULL)
    program = governed(<<~RUBY, gc: "off")
      Process.setrlimit(:NOFILE, 4096, Process.getrlimit(:NOFILE).last)
      govern
      20.times { next_look }
      File.exist?("/warmstart-mark")
      files = Array.new(80) { File.open(__FILE__) }
      20.times { next_look }
      p governor[:governing]
    RUBY
    log = File.join(program.base, "strace.txt")
    run = program.boot(prefix: ["strace", "-f", "-o", log])
    assert_equal "true\n", run.stdout, run.stderr
    few, many =
      File.read(log).split("/warmstart-mark").map { |calls| calls[/statm.*/m].to_s.scan("RLIMIT_NOFILE").size }
    assert_equal 0, few
    assert_operator many, :>=, 20
  end

  test "descriptors have the numbers that they have in plain Ruby" do
    assert_same_output("100.times { |i| File.open(__FILE__) { |file| print file.fileno, ' ' }; garbage(1) }\n")
  end

  test "too little memory, and nothing is governed" do
    output = lines(<<~RUBY, gc: "off")
      #{LOAD}
      limits = ->(megabytes) { Object.new.tap { |limits| limits.define_singleton_method(:available) { megabytes && megabytes << 20 } } }
      [40, 63, 64, 128, 400, 100_000, nil].each do |megabytes|
        started = Warmstart::GCGovernor.new(64, limits: limits.call(megabytes)).start { }
        puts [megabytes.inspect, started, started && governor[:step] >> 20].join(" ")
        Warmstart::Native.end_governor(:complete)
      end
    RUBY
    assert_equal [
                   "40 false false",
                   "63 false false",
                   "64 true 16",
                   "128 true 32",
                   "400 true 64",
                   "100000 true 64",
                   "nil true 64"
                 ],
                 output
  end

  def limits(files)
    @folder = folder = temporary_folder
    files.each do |name, content|
      FileUtils.mkdir_p(File.dirname(File.join(folder, name)))
      File.write(File.join(folder, name), content)
    end
    Warmstart::MemoryLimits.available(root: folder, resources: [], system: nil)
  end

  test "memory that is left: the machine's" do
    assert_nil limits({})
    assert_equal 1_000_000 << 10, limits("proc/meminfo" => "MemTotal:  2000000 kB\nMemAvailable:    1000000 kB\n")
    assert_equal 5, Warmstart::MemoryLimits.available(root: temporary_folder, resources: [7, 5])
    swapping = "MemAvailable:    1000 kB\nSwapCached: 7 kB\nSwapTotal: 2000 kB\nSwapFree: 1900 kB\n"
    assert_equal 900 << 10, limits("proc/meminfo" => swapping), "what is in the swap space will be wanted back"
    assert_equal 0, limits("proc/meminfo" => swapping.sub("1900", "900"))
  end

  test "memory that is left: control groups of version 2, those above, too" do
    files = {
      "proc/self/cgroup" => "0::/a/b\n",
      "sys/fs/cgroup/a/b/memory.max" => "max\n",
      "sys/fs/cgroup/a/b/memory.current" => "999\n"
    }
    assert_nil limits(files)
    files["sys/fs/cgroup/a/memory.max"] = "1000\n"
    assert_equal 1000, limits(files)
    files["sys/fs/cgroup/a/memory.current"] = "700\n"
    assert_equal 300, limits(files)
    assert_equal 350, limits(files.merge("sys/fs/cgroup/a/memory.stat" => "anon 3\ninactive_file 50\n"))
    assert_equal 100, limits(files.merge("sys/fs/cgroup/a/memory.high" => "800\n"))
    assert_equal 0, limits(files.merge("sys/fs/cgroup/a/memory.high" => "600\n"))
    assert_equal 1, limits(files.merge("sys/fs/cgroup/a/b/memory.max" => "1000\n"))
    assert_equal 200, limits("proc/self/cgroup" => "0::/../not/here\n", "sys/fs/cgroup/memory.max" => "200\n")
  end

  test "memory that is left: control groups of version 1" do
    files = {
      "proc/self/cgroup" => "5:cpu,cpuacct:/x\n4:memory:/docker/1\n0::/y\n",
      "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes" => "9223372036854771712\n"
    }
    assert_nil limits(files)
    files["sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes"] = "1000"
    files["sys/fs/cgroup/memory/docker/1/memory.usage_in_bytes"] = "600"
    assert_equal 400, limits(files)
    assert_equal 500,
                 limits(
                   files.merge(
                     "sys/fs/cgroup/memory/docker/1/memory.stat" => "inactive_file 9\ntotal_inactive_file 100\n"
                   )
                 )
    assert_equal 300,
                 limits(
                   files.merge(
                     "proc/meminfo" => "MemAvailable: 1000 kB\n",
                     "sys/fs/cgroup/memory/memory.limit_in_bytes" => "300"
                   )
                 )
  end

  test "processes that wait for memory" do
    pressed =
      lambda do |share|
        limits(
          (
            if share
              {
                "proc/pressure/memory" =>
                  "some avg10=#{share} avg60=9.00 avg300=9.00 total=1\nfull avg10=9.00 avg60=9.00 avg300=9.00 total=1\n"
              }
            else
              {}
            end
          )
        )
        Warmstart::MemoryLimits.pressed?(root: @folder)
      end
    assert_equal [false, false, true, true], [nil, "4.99", "5.00", "38.12"].map(&pressed)
  end

  # After the start of a governor as a program has it, and many files: whether it governs, and how often it has asked
  # for the limits before these files were loaded.
  def started(limits, setting = true)
    lines(<<~RUBY, PARTS, gc: "off").last
      #{LOAD}
      limits = Struct.new(:left, :pressed?).new(#{limits})
      asked = 0
      limits.define_singleton_method(:available) { asked += 1; left }
      Warmstart::GCGovernor.new(#{setting}, limits: limits).start { }
      before = asked
      (1..200).each { |i| require "part\#{i}" }
      puts [governor[:governing], before].join(" ")
    RUBY
  end

  test "memory is short: nothing is governed, unless a step is asked for" do
    cases = {
      "511 << 20, false" => "false 0",
      "512 << 20, false" => "true 0",
      "nil, false" => "true 0",
      "nil, true" => "false 0"
    }
    cases.each { |limits, expected| assert_equal expected, started(limits), limits }
    assert_equal ["true 1", "true 1"], ["511 << 20, false", "nil, true"].map { |limits| started(limits, 32) }
  end

  # A program that governs itself by what is known of it: 60 megabytes kept, of a process that would have so many without
  # a collection. (An empty one has eight of them, on Windows more.)
  def known(
    size,
    uncollected: size,
    kept: 60,
    server: false,
    limits: "Struct.new(:available, :pressed?).new(8 << 30, false)"
  )
    kept, uncollected = [kept, uncollected].map { |megabytes| megabytes + [base - 8, 0].max }
    "#{LOAD}BASE = governor[:first]\nMEGABYTE = 1 << 20\nlimits = #{limits}\n" \
      "GOVERNOR = Warmstart::GCGovernor.new(true, known: Warmstart::BootSizes::Known.new(#{kept} * MEGABYTE, #{uncollected} * MEGABYTE, #{server}), limits: limits)\n" \
      "GOVERNOR.start { }\n"
  end

  test "a command that is known grows to nearly twice what it keeps before it collects; a server does not" do
    main = "puts collections { garbage(85) }, collections { garbage(60) }\n"
    command, server =
      [{}, { server: true }].map do |facts|
        lines("#{known(90, **facts)}#{main}", gc: "off").map { |count| count.to_i.positive? }
      end
    assert_equal [[false, true], true], [command, server.first]
  end

  test "to what size a command may grow: one that needs no collection further than it did, one that is estimated less" do
    floors = lines(<<~RUBY, gc: "off")
      #{LOAD}
      limits = Object.new.tap { |limits| def limits.available = 100 << 30 }
      { [200, 0] => false, [200, 250] => false, [200, 320] => false, [200, 400] => false, [200, 300] => true }.each do |(kept, uncollected), server|
        known = Warmstart::BootSizes::Known.new(kept << 20, uncollected << 20, server)
        p Warmstart::GCGovernor.new(true, known: known, limits: limits).send(:floor, 112, 100 << 10)
      end
    RUBY
    assert_equal %w[300 330 368 345 215], floors
  end

  test "a command whose application is ready goes on as before; one that serves does not" do
    main =
      "GOVERNOR.land\nputs collections { garbage(50) }, governor[:governing]\n%s\nputs collections { garbage(60) }, governor[:governing]\n"
    assert_equal %w[0 true], lines("#{known(90)}#{main % ""}", gc: "off").first(2)
    served = lines("#{known(90)}GOVERNOR.land(serves: true)\n#{main % "GOVERNOR.land(serves: true)"}", gc: "off")
    assert_operator served.values_at(0, 2).sum(&:to_i), :>, 0, served.inspect
    assert_equal "false", served[3]
  end

  test "a command that would grow larger collects once, early" do
    grown =
      { 95 => 0, 120 => 1 }.map do |uncollected, expected|
        *counts, grown =
          lines(
            "#{known(uncollected)}3.times { puts collections { keep(8); garbage(18) } }\np (governor[:peak] - BASE) / MEGABYTE",
            gc: "off"
          )
        assert_equal expected, counts.sum(&:to_i), counts.inspect
        grown.to_i
      end
    assert_operator grown.last, :<, grown.first
  end

  test "others grow, too: a boot that has taken a quarter of what was left collects, one that has taken half ends it" do
    output = lines(<<~RUBY, gc: "off")
      def left(megabytes) = File.write("meminfo", "MemAvailable: \#{megabytes << 10} kB\\n")
      left(1000)
      Warmstart::Native.memory_limits = [File.expand_path("meminfo")]
      govern(floor: 4000)
      puts collections { keep(60) }
      left(150)
      puts [collections { keep(60) }, 1].min, governor[:ended_by].inspect
      left(90)
      puts collections { keep(40) }.positive?, governor[:ended_by]
    RUBY
    assert_equal %w[0 1 nil true memory], output
  end

  # A new control group's folder, with so many megabytes. Only root can make one.
  def control_group(megabytes)
    parent, file =
      [%w[/sys/fs/cgroup/memory memory.limit_in_bytes], %w[/sys/fs/cgroup memory.max]].find do |folder, _|
        File.directory?(folder) && File.writable?(folder)
      end
    skip "no control group can be made here" unless parent && Process.uid.zero?
    group = File.join(parent, "warmstart-test-#{Process.pid}")
    begin
      Dir.mkdir(group)
      skip "there are no control groups for memory" unless File.exist?(File.join(group, file))
      File.write(File.join(group, file), (megabytes << 20).to_s)
    rescue SystemCallError => error
      skip "no control group can be made here: #{error.message}"
    end
    yield group
  ensure
    Dir.rmdir(group) if group && File.directory?(group)
  end

  test "boots at the same time in a control group that all of them could fill: none is killed" do
    # (Each might grow to 165 megabytes before it collects, and keeps 20. They begin to grow when all are there.)
    program = governed(<<~RUBY, gc: "off")
      #{known(150, kept: 100, limits: "Warmstart::MemoryLimits")}
      Dir.mkdir("there.\#{Process.pid}")
      sleep 0.01 until Dir["there.*"].size == 10
      8.times { keep(3); garbage(25) }
      Dir.mkdir("done.\#{Process.pid}")
      1000.times { Dir["done.*"].size == 10 ? break : sleep(0.01) }
    RUBY
    control_group(1300) do |group|
      runs =
        Array
          .new(10) do
            Thread.new { program.boot(prefix: ["sh", "-c", "echo $$ > #{group}/cgroup.procs && exec \"$@\"", "sh"]) }
          end
          .map(&:value)
      assert_equal [["", "exit 0"]], runs.map { |run| [run.stderr, run.status] }.uniq
    end
  end

  test "memory that is left: of the limits of address space and data what the process does not use yet" do
    skip "only Linux holds a process to such limits, and tells what they count" unless RUBY_PLATFORM.include?("linux")
    { AS: "VmSize", DATA: "VmData" }.each do |resource, line|
      left = lines(<<~RUBY, gc: "off").last.to_i
        #{LOAD}
        used = File.read("/proc/self/status")[/^#{line}:\\s*(\\d+)/, 1].to_i << 10
        Process.setrlimit(:#{resource}, used + (700 << 20), Process::RLIM_INFINITY)
        p Warmstart::MemoryLimits.resource_limits.min >> 20
      RUBY
      assert_includes 690..700, left, resource
    end
  end

  # (From 3.4 on an empty program has 450 megabytes of address space. The command is known to keep 500; it keeps 30.)
  test "a limit of the address space or of data that leaves little: plain Ruby" do
    skip "only Linux holds a process to such limits" unless RUBY_PLATFORM.include?("linux")
    size, data =
      lines("puts File.read('/proc/self/status').scan(/^Vm(?:Size|Data):\\s*(\\d+)/)\n", gc: "off").last(2).map(&:to_i)
    work = "p !!(defined?(Warmstart) && Warmstart.session)\n30.times { keep(1); garbage(30) }\n"
    {
      "v #{size + (300 << 10)}" => false,
      "v #{size + (1000 << 10)}" => false,
      "d #{data + (600 << 10)}" => false,
      "v #{size + (1100 << 10)}" => true,
      "d #{data + (1100 << 10)}" => true,
      "c 0" => true
    }.each do |limit, on|
      limited = ["sh", "-c", "ulimit -#{limit} && exec \"$@\"", "sh"]
      program = governed("def next_look = 0\n#{work}", gc: "off")
      plain = program.plain(prefix: limited)
      assert_equal ["", "exit 0"], [plain.stderr, plain.status]
      2.times do
        run = program.boot(prefix: limited)
        assert_equal ["exit 0", "", on.to_s], [run.status, run.stderr, run.stdout.lines.first.chomp], limit
      end
    end
  end

  # ---- what it learns ----

  test "the size of a boot is recorded by command, and the next such boot does not collect below it" do
    files = (1..4).to_h { |i| ["part#{i}.rb", "keep(30)\n"] }
    program =
      governed(
        "(1..4).each { |i| require \"part\#{i}\" }\np governor[:collections]\nKernel.exit!(0) if ARGV[1]\n",
        files,
        gc: "on"
      )
    run = ->(*arguments) { program.boot(arguments: arguments, env: { "WARMSTART_GC" => "48" }).stdout.to_i }
    assert_includes 2..3, run.call("serve")
    assert_includes 0..1, run.call("serve", "x")
    assert_includes 2..3, run.call("other", "x")
  end

  # Megabytes: what the image says of the program's boots, or nil. Without what Ruby itself takes, where the process's
  # size is all that is known.
  def learned(program, which = "kept")
    line = /^boot_size\.main\.rb (?<kept>\d+) (?<uncollected>\d+) command$/
    size =
      Dir[File.join(program.image_folder, "*.segment")]
        .filter_map { |path| File.binread(path).match(line)&.[](which) }
        .first
    size && ((size.to_i / MEGABYTE) - base)
  end

  # Megabytes of an empty program on Windows, where the libraries that a process has loaded count, too.
  def base = @base ||= Program::WINDOWS ? lines("p governor[:first] >> 20\n").first.to_i : 0

  test "the first warm boot teaches what it keeps, whatever the step and the garbage; a small one nothing" do
    main = "keep(80)\ngarbage(200)\n"
    %w[32 300].each do |step|
      program = governed(main, {}, gc: step)
      2.times { program.boot }
      assert_includes 75..160, learned(program), step
      # (What a process takes is not always the same under Wine.)
      writes =
        Array.new(Program::WINDOWS ? 4 : 1) do
          segments = program.segments
          program.boot
          segments != program.segments
        end
      assert_includes writes, false, "a boot that is as expected writes nothing"
    end
    small = governed("keep(5)\n").tap { |program| 2.times { program.boot } }
    assert_nil learned(small)
  end

  test "what is loaded after the boot is another size: it does not make each boot write its own" do
    program = governed("keep(80)\nWarmstart.boot_complete!\nkeep(200)\n", {}, gc: "32")
    2.times { program.boot }
    known, segments = learned(program), program.segments
    assert_includes 75..140, known
    2.times { program.boot }
    assert_equal [known, segments], [learned(program), program.segments]
  end

  test "what a command takes when its application is ready belongs to its size" do
    program = governed("keep(80)\nWarmstart.session.application_ready\nkeep(60)\n", {}, gc: "300")
    2.times { program.boot }
    known, segments = learned(program, "uncollected"), program.segments
    assert_includes 135..220, known
    2.times { program.boot }
    assert_equal [known, segments], [learned(program, "uncollected"), program.segments]
  end

  test "a size is news when it differs by a quarter; one that may be less only when it is less" do
    sizes = -> { Warmstart::BootSizes.new("boot_size.rails/runner 1000 3000 command\n") }
    note = ->(kept, uncollected = 3000, **options) { sizes.call.note("rails/runner", kept, uncollected, **options) }
    assert_equal [true, false, false, true], [700, 900, 1200, 1300].map { |size| note.call(size) }
    assert_equal [true, false, false, false], [700, 900, 1200, 1300].map { |size| note.call(size, at_most: true) }
    assert_equal [true, false, false, true], [2700, 2800, 3200, 3400].map { |size| note.call(1000, size) }
    assert sizes.call.note("rake", 1300, 0, at_most: true)
    after = sizes.call.tap { |known| known.note("rails/runner", 1300, 4000, at_most: true) }
    assert_equal ["boot_size.rails/runner 1000 4000 command"], after.lines
  end

  test "a boot that has recorded much gives an estimate, though all is written when it ends; the next one teaches" do
    large = (0...4000).map { |i| "def method_#{i}(one, two = #{i}) = [one, two, :symbol_#{i}, \"text #{i}\"]\n" }.join
    program =
      governed(
        "require 'large'\nkeep(80)\nWarmstart.boot_complete!\nWarmstart::Native.wait(9_000)\n",
        { "large.rb" => large },
        gc: "32"
      )
    program.boot
    estimate =
      Dir[File.join(program.image_folder, "*.segment")].filter_map do |path|
        File.binread(path)[/^boot_size\.main\.rb (\d+) 0 command$/, 1]
      end
    assert_includes 60..200, (estimate.first.to_i / MEGABYTE) - base
    program.boot
    assert_includes 75..160, learned(program)
  end

  test "with a floor the first collection waits for it, and the next ones for what it has freed; garbage alone does not make the process grow" do
    output = steady_lines(<<~RUBY)
      counted = collections { garbage(1250) }
      facts = governor
      p counted, facts[:collections], (facts[:peak] - facts[:first]) >> 20, facts[:settled] >> 20
    RUBY
    without_floor, peak = output[0].to_i, output[2].to_i
    assert_includes 20..140, peak
    assert_includes 0..(base.zero? ? 40 : 80), output[3].to_i - base # (of a process what was freed counts, too)
    output = lines("govern(floor: #{150 + base}, regrowth: 8)\n#{<<~RUBY}", gc: "off")
      counted = collections { garbage(1250) }
      p counted, governor[:peak] >> 20
    RUBY
    assert_operator output[0].to_i * 2, :<, without_floor
    assert_includes 150..260, output[1].to_i - base
  end

  test "sizes of boots: by command, in text" do
    command = ->(*arguments) { Warmstart::BootSizes.command("/srv/bin/rails", arguments, "RAILS_ENV" => "test") }
    assert_equal %w[rails/db:migrate/test rails/test rails/test rails/test],
                 [command.call("db:migrate"), command.call, command.call("-e"), command.call("test/a.rb")]
    assert_equal "my_tool.rb/x", Warmstart::BootSizes.command("my tool.rb", ["x"], {})
    # (An image of before Warmstart knew more has the size alone.)
    sizes =
      Warmstart::BootSizes.new(
        "program x\nboot_size.rails/runner/production 1000 2000 server\nboot_size.rake 5\nhit 3\n"
      )
    assert_equal [[1000, 2000, true], [5, 0, false], nil],
                 [sizes["rails/runner/production"].to_a, sizes["rake"].to_a, sizes["hit"]]
    { 1100 => 1000, 1300 => 1300, 1200 => 1300, 900 => 900 }.each do |seen, kept|
      sizes.note("rails/runner/production", seen, 2000)
      assert_equal kept, sizes["rails/runner/production"].kept
    end
    assert_equal [true, false, false], [sizes.serves("rake"), sizes.serves("rake"), sizes.serves("unknown")]
    assert_equal ["boot_size.rake 5 0 server", "boot_size.rails/runner/production 900 2000 server"], sizes.lines
    40.times { |i| sizes.note("c#{i}", i, 0) }
    assert_equal (8..39).map { |i| "boot_size.c#{i} #{i} 0 command" }, sizes.lines
    assert_empty Warmstart::BootSizes.new(nil).lines
  end

  # ---- settings ----

  test "WARMSTART_GC: on, off, a number, nonsense" do
    main = "p governor[:governing], governor[:expecting], governor[:step] >> 20\n"
    {
      "on" => "false true 0",
      "1" => "false true 0",
      "off" => "false false 0",
      "0" => "false false 0",
      "80" => "true false 80"
    }.each { |setting, expected| assert_equal expected, lines(main, gc: setting).join(" ")[0, expected.size], setting }
    run = governed(main, gc: "lots").boot
    assert_match(/\Awarmstart: correct WARMSTART_GC=lots: it is not understood/, run.stderr)
    assert_equal "false\ntrue\n0\n", run.stdout
  end

  test "the log has a line for each collection, and the end" do
    run = governed("keep(100)\nWarmstart.boot_complete!\n", env: { "WARMSTART_LOG" => "1" }).boot
    assert_match(/^warmstart: collection 1 after \d+ MB$/, run.stderr)
    assert_match(
      /^warmstart: the collector is as usual again \(complete\): \d+ collections, from \d+ MB to \d+ MB in \d+ ms$/,
      run.stderr
    )
  end

  test "a hook of the program's does not hear of GC's methods, which stay as they are then" do
    main =
      "$seen = []\ndef GC.singleton_method_added(name) = $seen << [name, $VERBOSE]\nWarmstart.unload!\n$stdout.puts $seen.uniq.inspect, GC.disable, GC.enable, GC.stress = false\n"
    program = program({ "main.rb" => main }, witness: false)
    run = program.boot
    assert_equal "[[:singleton_method_added, false]]\nfalse\ntrue\nfalse\n", run.stdout, run.stderr
  end
end
