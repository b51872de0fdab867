# frozen_string_literal: true

require_relative "../test_helper"

# Which file a feature names, what require returns, and what $LOADED_FEATURES holds then.
class RequireTest < TestCase
  with_rubygems

  test "names with and without extension, absolute and relative, are one feature" do
    assert_same_behaviour({ "a.rb" => "puts :a\n", "main.rb" => <<~'RUBY' })
        p require("a"), require("a.rb"), require("#{__dir__}/a"), require("#{__dir__}/a.rb"), require("./a"), require("#{__dir__}/../#{File.basename(__dir__)}/a")
        p Witness.features
      RUBY
  end

  test "names that are not canonical" do
    assert_same_behaviour({ "sub/a.rb" => "puts :a\n", "main.rb" => <<~RUBY })
        ["sub//a", "sub/./a", "sub/../sub/a", "./sub/a", "sub/a.rb.rb", "sub/a/", "sub/a.", "sub", "", "/", "."].each do |name|
          p [name, require(name)]
        rescue LoadError => error
          p [name, error.message, error.path]
        end
        p Witness.features
      RUBY
  end

  test "a name may contain dots and an unknown extension" do
    assert_same_behaviour(
      {
        "a.b.rb" => "puts :ab\n",
        "c.txt.rb" => "puts :c\n",
        "d.so.rb" => "puts :d\n",
        "e.o" => "",
        "f.rb.rb" => "puts :f\n",
        "main.rb" => <<~RUBY
        %w[a.b c.txt d.so d.o e e.o f f.rb f.rb.rb].each do |name|
          p [name, require(name)]
        rescue LoadError => error
          p [name, error.message]
        end
        p Witness.features
      RUBY
      }
    )
  end

  test "libraries are found with and without extension" do
    plain = assert_same_behaviour({ "main.rb" => <<~RUBY })
        p require("etc"), require("etc.so"), require("etc.o"), (begin; require("etc.rb"); rescue LoadError; $!.class; end), require("fcntl"), require("io/wait")
        p require("digest/md5"), Digest::MD5.hexdigest("")
      RUBY

    assert_equal "exit 0", plain.status, plain.stderr
  end

  test "a name that is not ASCII" do
    assert_same_behaviour({ "é.rb" => "p __FILE__, __FILE__.encoding\n", "main.rb" => <<~'RUBY' })
        p require("é"), Witness.features, $LOADED_FEATURES.include?("#{__dir__}/é.rb")
        p require("é"), require("#{__dir__}/é.rb".b), require("é".encode("UTF-16LE").force_encoding("UTF-16LE")) rescue p $!.class, $!.message
      RUBY
  end

  test "names in other encodings" do
    assert_same_behaviour(
      { "a.rb" => "puts :a\n", "b.rb" => "puts :b\n", "c.rb" => "puts :c\n", "main.rb" => <<~RUBY },
        p require("a".encode("US-ASCII")), require("b".b), require("c".encode("ISO-8859-1")), Witness.features
        begin; require "a".encode("UTF-16LE"); rescue => error; p error.class, error.message; end
      RUBY
      misses: Program::WINDOWS ? [] : %w[c.rb]
    ) # (on Windows the path of c.rb is in UTF-8, too)
  end

  test "under another file system encoding" do
    assert_same_behaviour(
      {
        "a.rb" => "p __FILE__.encoding\n",
        "main.rb" => "p require('a'), Witness.features, Encoding.find('filesystem')\n"
      },
      env: {
        "LANG" => "C",
        "LC_ALL" => "C"
      }
    )
  end

  test "features that are not Strings" do
    assert_same_behaviour(
      { "a.rb" => "puts :a\n", "b.rb" => "puts :b\n", "c.rb" => "puts :c\n", "main.rb" => <<~'RUBY' },
        require "pathname"
        class Name; def to_path = (puts(:to_path); "b"); end
        class Text < String; end
        class Texty; def to_str = (puts(:to_str); "a"); end
        p require(Pathname("a")), require(Name.new), require(Text.new("c")), require(Texty.new), Witness.features
        p $LOADED_FEATURES.map(&:class).uniq
        [nil, 1, :a, "a\0b", Object.new].each do |name|
          require name
        rescue => error
          puts error.class, error.message.sub(/#<.*>/, "#<>")
        end
      RUBY
      misses: %w[c.rb]
    ) # (recorder.c, keep: what the path is made of is no plain String)
  end

  test "a method of the program's that $LOAD_PATH has is not asked about features that are not Strings" do
    inner = <<~RUBY
      Name = Struct.new(:to_path)
      def $LOAD_PATH.resolve_feature_path(name) = (puts "asked for \#{name}")
      p require(Name.new("a"))
      %w[missing ./missing].each do |name|
        require Name.new(name)
      rescue LoadError, TypeError => error
        puts error.class, error.message
      end
    RUBY
    files = { "a.rb" => "puts :a\n", "main.rb" => "require 'inner'", "inner.rb" => inner }
    assert_same_boots program(files, witness: false, args: %w[--disable-gems]), 3
  end

  test "a feature's String is not frozen, kept or changed" do
    assert_same_behaviour(
      {
        "a.rb" => "A = 1\n",
        "main.rb" =>
          "name = +'a'; p require(name), name.frozen?, name; name << 'b'; p Witness.features, $LOADED_FEATURES.last.frozen?\n"
      }
    )
  end

  test "a feature that does not exist raises LoadError with its path" do
    assert_same_behaviour({ "a.rb" => "require 'nope/nope'\n", "main.rb" => <<~RUBY }, ends: "exit 1")
        ["nope", "nope.rb", "nope.so", "./nope", "/nope/nope", "~/nope"].each do |name|
          require name
        rescue LoadError => error
          p error.message, error.path, error.backtrace
        end
        begin; require "a"; rescue LoadError => error; p error.path, error.backtrace; end
        p Witness.features
        require "missing"
      RUBY
  end

  test "a home folder that does not exist" do
    assert_same_behaviour({ "main.rb" => <<~RUBY })
        begin; require "~nobody_of_that_name/a"; rescue ArgumentError, LoadError => error; p error.class, error.message; end
        ENV["HOME"] = "relative"
        begin; require "~/a"; rescue ArgumentError, LoadError => error; p error.class, error.message; end
      RUBY
  end

  test "circular requires warn under -w" do
    assert_same_behaviour(
      {
        "a.rb" => "p require('b')\nA = 1\n",
        "b.rb" => "p require('a')\np((A rescue :not_yet))\n",
        "main.rb" => "p require('a'), Witness.features\n"
      },
      args: %w[-w]
    )
  end

  test "a file that requires itself" do
    assert_same_behaviour(
      {
        "a.rb" => "p require('a'), require(__FILE__), require_relative('a')\n",
        "main.rb" => "p require('a'), Witness.features\n"
      },
      args: %w[-w]
    )
  end

  # (Ruby freezes the load path's Strings when it has to expand them, which not every name makes it do: rb_feature_p.)
  test "whether the load path has been expanded" do
    names = %w[
      './a'
      './a.rb'
      '../application/a'
      '../application/a.rb'
      __FILE__
      __FILE__.chomp('.rb')
      'a'
      './b'
      './none'
    ]
    asked =
      names.map { |name| "require(#{name})" } +
        ["require_relative('a')", "load('./b.rb')", "Thread.new { require('./a') }.stop?"]
    asked.each do |ask|
      assert_same_behaviour(
        {
          "a.rb" => "SEEN << begin #{ask}; rescue LoadError; :none end\nsleep 0.1\nSEEN << ENTRY.frozen?\n",
          "b.rb" => "B = 1\n",
          "main.rb" => <<~RUBY
            SEEN = []
            $LOAD_PATH.push(ENTRY = +"/nowhere")
            SEEN << require(File.join(__dir__, "a")) << ENTRY.frozen?
            p SEEN
          RUBY
        },
        args: %w[--disable-gems],
        witness: false
      )
    end
  end

  test "nested files are provided innermost first" do
    assert_same_behaviour(
      {
        "a.rb" => "require 'b'; require 'c'\n",
        "b.rb" => "require 'd'\n",
        "c.rb" => "require 'd'\n",
        "d.rb" => "p Witness.features\n",
        "main.rb" => "require 'a'; p Witness.features\n"
      }
    )
  end

  test "an empty file, a file of comments, a file without a last newline" do
    assert_same_behaviour(
      {
        "a.rb" => "",
        "b.rb" => "# nothing\n",
        "c.rb" => "C = 1",
        "d.rb" => "\n\n\n",
        "main.rb" => "p require('a'), require('b'), require('c'), require('d'), C, Witness.features\n"
      }
    )
  end

  test "symlinked files are one feature by the realpath or two, as Ruby has it" do
    assert_same_behaviour(
      {
        "real/a.rb" => "$count = $count.to_i + 1; p __FILE__, __dir__; require_relative 'b'\n",
        "real/b.rb" => "p __FILE__\n",
        "link" => :real,
        "main.rb" => <<~'RUBY'
        $LOAD_PATH.unshift "#{__dir__}/link"
        p require("a"), Witness.features
        p require("#{__dir__}/real/a"), require("#{__dir__}/link/a.rb"), Witness.features, $count
        $LOAD_PATH.unshift "#{__dir__}/real"
        p require("a"), require("b"), Witness.features, $count
      RUBY
      }
    )
  end

  test "a symlink to a file" do
    assert_same_behaviour(
      {
        "sub/real.rb" => "p __FILE__, __dir__; require_relative 'other'\n",
        "sub/other.rb" => "puts :other\n",
        "link.rb" => :"sub/real.rb",
        "main.rb" => "p require('link'), require('sub/real'), Witness.features\n"
      }
    )
  end

  test "require_relative, also from eval and from a method of another file" do
    assert_same_behaviour(
      {
        "a.rb" => "A = 1\n",
        "b.rb" => "B = 1\n",
        "sub/c.rb" => "def relative(name) = require_relative(name)\n",
        "sub/d.rb" => "puts :d\n",
        "main.rb" => <<~RUBY
        p require_relative("a"), require_relative("a.rb"), require_relative("./a"), require_relative("sub/c")
        p relative("d"), eval("require_relative 'b'", binding, __FILE__)
        begin; eval("require_relative 'b'"); rescue LoadError => error; p error.message, error.backtrace; end
        p instance_eval { require_relative "b" }, send(:require_relative, "b"), Kernel.require_relative("a"), Witness.features
        begin; require_relative "zz"; rescue LoadError => error; p error.message, error.path, error.backtrace; end
        begin; ["zz"].each { |name| require_relative name }; rescue LoadError => error; p error.message, error.backtrace; end
      RUBY
      }
    )
  end

  test "a program from -e and one from standard input" do
    program = program({ "a.rb" => "p caller(0).size, __FILE__\n", "main.rb" => "" })
    code = "p require('a'), __FILE__, $0; p require_relative('a')"
    [[["-e", code], ""], [[], code]].each do |arguments, stdin|
      with_us = Array.new(2) { program.ruby("-r", Program::SETUP, "-I", program.folder, *arguments, stdin: stdin) }
      plain = program.ruby("-I", program.folder, *arguments, stdin: stdin)
      with_us.each { |run| assert_same_run plain, run }
    end
  end

  test "features that do not exist: the error, its path and its message, whoever asks" do
    assert_same_behaviour(
      { "lib/a.rb" => "A = 1\n", "lib/deep/b.rb" => "B = 1\n", "main.rb" => <<~RUBY },
        def report(feature)
          yield
        rescue LoadError => error
          p error.class, error.message, error.message.encoding, error.message.frozen?, error.backtrace, error.backtrace_locations.map(&:label)
          p error.path, error.path.encoding, error.path.frozen?, error.path.equal?(feature), error.instance_variables, error.cause
        end
        require "a"
        ["none", "deep/none", "none/none/none", "none.rb", "none.so", "none.other", -"frozen", "b"].each do |name|
          report(name) { require name }
          report(name) { Kernel.require name }
          report(name) { send(:require, name) }
        end
        begin
          raise "first"
        rescue
          report("none") { require "none" }
          p $!.message
        end
        report("x") { Object.autoload(:Nothing, "nothing"); Nothing }
        p (begin; require "none"; rescue LoadError; $!.path; end), $!, Witness.features
      RUBY
      load_path: ["lib"]
    )
  end
end
