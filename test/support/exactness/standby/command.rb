# frozen_string_literal: true

require "etc"
require "json"
require "optparse"
require_relative "comparison"
require_relative "../shrinker"

module Exactness
  module Standby
    # bin/exactness --standby: generated applications whose commands come from a standby, with changes between them.
    # Each command is compared with plain Ruby's, and what differs is made smaller.
    class Command
      ROOT = Program::REPOSITORY
      SHRUNK_MAXIMUM = 5
      SHRINKING = 120 # seconds
      # What depends on a race is tried so often before it counts as gone.
      TRIES = 3
      # So few commands say nothing about how many come from a standby.
      FEW = 100

      def initialize(arguments)
        @arguments = arguments.dup
        parser.parse!(arguments)
        @jobs ||= Integer(ENV.fetch("JOBS") { Etc.nprocessors })
        @first ||= Random.new_seed % 1_000_000_000
        @deadline = now + (@time || 7200)
        @count ||= @time ? 1 << 40 : 1000
        @following = @first
        @lock = Mutex.new
        @changes = @commands = @served = 0
        @found = []
        @passing = []
      end

      # @return [Boolean] whether there is no difference, and standbys have answered
      def run
        abort "exactness: standbys exist on Linux only" unless RUBY_PLATFORM.include?("linux")
        apart
        system(RbConfig.ruby, File.join(ROOT, "bin/setup"), out: @json ? File::NULL : $stdout) or
          abort "exactness: bin/setup failed"
        return show(World.new(@first)) || true if @show

        Array.new(@jobs) { Thread.new { work } }.each(&:join)
        close
        @found.empty? && (@commands < FEW || @served > @commands / 10)
      end

      private

      def parser
        OptionParser.new do |options|
          options.banner = "Usage: bin/exactness --standby [options]"
          options.on("--standby", "commands from a standby, and changes between them") { nil }
          options.on("--seed N", Integer, "the first application's seed") { |value| @first = value }
          options.on("--count N", Integer, "so many changes at least (1000)") { |value| @count = value }
          options.on("--time SECONDS", Integer, "for so long at most") { |value| @time = value }
          options.on("--jobs N", Integer, "so many applications at once") { |value| @jobs = value }
          options.on("--show", "print the application of --seed and its changes, do not run it") { @show = true }
          options.on("--json", "print one JSON object") { @json = true }
        end
      end

      # Mounts and the host's name are changed as well, where root can have namespaces of its own for that.
      def apart
        if ENV["EXACTNESS_APART"] || !Process.uid.zero? ||
             !system("unshare", "-m", "-u", "true", out: File::NULL, err: File::NULL)
          return
        end

        exec(
          { "EXACTNESS_APART" => "1" },
          "unshare",
          "-m",
          "-u",
          RbConfig.ruby,
          File.join(ROOT, "bin/exactness"),
          *@arguments
        )
      end

      def work
        while (seed = following)
          world = World.new(seed)
          difference = play(world, counted: true)
          look_at(difference) if difference
        end
      end

      def following
        @lock.synchronize do
          @following.tap { @following += 1 } if @changes < @count && now < @deadline && @found.size < SHRUNK_MAXIMUM
        end
      end

      # @return [Comparison::Difference, nil]
      def play(world, counted: false)
        played = Comparison.new(world).play
        count(world, played) if counted
        played.difference
      end

      def count(world, played)
        @lock.synchronize do
          @changes += world.changes
          @commands += played.commands
          @served += played.served
        end
      end

      def look_at(difference)
        small = again(difference.world) or return @lock.synchronize { @passing << difference }
        @lock.synchronize { @found << small }
        say(smaller(small)) unless @json
      end

      def again(world)
        TRIES.times { (found = play(world)) and return found }
        nil
      end

      # Leaves out questions, steps and single changes as long as something differs.
      def smaller(difference)
        deadline = now + SHRINKING
        difference =
          shorter(difference.world, steps: difference.world.steps.first(difference.step + 1)).then do |world|
            again(world) || difference
          end
        loop do
          size = difference.world.questions.size + difference.world.steps.sum(&:size)
          cuts(difference.world).each { |world| (found = now < deadline && again(world)) and break difference = found }
          return difference if difference.world.questions.size + difference.world.steps.sum(&:size) == size
        end
      end

      def cuts(world)
        halves(world.questions).map { |questions| shorter(world, questions: questions) } +
          halves(world.steps).map { |steps| shorter(world, steps: steps) } +
          world.steps.each_index.flat_map do |index|
            world.steps[index].each_index.map do |place|
              shorter(world, steps: world.steps.map(&:dup).tap { |steps| steps[index].delete_at(place) })
            end
          end
      end

      # The list without its first half, its last half, and each one of its parts.
      def halves(list)
        [
          list.drop(list.size / 2),
          list.first(list.size / 2),
          *list.each_index.map { |index| list[0...index] + list.drop(index + 1) }
        ].reject { |part| part.empty? || part.size == list.size }.uniq
      end

      def shorter(world, **parts)
        world.dup.tap { |copy| parts.each { |name, value| copy.public_send(:"#{name}=", value) } }
      end

      def say(difference)
        @lock.synchronize do
          puts "",
               "seed #{difference.world.seed}, ruby #{RUBY_VERSION}: step #{difference.step + 1} differs from plain Ruby:"
          show(difference.world)
          puts Shrinker.diff(difference.plain, difference.ours), repeat(difference), ""
          $stdout.flush
        end
      end

      def repeat(difference) = "bin/exactness --standby --seed #{difference.world.seed} --count 1"

      def show(world)
        puts world.questions.map { |code| "  asks #{code}" }
        world.steps.each_with_index do |changes, index|
          puts "  #{index + 1}. #{changes.map { |kind, *values| "#{kind} #{values.map(&:inspect).join(", ")}".strip }.join("; ")}"
        end
        nil
      end

      def close
        if @json
          return(
            puts(
              JSON.generate(
                seed: @first,
                ruby: RUBY_VERSION,
                changes: @changes,
                commands: @commands,
                served: @served,
                passing: @passing.map { |one| one.world.seed }.sort,
                differences:
                  @found.map do |one|
                    { seed: one.world.seed, repeat: repeat(one), difference: Shrinker.diff(one.plain, one.ours) }
                  end
              )
            )
          )
        end
        @passing.each { |one| puts "differed once, and not again: #{repeat(one)}", Shrinker.diff(one.plain, one.ours) }
        puts "#{@changes} changes from seed #{@first} on Ruby #{RUBY_VERSION}: #{@commands} commands, #{@served} from a standby, #{@found.size} differ"
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
