# frozen_string_literal: true

require_relative "../test_helper"

# Files that ask for one another in a circle, in every pair of spellings, under -w.
class CircularTest < TestCase
  WAYS = {
    "require" => "p require('%s')",
    "with .rb" => "p require('%s.rb')",
    "absolute" => "p require(\"\#{__dir__}/%s\")",
    "dotted" => "p require('./%s')",
    "relative" => "p require_relative('%s')",
    "Kernel" => "p Kernel.require('%s')",
    "load" => "p load('%s.rb') if ($n = $n.to_i + 1) < 4",
    "autoload" => "autoload(:%s, '%s'); p defined?(%s)",
    "in eval" => "p eval(\"require '%s'\")",
    "by map" => "p %%w[%s].map(&method(:require))",
    "link" => "p require('link_%s')",
    "slashes" => "p require(\"\#{__dir__}//%s\")",
    "detour" => "p require(\"\#{__dir__}/../\#{File.basename(__dir__)}/%s.rb\")"
  }.freeze

  def self.spell(way, name) =
    way
      .gsub("%s") { name }
      .gsub("autoload(:#{name}", "autoload(:#{name.upcase}")
      .gsub("defined?(#{name})", "#{name.upcase} rescue p($!.class)")
      .gsub("%%", "%")

  WAYS.each do |first, way|
    test "#{first} and the others" do
      names = ("a".."z").take(2 * WAYS.size)
      files =
        WAYS
          .values
          .each_with_index
          .flat_map do |back, index|
            there, here = names[2 * index, 2]
            [
              ["#{there}.rb", "p :#{there}\n#{self.class.spell(way, here)}\n#{there.upcase} = 1\n"],
              ["#{here}.rb", "p :#{here}\n#{self.class.spell(back, there)}\n#{here.upcase} = 1\n"],
              ["link_#{there}.rb", :"#{there}.rb"],
              ["link_#{here}.rb", :"#{here}.rb"]
            ]
          end
          .to_h
      main =
        names
          .each_slice(2)
          .map do |there, _|
            "begin; p require('#{there}'); rescue Exception => error; p error.class, error.message.lines.first, error.backtrace; end\n"
          end
      assert_same_behaviour(
        { **files, "main.rb" => "#{main.join}p Witness.features\n" },
        args: %w[-w --disable-did_you_mean],
        misses: :any
      )
    end
  end

  # (A generated library's: seed 43394.) load_lock has one table for all names of a file, so that who loads it never
  # waits for who waits for it.
  SEARCHED = {
    "dotted" => "require('./%s')",
    "dotted with .rb" => "require('./%s.rb')",
    "slashes" => "require(\"\#{__dir__}//%s\")",
    "detour" => "require(\"\#{__dir__}/../\#{File.basename(__dir__)}/%s.rb\")",
    "from home" => "require('~/%s')",
    "an object" => "require(Path.new('%s.rb'))",
    "an object, dotted" => "require(Path.new('./%s'))",
    "a String of another class" => "require(Text.new('%s.rb'))",
    "a binary String" => "require('%s.rb'.b)",
    "absolute" => "require(\"\#{__dir__}/%s\")",
    "require" => "require('%s')",
    "with .rb" => "require('%s.rb')",
    "relative" => "require_relative('%s')"
  }.freeze
  SEARCHED.each do |asked, way|
    test "a thread waits for a file that another loads and asks for itself: #{asked}" do
      names = SEARCHED.keys.each_index.map { |index| "file_#{index}" }
      files =
        SEARCHED
          .values
          .zip(names)
          .to_h do |own, name|
            [
              "#{name}.rb",
              "$inside << 1\nsleep 0.001 until $asks && Thread.main.status == 'sleep'\nsleep 0.01\np :#{name}, #{own.gsub("%s", name)}, :end\n"
            ]
          end
      main =
        names.map do |name|
          "$asks = false\nthread = Thread.new { require '#{name}' }\n$inside.pop\n$asks = true\nbegin; p #{way.gsub("%s", name)}; rescue Exception => error; p error.class; end\np thread.value\n"
        end
      assert_same_behaviour(
        {
          **files,
          "main.rb" =>
            "Path = Struct.new(:path) { def to_path = path.tap { p :asked } }\nText = Class.new(String)\nENV['HOME'] = __dir__\nrequire 'thread'\n$inside = Queue.new\n#{main.join}p Witness.features\n"
        },
        misses: :any
      )
    end
  end

  # (A generated library's: seed 66866.) A file that an autoload loads directly is in $LOADED_FEATURES before it has
  # run, but for Ruby it is only being loaded: its name means what the search finds, unless it ends in .rb.
  [%w[lib other], %w[other lib]].each do |load_path|
    ["a", "a.rb", "./lib/a", "./other/a", "../\#{File.basename(__dir__)}/lib/a.rb"].each do |name|
      test "an autoload's file asks for its own name, the load path being #{load_path.join(", ")}: #{name}" do
        asks = "begin; p require(\"#{name}\"); rescue Exception => error; p error.class; end\n"
        assert_same_behaviour(
          {
            "lib/a.rb" => "p :lib_a\n$count = $count.to_i + 1\n",
            "other/a.rb" =>
              "p :other_a\n#{asks}t = Thread.new { #{asks} }\np t.join(0.3).nil?\nt.kill\nt.join\n#{asks}module N; end\n",
            "other/b.rb" => "class Object; autoload :M, 'a'; end\np((M rescue $!.class))\n",
            "main.rb" =>
              "Dir.chdir(__dir__)\nautoload :N, \"\#{__dir__}/other/a\"\np N\n#{asks}p require('b'), $count, Witness.features\n"
          },
          load_path: load_path,
          misses: :any
        )
      end
    end
  end

  test "a file asks for a name of its own, which another file has, too, while that one waits for it" do
    %w[a a.rb].each do |name|
      assert_same_behaviour(
        {
          "linked" => :lib,
          "lib/a.rb" => "$count = $count.to_i + 1\nmodule N\nend\n",
          "other/a.rb" => "t = Thread.new { p require('#{name}') }\np t.join(0.3).nil?\nt.kill\nt.join\n",
          "main.rb" =>
            "Kernel.autoload :N, \"\#{__dir__}/other/a\"\nbegin; p require(\"\#{__dir__}/linked/a.rb\"); rescue Exception => error; p error.class; end\np $count, Witness.features\n"
        },
        load_path: %w[lib other],
        misses: :any
      )
    end
  end

  test "a name with its .rb, of any class, means the file of that name that is being loaded, in whatever folder" do
    %w[
      Text.new('a.rb')
      Path.new('a.rb')
      'a.rb'.b
      'a.rb'.dup.force_encoding('ISO-8859-1')
      Text.new('a')
      Path.new('./lib/a')
    ].each do |name|
      assert_same_behaviour(
        {
          "lib/a.rb" => "p :lib_a\n",
          "other/a.rb" => "p :other_a, (require(#{name}) rescue $!.class)\n",
          "main.rb" =>
            "Path = Struct.new(:path) { def to_path = path.tap { p :asked } }\nText = Class.new(String)\nDir.chdir(__dir__)\np require_relative('other/a'), Witness.features\n"
        },
        load_path: %w[lib other],
        args: %w[--disable-gems],
        misses: :any
      )
    end
  end

  test "a name with its .rb means the file of that name that is being loaded, in whatever folder" do
    assert_same_behaviour(
      {
        "lib/a.rb" => "p :lib_a\n",
        "other/a.rb" => "p :other_a, require('a.rb'), require('a'), require('a.rb')\n",
        "main.rb" => "p require_relative('other/a'), require('a'), require('a.rb'), Witness.features\n"
      },
      load_path: %w[lib other],
      args: %w[-w],
      misses: :any
    )
  end

  # search_required looks whether a file is provided before load_lock looks whether it is being loaded. (A generated
  # library's: seed 20105.)
  test "the program itself provides a file that is being loaded, and another thread requires it" do
    ["require 'a'", "require \"\#{__dir__}/a.rb\"", "require_relative 'a'"].each do |asks|
      assert_same_behaviour(
        {
          "provides.rb" => "$LOADED_FEATURES << \"\#{__dir__}/a.rb\"\n",
          "a.rb" => "load \"\#{__dir__}/provides.rb\"\nThread.new { p #{asks} }.join(2)\np :end\n",
          "main.rb" => "$LOAD_PATH.unshift(__dir__)\np require_relative('a'), Witness.features\n"
        }
      )
    end
  end

  # (Generated programs': seeds 2029 and 2126. The folder is not in the index, so that Ruby itself searches.)
  test "a name with its .rb means the file that is being loaded, also where another of that name has just been put before it" do
    link = "__dir__ + '/link'"
    folders = [
      "__dir__ + '/lib'",
      "__dir__ + '/lib/../lib'",
      "__dir__ + '/lib/'",
      "'lib'",
      *(link unless Program::WINDOWS)
    ]
    %w[$LOAD_PATH.unshift(shadow) $LOAD_PATH.push(shadow)]
      .product(%w[a.rb a], folders)
      .each do |puts_it, name, folder|
        assert_same_behaviour(
          { "lib/a.rb" => <<~RUBY, "main.rb" => <<~MAIN, **(folder == link ? { "link" => :lib } : {}) },
        shadow = __dir__ + "/shadow"
        Dir.mkdir(shadow)
        File.write(shadow + "/a.rb", "puts 'shadow'")
        #{puts_it}
        p require(#{name.dump})
      RUBY
        at_exit { File.delete(__dir__ + "/lib/shadow/a.rb"); Dir.rmdir(__dir__ + "/lib/shadow") }
        $LOAD_PATH.unshift(#{folder})
        p require('a.rb'), Witness.features
      MAIN
          misses: :any,
          variants: %i[recording warm sealed]
        )
      end
  end

  # (a generated library's: seed 43272 on 3.4)
  test "a linked file that requires itself by its own name, forgets it, and is asked for by it" do
    assert_same_behaviour(
      {
        "link_a.rb" => :"a.rb",
        "a.rb" => "p [:a, __FILE__]\np require('a')\n$LOADED_FEATURES.reject! { |path| path.end_with?('a.rb') }\n",
        "main.rb" => "p require('link_a'), require(\"\#{__dir__}/a.rb\"), Witness.features\n"
      },
      misses: :any
    )
  end

  test "the warning's frames: blocks, evaluated Strings, methods, Ruby's own methods" do
    assert_same_behaviour({ "a.rb" => <<~RUBY, "main.rb" => "def go = require('a')\ngo\n" }, args: %w[-w])
        class C
          def m = [1].each { 1.times { tap { require "a" } } }
          def self.s = eval("require 'a'; [1].map { require 'a' }")
          class << self; def t = instance_eval { class_eval("require 'a'", "made_up.rb", 5) }; end
          define_method(:d) { binding.eval("require_relative 'a'", __FILE__) }
        end
        C.new.m; C.s; C.t; C.new.d
        begin; 1; ensure; require "a"; end
        at_exit { p require("a") }
        Module.new { module_eval "require 'a'" }
        loop { require "a"; break }
        -> { require "a" }.()
        Thread.new { Fiber.new { 1 }.resume }.join
        send(:require, "a"); method(:require).to_proc.("a"); %w[a].each(&method(:require))
      RUBY
  end

  # Ruby has taken no lock for it, so where a signal's handler asks it raises ThreadError (load_lock).
  test "a signal's handler requires the file that is being loaded, of whose name a library is provided" do
    names = %w[a a.rb ./lib/a ./lib/a.rb b a.so]
    files = {
      "main.rb" => "$LOAD_PATH.unshift(__dir__ + '/lib')\n$\" << __dir__ + '/lib/a.so'\nrequire 'start'\n",
      "lib/start.rb" => "p require(__dir__ + '/a.rb')\n",
      "lib/a.rb" => <<~RUBY
        [*#{names.inspect}, __dir__ + "/a", __FILE__].each do |name|
          trap(:USR1) { p [name.delete_prefix(__dir__), begin; require(name); rescue Exception; $!.class; end] }
          Process.kill(:USR1, $$)
          sleep 0.01
        end
      RUBY
    }
    assert_same_behaviour files, misses: :any
    assert_same_behaviour files, args: %w[--disable-gems], misses: :any
  end
end
