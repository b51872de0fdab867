# frozen_string_literal: true

require_relative "../test_helper"

# Every name that means a feature of Ruby's own, in each spelling: Ruby loads some without a file (extensions that are
# linked into it, what C provides), so a name is called missing only where Ruby's own search has said so.
class FeatureNamesTest < TestCase
  with_rubygems

  # Prints what each name in ARGV[0]'s file comes to, and the features in order.
  MAIN = <<~RUBY
    $VERBOSE = nil
    answers = File.readlines(ENV.fetch("NAMES"), chomp: true).map do |name|
      before = $LOADED_FEATURES.size
      result = begin
        require(name)
      rescue ScriptError, StandardError => error
        [error.class, error.message.lines.first, error.respond_to?(:path) ? error.path : nil]
      end
      [name, result, $LOADED_FEATURES.drop(before).reject { |path| path.start_with?(ENV.fetch("LIBRARY")) }]
    end
    $stdout.puts answers.map(&:inspect)
    exit!(0) if $stdout.flush && !defined?(Warmstart)       # (what libraries do when a program ends is not asked here)
    Warmstart.boot_complete!
    Warmstart::Native.wait(10_000)
    exit!(0)
  RUBY

  # Libraries that change what others are, or the program itself, when they are required.
  LEFT_OUT =
    /\A(un|debug|irb|bundler|rubygems|mkmf|reline|readline|continuation|abbrev|profile|tracer|drb|syslog|bundled_gems|expect|ripper.*filter|win32|objspace|rdoc|minitest|test)\b/

  EXTENSION = RbConfig::CONFIG.fetch("DLEXT")

  # What has no file, or may have none: by Ruby's version and by how it was built.
  ODD = %w[
    prism
    prism/prism
    thread
    thread.rb
    enumerator
    enumerator.so
    rational
    complex
    fiber
    fiber.so
    monitor
    etc
    ruby2_keywords
    set
    pathname
    pathname.so
    enc/encdb
    enc/encdb.so
    enc/trans/transdb
    enc/utf_16le
    enc/utf_16le.so
    enc/trans/utf_16_32
    enc/nothing
    io/console
    io/wait
    socket.so
    strscan
    continuation.so
    error_highlight
    did_you_mean/version
    syntax_suggest/core_ext
    nothing
    nothing/at/all
    nothing.rb
    nothing.so
    .hidden
    json/ext/parser
    rbconfig
    rbconfig.rb
    digest/md5
    digest/nothing
    openssl
    zlib.o
    bigdecimal
    Set
    PRISM
    stringio
    psych
    date_core
  ].freeze

  # Ruby's extensions, which may be linked into it instead (--with-static-linked-ext).
  EXTENSIONS = %w[
    cgi/escape
    coverage
    date_core
    digest
    digest/bubblebabble
    digest/md5
    digest/rmd160
    digest/sha1
    digest/sha2
    enc/big5
    enc/euc_jp
    enc/utf_32le
    enc/trans/big5
    enc/trans/utf_16_32
    erb/escape
    etc
    fcntl
    fiddle
    io/console
    io/nonblock
    io/wait
    json/ext/generator
    json/ext/parser
    monitor
    openssl
    pathname
    psych
    pty
    rbconfig/sizeof
    ripper
    socket
    stringio
    strscan
    zlib
  ].freeze

  # Features of the standard library: those that lie at the top of its folders.
  def standard_names
    ruby = RbConfig::CONFIG
    rb = Dir.children(ruby.fetch("rubylibdir")).grep(/\.rb\z/)
    libraries = Dir.glob("**/*.#{EXTENSION}", base: ruby.fetch("rubyarchdir"))
    (rb + libraries + EXTENSIONS).map { |name| name.sub(/\.(rb|#{EXTENSION})\z/, "") }.uniq.grep_v(LEFT_OUT).sort
  end

  # The ways in which a feature may be written.
  def spellings(name)
    [
      name,
      "#{name}.rb",
      "#{name}.so",
      "#{name}.#{EXTENSION}",
      "./#{name}",
      File.join(RbConfig::CONFIG.fetch("rubylibdir"), name),
      File.join(RbConfig::CONFIG.fetch("rubyarchdir"), "#{name}.#{EXTENSION}")
    ].uniq
  end

  def assert_same_answers(groups, args: [])
    program = program({ "main.rb" => MAIN }, args: args, load_path: [], witness: false)
    plain = groups.map { |names| answers(program, :plain, names) }
    3.times do |boot|
      groups.each_with_index do |names, index|
        run = answers(program, :boot, names)
        assert plain[index] == run,
               -> { "boot #{boot + 1}, #{names.first(3).join(" ")} ...:\n#{line_diff(plain[index], run)}" }
      end
    end
    refute_empty program.manifests, "the boots have recorded"
  end

  def answers(program, way, names)
    list = File.join(program.base, "names")
    File.write(list, names.join("\n"))
    run = program.public_send(way, env: { "NAMES" => list, "LIBRARY" => File.join(Program::REPOSITORY, "lib/") })
    assert_equal "exit 0", run.status, run.stderr
    run.stdout + run.stderr
  end

  test "names that have no file, or may have none, each in a process of its own" do
    assert_same_answers(ODD.map { |name| [name] }, args: %w[--disable-gems])
  end

  test "names that have no file under RubyGems" do
    assert_same_answers([ODD, ODD.reverse, %w[prism], %w[prism/prism nothing]])
  end

  test "each feature of the standard library in each spelling" do
    names = standard_names.flat_map { |name| spellings(name) }.shuffle(random: Random.new(14))
    assert_operator names.size, :>, 400
    assert_same_answers(names.each_slice(60).to_a, args: %w[--disable-gems])
  end

  test "an uncaught NameError is explained as without Warmstart" do
    assert_same_behaviour(
      { "main.rb" => "require 'set'\nUnknownThing.new\n" },
      ends: "exit 1",
      misses: :any,
      load_path: [],
      variants: %i[recording warm sealed]
    )
  end
end
