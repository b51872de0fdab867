# frozen_string_literal: true

require "json"
require "optparse"
require_relative "runner"

module Attack
  # bin/attack: reads the command line, runs the sections one after the other, and prints the results.
  class Command
    SECTIONS = %w[images kills faults owners edits names compaction standby stores].freeze

    class Mistake < StandardError
    end

    def initialize(arguments)
      @arguments = arguments
      @seed = 1
    end

    # @return [Integer] the exit status: 0; 1 if Warmstart has not survived something; 2 for an invalid command line
    def run
      read
      system(RbConfig.ruby, File.join(ROOT, "bin/setup"), out: @json ? File::NULL : $stdout) or
        raise Mistake, "bin/setup failed"
      results = @sections.map { |name| play(name) }
      puts JSON.generate(seed: @seed, ruby: RUBY_VERSION, sections: results) if @json
      results.all? { |result| result[:failed].zero? && result[:tries].positive? } ? 0 : 1
    rescue Mistake, Runner::NoSuchCase, OptionParser::ParseError => error
      warn "bin/attack: #{error.message}"
      2
    end

    private

    def read
      parser.parse!(@arguments)
      there = SECTIONS.select { |name| File.exist?(path(name)) }
      unknown = @arguments - there
      raise Mistake, "there is no section #{unknown.first.inspect}; sections: #{there.join(", ")}" if unknown.any?
      raise Mistake, "--only repeats one case of one section" if @only && @arguments.size != 1
      raise Mistake, "--from goes on with one section" if @from && @arguments.size != 1
      raise Mistake, "--count must be positive" if @count && @count < 1

      @sections = @arguments.empty? ? there : @arguments.uniq
    end

    def parser
      OptionParser.new do |options|
        options.banner = "Usage: bin/attack [SECTION ...] [options]"
        options.on("--seed N", Integer, "which slice (1)") { |value| @seed = value }
        options.on("--count N", Integer, "so many cases of each section") { |value| @count = value }
        options.on("--only ID", "the one case that a failure named") { |value| @only = value }
        options.on("--from ID", "this case and those behind it: goes on with what was interrupted") do |value|
          @from = value
        end
        options.on("--long", "every case there is: minutes to hours") { @long = true }
        options.on("--json", "print one JSON object") { @json = true }
        options.on("--jobs N", Integer, "so many processes (as many as processors)") { |value| @jobs = value }
      end
    end

    def path(name) = File.join(__dir__, "#{name}.rb")

    def play(name)
      require path(name)
      klass = Attack.const_get(name.split("_").map(&:capitalize).join)
      result =
        Runner
          .new(klass, seed: @seed, count: @count, only: @only, from: @from, long: @long, jobs: @jobs)
          .run { |failure| say_failure(name, failure) }
      puts summary(name, result) unless @json
      {
        name: name,
        **result,
        failures: result[:failures].map { |failure| failure.slice(:id, :message).merge(repeat: repeat(name, failure)) }
      }
    end

    def say_failure(name, failure)
      return if @json

      puts "#{name} #{failure[:id]}: #{failure[:message]}", "  #{repeat(name, failure)}"
      puts failure[:details].gsub(/^/, "    ") if @only && failure[:details]
      $stdout.flush
    end

    def repeat(name, failure) = "bin/attack #{name} --seed #{@seed} --only #{failure[:id]}"

    def summary(name, result)
      notes = result[:notes].map { |note, count| ", #{count} #{note.to_s.tr("_", " ")}" }.join
      text =
        format(
          "%<name>s: %<tries>d tries, %<survived>d survived, %<failed>d failed, %<seconds>d s",
          name: name,
          **result.slice(:tries, :survived, :failed, :seconds)
        )
      "#{text}#{notes}#{", interrupted: --from #{result[:interrupted]} goes on" if result[:interrupted]}"
    end
  end
end
