# frozen_string_literal: true

require_relative "../test_helper"

# What is not found or cannot be read: each caller, each kind of name, the message, the path and the backtrace.
class ErrorsTest < TestCase
  CALLERS = {
    "require" => "require(name)",
    "Kernel.require" => "Kernel.require(name)",
    "load" => "load(name)",
    "load, wrapped" => "load(name, true)",
    "require_relative" => "require_relative(name)",
    "Kernel.require_relative" => "Kernel.require_relative(name)",
    "autoload" => "(autoload(:Absent, name); Absent)",
    "Module#autoload" => "(module Absence; end; Absence.autoload(:Absent, name); Absence::Absent)",
    "method object" => "method(:require).call(name)",
    "another's method" => "Object.new.send(:require, name)",
    "resolve_feature_path" => "$LOAD_PATH.resolve_feature_path(name)"
  }.freeze

  # In a program whose file a.rb comes from the image.
  NAMES = <<~'RUBY'
    Named = Class.new(String)
    Shown = Struct.new(:to_path)
    Textual = Struct.new(:to_str)
    NAMES = ["nope", "nope.rb", "nope.so", "./nope", "../nope", "~/nope", "#{__dir__}/nope", "#{__dir__}/nope.rb", "folder", "folder.rb", "folder/", "./folder",
             "#{__dir__}/folder.rb", "looped", "looped.rb", "#{__dir__}/looped", "dangling", "#{__dir__}/dangling.rb", "x" * 300, "x/" * 3000, "#{__dir__}/#{"x" * 300}.rb",
             "a\0b", "", "/", ".", "..", "a/", "a.rb/", "a.rb.rb", "a.o", Shown.new("nope"), Shown.new(nil), Shown.new(Textual.new("nope")), Textual.new("nope"), Textual.new(1),
             Named.new("nope"), Named.new("folder"), "nope".encode("UTF-16LE"), "n\xffpe", "n\xffpe".b, "n\u00f6pe", "n\u00f6pe".encode("ISO-8859-1"), "nope".freeze, :nope, nil, 1, [], ["nope"], Object.new.tap { |o| def o.inspect = "object" }]
  RUBY

  FILES = {
    "a.rb" => "A = 1\n",
    "folder.rb/b.rb" => "",
    "folder/b.rb" => "",
    "looped.rb" => :"looped.rb",
    "dangling.rb" => :"nowhere.rb"
  }.freeze

  CALLERS.each do |title, code|
    test "#{title} of what cannot be loaded" do
      plain = assert_same_behaviour(FILES.merge("main.rb" => <<~RUBY), misses: :any, args: %w[--disable-did_you_mean])
        #{NAMES}
        require "a"
        NAMES.each do |name|
          begin
            p [:returns, #{code}]
          rescue Exception => error
            # (On Ruby 3.3 Gem::BUNDLED_GEMS cannot make a message of a name that is no text.)
            p error.class, (error.message rescue $!.class), error.backtrace
            p [error.path, (error.path.encoding if error.path.is_a?(String)), error.path.frozen?] if error.is_a?(LoadError) && error.path
            p error.cause.class, $!.equal?(error)
          end
          Object.send(:remove_const, :Absent) if Object.autoload?(:Absent)
          Object.send(:remove_const, :Absence) if Object.const_defined?(:Absence)
        end
        p Witness.features, $!
      RUBY
      assert_equal "exit 0", plain.status, plain.stderr
    end
  end

  test "a file that its user may not read" do
    program = program({ "a.rb" => "puts :a\n", "closed.rb" => "puts :closed\n", "main.rb" => <<~'RUBY' })
        require "a"
        ["closed", "closed.rb", "#{__dir__}/closed", "./closed"].each do |name|
          %i[require load require_relative].each do |method|
            p [name, method, send(method, name)]
          rescue LoadError => error
            p [name, method, error.message, error.path, error.backtrace]
          end
        end
        p Witness.features
      RUBY

    program.as_nobody
    recorded = [program.boot, File.chmod(0, program.path("closed.rb"))].first
    assert_equal "exit 0", recorded.status
    plain = program.plain
    [{}, NATIVE].each { |environment| assert_same_run plain, program.boot(env: environment), environment.inspect }
  end

  test "errors that nobody rescues, by -r and in the main program" do
    [%w[-r nope], %w[-r ./nope.rb], %w[-rfolder], %w[-I /nowhere -rlooped]].each do |args|
      assert_same_behaviour(FILES.merge("main.rb" => "require 'a'; p A\n"), misses: :any, args: args, ends: "exit 1")
    end
    [
      "require 'nope'",
      "load 'nope'",
      "require_relative 'nope'",
      "autoload :B, 'nope'; B",
      "load 'folder'"
    ].each do |code|
      assert_same_behaviour(FILES.merge("main.rb" => "require 'a'\n#{code}\n"), misses: :any, ends: "exit 1")
    end
  end

  test "C's rb_require, by what Ruby itself requires" do
    assert_same_behaviour(
      {
        "socket.rb" => "p [:own_socket, caller(0)]\n",
        "ripper.rb" => "raise 'own ripper'\n",
        "enc.rb" => "p :enc\n",
        "a.rb" => "p :a\n",
        "main.rb" => <<~RUBY
        require "a"
        p "x".encode("UTF-16").bytesize, Random.urandom(1).size
        p Time.now.respond_to?(:iso8601), Object.const_defined?(:Set), $LOADED_FEATURES.grep(/socket|ripper/).map { |path| File.basename(path) }
        begin; require "ripper"; rescue RuntimeError => error; p error.message, error.backtrace; end
        p Witness.features
      RUBY
      },
      misses: :any
    )
  end

  test "$! and $@ before, inside and after" do
    assert_same_behaviour(
      {
        "a.rb" => "p [:in_a, $!, $@&.size]; begin; raise 'inner'; rescue; p $!; end; p $!\n",
        "b.rb" => "raise 'b'\n",
        "c.rb" => "p [:in_c, $!]; throw :out, $!\n",
        "main.rb" => <<~RUBY
        begin; raise "outer"; rescue; p require("a"), $!; end
        p $!
        begin; raise "outer"; rescue; begin; require "b"; rescue; p $!, $!.cause; end; p $!; end
        begin; begin; raise "e"; ensure; load "a.rb"; p $!; end; rescue; p $!; end
        p catch(:out) { begin; raise "thrown"; rescue; require "c"; end }, $!
        begin; catch(:nothing) { throw :nothing }; ensure; p $!; end
        catch(:through) { begin; throw :through; ensure; p $!; load "a.rb"; p $!; end }
        p Witness.features
      RUBY
      }
    )
  end

  # Before Ruby 3.3 the error of an object that names no file is made of the object itself (load.c: load_failed).
  test "objects that name no file, while files are being loaded the direct way" do
    files = { "main.rb" => "require_relative 'a'\n", "a.rb" => <<~RUBY }
        class Named; attr_reader :seen; def initialize(path) = (@path, @seen = path, []); def to_path = (@seen << :to_path; @path); end
        class Text < Named; def to_str = (@seen << :to_str; @path); end
        [Named, Text].product(%w[nope nope.rb nope.so ./nope /nope folder], [true, false]).each do |kind, path, in_thread|
          name = kind.new(path)
          try = -> do
            p require(name)
          rescue Exception => error
            p error.class, error.message, error.backtrace.size, (error.path.class if error.is_a?(LoadError)), error.cause
          end
          in_thread ? Thread.new(&try).join : try.call
          p name.seen
        end
      RUBY

    assert_same_behaviour files, args: %w[--disable-gems], misses: :any # (RubyGems' require asks for the path itself)
  end
end
