# frozen_string_literal: true

require "open3"
require_relative "core_require_benchmark"

module Benchmarks
  # Ruby's classic workloads on Windows: core_require_empty and core_require_nested (core_require_benchmark.rb), applications of 750
  # and 1,150 files, a listing of tasks. Each as real, user and system time, plain beside Warmstart. (bootsnap is not beside them: it
  # and msgpack would have to be built for that Ruby first.) On Linux `ruby-windows` runs them under Wine.
  class Windows < Benchmark
    RUBY = "ruby-windows"

    # A file of an application: a class with some methods, that requires the next ones.
    FILE = <<~RUBY
      require "application/part%<first>d" if %<first>d < %<count>d
      require "application/part%<second>d" if %<second>d < %<count>d
      class Part%<number>d
        attr_reader :name, :size
        def initialize(name, size: 1) = (@name, @size = name, size)
        def total(values) = values.map { |value| value * size }.sum + %<number>d
        def to_s = "part \#{name} of \#{size}"
      end
    RUBY

    TASK = <<~RUBY
      class Tasks
        ALL = {}
        def self.describe(name, text) = (ALL[name] = text)
      end
      require "optparse"
      200.times { |n| require "tasks/task\#{n}" }
      Tasks::ALL.sort.each { |name, text| puts "rake \#{name}  # \#{text}" }
    RUBY

    def run
      raise Unavailable, "there is no #{RUBY} here" unless windows? || found?(RUBY)

      rows = []
      measurements = {}
      Dir.mktmpdir("warmstart-windows", windows? ? nil : ROOT) do |work|
        awake = windows? ? nil : Process.spawn(RUBY, "-e", "sleep")      # (else Wine's server would start and end with each run)
        sleep 1
        programs(work).each do |name, (options, script)|
          measurements[name] = measure_program(work, options, script)
          rows.concat(rows_of(name, measurements[name]))
        end
      ensure
        awake && Process.kill(:TERM, awake) && Process.wait(awake)
      end
      title = "seconds from the first -r to the last exit handler (Ruby's and Wine's own start is the same for all), and the process's user and system time"
      { title: title, head: ["", "real", "of plain", "user", "system"], rows: rows, times: measurements }
    end

    private

    ROOT = File.expand_path("..", __dir__)
    private_constant :ROOT

    def windows? = !File::ALT_SEPARATOR.nil?
    def found?(command) = ENV.fetch("PATH").split(File::PATH_SEPARATOR).any? { |folder| File.executable?(File.join(folder, command)) }
    def own(path) = windows? ? path : "Z:#{path}"

    # {name => [options, script]}
    def programs(work)
      files = File.join(work, "files")
      write(files, (0...1000).to_h { |n| ["empty#{n}.rb", ""] })
      write(files, (0...100).to_h { |n| ["nested#{n}.rb", "require \"inner#{n}\"\nrequire \"inner#{(n + 1) % 100}\"\n"] })
      write(files, (0...100).to_h { |n| ["inner#{n}.rb", ""] })
      write(work, "empty.rb" => CoreRequire::EMPTY, "nested.rb" => CoreRequire::NESTED, "tasks.rb" => TASK)
      write(File.join(work, "lib"), (0...200).to_h { |n| ["tasks/task#{n}.rb", "Tasks.describe(\"task#{n}\", \"does #{n}\")\n"] })
      {
        "core_require_empty" => [["-I", files], "empty.rb"], "core_require_nested" => [["-I", files], "nested.rb"],
        "application of 750 files" => application(work, 750), "application of 1,150 files" => application(work, 1150),
        "list of tasks" => [["-I", File.join(work, "lib")], "tasks.rb"]
      }
    end

    def application(work, count)
      folder = File.join(work, "application#{count}")
      parts = (0...count).to_h { |n| ["application/part#{n}.rb", format(FILE, number: n, first: (2 * n) + 1, second: (2 * n) + 2, count: count)] }
      write(folder, parts)
      write(work, "application#{count}.rb" => "require \"application/part0\"\n")
      [["-I", folder], "application#{count}.rb"]
    end

    def write(folder, files)
      files.each do |name, content|
        path = File.join(folder, name)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, content)
      end
    end

    # {"plain" => [[real, user, system], ...], "warmstart" => ...}, in turns; the first, recording start is not counted.
    def measure_program(work, options, script)
      options = options.map { |option| option.start_with?("-") ? option : own(option) }
      path = own(File.join(work, script))
      commands = { "plain" => [*options, path], "warmstart" => [*options, "-r", own(SETUP), path] }
      2.times { start(work, commands["warmstart"]) }
      results = commands.transform_values { [] }
      [@runs, 5].min.times { commands.each { |name, command| results[name] << start(work, command) } }
      results
    end

    # Told by the process itself: waiting for it tells nothing of Wine's processes.
    TIMES = <<~RUBY
      began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      at_exit do
        real = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
        $stderr.puts "TIMES \#{real} \#{Process.times.utime} \#{Process.times.stime}"
      end
    RUBY

    def start(work, command)
      times = File.join(work, "times.rb")
      File.write(times, TIMES) unless File.exist?(times)
      ruby = windows? ? RbConfig.ruby : RUBY
      environment = { "WARMSTART_CACHE_DIR" => own(File.join(work, "cache")), "RUBYOPT" => nil }
      _, errors, status = Open3.capture3(environment, ruby, "-r", own(times), *command)
      raise "#{command.last} failed: #{errors}" unless status.success?

      errors[/TIMES (.*)/, 1].split.map(&:to_f)
    end

    def rows_of(name, results)
      medians = results.transform_values { |runs| runs.transpose.map { |times| times.sort[times.size / 2] } }
      medians.map do |variant, (real, user, system)|
        ["#{name}: #{variant}", format("%.3f s", real), format("%.3f", real / medians["plain"].first), format("%.2f s", user), format("%.2f s", system)]
      end
    end
  end
end
