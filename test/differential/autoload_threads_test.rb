# frozen_string_literal: true

require_relative "../test_helper"

# The file of a constant that is still to be autoloaded is asked for by Ruby, because somebody touched the constant, and
# by the program, in several threads.
class AutoloadThreadsTest < TestCase
  # What a thread asks for, as one string.
  HEAD = <<~'RUBY'
    def tell
      yield.inspect
    rescue Exception => error
      "#{error.class} #{error.message[/[^(\n]*/]}"
    end
  RUBY

  # Takes a while before and after it sets X. (With `module X` plain Ruby finds a deadlock, where another thread has
  # touched X.)
  SLOW = "sleep 0.15\nX = Module.new { const_set(:VALUE, 1) }\nsleep 0.05\n"

  # {how the program requires it => [what comes before, the require]}
  REQUIRES = {
    "the same literal" => ["NAME = 'x'\n", "require NAME"],
    "the same path" => ["NAME = \"\#{__dir__}/x.rb\".freeze\n", "require NAME"],
    "the interned path" => ["NAME = \"\#{__dir__}/x.rb\"\n", "require(-NAME)"],
    "what autoload? says" => [
      "NAME = \"\#{__dir__}/x.rb\"\nPATH = ->(name) { Object.autoload?(name) }\n",
      "require PATH[:X]"
    ],
    "the same literal, in a method of a class" => [
      "NAME = 'x'\nclass Loader; def self.go = TOPLEVEL_BINDING.receiver.send(:require, NAME); end\n",
      "Loader.go"
    ],
    "the same path, with Kernel.require" => ["NAME = \"\#{__dir__}/x.rb\".freeze\n", "Kernel.require(NAME)"],
    "the same literal, in a method called require" => [
      "NAME = 'x'\nclass Loader; def require = TOPLEVEL_BINDING.eval('require NAME'); end\n",
      "Loader.new.require"
    ],
    "the same literal, in a class body" => [
      "NAME = 'x'\n",
      "Class.new { TOPLEVEL_BINDING.receiver.instance_eval { require NAME } }; true"
    ],
    "a String of its own class" => ["NAME = Class.new(String).new('x').freeze\n", "require NAME"],
    "the same path, relatively" => ["NAME = \"\#{__dir__}/x.rb\".freeze\n", "require_relative NAME"]
  }.freeze

  REQUIRES.each do |how, (head, code)|
    test "one thread requires #{how}, another touches the constant" do
      assert_same_behaviour(
        { "x.rb" => SLOW, "main.rb" => <<~RUBY },
          # frozen_string_literal: true
          #{HEAD}#{head}autoload :X, NAME
          thread = Thread.new { tell { #{code} } }
          sleep 0.05
          other = Thread.new { tell { X::VALUE } }
          puts thread.value, other.value, Witness.features, tell { X::VALUE }
        RUBY
        variants: %i[recording warm],
        misses: how.include?("own class") ? %w[x.rb] : []
      ) # (recorder.c, keep)
    end
  end

  test "the main thread requires, another touches the constant; from a sealed image, too" do
    assert_same_behaviour({ "x.rb" => SLOW, "main.rb" => <<~RUBY })
        # frozen_string_literal: true
        #{HEAD}NAME = 'x'
        module Many; autoload :X, NAME; autoload :Y, NAME; end
        autoload :X, NAME
        other = [Thread.new { sleep 0.05; tell { X::VALUE } }, Thread.new { sleep 0.05; tell { Many::X } }, Thread.new { sleep 0.05; tell { Many::Y } }]
        puts tell { require NAME }, other.map(&:value), Witness.features, tell { X::VALUE }
      RUBY
  end

  # Recorded without threads, so that nothing keeps the file from going directly.
  def assert_same_with_threads(files)
    program = program(files)
    2.times { program.boot }
    assert_same_run program.plain(env: { "THREADS" => "1" }),
                    program.boot(env: { "THREADS" => "1", "WARMSTART_READONLY" => "1" })
  end

  test "the file itself begins the thread that touches the constant" do
    assert_same_with_threads(
      {
        "x.rb" => "$other = Thread.new { tell { X::VALUE } } if ENV['THREADS']\n#{SLOW}",
        "main.rb" => "#{HEAD}autoload :X, 'x'\nputs tell { require 'x' }, $other&.value, Witness.features\n"
      }
    )
  end

  test "a touch in another file, or by a method called require, during an explicit require" do
    assert_same_behaviour(
      {
        "x.rb" => "look(:X)\nX = 1\nlook(:X)\n",
        "y.rb" => "look(:Y)\nY = 1\nlook(:Y)\n",
        "look.rb" =>
          "def look(name) = p([name, tell { Object.const_get(name) }, Object.autoload?(name), Object.const_defined?(name)])\n",
        "main.rb" => <<~RUBY
        #{HEAD}module Loud; def require(name) = (p [:require, name]; super); end
        class Object; prepend Loud; end
        autoload :X, 'x'; autoload :Y, 'y'
        require 'look'
        p require('x'), tell { X }, tell { Y }, Witness.features
      RUBY
      },
      args: %w[-w]
    )
  end

  # To Ruby these are two autoloads: who is at one of them is not at the other.
  {
    "with and without .rb" => "'x.rb'",
    "in two encodings" => "'x'.encode('US-ASCII')",
    "by a path and a name" => "File.join(__dir__, 'x')"
  }.each do |what, name|
    test "two constants of one file, registered #{what}" do
      assert_same_with_threads({ "x.rb" => "sleep 0.15\nX = 1; Y = 2\nsleep 0.05\n", "main.rb" => <<~RUBY })
          #{HEAD}autoload :X, 'x'; autoload :Y, #{name}
          threads = ENV["THREADS"] ? 2 : 1
          results = %i[X Y].first(threads).map { |name| Thread.new { tell { Object.const_get(name) } }.tap { sleep 0.05 } }
          puts results.map(&:value), Witness.features
        RUBY
    end
  end

  test "constants of modules without a name, nested, private, with the same String" do
    assert_same_behaviour(
      {
        "x.rb" => "sleep 0.05\nHOSTS.each { |host| host.const_set(:X, 1) }\n",
        "y.rb" => "sleep 0.05\nmodule Outer; module Y; X; end; end\n",
        "z.rb" => "sleep 0.2\nmodule Outer; Z = 3; end\n",
        "main.rb" => <<~RUBY
        # frozen_string_literal: true
        #{HEAD}
        HOSTS = [Module.new, Class.new, Class.new { self }].freeze
        module Outer; autoload :Y, "y"; autoload :X, "x"; autoload :Z, "z"; private_constant :Z; def self.z = Z; end
        HOSTS.each { |host| host.autoload :X, "x" }
        threads = HOSTS.map { |host| Thread.new { tell { host::X } } } + [Thread.new { tell { Outer.z } }, Thread.new { sleep 0.02; tell { require "z" } }]
        puts threads.map(&:value), tell { Outer::Y }, tell { HOSTS[1]::X }, Witness.features
      RUBY
      }
    )
  end

  # What plain Ruby reports leaves a thread on the list of those that wait for an autoload (3.1: on its stack, which
  # exit handlers use: so there is no other than ours).
  test "a deadlock that ends the program" do
    program =
      program(
        {
          "thing.rb" => "sleep 0.15\nmodule Thing; end\n",
          "main.rb" => "autoload :Thing, 'thing'\nThread.new { sleep 0.05; Thing }\nrequire 'thing'\n"
        },
        witness: false
      )
    3.times do
      run = program.boot
      assert_equal "exit 1", run.status, run.stderr
      assert_match(/No live threads left\. Deadlock\?/, run.stderr)
    end
  end
end
