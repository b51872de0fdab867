# frozen_string_literal: true

require "open3"
require_relative "core_require_benchmark"
require_relative "windows_bootsnap"

module Benchmarks
  # Ruby's own benchmarks on Windows: core_require_empty and core_require_nested (core_require_benchmark.rb),
  # applications of 750 and 1,150 files, a list of tasks, the metadata of 3,500 files (of a folder, and by their names),
  # and 10,000 expanded names of each kind. It
  # measures real, user and system time of plain Ruby, bootsnap (built for that Ruby by windows_bootsnap.rb; on Windows
  # itself, if it is installed) and Warmstart. On Linux `ruby-windows` runs them under Wine, and WINDOWS_RUBY
  # (/opt/winruby) is the folder of that Ruby.
  class Windows < Benchmark
    RUBY = "ruby-windows"

    # A file of an application: a class with some methods, which requires the next files.
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

    # Only Warmstart has a faster way for these. The other variants do what plain Ruby does.
    METADATA = <<~RUBY
      folder = File.join(__dir__, "many")
      paths = Array.new(3_500) { |n| File.join(folder, "file_number_\#{n}.rb") }
      facts =
        if defined?(Warmstart)
          require File.join(ENV.fetch("WARMSTART_LIBRARY"), "warmstart/file_system")
          listing = Warmstart::FileSystem.%<ours>s
          listing.names.zip(listing.types, listing.sizes, listing.mtimes)
        else
          %<plain>s.map { |path| [path, (stat = File.lstat(path)).ftype, stat.size, stat.mtime] }
        end
      facts.size == 3_500 or abort "\#{facts.size} names"
    RUBY
    METADATA_WAYS = {
      "of a folder" => {
        ours: "scan(folder)",
        plain: "Dir.children(folder).map { |name| File.join(folder, name) }"
      },
      "by name" => {
        ours: "stat_many(paths)",
        plain: "paths"
      }
    }.freeze

    EXPANDING = <<~RUBY
      10_000.times { |number| File.expand_path(%<name>s, __dir__) }
    RUBY
    # (A name of at most 12 characters may be a short one, so that Ruby asks for the long one: replace_to_long_name in
    # win32/file.c.)
    NAMES = {
      "short" => %("application750/application/part\#{number % 750}.rb"),
      "long" => %("\#{"a_folder_with_a_name/" * 10}../many/file_number_\#{number % 3_500}.rb"),
      "8.3" => %("APPLIC~1/APPLIC~1/PART\#{number % 750}~1.RB"),
      "in another case" => %("Application750/application/PART\#{number % 750}.RB"),
      "missing" => %("nothing/part\#{number}.rb")
    }.freeze

    def run
      raise Unavailable, "there is no #{RUBY} here" unless windows? || found?(RUBY)

      bootsnap, reason = find_bootsnap
      rows = []
      measurements = {}
      FileUtils.mkdir_p(place = File.join(ROOT, "tmp"))
      Dir.mktmpdir("warmstart-windows", windows? ? nil : place) do |work|
        # (otherwise Wine's server would start and end with each run)
        awake = windows? ? nil : Process.spawn(RUBY, "-e", "sleep")
        sleep 1
        programs(work).each do |name, (options, script)|
          measurements[name] = measure_program(work, options, script, bootsnap)
          rows.concat(rows_of(name, measurements[name]))
        end
      ensure
        awake && Process.kill(:TERM, awake) && Process.wait(awake)
      end
      title =
        "seconds from the first -r to the last exit handler (Ruby's and Wine's own start is the same for all), and " \
          "the process's user and system time"
      title += "; no bootsnap: #{reason}" unless bootsnap
      {
        title: title,
        ruby: description,
        head: ["", "real", "of plain", *("of bootsnap" if bootsnap), "user", "system"],
        rows: rows,
        times: measurements
      }
    end

    private

    ROOT = File.expand_path("..", __dir__)
    private_constant :ROOT

    def windows? = !File::ALT_SEPARATOR.nil?
    def found?(command) =
      ENV.fetch("PATH").split(File::PATH_SEPARATOR).any? { |folder| File.executable?(File.join(folder, command)) }
    def own(path) = windows? ? path : "Z:#{path}"

    def description
      return RUBY_DESCRIPTION if windows?

      [[RUBY, "-e", "print RUBY_DESCRIPTION"], %w[wine --version]].map do |command|
          Open3.capture2(*command).first.strip
        end
        .join(", ")
    end

    # The options and variables that set it up for a given cache folder; or nil, and why there are none.
    def find_bootsnap
      unless windows?
        built = WindowsBootsnap.new(RUBY, ENV.fetch("WINDOWS_RUBY", "/opt/winruby"))
        reason = built.missing
        return reason ? [nil, reason] : [->(cache) { [built.options, built.environment(cache)] }, nil]
      end
      unless system(RbConfig.ruby, "-e", "require 'bootsnap'", out: File::NULL, err: File::NULL)
        return nil, "it is not installed"
      end

      [
        ->(cache) do
          [
            ["-r", write(File.dirname(cache), "bootsnap_setup.rb" => WindowsBootsnap::SETUP).first],
            { "BOOTSNAP_CACHE_DIR" => cache }
          ]
        end,
        nil
      ]
    end

    # {name => [options, script]}
    def programs(work)
      files = File.join(work, "files")
      write(files, (0...1000).to_h { |n| ["empty#{n}.rb", ""] })
      write(
        files,
        (0...100).to_h { |n| ["nested#{n}.rb", "require \"inner#{n}\"\nrequire \"inner#{(n + 1) % 100}\"\n"] }
      )
      write(files, (0...100).to_h { |n| ["inner#{n}.rb", ""] })
      write(work, "empty.rb" => CoreRequire::EMPTY, "nested.rb" => CoreRequire::NESTED, "tasks.rb" => TASK)
      write(File.join(work, "many"), (0...3_500).to_h { |n| ["file_number_#{n}.rb", ""] })
      write(
        File.join(work, "lib"),
        (0...200).to_h { |n| ["tasks/task#{n}.rb", "Tasks.describe(\"task#{n}\", \"does #{n}\")\n"] }
      )
      {
        "core_require_empty" => [["-I", files], "empty.rb"],
        "core_require_nested" => [["-I", files], "nested.rb"],
        "application of 750 files" => application(work, 750),
        "application of 1,150 files" => application(work, 1150),
        "list of tasks" => [["-I", File.join(work, "lib")], "tasks.rb"],
        **METADATA_WAYS.to_h { |way, calls| ["metadata of 3,500 files #{way}", script(work, format(METADATA, calls))] },
        **NAMES.to_h { |kind, name| ["10,000 names expanded, #{kind}", script(work, format(EXPANDING, name: name))] }
      }
    end

    # A program without options.
    def script(work, text)
      name = "program#{Dir.children(work).size}.rb"
      write(work, name => text)
      [[], name]
    end

    def application(work, count)
      folder = File.join(work, "application#{count}")
      parts =
        (0...count).to_h do |n|
          ["application/part#{n}.rb", format(FILE, number: n, first: (2 * n) + 1, second: (2 * n) + 2, count: count)]
        end
      write(folder, parts)
      write(work, "application#{count}.rb" => "require \"application/part0\"\n")
      [["-I", folder], "application#{count}.rb"]
    end

    # Returns the paths.
    def write(folder, files)
      files.map do |name, content|
        path = File.join(folder, name)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, content)
        path
      end
    end

    # {"plain" => [[real, user, system], ...], "bootsnap" => ..., "warmstart" => ...}, measured in turns. The first two
    # runs of each record, and are not counted.
    def measure_program(work, options, script, bootsnap)
      options = options.map { |option| option.start_with?("-") ? option : own(option) }
      path = own(File.join(work, script))
      ours = {
        "WARMSTART_CACHE_DIR" => own(File.join(work, "cache")),
        "WARMSTART_LIBRARY" => own(File.dirname(SETUP, 2))
      }
      commands = {
        "plain" => [[], {}],
        "bootsnap" => bootsnap&.call(own(File.join(work, "bootsnap"))),
        "warmstart" => [["-r", own(SETUP)], ours]
      }
      commands = commands.compact.transform_values { |set_up, environment| [[*options, *set_up, path], environment] }
      2.times { commands.except("plain").each_value { |command| start(work, *command) } }
      results = commands.transform_values { [] }
      @runs.times { commands.each { |name, command| results[name] << start(work, *command) } }
      results
    end

    # The process itself tells its times, because waiting for it tells nothing about Wine's processes.
    TIMES = <<~RUBY
      began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      at_exit do
        real = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
        $stderr.puts "TIMES \#{real} \#{Process.times.utime} \#{Process.times.stime}"
      end
    RUBY

    def start(work, command, environment)
      times = File.join(work, "times.rb")
      File.write(times, TIMES) unless File.exist?(times)
      ruby = windows? ? RbConfig.ruby : RUBY
      _, errors, status = Open3.capture3({ "RUBYOPT" => nil }.merge(environment), ruby, "-r", own(times), *command)
      raise "#{command.last} failed: #{errors}" unless status.success?

      errors[/TIMES (.*)/, 1].split.map(&:to_f)
    end

    def rows_of(name, results)
      medians = results.transform_values { |runs| runs.transpose.map { |times| times.sort[times.size / 2] } }
      medians.map do |variant, (real, user, system)|
        ratios = %w[plain bootsnap].filter_map { |other| format("%.3f", real / medians[other].first) if medians[other] }
        ["#{name}: #{variant}", format("%.3f s", real), *ratios, format("%.2f s", user), format("%.2f s", system)]
      end
    end
  end
end
