# frozen_string_literal: true

require "find"
require_relative "../lib/warmstart/file_system"
require_relative "../test/support/windows_extension"

module Benchmarks
  # Compares Warmstart::FileSystem with plain Ruby: on a large folder; on a tree of 50,000 names; on a list of paths
  # while strace delays each metadata call (as in metadata_calls); and on a large folder on Windows, if there is a Ruby
  # for it (under Wine). Each row is a median of runs in turns. The last column tells how many times faster it is than
  # plain Ruby.
  class FileSystem < Benchmark
    FILES = 3_500
    TREE = [500, 100].freeze # folders, files in each
    # Microseconds per call => number of paths. With a long delay there are fewer paths, so that plain Ruby comes to an
    # end.
    LATENCIES = { 200 => 3_500, 1_000 => 3_500, 5_000 => 700 }.freeze

    def run
      Dir.mktmpdir("warmstart-files") do |work|
        rows =
          folder_rows(File.join(work, "folder")) + tree_rows(File.join(work, "tree")) + latency_rows(work) +
            windows_rows
        {
          title: "a folder, a tree, a list of paths: wall time",
          head: ["", "plain Ruby", "Warmstart", "times faster"],
          rows: rows
        }
      end
    end

    private

    def folder_rows(folder)
      fill(folder, FILES)
      plain =
        lambda do
          Dir
            .children(folder)
            .map do |name|
              stat = File.lstat(File.join(folder, name))
              [name, stat.ftype, stat.size, stat.mtime]
            end
        end
      scan =
        lambda do
          listing = Warmstart::FileSystem.scan(folder)
          [listing.names, listing.types, listing.sizes, listing.mtimes]
        end
      [
        row("#{FILES} files: names, types, sizes, mtimes (Dir.children, File.lstat)", plain, scan),
        row(
          "the same, asked for and not looked at",
          -> { Dir.children(folder).each { |name| File.lstat(File.join(folder, name)) } },
          -> { Warmstart::FileSystem.scan(folder) }
        )
      ]
    end

    def tree_rows(tree)
      TREE.first.times { |i| fill(File.join(tree, "part#{i % 20}", "folder#{i}"), TREE.last) }
      children = -> { descend(tree, nil, []) }
      glob =
        lambda do
          Dir
            .glob("**/*", File::FNM_DOTMATCH, base: tree)
            .map do |name|
              stat = File.lstat(File.join(tree, name))
              [name, stat.ftype, stat.mtime]
            end
        end
      find =
        lambda do
          Find
            .find(tree)
            .map do |path|
              stat = File.lstat(path)
              [path, stat.ftype, stat.mtime]
            end
        end
      scan =
        lambda do
          listing = Warmstart::FileSystem.scan(tree, fields: %i[type mtime], recursive: true)
          [listing.names, listing.types, listing.mtimes]
        end
      names = Warmstart::FileSystem.scan(tree, fields: [:type], recursive: true).size
      [
        row("a tree of #{names}: names, types, mtimes (Dir.children, File.lstat)", children, scan),
        row("the same (Dir.glob, File.lstat)", glob, scan),
        row("the same (Find, File.lstat)", find, scan)
      ]
    end

    def descend(folder, prefix, facts)
      Dir
        .children(folder)
        .each do |child|
          path = File.join(folder, child)
          name = prefix ? "#{prefix}/#{child}" : child
          stat = File.lstat(path)
          facts << [name, stat.ftype, stat.mtime]
          descend(path, name, facts) if stat.directory?
        end
      facts
    end

    def fill(folder, count)
      FileUtils.mkdir_p(folder)
      count.times { |i| File.write(File.join(folder, "file_number_#{i}.rb"), "") }
    end

    def row(name, plain, ours)
      times = { plain => [], ours => [] }
      (@runs + 1).times { times.keys.shuffle.each { |work| times[work] << seconds(&work) } }
      slow, quick = times.values.map { |list| median(list.drop(1)) }
      [name, *cells(slow, quick)]
    end

    def cells(slow, quick) =
      [Warmstart::Units.seconds(slow), Warmstart::Units.seconds(quick), format("%.1f", slow / quick)]

    def seconds
      GC.start
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    end

    def median(list) = list.sort[list.size / 2]

    # A program of its own, because strace slows down everything that it runs.
    SLOW = <<~RUBY
      require ARGV[0]
      paths = Dir.children(ARGV[1]).first(ARGV[2].to_i).map { |name| File.join(ARGV[1], name) }
      clock = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
      start = clock.call
      plain = paths.map { |path| File.lstat(path).size }
      middle = clock.call
      ours = Warmstart::FileSystem.stat_many(paths).sizes
      finish = clock.call
      plain == ours or abort "another answer"
      puts middle - start, finish - middle
    RUBY

    def latency_rows(work)
      unless Warmstart::Bench::SystemCalls.available?
        return [["a list of paths, each call delayed", "no strace", "", ""]]
      end

      LATENCIES.map do |delay, count|
        slow, quick = slow_program(File.join(work, "folder"), delay, count)
        ["#{count} paths, each call #{delay / 1000.0} ms longer (File.lstat)", *cells(slow, quick)]
      end
    end

    def slow_program(folder, delay, count)
      trace = [
        "strace",
        "-f",
        "-qq",
        "--seccomp-bpf",
        "-e",
        "trace=%file,getdents64",
        "-e",
        "inject=%file,getdents64:delay_enter=#{delay}",
        "-o",
        File::NULL
      ]
      library = File.expand_path("../lib/warmstart/file_system", __dir__)
      output, status = Open3.capture2(*trace, RbConfig.ruby, "--disable-gems", "-e", SLOW, library, folder, count.to_s)
      raise Unavailable, "the delayed program failed" unless status.success?

      output.lines.map(&:to_f)
    end

    # Runs under Wine, with the small extension that the tests use.
    WINDOWS = <<~RUBY
      folder = File.join(ARGV[0], "files")
      Dir.mkdir(folder)
      #{FILES}.times { |i| File.write("\#{folder}/file_number_\#{i}.rb", "") }
      clock = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
      times = Array.new(3) do
        start = clock.call
        plain = Dir.children(folder).map { |name| [name, File.lstat("\#{folder}/\#{name}").size] }
        middle = clock.call
        listing = Warmstart::FileSystem.scan(folder)
        ours = listing.names.zip(listing.sizes)
        finish = clock.call
        plain.sort == ours.sort or abort "another answer"
        [middle - start, finish - middle]
      end
      puts times.transpose.map { |list| list.sort[1] }
    RUBY

    def windows_rows
      return [] unless WindowsExtension.available?

      Dir.mktmpdir("warmstart-windows") do |work|
        slow, quick = WindowsExtension.new(work).run(WINDOWS).lines.map(&:to_f)
        [["Windows (under Wine), #{FILES} files: names, sizes (Dir.children, File.lstat)", *cells(slow, quick)]]
      end
    end
  end
end
