# frozen_string_literal: true

require "tmpdir"
require_relative "../program"
require_relative "generator"

module Exactness
  # Runs several libraries in one program, in plain Ruby and in each variant, and compares what they print.
  class Batch
    VARIANTS = %i[recording direct native sealed sealed_native moved].freeze
    NATIVE = { "WARMSTART_DIRECT" => "0" }.freeze
    STAGE = File.read(File.join(__dir__, "stage.rb"))
    FOLDERS = %w[lib other].freeze
    TIMEOUT = 8
    COLLECTOR_TIMEOUT = 300
    TURN = 192 # Seeds after which each combination of options has occurred.

    Difference = Struct.new(:library, :variant, :plain, :ours)

    # left_out: the names of libraries that prove nothing under the collector
    attr_reader :ways, :left_out

    # This runs before Warmstart's setup, so that Warmstart's own objects are collected and moved, too. (Only minor
    # collections: major ones take half a minute.)
    COLLECTORS = { "stress" => "GC.stress = 1\n", "compact" => "GC.auto_compact = true\n" }.freeze

    # options: those of the interpreter; collector: a key of COLLECTORS, which applies in each variant but not in the
    # plain Ruby that these are compared with, or nil.
    def initialize(libraries, options, collector = nil)
      @libraries = libraries
      @options = options
      @collector = collector
      @ways = Hash.new(0)
      @left_out = []
    end

    # The first difference of each library, in all variants, or in those up to the one that is asked for.
    def differences(only: nil)
      Dir.mktmpdir("exactness-") do |base|
        @program = Program.new(base, files, main: "stage.rb", args: @options, load_path: FOLDERS, witness: false)
        @tally = File.join(base, "ways")
        plain = @collector ? plain_with_collector : parts(@program.plain(timeout: TIMEOUT))
        next hung(plain) if plain["status"].start_with?("no answer")

        found = variants(only).flat_map { |variant| compare(plain, variant) }
        found.uniq(&:library)
      end
    end

    # Whether plain Ruby itself always prints the same for these libraries.
    def steady?(times = 4)
      Dir.mktmpdir("exactness-") do |base|
        program = Program.new(base, files, main: "stage.rb", args: @options, load_path: FOLDERS, witness: false)
        Array
          .new(times) do
            program.restore
            parts(program.plain(timeout: TIMEOUT))
          end
          .uniq
          .size == 1
      end
    end

    # The library that does not end in plain Ruby and therefore proves nothing, or nil.
    attr_reader :endless

    private

    # Leaves out the libraries of which plain Ruby prints something else when the collector works so, because that decides
    # what Ruby keeps of a failed autoload (docs/semantics.md, 6); and those whose threads wait in vain, because it is not
    # known how long to wait for them then. (Some wait only where others have been left out.)
    def plain_with_collector
      waited = File.join(@program.base, "waited")
      loop do
        plain, collected =
          [{ timeout: TIMEOUT }, surroundings].map do |options|
            parts(@program.plain(env: { "EXACTNESS_WAITED" => waited }, **options))
          end
        return plain if plain["status"].start_with?("no answer")

        names = @libraries.map(&:name) - @left_out
        found = names.reject { |name| plain[name] == collected[name] }
        found |= File.readlines(waited, chomp: true) & names if File.exist?(waited)
        return plain if found.empty?

        @left_out |= found
        # (perhaps no name at all: an empty one would stand for every library)
        @program.write("names", (names - found).map { |name| "#{name}\n" }.join)
      end
    end

    def hung(plain)
      last = plain.keys.reverse.find { |name| @libraries.any? { |library| library.name == name } }
      @endless = @libraries.find { |library| library.name == last } || @libraries.last
      []
    end

    def variants(only)
      return usual_variants unless only

      [:recording, only].uniq
    end

    # Seeds alternate between the two images in which Ruby's own require is tried.
    def usual_variants
      VARIANTS - ((@libraries.first.seed / TURN).even? ? %i[sealed_native moved] : %i[native])
    end

    def files
      common = {
        "Gemfile" => "",
        "stage.rb" => STAGE,
        "names" => "#{@libraries.map(&:name).join("\n")}\n",
        "linked" => :lib,
        "lib/zz.rb" => "",
        "other/zz.rb" => "",
        "extra/zz.rb" => ""
      }
      common["collector.rb"] = COLLECTORS.fetch(@collector) +
        "ENV['EXACTNESS_COLLECTOR'] = #{@collector.dump}\n" if @collector
      @libraries.map(&:contents).reduce(common, :merge)
    end

    def surroundings
      return { timeout: TIMEOUT } unless @collector

      { timeout: COLLECTOR_TIMEOUT, args: [*@options, "-r", @program.path("collector.rb")] }
    end

    # A first boot at another place, whose code comes from there by relocation, and plain Ruby there.
    def compare_moved
      @program.moved do |program|
        plain = parts(program.plain(**surroundings.except(:args)))
        ours = parts(program.boot(env: { "EXACTNESS_WAYS" => @tally }, **surroundings))
        count_ways(:moved)
        different(plain, ours, :moved)
      end
    end

    def compare(plain, variant)
      return compare_moved if variant == :moved

      sealed = @sealed ||= @program.seal if variant.to_s.start_with?("sealed")
      return [] if variant.to_s.start_with?("sealed") && !sealed

      env = variant.to_s.end_with?("native") ? NATIVE : {}
      ours = parts(@program.boot(image: sealed, env: { "EXACTNESS_WAYS" => @tally, **env }, **surroundings))
      count_ways(variant)
      different(plain, ours, variant)
    end

    def different(plain, ours, variant)
      (plain.keys | ours.keys).filter_map do |name|
        next if same?(plain[name], ours[name])

        Difference.new(
          @libraries.find { |library| library.name == name } || @libraries.last,
          variant,
          plain[name].to_s,
          ours[name].to_s
        )
      end
    end

    # (If threads wait for one another for ever, the order of their lines depends on PATIENCE.)
    def same?(plain, ours)
      return true if plain&.include?(":stuck") && Program::RUBY_NUMBER < "3.2" # docs/semantics.md, killed waiters

      plain == ours || (plain && ours && plain.include?(":stuck") && plain.lines.sort == ours.lines.sort)
    end

    def count_ways(variant)
      return unless File.exist?(@tally)

      File
        .readlines(@tally)
        .each do |line|
          way, reason, count = line.chomp.split(" ", 3).then { |a| a.size == 2 ? [a[0], nil, a[1]] : a }
          @ways[[variant, way, reason]] += count.to_i
        end
      File.unlink(@tally)
    end

    # {name => the lines that the library printed}
    def parts(run)
      text = run.stdout + run.stderr
      # (removes frames of Ruby 3.4's circular warning, which have two blanks: docs/semantics.md)
      text = text.gsub(/^\tfrom (?:.*:in  '(?:rescue|ensure) in |<internal:.*:in  |.*:in  'require').*\n/, "")
      list = text.split(/^=== /).drop(1).to_h { |part| part.split("\n", 2) }
      list["status"] = run.status
      list
    end
  end
end
