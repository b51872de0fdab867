# frozen_string_literal: true

require_relative "test_helper"
require_relative "../lib/warmstart/native"

# Compiled code at another path: Native.relocate gives what a compilation there gives, or says why it does not.
class RelocationTest < TestCase
  NATIVE = Warmstart::Native
  LoadedCode = RubyVM::InstructionSequence

  # @return [RubyVM::InstructionSequence] the code of a real load, of which nothing has run
  def code_of_load(path)
    catch(:compiled) do
      trace =
        TracePoint.new(:script_compiled) do |event|
          throw :compiled, event.instruction_sequence if event.instruction_sequence.path == path
        end
      trace.enable { silently { load path } }
    end
  end

  def silently
    verbose = $VERBOSE
    $VERBOSE = nil
    yield
  ensure
    $VERBOSE = verbose
  end

  # Everything of a piece of code, but for what Ruby 3.1 and 3.3 leave to chance (node_ids of instructions that have none).
  def contents(binary) = without_nodes(LoadedCode.load_from_binary(binary).to_a)

  def without_nodes(value)
    case value
    when Array
      value.map { |part| without_nodes(part) }
    when Hash
      value.except(:node_ids).transform_values { |part| without_nodes(part) }
    else
      value.is_a?(Regexp) ? value.inspect : value
    end
  end

  # @yield [old, new] two places with the same contents
  def at_two_places(source, name: "file.rb")
    temporary_folder.then do |folder|
      places =
        ["old/#{name}", "new/and/longer/#{name}"].map do |place|
          path = File.join(folder, place)
          FileUtils.mkdir_p(File.dirname(path))
          File.binwrite(path, source)
          path
        end
      yield(*places)
    end
  end

  # @return [String, Symbol] the binary at the second place, or the reason
  def relocated(source, **options)
    at_two_places(source, **options) { |old, new| NATIVE.relocate(code_of_load(old).to_binary, [old, old], [new, new]) }
  end

  test "code of Ruby's own library is what a compilation at the new place gives" do
    reasons = Hash.new(0)
    Dir[File.join(RbConfig::CONFIG["rubylibdir"], "{.,json,psych,optparse,net,rdoc,irb,rubygems,bundler}/*.rb")]
      .sort
      .each do |file|
      at_two_places(File.binread(file), name: File.basename(file)) do |old, new|
        binary = code_of_load(old).to_binary
        result = NATIVE.relocate(binary, [old, old], [new, new])
        next reasons[result] += 1 if result.is_a?(Symbol)

        assert_equal contents(code_of_load(new).to_binary), contents(result), file
        assert_equal contents(binary), contents(NATIVE.relocate(result, [new, new], [old, old])), "#{file}, and back"
        reasons[:relocated] += 1
      end
    end
    assert_operator reasons[:relocated], :>, 200
    assert_empty reasons.keys - %i[relocated folded]
    assert_operator reasons[:folded], :<, 10
  end

  ANSWERS = <<~'RUBY'
    # frozen_string_literal: true
    ANSWERS = [__FILE__, __dir__, __FILE__.encoding, __FILE__.frozen?, "x: " + __FILE__, binding.source_location, caller_locations(0, 1).first.absolute_path, proc {}.source_location, eval("[__FILE__, __LINE__]", binding, __FILE__, 7)]
    def self.answer = raise("here")
    begin
      answer
    rescue => error
      ANSWERS << error.backtrace.first << error.full_message(highlight: false)
    end
    class Answer
      KEYS = { __FILE__ => 1, "other" => 2 }
      def kind(path)
        case path
        when __FILE__ then :own
        when "other" then :other
        end
      end
    end
    ANSWERS << Answer::KEYS << Answer.new.kind(__FILE__) << Answer.instance_method(:kind).source_location << Answer.const_source_location(:KEYS)
  RUBY

  test "what the code tells about its place is of the new one" do
    at_two_places(ANSWERS) do |old, new|
      answers =
        [
          code_of_load(new),
          LoadedCode.load_from_binary(NATIVE.relocate(code_of_load(old).to_binary, [old, old], [new, new]))
        ].map do |code|
          silently { code.eval }
          silently { Object.send(:remove_const, :ANSWERS) }.map(&:inspect)
        end
      assert_equal(*answers)
      refute_includes answers.last.join, "/old/"
    end
  end

  test "a path and its realpath change each to its own" do
    skip "symlinks are a privilege on Windows; Wine's are none to Ruby" if Program::WINDOWS
    source = "PLACE = [__FILE__, __dir__]\n"
    temporary_folder.then do |folder|
      %w[one two].each do |name|
        FileUtils.mkdir_p("#{folder}/#{name}/real") && File.write("#{folder}/#{name}/real/file.rb", source) &&
          File.symlink("real", "#{folder}/#{name}/link")
      end
      places = %w[one two].map { |name| ["#{folder}/#{name}/link/file.rb", "#{folder}/#{name}/real/file.rb"] }
      result = NATIVE.relocate(code_of_load(places[0][0]).to_binary, *places)
      assert_equal contents(code_of_load(places[1][0]).to_binary), contents(result)
      assert_equal [:link, 1], [NATIVE.relocate(code_of_load(places[0][1]).to_binary, [places[0][1]] * 2, places[1]), 1]
      straight = NATIVE.relocate(code_of_load(places[0][0]).to_binary, places[0], [places[1][1]] * 2)
      assert_equal contents(code_of_load(places[1][1]).to_binary), contents(straight)
    end
  end

  test "what cannot be exact is refused" do
    if Gem::Version.new(RUBY_VERSION) < Gem::Version.new("3.4")
      assert_equal :folded, relocated("X = \"\#{__FILE__}:1\"\n")
    end
    assert_equal :regexp, relocated("X = /\#{__FILE__}/u\n") if Gem::Version.new(RUBY_VERSION) < Gem::Version.new("3.4")
    at_two_places("X = 1\n") do |old, new|
      binary = code_of_load(old).to_binary
      place = ->(path) { [path, path] }
      assert_equal :no_path, NATIVE.relocate(binary, place["#{old}x"], place[new])
      assert_equal :path, NATIVE.relocate(binary, place[old], place["new/file.rb"])
      assert_equal :path, NATIVE.relocate(binary, place[old], place["/new/fil\u00e9.rb"])
      assert_equal :path, NATIVE.relocate(binary, place[old], place["/new/a file.rb"])
      assert_equal :format, NATIVE.relocate(binary[0...-1], place[old], place[new])
      assert_equal :format, NATIVE.relocate(binary.sub("YARB", "YARC"), place[old], place[new])
    end
    at_two_places("X = __FILE__\n") do |old, new|
      File.write(old, "X = { __FILE__ => 1, #{new.inspect} => 2 }\n")
      assert_equal :target, NATIVE.relocate(code_of_load(old).to_binary, [old, old], [new, new])
      File.write(old, "X = #{"#{old}x".inspect}\n")
      assert_equal :folded, NATIVE.relocate(code_of_load(old).to_binary, [old, old], [new, new])
      File.write(old, "X = :#{old.inspect}\n")
      assert_equal :folded, NATIVE.relocate(code_of_load(old).to_binary, [old, old], [new, new])
    end
  end

  test "a damaged binary is refused or changed, and nothing is read beyond it" do
    at_two_places(File.read(File.join(RbConfig::CONFIG["rubylibdir"], "optparse.rb"))) do |old, new|
      binary = code_of_load(old).to_binary
      random = Random.new(36)
      500.times do
        damaged = binary.b
        random.rand(1..4).times { damaged.setbyte(random.rand(damaged.bytesize), random.rand(256)) }
        damaged = damaged[0, random.rand(damaged.bytesize)] if random.rand(4).zero?
        assert_kind_of(Object, NATIVE.relocate(damaged, [old, old], [new, new]))
      end
    end
  end

  # ---- which sources may spell a path ----

  PATH = "/srv/app-1/models/user_2.rb"

  # Ways to write characters within a literal in double quotes, and to end one literal and begin the next.
  CHARACTERS = [
    ->(text) { text },
    ->(text) { text },
    ->(text) { text },
    ->(text) { text.bytes.map { |byte| format("\\x%x", byte) }.join },
    ->(text) { text.bytes.map { |byte| format("\\u%04x", byte) }.join },
    ->(text) { "\\u{#{text.bytes.map { |byte| byte.to_s(16) }.join(" ")}}" },
    ->(text) { text.bytes.map { |byte| format("\\%03o", byte) }.join },
    ->(text) { text.gsub(/[^a-z0-9]/) { |character| "\\#{character}" } }
  ].freeze
  BREAKS = [
    "",
    "",
    "\\\n",
    '" "',
    %(""),
    %("\\\n"),
    %("\\\r\n  "),
    %(" '' "),
    "\#{}",
    "\#{\"\"}",
    "\#{''}",
    "\#{%q()}",
    "\#{ <<A.chomp }\nA\n",
    "\#{<<~A\nA\n}",
    "\#{(\"\")}",
    "\#{begin; '' end}",
    "\#{;\"\"}",
    "\#{# x\n''}",
    %("\\\n=begin\n words\n=end\n"),
    %("\\\n# comment\n"),
    %("\\\r\n=begin\r\n words\r\n=end\r\n"),
    %("\\\n=begin\n=end x\n=begin\n=end\n"),
    %("\n=begin\n=end\n"),
    %("\\\n\n=begin\n=end\n"),
    %("\\ \n=begin\n=end\n"),
    "\#{?\#}",
    "\#{nil}",
    "\#{\"\" if true}",
    "\#{:\"\"}",
    "\#{-\"\"}",
    "\\s",
    %("; "),
    %("\n"),
    "\#{%Q()}",
    "\#{\n\n''}",
    "\#{__FILE__}",
    *[
      "nil; ''",
      "1; ''",
      "self\n''",
      ":a; ''",
      "(nil); ''",
      "true # x\n''",
      "-1; ''",
      "__LINE__;''",
      "0x1f; ''",
      "/x/; ''",
      "(false;nil); ''",
      "?a; ''",
      " nil ;''",
      " ",
      " ''"
    ].map { |code| "\#{#{code}}" }
  ].freeze
  INSERTED = [
    "\#{%q(TEXT)}",
    "\#{'TEXT'}",
    "\#{\"TEXT\"}",
    "\#{('TEXT')}",
    "\#{begin 'TEXT' end}",
    "\#{%(TEXT)}",
    "\#{;'TEXT'}",
    "\#{# x\n'TEXT'}",
    "\" 'TEXT' \"",
    "\#{<<~A.chomp}\nTEXT\nA\n",
    "\#{-'TEXT'}",
    "\#{\"\"'TEXT'}",
    "\#{\n'TEXT'}",
    "\#{[]; 'TEXT'}",
    "\#{(%q(TEXT))}",
    "\#{;%q(TEXT)}",
    "\#{# x\n%q(TEXT)}",
    "\#{\"\#{%q(TEXT)}\"}",
    "\#{:TEXT}",
    "\#{=begin\n=end\n'TEXT'}",
    "\#{ 'TEXT' }",
    "\#{( 'TEXT')}",
    "\#{nil; 'TEXT'}",
    "\#{self;'TEXT'}",
    "\#{1\n'TEXT'}",
    "\#{(nil;%q(TEXT))}",
    "\#{x; 'TEXT'}"
  ].freeze

  def spelling(random)
    at = 0
    pieces = []
    while at < PATH.size
      size = random.rand(1..PATH.size)
      text = PATH[at, size]
      at += size
      pieces << (
        if random.rand(4).zero?
          INSERTED.sample(random: random).sub("TEXT") { text }
        else
          CHARACTERS.sample(random: random).call(text)
        end
      )
    end
    %(X = "#{pieces.map { |piece| piece + (random.rand(3).zero? ? BREAKS.sample(random: random) : "") }.join}"\n)
  end

  test "every source with a literal that contains the path is known, however it is written" do
    random = Random.new(seed = Random.new_seed)
    spelt = 0
    4000.times do
      source = spelling(random)
      binary = silently { LoadedCode.compile(source, "/x", "/x").to_binary }
      next unless binary.b.include?(PATH)

      spelt += 1
      assert NATIVE.may_spell?(source, PATH), "seed #{seed}: #{source}"
    rescue SyntaxError
      next
    end
    assert_operator spelt, :>, 1000
  end

  test "an ordinary source spells no path" do
    files = Dir[File.join(RbConfig::CONFIG["rubylibdir"], "{.,json,psych,optparse,net,rdoc,irb,rubygems,bundler}/*.rb")]
    spelling = files.select { |file| NATIVE.may_spell?(File.binread(file), file) }
    assert_operator spelling.size, :<, files.size / 15, spelling.join("\n")
    refute NATIVE.may_spell?(
             "X = \"\\n\\s\\d\\1 \\x00 \\u00e9 \#{name} \#{@name} \#{ name } \#{(name || 'a')} \#{self} \#{self.class} \#{nil} \#{->{}} \#{::A} %q() /srv/app-1/models/user_3.rb\"\nx =begin\n=begin\n=end\n",
             PATH
           )
  end
end
