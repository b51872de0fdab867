# frozen_string_literal: true

require_relative "test_helper"

# Symbols of compiled code are looked up once a process: the code is the same, and so are the symbols.
class IseqSymbolsTest < TestCase
  # Files of Ruby's own library, loaded from the image, with shared symbols and with each file's own.
  COMPARE = <<~'RUBY'
    %w[set optparse erb csv json net/http psych rexml/document time uri tempfile fileutils pp open3 ostruct securerandom shellwords].each do |name|
      require name
    rescue LoadError
      nil
    end
    files = $LOADED_FEATURES.grep(/\.rb\z/).select { |path| File.file?(path) }
    if defined?(Warmstart)
      load = ->(path) { RubyVM::InstructionSequence.load_iseq(path)&.to_a }
      shared = files.map(&load)
      linked, symbols = Warmstart::Native.iseq_symbols
      Warmstart.boot_complete! # (from here on each file brings its own)
      different = files.zip(shared).reject { |path, iseq| load.(path) == iseq }
      warn "different: #{different.map(&:first)}" unless different.empty?
      warn "shared on" unless Warmstart::Native.iseq_symbols == [linked, symbols]
      warn "linked #{linked} files, #{symbols} symbols" if ENV["COUNT"]
    end
    puts "#{files.size > 50}"
  RUBY

  test "code of Ruby's own library is the same, instruction by instruction" do
    program = program({ "main.rb" => COMPARE }, witness: false)
    2.times { assert_equal ["true\n", ""], program.boot.then { |run| [run.stdout, run.stderr] } }
    run = program.boot(env: { "COUNT" => "1" })
    linked, symbols = run.stderr.scan(/\d+/).map(&:to_i)
    assert_operator linked, :>, 50
    assert_operator symbols, :>, 1000
  end

  ODD = <<~'RUBY'
    class Odd
      ALL = [:"", :"a b", :+, :[]=, :"ä", "\xff".b.to_sym, :"#{"x" * 300}", "é".encode("ISO-8859-1").to_sym, :if, :@a, :@@b, :$c, :D, :e?, :f!, :g=].freeze
      def ä(ö = 1, ü: 2, **rest) = [ö, ü, rest]
      def method_missing(name, ...) = [name, name.encoding]
      def respond_to_missing?(*) = true
    end
    p Odd::ALL, Odd::ALL.map(&:encoding), Odd.new.ä(ü: 3, ß: 4), Odd.new.ñ, Odd.instance_method(:ä).parameters
    p :made_before.equal?("made_before".to_sym), %s(made_before).object_id == MADE.object_id, MADE
  RUBY

  test "odd symbols: empty, long, in other encodings, made by to_sym before" do
    binary = "# encoding: binary\nBINARY = [:\"\\xC3\\xA4\", :abc, :\"\xE4\"]\n".b
    japanese = "# encoding: Shift_JIS\nSJIS = [:\"\x83\x41\", :abc]\n".b
    main =
      "MADE = \"made_\#{\"before\"}\".to_sym\nrequire 'binary'\nrequire 'japanese'\nrequire 'odd'\np BINARY, SJIS, BINARY.map(&:encoding), SJIS.map(&:encoding), BINARY[1].equal?(SJIS[1])\n"
    plain =
      assert_same_behaviour(
        { "odd.rb" => ODD, "binary.rb" => binary, "japanese.rb" => japanese, "main.rb" => main },
        misses: :any
      )
    assert_equal "exit 0", plain.status, plain.stderr
  end

  test "a file of its own size, and one that is loaded while another is" do
    large = "LARGE = [#{(0...30_000).map { |i| ":symbol_#{i}" }.join(",")}].freeze\n"
    files = {
      "large.rb" => large,
      "many.rb" => (0...3000).map { |i| "def method_#{i}(argument_#{i}) = argument_#{i}\n" }.join
    }
    # (Ruby compares the ends of a range whose numbers are large, also when it loads a compiled one: range.c, range_init.)
    main =
      "require 'large'\nTracePoint.new(:c_call) { |trace| require 'many' if trace.method_id == :<=> }.enable { require 'small' }\np LARGE.size, LARGE.last, method_7(:x), SMALL\n"
    assert_same_behaviour(
      files.merge("small.rb" => "SMALL = [:small, :things, (1..#{10**30})]\nrequire 'many'\n", "main.rb" => main),
      misses: :any
    )
  end

  # (The memory in which symbols are shared is given back then.)
  test "what is loaded after the boot" do
    main =
      "require 'one'\nWarmstart.boot_complete! if defined?(Warmstart)\nsleep 0.3\nrequire 'two'\nObjectSpace.each_object(String, &:hash)\np one(two(3))\n"
    assert_same_behaviour(
      {
        "one.rb" => "def one(first) = [first, :one]\n",
        "two.rb" => "def two(first) = [first, :two]\n",
        "main.rb" => main
      },
      misses: :any
    )
  end
end
