# frozen_string_literal: true

require_relative "../test_helper"

# Constants that load their file when they are first used.
class AutoloadTest < TestCase
  with_rubygems

  test "a constant in the middle of being defined" do
    assert_same_behaviour(
      {
        "x.rb" =>
          "p [defined?(X), Object.autoload?(:X), Object.const_defined?(:X)]\nclass X; p defined?(X); end\np require('x')\n",
        "y.rb" => "require 'z'\nmodule Y; Z; end\np defined?(Y2)\nY2 = 3\n",
        "z.rb" => "module Y; Z = 1; end\n",
        "n.rb" => "# defines nothing\n",
        # (Without collections: ruby_compatibility_test.rb, autoload_i_mark.)
        "main.rb" => <<~RUBY
        GC.disable
        autoload :X, "x"; autoload :Y, "y"; autoload :Y2, "y"; autoload :N, "n"
        GC.enable
        p defined?(X), autoload?(:X)
        p X, Witness.features
        p Y, Y2, Witness.features
        begin; N; rescue NameError => error; p error.message; end
        p defined?(N), Witness.features, autoload?(:X), Object.const_source_location(:X), Object.const_source_location(:Y2)
      RUBY
      },
      args: %w[-w]
    )
  end

  test "an explicit require of a pending constant's file" do
    assert_same_behaviour(
      {
        "x.rb" => "p defined?(X), Object.autoload?(:X)\nclass X; end\n",
        "y.rb" => "p defined?(Y); require 'y2'\nclass Y; end\n",
        "y2.rb" => "class Y; end; p Y\n",
        "main.rb" =>
          "autoload :X, 'x'; autoload :Y, 'y'\np require('x'), X, Witness.features, require('y'), Y, Witness.features\n"
      },
      args: %w[-w]
    )
  end

  test "a file that raises is tried again" do
    assert_same_behaviour({ "x.rb" => "$n = $n.to_i + 1; raise 'x' if $n == 1; class X; end\n", "main.rb" => <<~RUBY })
        autoload :X, "x"
        begin; X; rescue RuntimeError => error; p error.message, error.backtrace; end
        p autoload?(:X), Witness.features, X, Witness.features
      RUBY
  end

  test "a file that does not exist" do
    assert_same_behaviour({ "main.rb" => <<~RUBY })
        autoload :X, "nope"
        2.times { begin; X; rescue LoadError => error; p error.message, error.path, error.backtrace; end }
        p autoload?(:X), defined?(X), Object.const_defined?(:X)
      RUBY
  end

  test "an autoload that is registered inside its own file" do
    assert_same_behaviour(
      {
        "x.rb" => "module M; autoload :X, 'x'; p autoload?(:X), defined?(X); class X; end; end\n",
        "p.rb" => "module P; autoload :Q, 'p/q'; end\n",
        "p/q.rb" => "module P; p autoload?(:Q); module Q; end; end\n",
        "main.rb" =>
          "p require('x'), M::X, Witness.features\nautoload :P, 'p'\np require('p/q'), P::Q, Witness.features\n"
      }
    )
  end

  test "nested modules, absolute paths, and several names for a file" do
    assert_same_behaviour(
      {
        "m.rb" => "module M; autoload :N, \"\#{__dir__}/m/n.rb\"; autoload :O, 'm/n'; end\n",
        "m/n.rb" => "module M; N = 1; O = 2; end\n",
        "main.rb" => "autoload :M, 'm.rb'\np M::N, M::O, M.autoload?(:N), M.constants.sort, Witness.features\n"
      }
    )
  end

  test "inherit, const_get, const_missing, remove_const" do
    assert_same_behaviour({ "c.rb" => "class Base; C = 1; end\n", "d.rb" => "D = 1\n", "main.rb" => <<~RUBY })
        class Base; autoload :C, "c"; end
        class Derived < Base; end
        p Derived.autoload?(:C), Derived.autoload?(:C, false), Derived.const_get(:C), Derived.autoload?(:C)
        Object.autoload :D, "d"
        p Object.send(:remove_const, :D), Object.const_defined?(:D), Witness.features
        def Object.const_missing(name) = [:missing, name]
        p D, Object.const_get("E")
      RUBY
  end

  test "unloading and loading again" do
    assert_same_behaviour({ "x.rb" => "class X; end\n", "main.rb" => <<~'RUBY' })
        file = "#{__dir__}/x.rb"
        3.times do
          Object.autoload(:X, file)
          p X, Witness.features
          Object.send(:remove_const, :X)
          $LOADED_FEATURES.reject! { |feature| feature == file }
        end
      RUBY
  end

  test "several threads touch a constant" do
    assert_same_behaviour(
      {
        "x.rb" => "sleep 0.1; class X; sleep 0.1; V = 1; end\n",
        "main.rb" => "autoload :X, 'x'\np 4.times.map { Thread.new { X::V } }.map(&:value), Witness.features\n"
      }
    )
  end

  test "the constant is touched in one thread while another requires its file" do
    assert_same_behaviour({ "x.rb" => "sleep 0.1; class X; sleep 0.1; V = 1; end\n", "main.rb" => <<~RUBY })
        autoload :X, "x"
        thread = Thread.new { require "x" }
        sleep 0.05
        begin
          p Thread.new { X::V }.value, thread.value, Witness.features
        rescue Exception => error # (plain Ruby finds a deadlock here)
          p error.class
        end
      RUBY
  end

  test "wrong arguments" do
    assert_same_behaviour({ "main.rb" => <<~RUBY })
        begin; Object.autoload(:x, "y"); rescue NameError => error; p error.message, error.backtrace; end
        begin; autoload(:X, ""); rescue ArgumentError => error; p error.message, error.backtrace; end
        begin; autoload(:X); rescue ArgumentError => error; p error.message, error.backtrace; end
        begin; Kernel.autoload(:X, nil); rescue TypeError => error; p error.message, error.backtrace; end
        begin; Module.new.freeze.autoload(:X, "x"); rescue => error; p error.class, error.backtrace; end
        p autoload(:Y, "y"), Object.autoload?(:Y), (autoload(:String, "s"))
      RUBY
  end

  test "methods called autoload of one's own" do
    assert_same_behaviour({ "x.rb" => "X = 1\n", "main.rb" => <<~RUBY })
        module Loud; def autoload(name, file) = (p [name, file]; super); end
        class Module; prepend Loud; end
        Object.autoload :X, "x"
        p X, Module.instance_method(:autoload).owner, Module.instance_method(:autoload).super_method.owner
        module Quiet; extend self; def self.autoload(*list) = list; end
        p Quiet.autoload(1, 2, 3)
      RUBY
  end

  test "a module that was prepended before the first file was compiled" do
    # (By then Kernel#autoload is called from Loud, so Y is a constant of that module.)
    plain =
      assert_same_behaviour(
        { "a.rb" => "Object.autoload :X, 'x'\np X\n", "x.rb" => "X = 1\n", "y.rb" => "Y = 1\n", "main.rb" => <<~RUBY }
        module Loud; def autoload(name, file) = (p [name, file]; super); end
        class Module; prepend Loud; end
        module Kernel; prepend Loud; end
        require "a"
        autoload :Y, "y"
        p (Y rescue $!.message), Loud.autoload?(:Y), Object.new.send(:autoload, :Z, "z"), Module.instance_method(:autoload).super_method.owner
      RUBY
      )
    assert_equal "exit 0", plain.status, plain.stderr
  end

  test "what a file sees of $LOADED_FEATURES" do
    assert_same_behaviour(
      {
        "x.rb" => "p Witness.features; class X; end\n",
        "y.rb" => "p Witness.features; require 'z'; p Witness.features\n",
        "z.rb" => "p Witness.features\n",
        "main.rb" => "autoload :X, 'x'; X; require 'y'; p Witness.features\n"
      }
    )
  end

  test "Kernel#autoload in a class, in a method, in a singleton class, in instance_eval" do
    assert_same_behaviour(
      {
        "x.rb" => "class Host; X = 1; end\n",
        "y.rb" => "class Host; Y = 1; end\n",
        "z.rb" => "Z = 1\n",
        "main.rb" => <<~RUBY
        class Host
          autoload :X, "x"
          def self.late = autoload(:Y, "y")
        end
        Host.late
        instance_eval { autoload :Z, "z" }
        p Host::X, Host::Y, Z, Witness.features, Host.constants.sort
      RUBY
      }
    )
  end

  # What the recording saw of a file is a hint: here it does something else once its image is there. (While it runs,
  # $LOADED_FEATURES has the file: docs/semantics.md, 9.)
  CHANGED_MIND = {
    "" => "",
    " and raises" => "raise 'changed my mind' if ($tries = $tries.to_i + 1) == 1",
    " and throws" => "throw :out, 7 if ($tries = $tries.to_i + 1) == 1",
    " and requires another file" => "require 'other'"
  }.freeze

  CHANGED_MIND.each do |what, code|
    test "a file registers an autoload of itself#{what}, which no recording has seen, while other threads ask for it" do
      program =
        program(
          {
            "x.rb" =>
              "if ENV['OTHER']\n  module M; autoload :X, 'x'; p autoload?(:X), defined?(X); end\n  #{code}\nend\nmodule M; class X; VALUE = 1; end; end\n$begin&.call\n",
            "other.rb" => "OTHER = 1\n",
            "main.rb" => <<~'RUBY'
          $begin = lambda do
            threads = ["x", "x.rb", "#{__dir__}/x", "./x"].map { |name| Thread.new { require name } }
            p threads.map { |thread| thread.join(0.05) }
            $begin = nil
            $threads = threads
          end
          2.times do
            p catch(:out) { require "x" }
          rescue RuntimeError => error
            p error.message, error.backtrace
          ensure
            p $threads&.map(&:value), Witness.features, M.autoload?(:X), defined?(M::X)
          end
          p require("x"), M::X::VALUE, Witness.features
        RUBY
          }
        )
      2.times { program.boot }
      plain = program.plain(env: { "OTHER" => "1" })
      assert_equal "exit 0", plain.status, plain.stderr
      run = program.boot(env: { "OTHER" => "1", "WARMSTART_READONLY" => "1" })
      assert_same_run plain, run
      assert_includes run.hits, "x.rb"
    end
  end
end
