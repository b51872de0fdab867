# frozen_string_literal: true

require "etc"
require "optparse"
require_relative "batch"
require_relative "shrinker"

module Exactness
  # bin/exactness: packs generated libraries into batches, runs several batches at once, each in a process of its own,
  # and shows the smallest form of each difference.
  class Command
    ROOT = Program::REPOSITORY
    BATCH = 32
    SHRUNK_MAXIMUM = 5
    # The threads of a library wait for one another most of the time (stage.rb, PATIENCE), so a process uses a seventh
    # of a core.
    JOBS_PER_PROCESSOR = 4
    # These two are off: error_highlight loads Prism in the thread that reports an error, and a fork may happen in the
    # middle of that; did_you_mean lists constants in an order that depends on the numbers of their symbols
    # (docs/semantics.md).
    WITH_GEMS = %w[--disable-did_you_mean --disable-error_highlight].freeze
    BARE = %w[--disable-gems].freeze
    OPTIONS = [WITH_GEMS, BARE, ["-w", *BARE], ["-w", *WITH_GEMS], BARE, ["-w", *BARE]].freeze
    # A collection at each allocation makes a library some hundred times slower, and most of that would be RubyGems.
    STRESSED_BATCH = 8
    STRESSED_OPTIONS = OPTIONS - [WITH_GEMS, ["-w", *WITH_GEMS]]

    def initialize(arguments)
      @suite = arguments.empty?
      @time = 60 if @suite
      parser.parse!(arguments)
      @batch ||= stressed? ? STRESSED_BATCH : BATCH
      @jobs ||= Integer(ENV.fetch("JOBS") { [Etc.nprocessors * (stressed? ? 1 : JOBS_PER_PROCESSOR), 16].min })
      @first ||= Random.new_seed % 1_000_000_000
      @time ||= 3600
      @count ||= 1 << 40
      @lock = Mutex.new
      @done = 0
      @found = []
      @unsteady = []
      @ways = Hash.new(0)
    end

    def run
      system(RbConfig.ruby, File.join(ROOT, "bin/setup")) or abort "bin/exactness: bin/setup failed"
      good =
        !@suite ||
          system(
            RbConfig.ruby,
            File.join(ROOT, "bin/test"),
            File.join(ROOT, "test/exactness"),
            File.join(ROOT, "test/differential")
          )
      generate
      good && @found.empty?
    end

    private

    def parser
      OptionParser.new do |options|
        options.on("--seed N", Integer, "the first library's seed") { |value| @first = value }
        options.on("--count N", Integer, "so many libraries at most") { |value| @count = value }
        options.on("--time SECONDS", Integer, "for so long at most") { |value| @time = value }
        options.on("--batch N", Integer, "so many libraries in one process (#{BATCH})") { |value| @batch = value }
        options.on("--jobs N", Integer, "so many batches at once") { |value| @jobs = value }
        options.on(
          "--collector WHAT",
          Batch::COLLECTORS.keys,
          "stress: each allocation collects; compact: everything moves"
        ) { |value| @collector = value }
        options.on("--show", "print the library of --seed, do not run it") { @show = true }
        options.on("--ways", "count the ways that requires went") { @show_ways = true }
      end
    end

    def stressed? = @collector == "stress"

    def generate
      return show(Generator.new(@first).library) if @show
      return puts("this Ruby moves no objects: nothing to see") if @collector == "compact" && !GC.respond_to?(:compact)

      deadline = now + @time
      following = @first
      Array
        .new(@jobs) do
          Thread.new do
            loop do
              # (a batch ends where the options change, so that it is one program)
              first = @lock.synchronize { following.tap { following = (following / @batch + 1) * @batch } }
              last = [(first / @batch + 1) * @batch, @first + @count].min
              break if first >= last || now >= deadline || @found.size >= SHRUNK_MAXIMUM

              look_at((first...last).map { |seed| Generator.new(seed).library })
            end
          end
        end
        .each(&:join)
      close
    end

    # (A library's options follow from its seed alone, so that they are the same if it is run in a batch of its own.)
    def look_at(libraries)
      options = stressed? ? STRESSED_OPTIONS : OPTIONS
      libraries
        .group_by { |library| options[library.seed / BATCH % options.size] }
        .each { |options, list| play(list, options) }
    end

    def play(list, options)
      batch = Batch.new(list, options, @collector)
      found = confirmed(list, options, batch.differences)
      return play_without(batch.endless, list, options) if batch.endless

      @lock.synchronize do
        @done += list.size - batch.left_out.size
        batch.ways.each { |key, count| @ways[key] += count }
      end
      found.each { |difference| report(list, options, difference) }
    end

    # If a library does not end in plain Ruby, the rest of its batch is played without it.
    def play_without(endless, list, options)
      @lock.synchronize { @unsteady << endless.seed }
      play(list - [endless], options) if list.size > 1
    end

    # Threads can make the output of plain Ruby itself vary, or on a busy machine that of either side; such a difference
    # proves nothing. A real difference occurs each time. (All libraries of a batch that differ are checked together,
    # because one that varies makes its neighbours vary.)
    AGAIN = 3
    # (What varies every second time passes as steady four times in a row now and then, and not so often.)
    SURELY = 12

    def confirmed(list, options, found)
      return found if found.empty?

      good = Batch.new(list, options).steady? ? found : []
      AGAIN.times do
        good =
          good
            .group_by(&:variant)
            .flat_map do |variant, differences|
              seeds = Batch.new(list, options, @collector).differences(only: variant).map { |other| other.library.seed }
              differences.select { |difference| seeds.include?(difference.library.seed) }
            end
      end
      good = [] unless good.empty? || Batch.new(list, options).steady?(SURELY)
      @lock.synchronize { @unsteady.concat((found - good).map { |difference| difference.library.seed }) }
      good
    end

    def report(list, options, difference)
      return if @lock.synchronize { (@found << difference).size > SHRUNK_MAXIMUM }

      if $stderr.tty? || ENV["CI"].nil?
        $stderr.puts "seed #{difference.library.seed} differs (#{difference.variant}); looking for a smaller case"
      end
      small = Shrinker.new(list, difference) { |fewer| again(fewer, options, difference) }.smallest
      @lock.synchronize do
        puts "",
             "seed #{difference.library.seed}, #{small.variant}, ruby #{RUBY_VERSION} #{options.join(" ")} differs from plain Ruby:"
        small.libraries.each { |library| show(library) }
        puts Shrinker.diff(small.plain, small.ours)
        puts "bin/exactness#{" --collector #{@collector}" if @collector} --seed #{difference.library.seed} --count 1#{" (with its neighbours: --seed #{list.first.seed} --count #{list.size})" if small.libraries.size > 1}",
             ""
        $stdout.flush
      end
    end

    def again(libraries, options, difference)
      Batch
        .new(libraries, options, @collector)
        .differences(only: difference.variant)
        .find { |other| other.variant == difference.variant }
    end

    def show(library)
      library.contents.each do |path, content|
        puts content.is_a?(Symbol) ? "  --- #{path} -> #{content}" : "  --- #{path}"
        puts content.lines.map { |line| "  #{line}" } unless content.is_a?(Symbol)
      end
    end

    def close
      if @show_ways
        @ways
          .group_by { |(variant, *), _| variant }
          .each do |variant, list|
            puts "#{variant}: #{list.sort_by { |_, count| -count }.map { |(_, *way), count| "#{way.compact.join(" ")} #{count}" }.join(", ")}"
          end
      end
      puts "unsteady in plain Ruby, too: #{@unsteady.uniq.join(" ")}" unless @unsteady.empty?
      puts "#{@done} libraries from seed #{@first} on Ruby #{RUBY_VERSION}, #{@found.size} differ"
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
