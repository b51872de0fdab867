# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# Every command, where the home, the application and its files have names of any bytes, in any locale: it does what it
# does where they are plain.
class BytesInPathsTest < TestCase
  NAMES = { "plain" => "home", "letters" => "h\u00F6me \u65E5\u672C", "no text" => "h\xFFme\xC3".b }.freeze
  LOCALES = {
    "C" => {
      "LC_ALL" => "C"
    },
    "UTF-8" => {
      "LC_ALL" => "C.UTF-8"
    },
    "C, -E" => {
      "LC_ALL" => "C",
      "RUBYOPT" => "-EUTF-8"
    }
  }.freeze
  COMMANDS = [
    %w[exec RUBY MAIN],
    %w[exec RUBY MAIN],
    %w[status --user PROGRAM],
    %w[status --json],
    %w[build -- RUBY MAIN],
    %w[build --seal -- RUBY MAIN],
    %w[build --user -- RUBY MAIN],
    %w[verify --user PROGRAM --json],
    %w[why --user PROGRAM FILE],
    %w[env --json],
    %w[bench --runs 1 --json -- RUBY MAIN],
    %w[profile --html report.html -- RUBY MAIN],
    %w[binstub --to stub RUBY MAIN],
    %w[init --dry-run],
    %w[init],
    %w[init --undo],
    %w[standby path],
    %w[clear],
    %w[status],
    %w[build --all],
    %w[build --portable -v --all .],
    %w[build --root no_such_folder -- RUBY MAIN],
    %w[build -- no_such_command]
  ].freeze
  # Those that have nothing to show (the application's own folder has no image, the last but four comes after `clear`), or
  # are wrong.
  FAIL = ["status --json", "status", "build --root", "build --"].freeze
  FILES = {
    "Gemfile" => "",
    "Gemfile.lock" => "GEM\n  specs:\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n",
    "config/boot.rb" => "require 'bundler/setup'\n",
    "main.rb" => "Dir[File.join(__dir__, 'lib/*.rb')].sort.each { |path| require path }\nputs :done\n"
  }.freeze

  # What the command answers: its status, and its output without what differs from run to run.
  def answers(folder, locale)
    home = File.join(folder.b, "")
    name = File.basename(folder.b)
    environment = { "PATH" => ENV["PATH"], "HOME" => home, "TMPDIR" => ENV["TMPDIR"] || "/tmp", **locale }
    COMMANDS.map do |words|
      words =
        words.map do |word|
          {
            "RUBY" => RbConfig.ruby,
            "MAIN" => "main#{name}.rb".b,
            "PROGRAM" => "./main#{name}.rb".b,
            "FILE" => File.join(folder.b, "application#{name}/lib/a#{name}.rb".b)
          }.fetch(word, word)
        end
      output, status =
        Open3.capture2e(
          environment,
          RbConfig.ruby,
          File.join(Program::REPOSITORY, "exe/warmstart"),
          *words,
          chdir: File.join(folder.b, "application#{name}".b),
          unsetenv_others: true
        )
      # (a message that Minitest can print)
      [
        words.first(2).join(" "),
        status.exitstatus,
        output.b.gsub(/[^\x00-\x7F]/n) { |byte| format("<%02x>", byte.ord) }
      ]
    end
  end

  def made(name)
    folder = File.join(temporary_folder.b, name.b)
    FILES
      .merge("lib/a#{name.b}.rb".b => "A = 1\n")
      .each do |path, text|
        path = File.join(folder, "application#{name.b}".b, path.sub("main", "main#{name.b}").b)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, text)
      end
    folder
  end

  # Bundler itself cannot be in a folder whose name is no text in this locale (Pathname#chop_basename). So the program is
  # without it, and where `build` needs it, that is said in one line.
  BUNDLER =
    /\Awarmstart: cannot set up the bundle of [^\n]*: invalid byte sequence in [^\n]*; the image is unchanged\n\z/
  # A command takes a third of a second: bin/deep tries all.
  TRIED =
    (
      if ENV["WARMSTART_TEST_GEMS"] == "1"
        NAMES.keys.drop(1).product(LOCALES.keys)
      else
        [%w[letters C], ["no text", "UTF-8"], ["no text", "C, -E"]]
      end
    )

  TRIED
    .map { |name, locale| [[name, NAMES.fetch(name)], [locale, LOCALES.fetch(locale)]] }
    .each do |(name, bytes), (locale, variables)|
      test "#{name}, #{locale}" do
        folder = made(bytes)
        plain = made("home")
        sleep Program::AGEING
        expected = (@@expected ||= {})[locale] ||= answers(plain, variables)
        assert_equal FAIL, expected.filter_map { |command, status| command unless status.zero? }, expected.inspect
        answers(folder, variables).zip(expected) do |(command, status, output), (_, plain_status, plain_output)|
          next if command.start_with?("build ") && output.match?(BUNDLER)

          refute_match(/\(\w*Error\)|^\s+from |failed \(|invalid byte|incompatible|illegal/, output, command)
          assert_equal plain_status, status, "#{command}\n#{output}\n--- plain\n#{plain_output}"
          lines, plain_lines = [output, plain_output].map { |text| text.lines.grep_v(/: compiling: /) } # (what takes long, tells how far it is)
          unless command.match?(/\A(?:bench|profile|status)/)
            assert_equal plain_lines.size, lines.size, "#{command}\n#{output}\n--- plain\n#{plain_output}"
          end
        end
      end
    end
end
