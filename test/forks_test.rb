# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/extension"

# Forks of every kind: by a thread of Ruby's, by a C extension behind Ruby's back, and by native threads, in which
# nothing of Ruby's can be called: a library's popen or system does that.
class ForksTest < TestCase
  NATIVE = %w[fork system popen].freeze

  # `code` is what the program does while its files are being loaded. a: by the direct way; b: by Ruby, as its autoload
  # is asked for.
  def forks(code, files = {}, **options)
    assert_same_behaviour(
      {
        "main.rb" =>
          "$stdout.sync = true\nrequire 'calls'\nautoload :B, 'b'\nrequire 'a'\nrequire 'c'\nB\nputs [A, B, C].inspect\n",
        "a.rb" => "A = 1\n#{code}",
        "b.rb" => "module B\n#{code}end\n",
        "c.rb" => "C = 3\n"
      }.merge(files),
      load_path: ["", Extension.folder],
      **options
    )
  end

  NATIVE.each do |way|
    test "#{way} in a native thread, in the middle of loads" do
      plain = forks("puts Calls.#{way}_in_native_thread\n")
      assert_equal ["exit 0", "exit 42\nexit 42\n[1, B, 3]\n", ""], [plain.status, plain.stdout, plain.stderr]
    end
  end

  test "forks in native threads while Ruby's own thread loads, allocates and collects" do
    files = (0...40).to_h { |i| ["f#{i}.rb", "F#{i} = Array.new(200) { |j| \"x\#{j}\" }\n"] }
    main = <<~RUBY
      require "calls"
      statuses = (0...40).map { |i| Calls.fork_in_native_thread { require "f\#{i}"; GC.start if i % 8 == 0 } }
      p statuses.uniq, F39.size
    RUBY
    plain = assert_same_behaviour({ "main.rb" => main, **files }, load_path: ["", Extension.folder])
    assert_equal ["exit 0", "[\"exit 42\"]\n200\n"], [plain.status, plain.stdout]
  end

  # In each child: the collector is as the program left it, files can be loaded, also the one that another thread was
  # loading.
  CHILD = <<~'RUBY'
    child = lambda do
      state = [GC.disable, GC.enable, GC.count.class]
      before = GC.count
      200_000.times { "x" * 100 }
      state << (GC.count > before) << [require("c"), require("slow"), SLOW, C]
      state << Thread.new { require("d") }.value
      $stdout.write("#{state.inspect}\n")
    end
    loader = Thread.new { require "slow" }
    Thread.pass until $loading
  RUBY

  FORKS = {
    "Process.fork with a block" => "Process.wait(Process.fork(&child))\n",
    "Kernel#fork" => "pid = fork\nif pid then Process.wait(pid) else child.call; exit!(0) end\n",
    "fork in a thread" => "Thread.new { Process.wait(fork { child.call }) }.join\n",
    "IO.popen with a fork" => "IO.popen('-') { |io| io ? print(io.read) : child.call }\n",
    "Process._fork" => "pid = Process._fork\nif pid == 0 then child.call; exit!(0) else Process.wait(pid) end\n",
    "Process.daemon" =>
      "reader, writer = IO.pipe\nif (pid = fork) then writer.close; print reader.read; Process.wait(pid) else\n" \
        "Process.daemon(true, true); $stdout.reopen(writer); child.call; exit!(0) end\n",
    "a child of a child" => "Process.wait(fork { child.call; Process.wait(fork { $stdout.write(\"inner\\n\") }) })\n",
    "spawn and system" => "Process.wait(spawn('true')); system('exit 3'); puts $?.exitstatus, `echo x`\n"
  }.freeze

  FORKS.each do |name, code|
    test "#{name}, while another thread loads a file" do
      files = {
        "slow.rb" => "$loading = true\nsleep 0.01 while $hold\nSLOW = 1\n",
        "c.rb" => "C = 3\n",
        "d.rb" => "D = 4\n"
      }
      main =
        "$stdout.sync = true\n$hold = true\n#{CHILD}#{code.gsub("child.call", "($hold = false; child.call)").sub("(&child)", " { $hold = false; child.call }")}" \
          "$hold = false\nloader.join\np SLOW\n"
      plain = assert_same_behaviour({ "main.rb" => main, **files }, misses: :any)
      assert_equal ["exit 0", ""], [plain.status, plain.stderr]
    end
  end

  test "a fork behind Ruby's back: the child loads on" do
    main = <<~RUBY
      require "calls"
      $stdout.sync = true
      if (pid = Calls.fork_behind_ruby) == 0
        GC.start
        p require("c"), C, GC.disable, GC.enable
        exit!(0)
      end
      Process.wait(pid)
      p $?.exitstatus, require("c")
    RUBY
    plain = assert_same_behaviour({ "main.rb" => main, "c.rb" => "C = 3\n" }, load_path: ["", Extension.folder])
    assert_equal ["true\n3\nfalse\ntrue\n0\ntrue\n", "exit 0"], [plain.stdout, plain.status]
  end
end
