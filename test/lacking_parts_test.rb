# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# A Ruby may lack what one part of Warmstart needs, or a program may have removed it: that part is off, the others go
# on, and `warmstart status` names it.
class LackingPartsTest < TestCase
  include Command

  # Up to Ruby 3.1, and on Windows, Ruby's own flags tell who watches.
  FLAGS = Program::RUBY_NUMBER < "3.2" || !File::ALT_SEPARATOR.nil?

  ISEQ = "RubyVM::InstructionSequence"

  # What is removed => the parts that go.
  REMOVED = {
    "TracePoint.singleton_class.remove_method(:stat)" => FLAGS ? [] : %w[direct documents],
    "Object.send(:remove_const, :TOPLEVEL_BINDING)" => %w[direct],
    "#{ISEQ}.singleton_class.remove_method(:compile)" => %w[direct],
    "def Kernel.__dir__ = '/nowhere'" => %w[direct],
    "#{ISEQ}.singleton_class.remove_method(:load_from_binary)" => %w[code],
    "#{ISEQ}.remove_method(:to_binary)" => %w[recording],
    "Object.send(:remove_const, :Warning)" => %w[code recording],
    # (Ruby's tables of realpaths are known by a file that both have.)
    "File.singleton_class.prepend(Module.new { def file?(path) = ($cleared ||= path.match?(/library.compiled|warmstart.so/) && $LOADED_FEATURES.clear) ? super : super })" => %w[
      direct
    ]
  }.freeze

  # (Ruby itself needs TOPLEVEL_BINDING to begin with the program.)
  MAIN = <<~RUBY
    load File.join(__dir__, "removed.rb")
    require #{Program::SETUP.dump} if ENV["WITH_WARMSTART"]
    $LOAD_PATH.unshift(File.join(__dir__, "lib"))
    require "a"
    p A, $LOADED_FEATURES.grep(/a\\.rb\\z/).size
  RUBY

  def status(program, *arguments, command: WARMSTART)
    code = "load #{program.path("removed.rb").dump}; load #{command.dump}"
    program.ruby("-e", code, "status", *arguments).tap { |run| assert_equal "", run.stderr }.stdout
  end

  REMOVED.each do |removal, parts|
    test "without what `#{removal}` takes away" do
      program =
        program({ "Gemfile" => "", "lib/a.rb" => "A = [1]\n", "main.rb" => MAIN, "removed.rb" => "" }, witness: false)
      env = { "WITH_WARMSTART" => "1", "WARMSTART_STATS" => "1" }
      program.plain(env: env)
      program.write("removed.rb", "#{removal}\n")
      expected = program.plain
      runs = Array.new(2) { program.plain(env: env) }
      runs.each { |run| assert_equal [expected.stdout, "exit 0"], [run.stdout, run.status], run.stderr }
      assert_equal [],
                   runs.last.stderr.lines.reject { |line|
                     line.match?(/\Awarmstart: (?:[\w. ()]+: \d+|governor\.(?:taken_for|because): \w+)\n\z/)
                   }
      assert_equal !parts.include?("code"), runs.last.stderr.include?("warmstart: hit: 1\n"), runs.last.stderr

      assert_equal parts, JSON.parse(status(program, "--json")).fetch("off").keys
      parts.each { |part| assert_match(/^off +#{part} \(this Ruby has no [^)]+\): \w+/, status(program)) }
    end
  end

  test "what is looked for at the start calls nothing of the program's, and makes no Symbol" do
    spies =
      %w[respond_to? respond_to_missing? const_missing method_missing]
        .map { |name| "def self.#{name}(name, *) = ($asked << name; super)\n" }
        .join
    program = program({ "main.rb" => <<~RUBY }, witness: false, args: %w[--disable-gems])
      $asked = []
      [RubyVM, #{ISEQ}, Warning, TracePoint].each { |watched| watched.class_eval #{spies.dump} }
      #{ISEQ}.singleton_class.remove_method(:load_from_binary)
      $LOAD_PATH.unshift(#{File.join(Program::REPOSITORY, "lib").dump})
      require "warmstart/native"
      p Warmstart::Native.lacking.keys, $asked.uniq - %i[translate load_iseq], Symbol.all_symbols.any? { |symbol| symbol.name == "rb_get_" + "coverages" }
    RUBY

    # (Ruby itself asks for these two, with each file.)
    assert_equal "[:code]\n[]\nfalse\n", program.plain.stdout
  end

  # What extconf.rb has to see on this Ruby (ext/probes.rb) => the part that is off where it does not, and what `status`
  # says.
  SEEN = {
    "WS_HAVE_DIRECT_WAY" => %w[direct rb_iseq_eval],
    "WS_KNOWN_JUMPS" => ["direct", "known numbers of jumps"],
    "WS_KNOWN_FRAMES" => ["documents", "known order of frames"],
    "WS_KNOWN_CLOSING" => ["documents", "known way to close a file"],
    "WS_KNOWN_CIRCULAR" => ["direct", "known text of the circular warning"],
    "WS_KNOWN_EVALUATED" => ["direct", "known name of evaluated text"],
    "WS_BINARY_MAJOR" => ["symbols", "known format of compiled code"]
  }.freeze
  MAKEFILE = File.join(Program::REPOSITORY, "tmp/build/ruby-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}/Makefile")

  # needs.c by itself, as an extension. (That the part is then off is the test above.)
  ALONE = <<~C
    #include <ruby.h>
    #include "ruby/private/needs.h"
    RUBY_FUNC_EXPORTED void Init_alone(void);

    void
    Init_alone(void)
    {
        VALUE alone = rb_define_module("Alone"), count = ID2SYM(rb_intern("total_allocated_objects"));
        size_t before = rb_gc_stat(count);
        ws_init_needs(alone);
        rb_define_const(alone, "ALLOCATED", SIZET2NUM(rb_gc_stat(count) - before));
    }
  C

  # With this Ruby's Makefile, changed by the block.
  def folder_to_build_in
    skip "built elsewhere: no Makefile" if Program::WINDOWS
    missing "built elsewhere: no Makefile" unless File.file?(MAKEFILE)
    text = File.read(MAKEFILE).gsub(/^srcdir = .*/) { "srcdir = #{File.join(Program::REPOSITORY, "ext/warmstart")}" }
    yield text
    temporary_folder.tap { |folder| File.write(File.join(folder, "Makefile"), text) }
  end

  SEEN.each do |define, (part, words)|
    test "built where #{define} was not seen" do
      folder = folder_to_build_in { |text| refute_nil text.slice!(/-D#{define}(=\S+)? /), "not seen on this Ruby" }
      File.write(File.join(folder, "alone.c"), ALONE)
      library = "alone.#{RbConfig::CONFIG.fetch("DLEXT")}"
      output, status =
        Open3.capture2e(
          "make",
          "OBJS=alone.o needs.o",
          "TARGET=alone",
          "DLLIB=#{library}",
          "hook.o",
          library,
          chdir: folder
        )
      assert status.success?, output
      lacking, =
        Open3.capture2(RbConfig.ruby, "-e", "require './alone'; p Alone.lacking.to_a, Alone::ALLOCATED", chdir: folder)
      lacking, allocated = lacking.lines(chomp: true)
      expected = [[part.to_sym, words]]
      # (Psych's code is looked at in this way, too: does a TracePoint watch a method of it?)
      expected << [:documents, "rb_iseqw_to_iseq"] if define == "WS_HAVE_DIRECT_WAY"
      assert_equal expected.inspect, lacking
      assert_operator Integer(allocated),
                      :<=,
                      14,
                      "for the table, the method and the name of what is lacking (Ruby 4.0: 12), and none for a look"
    end
  end

  # features_copies.c tries out what it knows of Arrays when the extension is loaded. Here it is built with another idea
  # of them.
  ANOTHER_ARRAY = {
    "the flag of a root" => ["SHARED_ROOT = RUBY_FL_USER5", "SHARED_ROOT = RUBY_FL_USER6"],
    "the flag of an Array that shares" => ["SHARES = RUBY_FL_USER2", "SHARES = RUBY_FL_USER7"],
    "the flag of an Array that shares, which others have" => [
      "SHARES = RUBY_FL_USER2",
      "SHARES = RARRAY_TRANSIENT_FLAG"
    ],
    "the count of shares" => ["&RARRAY(array)->as.heap.aux.capa", "(long *)&RARRAY(array)->as.heap.len"]
  }.freeze

  def lacking_with_array(known, other)
    folder = folder_to_build_in { nil }
    text = File.read(File.join(Program::REPOSITORY, "ext/warmstart/ruby/private/features_copies.c"))
    assert_includes text, known
    File.write(File.join(folder, "features_copies.c"), text.sub(known) { other })
    File.write(
      File.join(folder, "alone.c"),
      ALONE.sub("#include <ruby.h>", "\\0\n#include \"ruby/private/features_copies.h\"").sub(
        /^}/,
        "    ws_init_features_copies(alone);\n    ws_free_features_copy();\n}"
      )
    )
    library = "alone.#{RbConfig::CONFIG.fetch("DLEXT")}"
    output, status =
      Open3.capture2e(
        "make",
        "OBJS=alone.o needs.o features_copies.o",
        "TARGET=alone",
        "DLLIB=#{library}",
        library,
        chdir: folder
      )
    assert status.success?, output
    Open3.capture2e(
      RbConfig.ruby,
      "-e",
      "require './alone'; GC.start; GC.verify_internal_consistency; p Alone.lacking",
      chdir: folder
    ).first
  end

  ANOTHER_ARRAY.each do |what, (known, other)|
    test "where #{what} is another, copies of $LOADED_FEATURES are left to the collector" do
      skip "only Ruby 3.1 leaves copies" unless Program::RUBY_NUMBER < "3.2"
      assert_equal [{ features_copies: "known place of what Arrays share" }.inspect, "\n"].join,
                   lacking_with_array(known, other)
    end
  end

  test "the Arrays of Ruby 3.1 are as known" do
    skip "only Ruby 3.1 leaves copies" unless Program::RUBY_NUMBER < "3.2"
    assert_equal "{}\n", lacking_with_array("SHARES", "SHARES")
  end

  # A Ruby that nobody has seen: what was looked for is not there, and nothing behaves as it was known to.
  test "built where nothing was seen: plain Ruby, and status says what is off" do
    folder =
      folder_to_build_in do |text|
        text.sub!(/^CPPFLAGS = .*/) { |line| line.gsub(/-D(?!WS_INTERFACE=)\S+ /, "") }.gsub!(" -O3 ", " -O0 -w ")
      end
    output, status = Open3.capture2e("make", "-j2", chdir: folder)
    assert status.success?, output
    library = File.join(folder, "lib")
    FileUtils.cp_r(File.join(Program::REPOSITORY, "lib"), library)
    FileUtils.cp(
      File.join(folder, "warmstart.#{RbConfig::CONFIG.fetch("DLEXT")}"),
      File.join(library, "warmstart/native/ruby-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}")
    )
    FileUtils.cp_r(File.join(Program::REPOSITORY, "exe"), folder)

    program =
      program(
        {
          "Gemfile" => "",
          "lib/a.rb" => "A = [:a, 'a']\n",
          "lib/b.rb" => "module B; end\n",
          "removed.rb" => "",
          "main.rb" => <<~RUBY
      require #{File.join(library, "warmstart/setup.rb").dump} if ENV["WITH_WARMSTART"]
      $LOAD_PATH.unshift(File.join(__dir__, "lib"))
      autoload :B, "b"
      require "a"
      p A, B, $LOADED_FEATURES.grep(/[ab]\\.rb\\z/).map { |path| path.delete_prefix(__dir__) }
      begin; raise "error"; rescue => error; puts error.full_message(highlight: false); end
    RUBY
        },
        witness: false
      )

    expected = program.plain
    Array
      .new(3) { program.plain(env: { "WITH_WARMSTART" => "1" }) }
      .each { |run| assert_equal expected.transcript, run.transcript }

    off = JSON.parse(status(program, "--json", command: File.join(folder, "exe/warmstart"))).fetch("off")
    assert_equal %w[code direct documents symbols], off.keys.sort
    assert_equal 4,
                 status(program, command: File.join(folder, "exe/warmstart")).scan(
                   /^off +\w+ \(this Ruby has no [^)]+\): \w+/
                 ).size
  end
end
