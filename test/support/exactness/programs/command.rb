# frozen_string_literal: true

require "etc"
require "json"
require "optparse"
require_relative "comparison"
require_relative "../shrinker"

module Exactness
  module Programs
    # bin/exactness --programs: runs generated programs, several at once, and shows the smallest form of each
    # difference.
    class Command
      ROOT = Program::REPOSITORY
      SHRUNK_MAXIMUM = 5
      # A process spends part of its time waiting for its threads and for the file system's clock.
      JOBS_PER_PROCESSOR = 2
      STEADY = 3
      # A program that varies every second time passes as steady three times in a row now and then, and not so often.
      SURELY = 12
      AGAIN = 2

      def initialize(arguments)
        parser.parse!(arguments)
        @jobs ||= Integer(ENV.fetch("JOBS") { Etc.nprocessors * JOBS_PER_PROCESSOR })
        @first ||= Random.new_seed % 1_000_000_000
        @deadline = now + (@time || 3600)
        @last = @first + (@count || (@time ? 1 << 40 : 1000)) - 1
        @following = @first
        @lock = Mutex.new
        @done = 0
        @unsteady = []
        @passing = []
        @found = []
      end

      # @return [Boolean] whether there is no difference
      def run
        system(RbConfig.ruby, File.join(ROOT, "bin/setup"), out: @json ? File::NULL : $stdout) or
          abort "bin/exactness: bin/setup failed"
        return show(Generator.new(@first).program) || true if @show

        started = now
        Array.new(@jobs) { Thread.new { work } }.each(&:join)
        settle
        close(now - started)
        @found.empty?
      end

      private

      def parser
        OptionParser.new do |options|
          options.banner = "Usage: bin/exactness --programs [options]"
          options.on("--programs", "generated programs, not libraries")
          options.on("--seed N", Integer, "the first program's seed") { |value| @first = value }
          options.on("--count N", Integer, "so many programs at most (1000)") { |value| @count = value }
          options.on("--time SECONDS", Integer, "for so long at most") { |value| @time = value }
          options.on("--jobs N", Integer, "so many programs at once") { |value| @jobs = value }
          options.on("--show", "print the program of --seed, do not run it") { @show = true }
          options.on("--all", "go on after #{SHRUNK_MAXIMUM} differences, and make only these smaller") { @all = true }
          options.on("--json", "print one JSON object") { @json = true }
        end
      end

      def work
        while (seed = following)
          program = Generator.new(seed).program
          difference = Comparison.new(program).difference
          @lock.synchronize { @done += 1 }
          look_at(program, Comparison.new(program, patient: true), difference) if difference
        end
      end

      def following
        @lock.synchronize do
          @following.tap { @following += 1 } if @following <= @last && now < @deadline &&
            (@all || @found.size < SHRUNK_MAXIMUM)
        end
      end

      # A difference proves nothing if plain Ruby itself varies, or if it does not occur again.
      def look_at(program, comparison, difference)
        return @lock.synchronize { @unsteady << program.seed } unless comparison.steady?(STEADY)
        unless Array
                 .new(AGAIN) { comparison.difference(difference.boots) }
                 .all? { |other| other&.variant == difference.variant }
          return @lock.synchronize { @passing << program.seed }
        end
        return @lock.synchronize { @unsteady << program.seed } unless comparison.steady?(SURELY)

        shrink = @lock.synchronize { (@found << difference).size <= SHRUNK_MAXIMUM }
        small =
          (
            if shrink
              Shrinker.new([program], difference) { |(candidate)| again(candidate, difference) }.smallest
            else
              difference
            end
          )
        say(difference, small) unless @json
      end

      # What differed beside others must differ alone, too: some programs wait for one another's threads.
      def settle
        @found, gone =
          @found.partition do |difference|
            Comparison.new(difference.library, patient: true).difference(difference.boots)&.variant ==
              difference.variant
          end
        @passing.concat(gone.map { |difference| difference.library.seed })
      end

      def again(candidate, difference)
        comparison = Comparison.new(candidate)
        other = comparison.difference(difference.boots)
        other if other&.variant == difference.variant && comparison.steady?(1)
      end

      def repeat(seed) = "bin/exactness --programs --seed #{seed} --count 1"

      def say(difference, small)
        program = small.respond_to?(:libraries) ? small.libraries.first : small.library
        @lock.synchronize do
          puts "", "seed #{program.seed}, #{difference.boots.join(", ")}, ruby #{RUBY_VERSION} differs from plain Ruby:"
          show(program)
          puts Shrinker.diff(small.plain, small.ours), repeat(program.seed), ""
          $stdout.flush
        end
      end

      def show(program)
        puts "  ruby #{program.arguments.join(" ")}#{" (#{program.form})" if program.form != :path}#{", two turns" if program.turns}"
        program.contents.each do |path, content|
          puts "  --- #{path}#{" -> #{content}" if content.is_a?(Symbol)}"
          puts content.scrub.lines.map { |line| "  #{line}" } unless content.is_a?(Symbol)
        end
        nil
      end

      def close(seconds)
        if @json
          differences =
            @found.map do |difference|
              {
                seed: difference.library.seed,
                boots: difference.boots,
                repeat: repeat(difference.library.seed),
                difference: Shrinker.diff(difference.plain, difference.ours)
              }
            end
          return(
            puts(
              JSON.generate(
                seed: @first,
                ruby: RUBY_VERSION,
                programs: @done,
                seconds: seconds.round(1),
                unsteady: @unsteady.sort,
                passing: @passing.sort,
                differences: differences
              )
            )
          )
        end
        puts "unsteady in plain Ruby, too: #{@unsteady.sort.join(" ")}" unless @unsteady.empty?
        puts "differed once, and not again: #{@passing.sort.join(" ")}" unless @passing.empty?
        puts "#{@done} programs from seed #{@first} on Ruby #{RUBY_VERSION} in #{seconds.round} s, #{@found.size} differ"
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
