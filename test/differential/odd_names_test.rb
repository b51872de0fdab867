# frozen_string_literal: true

require_relative "../test_helper"

# Names with spaces, letters of other alphabets, and in other capitals than the file's: what they mean differs between
# systems, and with Warmstart it must be what it is without.
class OddNamesTest < TestCase
  FOLDER = "with space/grün 漢"

  test "folders with spaces and any letters" do
    files = {
      "main.rb" =>
        "p require('a b'), require('deep/c'), A, C, $LOADED_FEATURES.grep(/a b\.rb|deep.c\.rb/).map { |path| File.basename(path) }",
      "#{FOLDER}/a b.rb" => "A = [__dir__[-5..], __method__]",
      "#{FOLDER}/deep/c.rb" => "C = File.basename(__FILE__)"
    }
    assert_same_behaviour(files, load_path: [FOLDER], misses: :any) # (events are told as words)
  end

  test "a name in other capitals than the file's" do
    script = <<~RUBY
      %w[thing Thing THING deep/part Deep/PART thing.rb Thing.RB].each do |name|
        p [name, (require name), $LOADED_FEATURES.last[-12..]]
      rescue LoadError => error
        p [name, error.class]
      end
    RUBY
    assert_same_behaviour(
      {
        "main.rb" => script,
        "one/Thing.rb" => "puts __FILE__[-8..]",
        "two/thing.rb" => "puts __FILE__[-8..]",
        "two/deep/part.rb" => "puts :part"
      },
      load_path: %w[one two],
      misses: :some
    )
  end
end
