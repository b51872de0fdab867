# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../../examples/applications"

# The files of gems (default and bundled ones, and those of the examples, if they are set up) by each name that means
# them. For each file a process is forked that requires it in one spelling and then in the others: results, errors and
# features in order are as in plain Ruby, while the image is made and from it.
#
# Usually for a sample. WARMSTART_FEATURES=all plays all (14,000 files on 4.0, half an hour or more), WARMSTART_FEATURES=500
# so many, and WARMSTART_FEATURES=2/12 the third of twelve pieces (they begin with 0/12).
class GemFeatureNamesTest < TestCase
  with_rubygems

  WHAT = ENV.fetch("WARMSTART_FEATURES", "24")
  EXTENSION = RbConfig::CONFIG.fetch("DLEXT")
  GEMS = [
    *Gem.path,
    File.join(Examples::FOLDER, "tmp/gems/ruby", RbConfig::CONFIG["ruby_version"]),
    *ENV.fetch("WARMSTART_GEMS", "").split(":")
  ].uniq

  # With RECORD: requires one spelling of each line, and records. Without: answers each line of NAMES in a process of its
  # own, in a file in ANSWERS.
  MAIN = <<~'RUBY'
    $VERBOSE = nil
    lines = File.readlines(ENV.fetch("NAMES"), chomp: true).map { |line| line.split("\t") }
    library = ENV.fetch("LIBRARY")
    folder = ENV.fetch("ANSWERS")
    attempt = lambda do |name|
      before = $LOADED_FEATURES.size
      result =
        begin
          require(name)
        rescue Exception => error
          [error.class.name, error.message.to_s.lines.first, error.is_a?(LoadError) ? error.path : nil]
        end
      [name, result, $LOADED_FEATURES.drop(before).reject { |path| path.start_with?(library) }]
    end
    if ENV["RECORD"]
      begin
        lines.each { |names| attempt.(names.first) }
      ensure
        Warmstart.boot_complete!
        Warmstart::Native.wait(10_000)
        exit!(0)
      end
    end
    running = {}
    finish = lambda do |limit|
      until running.size <= limit
        pid = Process.wait(-1, Process::WNOHANG)
        running.delete(pid) if pid
        running.each { |child, since| Process.kill(:KILL, child) if Process.clock_gettime(Process::CLOCK_MONOTONIC) - since > 30 }
        sleep 0.002 unless pid
      end
    end
    lines.each_with_index do |names, index|
      finish.(1)
      pid = fork do
        $stdin.reopen(File::NULL)
        $stdout.reopen(File::NULL, "w")
        $stderr.reopen(File::NULL, "w")
        text = names.map { |name| attempt.(name).inspect }.join("\n")
        File.write("#{folder}/#{index}", text)
        exit!(0)
      end
      running[pid] = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
    finish.(0)
    exit!(0)
  RUBY

  # Gems, the newest version of each, by the folders that a program would have in its load path.
  def specifications
    homes = GEMS.select { |home| File.directory?(home) }
    folders = homes.map { |home| File.join(home, "specifications") } + [Gem.default_specifications_dir]
    found =
      folders
        .flat_map { |folder| Dir[File.join(folder, "{,default/}*.gemspec")] }
        .filter_map { |path| Gem::Specification.load(path) }
    found.group_by(&:name).map { |_, versions| versions.max_by(&:version) }.sort_by(&:name)
  end

  # [folder, [a file of it ...]]. (A file that a folder before it hides is a name all the same: then it means the other.)
  def files_by_folder
    specifications
      .flat_map { |gem| gem.full_require_paths.select { |folder| File.directory?(folder) } }
      .uniq
      .map { |folder| [folder, Dir.glob("**/*.{rb,#{EXTENSION}}", base: folder).sort] }
  end

  # All spellings of a file, in an order of its own.
  def spellings(folder, file, random)
    name = file.sub(/\.(?:rb|#{EXTENSION})\z/, "")
    path = File.join(folder, name)
    [
      name,
      "#{name}.rb",
      "#{name}.so",
      "#{name}.#{EXTENSION}",
      path,
      File.join(folder, file),
      "#{File.dirname(path)}/../#{File.basename(File.dirname(path))}/#{File.basename(path)}"
    ].uniq.shuffle(random: random)
  end

  # Those of the shuffled lines that WHAT asks for.
  def chosen(lines)
    return lines if WHAT == "all"

    number, pieces = WHAT.split("/").map { |text| Integer(text) }
    pieces ? lines.select.with_index { |_, index| index % pieces == number } : lines.first(number)
  end

  # What the names of each line come to, in order.
  def answers(program, way, lines)
    folder = File.join(program.base, "answers")
    FileUtils.rm_rf(folder)
    FileUtils.mkdir_p(folder)
    play(program, way, lines, "ANSWERS" => folder)
    lines.each_index.map do |index|
      if File.exist?("#{folder}/#{index}")
        File.read("#{folder}/#{index}").gsub(/0x\h+|(?<=tmp)\S*-\d{5,}\S*/, "0x")
      else
        "no answer"
      end
    end
  end

  def play(program, way, lines, env)
    list = File.join(program.base, "names")
    File.write(list, lines.map { |names| names.join("\t") }.join("\n"))
    result =
      program.public_send(
        way,
        env: {
          "NAMES" => list,
          "LIBRARY" => File.join(Program::REPOSITORY, "lib/"),
          "ANSWERS" => "",
          **env
        },
        timeout: env["RECORD"] ? 120 : 7200
      )
    assert_equal "exit 0", result.status, result.stderr unless env["RECORD"]
  end

  # The lines that differ from plain Ruby each time, while plain Ruby itself repeats its answer.
  def differing(program, lines, plain, run)
    indices = lines.each_index.reject { |index| plain[index] == run[index] }
    return [] if indices.empty?

    some = lines.values_at(*indices)
    again = Array.new(2) { answers(program, :plain, some) }
    warm = answers(program, :boot, some)
    indices.each_with_index.filter_map do |index, number|
      next if again.any? { |one| one[number] != plain[index] } || warm[number] == plain[index]

      line_diff(plain[index], warm[number])
    end
  end

  test "the files of gems in each spelling" do
    random = Random.new(14)
    folders = files_by_folder
    lines = folders.flat_map { |folder, files| files.map { |file| spellings(folder, file, random) } }
    skip "there are no gems" if lines.empty?
    lines = chosen(lines.shuffle(random: random))

    # (RubyGems itself has no gems but the default ones, for it would look for each missing name in each gem.)
    none = { "GEM_PATH" => temporary_folder, "GEM_HOME" => temporary_folder }
    program =
      program(
        { "main.rb" => MAIN },
        args: folders.map { |folder, _| "-I#{folder}" },
        load_path: [],
        witness: false,
        env: none
      )
    plain = answers(program, :plain, lines)
    assert_operator plain.grep(/, true, \["/).size, :>, lines.size / 4, "hardly a file is loaded in plain Ruby"
    said = ["first boot", *differing(program, lines, plain, answers(program, :boot, lines))]
    # (While the image is made, processes of some files each; they may end as they like.)
    lines.each_slice(100) { |some| play(program, :boot, some, "RECORD" => "1") }
    refute_empty program.manifests, "the boots have recorded"
    ["second boot", "third boot"].each do |boot|
      said << boot << differing(program, lines, plain, answers(program, :boot, lines))
    end
    said = said.flatten
    assert_equal ["first boot", "second boot", "third boot"], said, -> { said.join("\n") }
    puts "#{lines.size} files by each name" if ENV["WARMSTART_FEATURES"] # (bin/deep counts them)
  end
end
