# frozen_string_literal: true

require_relative "../test_helper"

# What a recording boot notes of a file beside its code (core/image/image_format.h, WS_ENTRY_*), and what becomes of it.
class HintsTest < TestCase
  OWN = "autoload :Own, \"\#{__dir__}/own\"\nputs \"provided: \#{$LOADED_FEATURES.last == __FILE__}\"\n"

  # The second compilation takes the first one's place; nobody watches what a `load` does.
  test "a file that registers an autoload of itself is required, and loaded once more" do
    main = "$LOAD_PATH.unshift(__dir__)\nrequire 'own'\nload 'own.rb'\n"
    assert_same_behaviour({ "own.rb" => OWN, "main.rb" => main })
    assert_same_behaviour({ "own.rb" => OWN, "main.rb" => main.sub("require 'own'", "require_relative 'own'") })
  end

  # thread_sync.c, rb_thread_shield_wait: the error comes between the count of those who wait going up and going down,
  # so that load_unlock finds somebody who waits, and the file counts as being loaded for ever.
  test "a load fails since a fiber has required the file that its thread is loading" do
    plain = assert_same_behaviour({ "own.rb" => "Fiber.new { require 'own' }.resume\n", "main.rb" => <<~RUBY })
      $LOAD_PATH.unshift(__dir__)
      begin
        require "own"
      rescue Exception => error # (Ruby 3.1 finds a deadlock, which is fatal)
        puts error.class, error.message.lines.first, error.backtrace_locations.map(&:lineno).inspect
      end
      Object.autoload(:Own, "own.rb")
      p Object.autoload?(:Own), $LOADED_FEATURES.grep(/own/)
    RUBY

    assert_equal "exit 0", plain.status, plain.stderr
  end

  # An image is written after a second without a new file, or when the program says that it has booted.
  WRITTEN = "Warmstart.session && (Warmstart.boot_complete!; Warmstart::Native.wait(9_000)) if defined?(Warmstart)\n"

  test "a file registers an autoload of itself after the image was written" do
    assert_same_behaviour(
      {
        "main.rb" => "$LOAD_PATH.unshift(__dir__)\nrequire 'own'\n",
        "own.rb" => "#{WRITTEN}autoload :Own, 'own'\nrequire 'inner'\n",
        "inner.rb" => "p $LOADED_FEATURES.grep(/own\\.rb/)\n"
      },
      misses: :any
    )
  end

  test "a file registers an autoload of itself in a child of fork" do
    skip "no fork" unless Process.respond_to?(:fork)
    assert_same_behaviour(
      {
        "main.rb" => "$LOAD_PATH.unshift(__dir__)\nrequire 'own'\n",
        "own.rb" => "require 'inner'\n",
        "inner.rb" => <<~RUBY
      child = fork do
        autoload :Own, "own"
        puts $LOADED_FEATURES.grep(/own\\.rb/).inspect
        $stdout.flush
        exit!(0)
      end
      Process.wait(child)
    RUBY
      },
      misses: :any
    )
  end

  test "a load fails after the image was written" do
    plain =
      assert_same_behaviour(
        { "own.rb" => "#{WRITTEN}Fiber.new { require 'own' }.resume\n", "main.rb" => <<~RUBY },
      $LOAD_PATH.unshift(__dir__)
      begin
        require "own"
      rescue Exception => error
        puts error.class, error.message.lines.first
      end
      Object.autoload(:Own, "own.rb")
      p Object.autoload?(:Own), $LOADED_FEATURES.grep(/own/)
    RUBY
        misses: :any
      )
    assert_equal "exit 0", plain.status, plain.stderr
  end

  test "a load that has failed once, and is tried again" do
    assert_same_behaviour({ "own.rb" => "puts 'own'\nraise 'not yet' unless $ready\n", "main.rb" => <<~RUBY })
      $LOAD_PATH.unshift(__dir__)
      3.times do |i|
        $ready = i.positive?
        p require("own")
      rescue RuntimeError => error
        puts error.full_message(highlight: false)
      end
    RUBY
  end

  # parse.y and Prism load the encoding that a magic comment names, which provides its library; code from an image would
  # not.
  SOURCES = {
    "koi8.rb" => "# encoding: koi8-r\n",
    "emacs.rb" => "#!/usr/bin/ruby\n# -*- mode: ruby; coding: Windows-1251 -*-\n",
    "vim.rb" => "# vim: set fileencoding=euc-jp :\n",
    "utf8.rb" => "# -*- coding: utf-8-unix -*-\n",
    "late.rb" => "\n\n# encoding: big5\n",
    "binary.rb" => "# encoding: BINARY\n",
    "latin.rb" => "\xEF\xBB\xBF# Encoding : US-ASCII\n".b
  }.freeze

  test "an encoding that a magic comment names is loaded" do
    files = SOURCES.to_h { |name, head| [name, "#{head}p [__FILE__, __ENCODING__]\n".b] }
    main =
      "#{files.keys.map { |name| "begin; require_relative \"#{name}\"; rescue Exception; p $!.class; end\n" }.join}p $LOADED_FEATURES.grep(/enc./).map { |path| File.basename(path) }\n"
    plain = assert_same_behaviour({ **files, "main.rb" => main }, misses: %w[emacs.rb koi8.rb vim.rb])
    assert_includes plain.stdout, "koi8_r"
  end

  test "a file that has another magic comment now" do
    program = program({ "a.rb" => "# encoding: koi8-r\np __ENCODING__\n", "main.rb" => "require_relative 'a'\n" })
    assert_same_boots program, 2
    program.write("a.rb", "p __ENCODING__\n")
    assert_same_boots program, 3
    assert_includes program.boot.hits, "a.rb"
  end
end
