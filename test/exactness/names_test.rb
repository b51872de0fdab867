# frozen_string_literal: true

require_relative "../test_helper"

# Names that are no text, or that mean something elsewhere: what `bin/attack names` has found.
class NamesTest < TestCase
  test "a program whose name is no valid text" do
    assert_same_behaviour(
      { "a.rb" => "p __FILE__\n", "\xff\x01.rb" => "require 'a'\np __FILE__, $0\n" },
      main: "\xff\x01.rb",
      misses: :any
    )
  end

  test "a first argument that is no valid text" do
    program = program({ "main.rb" => "p ARGV\n" })
    plain = program.plain(arguments: ["\xff\n"])
    2.times { assert_same_run plain, program.boot(arguments: ["\xff\n"]) }
  end

  # (one that looked like a drive's root made the search for a parent folder that exists endless)
  test "a cache folder whose name means something elsewhere" do
    program = program({ "a.rb" => "p __FILE__\n", "main.rb" => "require_relative 'a'\n" }, witness: false)
    plain = program.plain
    %w[C: C:/x x:/y:/z].each do |name|
      cache = { "WARMSTART_CACHE_DIR" => program.path(name) }
      2.times { assert_same_run plain, program.boot(env: cache) }
      assert_match(/hit .*a\.rb/, program.boot(env: cache.merge("WARMSTART_LOG" => "1")).stderr, name)
    end
  end

  # From 3.4 on the code of such a file has freed memory where it says __FILE__ (rb_fstring frees the bytes of the path
  # that Prism still reads: copy_path_class has made it an object of the name's class). An image must not keep that.
  test "code that Ruby compiled with a broken path is not kept" do
    name = "feature_whose_path_is_too_long_to_be_part_of_an_object"
    files = {
      "lib/#{name}.rb" => "p __FILE__\nraise 'once' if ($times = $times.to_i + 1) == 1\n",
      "main.rb" => <<~RUBY
      class Named < String; end
      $LOAD_PATH.unshift(__dir__ + "/lib")
      begin require(#{name.dump}); rescue => error; p error; end
      $stdout.reopen(File::NULL) if ARGV[0] == "Named" # (Ruby prints what it finds there)
      require(Object.const_get(ARGV[0]).new(#{name.dump}))
    RUBY
    }

    program = program(files, args: %w[--disable-gems])
    3.times { program.boot(arguments: %w[Named]) }
    assert_same_run program.plain(arguments: %w[String]), program.boot(arguments: %w[String])
  end

  # Ruby gives the path that it makes of a name the encoding of one of both (file.c: fs_enc_check), and __FILE__ and
  # backtraces have it. An image knows files by the bytes of their paths: here each was recorded in another encoding
  # than the one it is asked for in.
  ENCODINGS = %w[UTF-8 US-ASCII ASCII-8BIT ISO-8859-1 EUC-JP].freeze
  WAYS = {
    "load" => "load(path + '.rb')",
    "wrapped" => "load(path + '.rb', true)",
    "load_name" => "load(name + '.rb')",
    "require" => "require(path)",
    "require_name" => "require(name)",
    "require_file" => "require(path + '.rb')",
    "relative" => "require_relative('lib/'.dup.force_encoding(name.encoding) + name)",
    "autoload" => "autoload(:A, name); A"
  }.freeze

  { "" => "C.UTF-8", " where the file system's is US-ASCII" => "C" }.each do |where, locale|
    test "paths that were recorded in other encodings#{where}" do
      files = WAYS.keys.product(ENCODINGS.each_index.to_a).to_h { |way, number| ["lib/#{way}_#{number}.rb", <<~RUBY] }
        here = caller_locations(0)[0]
        A = p([__FILE__, __dir__, here.path, here.absolute_path].map(&:encoding))
      RUBY

      files["main.rb"] = <<~RUBY
        encodings, turn = #{ENCODINGS.inspect}, ARGV[0].to_i
        $LOAD_PATH.unshift((__dir__ + "/lib").force_encoding(ARGV[1]))
        ways = { #{WAYS.map { |way, call| "#{way}: ->(name, path) { #{call} }" }.join(", ")} }
        ways.each do |way, call|
          encodings.each_index do |number|
            Object.send(:remove_const, :A) if defined?(A) && !Object.autoload?(:A)
            name = "\#{way}_\#{number}".force_encoding(encodings[(number + turn) % encodings.size])
            path = (__dir__ + "/lib/" + name).force_encoding(name.encoding)
            p [name, name.encoding], (call.(name, path) rescue $!)
          end
        end
        p $LOADED_FEATURES.grep(/_\\d\\.rb/).map { |path| [path, path.encoding] }, $LOADED_FEATURES.grep(/enc/)
      RUBY
      program = program(files)
      env = { "LC_ALL" => locale }
      2.times { program.boot(env: env, arguments: %w[0 UTF-8]) }
      log = program.boot(env: env.merge("WARMSTART_LOG" => "1"), arguments: %w[0 UTF-8]).stderr
      %w[load_0 load_1 require_0 require_1 relative_0].each { |name| assert_match(/hit .*#{name}\.rb/, log) }
      # (On Windows Ruby itself makes each file's path UTF-8.)
      assert_match(Program::WINDOWS ? /hit .*require_3\.rb/ : /miss .*require_3\.rb/, log)
      ENCODINGS
        .each_index
        .to_a
        .product(%w[UTF-8 US-ASCII ISO-8859-1])
        .each do |arguments|
          plain = program.plain(env: env, arguments: arguments.map(&:to_s))
          assert_same_run plain, program.boot(env: env, arguments: arguments.map(&:to_s)), arguments
        end
    end
  end
end
