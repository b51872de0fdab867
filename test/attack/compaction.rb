# frozen_string_literal: true

require_relative "section"

module Attack
  # Many boots at once record different files into one image. They wait for each other or give up, and they publish and
  # compact while others read, with a limit that is too small, or with segments that others have left. Each must behave
  # as plain Ruby, and at the end one ordinary boot must make everything warm. Files that are left over must be removed
  # after the time of grace, and no other files.
  class Compaction < Section
    SLICE = 40
    LONG = 5_000

    NAMES = Array.new(14) { |i| "f#{i}" }.freeze
    FILES = {
      **NAMES.to_h do |name|
        [
          "lib/#{name}.rb",
          "#{name.upcase} = '#{name}'\n#{(1..30).map { |i| "def #{name}_#{i}(x) = [x, #{i}, '#{name} #{i}']\n" }.join}"
        ]
      end,
      "main.rb" =>
        "names = ARGV.empty? ? #{NAMES.inspect} : ARGV\nnames.each { |name| require name }\nputs names.map { |name| Object.const_get(name.upcase) }.join(' ')\n"
    }.freeze
    HITS = FILES.keys.grep_v(/main/).sort.freeze
    AT_ONCE = 4

    def play(id)
      random = random(id)
      program(FILES, load_path: ["lib"], args: %w[--disable-gems]) do |program|
        limit = random.rand(3).zero? ? (20_000 + random.rand(200_000)).to_s : nil
        environment = { "WARMSTART_MAXIMUM_SIZE" => limit, "WARMSTART_TRAINING" => random.rand(2).zero? ? "1" : nil }
        (2 + random.rand(5)).times do |round|
          lists = Array.new(AT_ONCE) { NAMES.sample(1 + random.rand(5), random: random) }
          runs = lists.map { |names| Thread.new { boot(program, names, environment) } }.map(&:value)
          lists.zip(runs) { |names, run| as_plain(names, run, "round #{round}") }
          leave_over(program, random)
        end
        plain = program.plain
        same(plain, program.boot, "the boot after")
        warm(plain, HITS, program.boot)
        sweep(program, random)
      end
    end

    private

    def boot(program, names, environment)
      program.ruby(
        "--disable-gems",
        "-I",
        program.path("lib"),
        "-r",
        Program::SETUP,
        program.path("main.rb"),
        *names,
        env: environment
      )
    end

    def as_plain(names, run, what)
      answered(run, what)
      lines = run.complaints
      failed("#{what}: #{lines.size} lines on stderr: #{lines.first.dump}", lines.join("\n")) if lines.size > COMPLAINTS
      shown = [run.status, run.stdout, run.without_complaints.stderr]
      failed("#{what}: #{shown.inspect}") unless shown == ["exit 0", "#{names.join(" ")}\n", ""]
    end

    LONG_AGO = 9000 # seconds; more than the time of grace

    # Creates files that must be removed and files that must stay, and then boots a program that writes.
    def sweep(program, random)
      folder = program.image_folder
      key = File.basename(program.manifests.first, ".manifest")
      other, gone = Array.new(2) { format("%016x", random.rand(1 << 64)) }
      number = -> { format("%016x", random.rand(1 << 64)) }
      old = [
        "#{key}-#{number.call}.temporary",
        "#{key}-#{number.call}.segment",
        "#{gone}-#{number.call}.segment",
        "#{gone}-#{number.call}.temporary"
      ]
      kept = [
        "#{other}.manifest",
        "#{other}-#{number.call}.segment",
        "#{key}.segment",
        "#{key}-#{number.call}.segment.old",
        "notes.txt"
      ]
      young = ["#{key}-#{number.call}.temporary", "#{key}-#{number.call}.segment", "#{gone}-#{number.call}.segment"]
      (old + kept + young).each { |name| File.binwrite(File.join(folder, name), random.bytes(100)) }
      Dir.mkdir(File.join(folder, directory = "#{key}-#{number.call}.segment"))
      (old + kept + [directory]).each do |name|
        File.utime(Time.now - LONG_AGO, Time.now - LONG_AGO, File.join(folder, name))
      end
      program.write("lib/last.rb", "LAST = 'last'\n")
      as_plain(["last"], boot(program, ["last"], {}), "a boot that sweeps")
      there = Dir.children(folder)
      failed("left over: #{(old & there).first}") if old.intersect?(there)
      missing = kept + young + [directory] - there
      failed("removed: #{missing.first}") if missing.any?
      used =
        File.binread(File.join(folder, "#{key}.manifest")).scan(/^segment (\h+)/).map { |id,| "#{key}-#{id}.segment" }
      failed("a segment in use is removed") unless (used - there).empty?
    end

    # Leaves what killed writers and old images leave: files with Warmstart's names that nobody will read any more, or
    # that somebody has written to.
    def leave_over(program, random)
      folder = program.image_folder or return
      key = File.basename(program.manifests.first, ".manifest")
      case random.rand(6)
      when 0
        File.binwrite(File.join(folder, format("%s-%016x.temporary", key, random.rand(1 << 64))), random.bytes(3000))
      when 1
        File.binwrite(File.join(folder, format("%s-%016x.segment", key, random.rand(1 << 64))), random.bytes(3000))
      when 2
        Dir[File.join(folder, "*.segment")].sort.each { |path| File.utime(Time.now - 9000, Time.now - 9000, path) }
      when 3
        Dir[File.join(folder, "*.segment")].min&.then { |path| File.unlink(path) }
      when 4
        Dir[File.join(folder, "*.segment")].max&.then { |path| File.truncate(path, File.size(path) / 2) }
      end
    end
  end
end
