# frozen_string_literal: true

require_relative "section"

module Attack
  # Hostile names: of libraries, programs, folders, applications, the cache's folder and HOME, of files in the working
  # folder, and as values of Warmstart's variables. The program runs plain, recording, warm, and warm again, and must
  # always show the same.
  class Names < Section
    SLICE = 130
    LONG = 20_000

    # Words with a meaning for Ruby, a shell, a glob, printf, RubyGems or Warmstart itself.
    WORDS = [
      "-",
      "--",
      "-e",
      "-e1",
      "-S",
      "print",
      "rake",
      "ruby",
      "irb",
      "json",
      "main",
      "Gemfile",
      "node_modules",
      "tmp",
      ".git",
      "...",
      ".rb",
      "a.rb.rb",
      "a.so",
      "x.o",
      " ",
      "a b",
      " a",
      "a ",
      "'",
      "\"",
      "`id`",
      "$(id)",
      "*",
      "?",
      "[a]",
      "{a,b}",
      "~",
      "~root",
      "~nosuchuser",
      "%s%n%d",
      "%0A",
      "%25",
      "a:b",
      ";",
      "#",
      "a\\b",
      "con",
      "nul",
      "C:",
      "key",
      "segment 1",
      "warmstart: "
    ].freeze
    # Bytes with an effect on a terminal, on code that reads lines, or on encodings.
    BYTES = [
      "\n",
      "a\nb",
      "a\nwarmstart: b\nc",
      "\r",
      "\t",
      "\e[31mred",
      "\e]0;title\a",
      "\x7f",
      "\x01\x02",
      "\xff",
      "\xff\xfe\xfd",
      "a\xc3",
      "\xed\xa0\x80",
      "\xf4\x90\x80\x80",
      "\u{e9}",
      "e\u0301",
      "\u202etxt",
      "\u2028",
      "\u{1f600}",
      "\u0130"
    ].map(&:b).freeze
    VALUES = [
      "0",
      "1",
      "",
      "99999999999G",
      "-1",
      "1e9",
      "0x10",
      "NaN",
      "~nosuchuser/x",
      "~",
      "/",
      "/dev/null",
      "/dev/null/x",
      "/proc/self/fd/0",
      "/nonexistent/x",
      ".",
      "..",
      ",",
      ",,,",
      "all,none",
      "off",
      "copy",
      "checked"
    ].freeze
    NAME_MAXIMUM = 255
    PATH_MAXIMUM = 4096

    # Without WARMSTART_LOG and WARMSTART_STATS, which print on purpose.
    VARIABLES =
      (
        File.read(File.join(ROOT, "docs/configuration.md")).scan(/`(WARMSTART\w*)`/).flatten.uniq -
          %w[WARMSTART_LOG WARMSTART_STATS]
      ).freeze

    PLACES = %i[library part program_name application deep cache image home cache_home directory variable].freeze

    # The parts of a case. ordinary: whether lib/ordinary.rb must come from the image at the end.
    Case = Struct.new(:files, :main, :options, :environment, :run, :ordinary, keyword_init: true)

    def play(id)
      random = random(id)
      place = PLACES[id.to_i % PLACES.size]
      name = any_name(random)
      folder do |base|
        made =
          Case.new(
            files: {
              "lib/ordinary.rb" => "ORDINARY = 1\n"
            },
            main: "main.rb",
            environment: {
            },
            run: {
            },
            ordinary: true,
            options: random.rand(3).zero? ? %w[-w] : []
          )
        send(place, made, name, random, base)
        play_made(
          made,
          Program.new(base, made.files, main: made.main, args: made.options, load_path: ["lib"]),
          "#{place} #{name.dump}"
        )
      rescue SystemCallError => error
        # (this file system does not allow such a name)
        raise unless [Errno::ENAMETOOLONG, Errno::EINVAL, Errno::EILSEQ].any? { |other| error.is_a?(other) }
      end
    end

    private

    def play_made(made, program, what)
      plain = program.plain(env: made.environment, **made.run)
      runs =
        %w[recording warm again].map do |turn|
          same(plain, program.boot(env: made.environment, **made.run), "#{what}, #{turn}")
        end
      if made.ordinary && !runs.last.hits.include?("lib/ordinary.rb")
        failed("#{what}: lib/ordinary.rb is not warm", runs.last.events.join("\n"))
      end
    end

    def any_name(random)
      case random.rand(5)
      when 0, 1
        WORDS.sample(random: random).b
      when 2
        BYTES.sample(random: random)
      when 3
        Array.new(2 + random.rand(3)) { [WORDS, BYTES].sample(random: random).sample(random: random).b }.join
      else
        "#{random.bytes(1 + random.rand(12)).delete("\0/")}x".b
      end
    end

    # The name, sometimes extended to nearly the longest one.
    def padded(name, random) = random.rand(4).zero? ? name.ljust(NAME_MAXIMUM - 3 - random.rand(4), "n") : name

    # Prints what the program sees of itself, and of each feature by each method of Ruby's.
    def main_program(features, more = "")
      <<~RUBY
        # encoding: utf-8
        def attempt
          p yield
        rescue ScriptError, StandardError => error
          p error.class, error.message
        end
        p __FILE__, __dir__, $0, $PROGRAM_NAME, caller(0), ARGV
        require "ordinary"
        [#{features.map(&:dump).join(", ")}].each do |feature|
          [feature, feature.b].each { |name| attempt { require(name) } }
          attempt { require_relative("lib/" + feature) }
          attempt { load(feature + ".rb") }
        end
        #{more}
        p ORDINARY
      RUBY
    end

    SHOWN = "p [:loaded, __FILE__, __dir__, __method__, caller(0).first]\n"

    def library(made, name, random, _base)
      name = padded(name, random)
      made.files["lib/#{name}.rb".b] = SHOWN
      made.files["main.rb"] = main_program([name])
    end

    # A folder of that name, used by its path and in the load path.
    def part(made, name, random, _base)
      name = padded(name, random)
      made.files["lib/#{name}/part.rb".b] = SHOWN
      made.files["main.rb"] = main_program(
        ["#{name}/part".b],
        "$LOAD_PATH.unshift(File.join(__dir__, #{"lib/#{name}".b.dump}))\nattempt { require 'part' }\n"
      )
    end

    def program_name(made, name, random, _base)
      made.main = random.rand(2).zero? ? name : "#{name}.rb".b
      made.files[made.main] = main_program(["none"])
    end

    def application(made, name, random, _base)
      made.main = "#{name}/main.rb".b
      made.files["#{name}/Gemfile".b] = "" if random.rand(2).zero?
      made.files["#{name}/own.rb".b] = SHOWN
      made.files[made.main] = main_program(["none"], "require_relative 'own'\n")
    end

    # A path about as long as the system allows.
    def deep(made, name, random, base)
      room = PATH_MAXIMUM - base.bytesize - "/application/".size - "/part.rb".size - random.rand(12) + 2
      parts = [name]
      while room - parts.sum { |part| part.bytesize + 1 } > 2
        parts << ("d" * [room - parts.sum { |part| part.bytesize + 1 } - 1, 200].min)
      end
      path = parts.join("/").b
      made.files["main.rb"] = main_program(
        ["#{path}/part".b],
        "$LOAD_PATH << __dir__\nattempt { require(#{"#{path}/part".b.dump}) }\n"
      )
      made.files["#{path}/part.rb".b] = SHOWN
    end

    def cache(made, name, random, base, variable: "WARMSTART_CACHE_DIR")
      value = [name, "#{base}/#{name}".b, "#{base}/none/#{name}".b, "#{base}/#{padded(name, random)}".b].sample(
        random: random
      )
      made.environment = { variable => value }
      made.ordinary = value.start_with?(base) && variable.start_with?("WARMSTART")
      made.files["main.rb"] = main_program(["none"])
    end

    def image(made, name, random, base) = cache(made, name, random, base, variable: "WARMSTART_IMAGE_DIR")

    def home(made, name, random, base)
      cache(made, name, random, base, variable: "HOME")
      made.environment["WARMSTART_CACHE_DIR"] = nil
    end

    def cache_home(made, name, random, base)
      cache(made, name, random, base, variable: "XDG_CACHE_HOME")
      made.environment["WARMSTART_CACHE_DIR"] = nil
    end

    # A file of that name is in the working folder. It must not be taken for the program.
    def directory(made, name, random, _base)
      made.files[name] = "print 'OWNED'\n"
      made.files["lib/#{name}.rb".b] = SHOWN
      code = main_program(["none"])
      made.run = [
        { script: ["-e", code] },
        { script: ["-"], stdin: code },
        { script: [], stdin: code },
        { script: ["-e1"] },
        { script: ["-e", code, "--", name] }
      ].sample(random: random)
      made.ordinary = false
      made.files["main.rb"] = ""
    end

    def variable(made, name, random, _base)
      value = random.rand(2).zero? ? name : VALUES.sample(random: random)
      made.environment = { VARIABLES.sample(random: random) => value }
      made.ordinary = false
      made.files["main.rb"] = main_program(["none"])
    end
  end
end
