# frozen_string_literal: true

require "rbconfig"
require_relative "tree"

module Attack
  # Runs the tree's program, in plain Ruby and with Warmstart. If this process is root's, the program runs as an
  # unprivileged user, because modes do not restrict root.
  class Boots
    # Code by which the program changes its own tree, in its working folder. "A" and "B" are replaced by paths.
    MIDS = {
      folder_renamed: 'File.rename("A", "A~m"); File.symlink(File.basename("A~m"), "A")',
      folder_linked: 'File.symlink(File.expand_path("A~m"), "l~"); File.rename("A", "A~m"); File.rename("l~", "A")',
      folder_by_child: 'system("mv A A~m; ln -s " + File.basename("A~m") + " A")',
      folder_by_backticks:
        '`mv A A~m`; Dir.chdir(File.dirname("A")) { system("ln", "-s", File.basename("A~m"), File.basename("A")) }',
      folder_by_fork: 'Process.wait(fork { File.rename("A", "A~m"); File.symlink(File.basename("A~m"), "A"); exit! })',
      folder_and_path: 'File.rename("A", "A~m"); File.symlink(File.basename("A~m"), "A"); $LOAD_PATH.push("/nowhere")',
      folder_and_features:
        'File.rename("A", "A~m"); File.symlink(File.basename("A~m"), "A"); $LOADED_FEATURES.push("/nowhere.rb")',
      folder_without_feature:
        'File.rename("A", "A~m"); File.symlink(File.basename("A~m"), "A"); $LOADED_FEATURES.delete(File.expand_path("B"))',
      other_name:
        'File.symlink(File.expand_path("A"), "n~") unless File.symlink?("n~"); $LOADED_FEATURES.push(File.join(File.expand_path("n~"), File.basename("B")))',
      file_linked: 'File.rename("B", "moved~m.rb"); File.symlink(File.expand_path("moved~m.rb"), "B")',
      file_written: 'File.write("B", File.read("B").sub(/t\d{7}/, "t-------"))',
      file_kept_old:
        's = File.stat("B"); File.write("B", File.read("B").sub(/t\d{7}/, "t-------")); File.utime(s.atime, s.mtime, "B")',
      file_gone: 'File.unlink("B")',
      file_new: 'File.write("over/f3.rb", "say \"new\", __FILE__, __dir__\n")',
      forked:
        '$stdout.flush; Process.wait(fork { File.rename("A", "A~m"); File.symlink(File.basename("A~m"), "A"); try("child") { require "f6" }; $stdout.flush; exit! })'
    }.freeze
    TIMEOUT = 60
    AGEING = 0.03

    def self.draw_mid(random) =
      [MIDS.keys.sample(random: random), 1 + random.rand(Tree::FEATURES.size), random.rand(1 << 16)]

    def initialize(tree, with_data:)
      @tree = tree
      @with_data = with_data
      @hits = 0
      @privileged = Process.uid.zero?
      %w[cache home].each { |name| Dir.mkdir(File.join(tree.base, name)) }
      FileUtils.chown_R(Tree::NOBODY, Tree::NOBODY, tree.base) if @privileged
    end

    def warm? = @hits.positive?

    # The block's changes are made as the unprivileged user. (Mounts become root again by themselves.)
    def unprivileged = yield

    def play(round)
      own
      sleep(AGEING) if round.aged
      if round.mid && !@tree.mounted?
        plain, run = with_mid(round.mid)
        yield plain, run, " (#{round.mid.first})"
      else
        plain = run(false)
        (round.twice ? 2 : 1).times { |turn| yield plain, run(true), (turn.zero? ? "" : ", again") }
      end
    end

    private

    # Gives the user the files that root has made since. Files that he owns are not touched, because chown would change
    # their times.
    def own
      return unless @privileged

      system(
        "find",
        @tree.root,
        "-not",
        "-user",
        Tree::NOBODY.to_s,
        "-exec",
        "chown",
        "-h",
        "#{Tree::NOBODY}:#{Tree::NOBODY}",
        "{}",
        "+",
        err: File::NULL
      )
    end

    # The program changes the tree, so plain Ruby gets a copy of it in the same place.
    def with_mid(mid)
      code = mid_code(mid) or return run(false), run(true)
      copy, done = %w[copy done].map { |name| File.join(@tree.base, name) }
      system("cp", "-a", @tree.root, copy)
      warm = run(true, code)
      File.rename(@tree.root, done)
      File.rename(copy, @tree.root)
      plain = run(false, code)
      FileUtils.rm_rf(@tree.root)
      File.rename(done, @tree.root)
      [plain, warm]
    end

    def mid_code(mid)
      name, step, number = mid
      folder = @tree.pick(@tree.folders - %w[gems gems/gems], number)
      file = @tree.pick(@tree.files.grep(/\.rb\z/), number)
      return if !folder || !file || File.exist?(@tree.path("#{folder}~m"))

      "#{step} #{MIDS.fetch(name).gsub(/\bA\b/, folder).gsub(/\bB\b/, file)}"
    end

    def run(warm, mid = nil)
      out, err, counts = %w[out err counts].map { |name| File.join(@tree.base, name) }
      env = {
        "PATH" => ENV["PATH"],
        "LANG" => "C.UTF-8",
        "HOME" => File.join(@tree.base, "home"),
        "WARMSTART_CACHE_DIR" => File.join(@tree.base, "cache"),
        "MID" => mid,
        "YAML" => ("1" if @with_data),
        "COUNTS" => (counts if warm)
      }.compact
      prefix = @privileged ? ["setpriv", "--reuid=#{Tree::NOBODY}", "--regid=#{Tree::NOBODY}", "--clear-groups"] : []
      command = [
        *prefix,
        RbConfig.ruby,
        "--disable-gems",
        *(["-r", Program::SETUP] if warm),
        File.join(@tree.base, "main.rb")
      ]
      FileUtils.rm_f([out, err, counts])
      status =
        wait(
          Process.spawn(
            env,
            *command,
            chdir: @tree.base,
            in: File::NULL,
            out: out,
            err: err,
            unsetenv_others: true,
            pgroup: true
          )
        )
      @hits += File.read(counts).to_i if warm && File.exist?(counts)
      raise "the program says nothing (is the disk full?): #{text(err)}" if !warm && File.empty?(out)

      Program::Run.new(stdout: text(out), stderr: text(err), status: status, state: "", events: [])
    end

    def wait(pid)
      waiter = Process.detach(pid)
      unless waiter.join(TIMEOUT)
        Process.kill(:KILL, -pid)
        waiter.join
        return "no answer in #{TIMEOUT} s"
      end
      status = waiter.value
      status.signaled? ? "signal #{Signal.signame(status.termsig)}" : "exit #{status.exitstatus}"
    end

    def text(path) = File.binread(path).force_encoding(Encoding::UTF_8).scrub.gsub(/0x\h{8,16}/, "0x...")
  end
end
