# frozen_string_literal: true

require_relative "section"

module Attack
  # Tries to make a user run another user's code. A user (VICTIM) runs a program. Another user (ATTACKER) has prepared
  # something that would print OWNED: an image with other code, a Gemfile and a config/warmstart.rb in a folder above, a
  # secret that he knows, a record of a bundle. That code must never run, and the program must behave as in plain Ruby.
  # This needs root; for other users there are no cases.
  class Owners < Section
    SLICE = 60
    LONG = 5000
    VICTIM = Program::NOBODY
    ATTACKER = 65_533
    PLACES = %i[image gemfile namespace home swap acl hard_link secret record group].freeze

    FILES = { "main.rb" => "require 'part'\np PART\n", "lib/part.rb" => "PART = 'fine '\n" }.freeze
    EVIL = "PART = 'OWNED'\n"

    def ids(count) = Process.uid.zero? ? super : super.first(1)

    def play(id)
      return :not_root unless Process.uid.zero?

      random = random(id)
      send(PLACES[id.to_i % PLACES.size], random)
    end

    private

    # A program of the victim's, and a sealed image of it that contains the attacker's code. Each worker has its own.
    def stage
      (@stages ||= {})[Process.pid] ||= begin
        path = File.join(base, "stage-#{Process.pid}")
        Dir.mkdir(path)
        program = Program.new(path, FILES, load_path: ["lib"])
        program.as_nobody
        program.write("lib/part.rb", EVIL)
        2.times { program.boot }
        @evil = program.seal or raise "nothing to seal"
        program.restore
        FileUtils.chown_R(VICTIM, VICTIM, path)
        @plain = program.plain
        raise "the payload does not run where it may" unless program.boot(image: @evil).stdout.include?("OWNED")

        program
      end
    end

    # The rules of docs/security.md: the image's folder and files belong to the user or to root, nobody else may write
    # to them, and none of them is a link.
    def image(random)
      program = stage
      folder = File.join(program.base, "image")
      FileUtils.rm_rf(folder)
      system("cp", "-a", @evil, folder, exception: true)
      what = spoil(folder, random)
      refused(program.boot(image: folder), what)
    ensure
      FileUtils.rm_rf([folder, "#{folder}.elsewhere"]) if folder
    end

    def spoil(folder, random)
      name = Dir.children(folder).grep(/\.(manifest|segment)\z/).sample(random: random)
      target = random.rand(2).zero? ? folder : File.join(folder, name)
      case random.rand(4)
      when 0
        File.chown(ATTACKER, ATTACKER, target)
      when 1
        File.chmod(File.stat(target).mode | [0o020, 0o002, 0o022, 0o1002].sample(random: random), target)
      when 2
        File.rename(target, "#{folder}.elsewhere")
        File.symlink("#{folder}.elsewhere", target)
        File.lchown(ATTACKER, ATTACKER, target)
      else
        FileUtils.chown_R(ATTACKER, [VICTIM, ATTACKER].sample(random: random), folder)
      end
      "#{target == folder ? "the folder" : name}: #{File.lstat(target).ftype}, owner #{File.lstat(target).uid}, mode #{File.lstat(target).mode.to_s(8)}"
    end

    # A group may write to the image, if it may write to the file that runs, too. So whoever may write to the image and
    # not to that file (the system is asked) must not be able to run anything.
    def group(random)
      program = stage
      folder = File.join(program.base, "image")
      FileUtils.rm_rf(folder)
      system("cp", "-a", @evil, folder, exception: true)
      main = program.path("main.rb")
      [base, program.base, File.dirname(main)].each { |path| File.chmod(0o755, path) } # (whoever may write gets there)
      image = [folder, *Dir[File.join(folder, "*.{manifest,segment}")].sort]
      what =
        [main, image.sample(random: random), *(image if random.rand(2).zero?)].uniq.map { |path| share(path, random) }
      attackers =
        [VICTIM, ATTACKER].map { |gid| ["setpriv", "--reuid=#{ATTACKER}", "--regid=#{gid}", "--clear-groups"] }
      gains = attackers.any? { |command| !writes?(command, main) && image.any? { |path| writes?(command, path) } }
      run = program.boot(image: folder)
      return :accepted if !gains && run.stdout.include?("OWNED")

      refused(run, what.join(", "))
      gains ? :refused : :survived
    ensure
      FileUtils.rm_rf(folder) if folder
      system("setfacl", "-b", main, err: File::NULL)
      File.chown(VICTIM, VICTIM, main)
      File.chmod(0o644, main)
    end

    def share(path, random)
      File.chown(nil, [VICTIM, ATTACKER].sample(random: random), path)
      mode = File.stat(path).mode & 0o755 | [0, 0o020, 0o020, 0o020, 0o022, 0o002].sample(random: random)
      File.chmod(mode, path)
      listed = random.rand(6).zero? && system("setfacl", "-m", "u:#{ATTACKER}:rw", path, err: File::NULL)
      "#{File.basename(path)} of group #{File.stat(path).gid}, mode #{mode.to_s(8)}#{" with an access list" if listed}"
    end

    def writes?(command, path) = system(*command, "test", "-w", path)

    # An access list allows another user to write (the group's bits are the list's mask: acl(5)).
    def acl(random)
      program = stage
      folder = File.join(program.base, "image")
      FileUtils.rm_rf(folder)
      system("cp", "-a", @evil, folder, exception: true)
      target = [folder, *Dir[File.join(folder, "*.{manifest,segment}")].sort].sample(random: random)
      rights =
        [%w[-m u:%d:rwx], %w[-m u:%d:rw], %w[-m g:%d:rwx]].sample(random: random).map { |word| format(word, ATTACKER) }
      return :no_access_lists unless system("setfacl", *rights, target, err: File::NULL)

      refused(program.boot(image: folder), "#{File.basename(target)} with #{rights.last}")
    ensure
      FileUtils.rm_rf(folder) if folder
    end

    # The victim's own files, linked by the attacker into a folder of his: the owner of a file need not be who put it
    # there.
    def hard_link(random)
      program = stage
      folder = File.join(program.base, "image")
      FileUtils.rm_rf(folder)
      Dir.mkdir(folder)
      Dir[File.join(@evil, "*")].each { |path| File.link(path, File.join(folder, File.basename(path))) }
      File.chown(ATTACKER, ATTACKER, folder)
      File.chmod([0o755, 0o1777, 0o1775].sample(random: random), folder)
      refused(program.boot(image: folder), "hard links to the victim's own image")
      linked_application(program)
    ensure
      FileUtils.rm_rf(folder) if folder
    end

    def linked_application(program)
      above = File.join(program.base, "above")
      own = File.join(above, "own")
      FileUtils.mkdir_p([own, File.join(above, "config")])
      { "Gemfile" => "", "config/warmstart.rb" => "puts 'OWNED'\n" }.each do |name, content|
        File.write(mine = File.join(program.base, "mine"), content)
        File.chown(VICTIM, VICTIM, mine)
        File.link(mine, File.join(above, name))
        File.unlink(mine)
      end
      [above, File.join(above, "config")].each { |path| File.chown(ATTACKER, ATTACKER, path) }
      FileUtils.cp_r(program.folder, own)
      FileUtils.chown_R(VICTIM, VICTIM, own)
      ask_all_ways(program, File.join(own, "application/main.rb"), above)
    ensure
      FileUtils.rm_rf(above) if above
    end

    # An application's own image, made with a secret that somebody else has put there or could read. (Nothing is
    # recorded, so the image stays.)
    def secret(random)
      @own ||= own_image
      path = File.join(@own.home, ".cache/warmstart/secret")
      kept = File.binread(path)
      failed("the image is not believed where the secret is in order") unless own_boot.stdout.include?("OWNED")
      what = spoil_secret(path, random) or return :no_access_lists
      refused(own_boot, "a secret that is #{what}")
    ensure
      if kept
        FileUtils.rm_rf([path, "#{path}.elsewhere"])
        File.binwrite(path, kept)
        File.chown(VICTIM, VICTIM, path)
        File.chmod(0o600, path)
      end
    end

    def own_boot = @own.ruby("-I", @own.path("lib"), @own.path("main.rb"), env: { "WARMSTART_READONLY" => "1" })

    def own_image
      path = File.join(base, "own-#{Process.pid}")
      Dir.mkdir(path)
      files =
        FILES.merge(
          "Gemfile" => "",
          "main.rb" => "require #{Program::SETUP.dump}\n#{FILES["main.rb"]}",
          "lib/part.rb" => EVIL
        )
      program = Program.new(path, files, witness: false, env: { "WARMSTART_CACHE_DIR" => nil })
      program.as_nobody
      run = program.ruby(File.join(ROOT, "exe/warmstart"), "build", "--all", "--seal", "lib", chdir: program.folder)
      raise "nothing is built: #{run.stderr}" unless run.status == "exit 0"

      program.write("lib/part.rb", FILES["lib/part.rb"])
      File.chown(VICTIM, VICTIM, program.path("lib/part.rb"))
      stage # (for what plain Ruby prints)
      program
    end

    def spoil_secret(path, random)
      case random.rand(5)
      when 0
        File.chown(ATTACKER, ATTACKER, path) && "another user's"
      when 1
        File.chmod(mode = [0o604, 0o640, 0o606, 0o620].sample(random: random), path) && "of mode #{mode.to_s(8)}"
      when 2
        File.rename(path, "#{path}.elsewhere")
        File.symlink("#{path}.elsewhere", path) && "a link"
      when 3
        File.binwrite(path, File.binread(path)[0, 16] + random.bytes(16)) && "another one"
      else
        system("setfacl", "-m", "u:#{ATTACKER}:r", path, err: File::NULL) && "readable by an access list"
      end
    end

    BUNDLE = {
      "local/local.gemspec" =>
        "Gem::Specification.new { |s| s.name = 'local'; s.version = '1'; s.summary = s.author = 'x'; s.files = ['lib/part.rb'] }\n",
      "local/lib/part.rb" => FILES["lib/part.rb"],
      "Gemfile" => "gem 'local', path: 'local'\n",
      "main.rb" => "require 'bundler/setup'\n#{FILES["main.rb"]}"
    }.freeze

    # A record that another user could have written must be ignored: Bundler sets up the bundle.
    def record(random)
      program(BUNDLE, witness: false) do |program|
        File.chmod(0o755, File.dirname(program.base))
        program.as_nobody
        stage
        3.times { refused(program.boot, "a bundle") }
        log = -> do
          program.boot(env: { "WARMSTART_LOG" => "1", "WARMSTART_READONLY" => "1" }).stderr[
            /^warmstart: bundler: (\w+)/,
            1
          ]
        end
        failed("the record is not used where it is in order") unless log.call == "replayed"
        path = Dir[File.join(program.cache, "*/*.record")].first
        what = spoil_record(path, random)
        failed("a record that is #{what} is used") if log.call == "replayed"
        refused(program.boot, "a record that is #{what}")
      end
    end

    def spoil_record(path, random)
      case random.rand(4)
      when 0
        File.chown(ATTACKER, ATTACKER, path) && "another user's"
      when 1
        File.chmod(mode = [0o602, 0o620, 0o666].sample(random: random), path) && "of mode #{mode.to_s(8)}"
      when 2
        File.rename(path, "#{path}.elsewhere")
        File.symlink("#{path}.elsewhere", path) && "a link"
      else
        bytes = File.binread(path)
        # (But not the 16 bytes of the check, which nobody reads outside of an application's folder: record.c.)
        places = [*0...bytes.size] - [*40...56]
        bytes.setbyte(places.sample(random: random), random.rand(256)) until bytes != File.binread(path)
        File.binwrite(path, bytes) && "damaged"
      end
    end

    # A Gemfile and a config/warmstart.rb above the victim's own folder.
    def gemfile(random)
      program = stage
      above = File.join(program.base, "above")
      own = File.join(above, *%w[x y].first(random.rand(3)), "own")
      FileUtils.mkdir_p([own, File.join(above, "config")])
      File.write(File.join(above, "Gemfile"), "")
      File.write(File.join(above, "config/warmstart.rb"), "puts 'OWNED'\n")
      FileUtils.chown_R(ATTACKER, ATTACKER, above)
      File.chown(*(random.rand(2).zero? ? [ATTACKER, ATTACKER] : [0, 0]), above)
      File.chmod(File.stat(above).uid.zero? ? 0o1777 : 0o755, above)
      FileUtils.cp_r(program.folder, own)
      FileUtils.chown_R(VICTIM, VICTIM, own)
      script = File.join(own, "application/main.rb")
      ask_all_ways(program, script, above)
    ensure
      FileUtils.rm_rf(above) if above
    end

    def ask_all_ways(program, script, above)
      library = File.join(File.dirname(script), "lib")
      {
        "-r" => ["-I", library, "-r", Program::SETUP, script],
        "require" => ["-I", library, "-e", "require #{Program::SETUP.dump}; load ARGV[0]", script],
        "exec" => [File.join(ROOT, "exe/warmstart"), "exec", RbConfig.ruby, "-I", library, script]
      }.each do |way, command|
        2.times do
          refused(
            program.ruby(*command, chdir: File.dirname(script)),
            "#{way}, #{File.stat(above).mode.to_s(8)} of #{File.stat(above).uid} above"
          )
        end
      end
    end

    # In a user namespace that maps neither user, both have the same number.
    def namespace(_random)
      program = stage
      folder = File.join(program.base, "image")
      system("cp", "-a", @evil, folder, exception: true)
      FileUtils.chown_R(ATTACKER, ATTACKER, folder)
      system("chmod", "-R", "a+rX", folder)
      unless system(
               "setpriv",
               "--reuid=#{VICTIM}",
               "--regid=#{VICTIM}",
               "--clear-groups",
               "unshare",
               "--user",
               "true",
               err: File::NULL
             )
        return :no_namespaces
      end

      refused(
        program.boot(
          image: folder,
          prefix: ["setpriv", "--reuid=#{VICTIM}", "--regid=#{VICTIM}", "--clear-groups", "unshare", "--user"]
        ),
        "in a user namespace"
      )
    ensure
      FileUtils.rm_rf(folder) if folder
    end

    # If root runs with the user's HOME, it must create nothing there.
    def home(_random)
      program = stage
      before = Dir.glob("**/*", File::FNM_DOTMATCH, base: program.home).sort
      2.times { program.boot(env: { "WARMSTART_CACHE_DIR" => nil }, prefix: []) }
      made = Dir.glob("**/*", File::FNM_DOTMATCH, base: program.home).sort - before
      foreign = made.select { |name| File.lstat(File.join(program.home, name)).uid.zero? }
      failed("root makes #{foreign.first} in the home of another user") if foreign.any?
    end

    # Two folders swap places again and again while the program starts: one that must be refused, and an empty one that
    # belongs to the victim.
    def swap(random)
      program = stage
      folder = File.join(program.base, "image")
      other = "#{folder}.elsewhere"
      system("cp", "-a", @evil, folder, exception: true)
      FileUtils.chown_R(ATTACKER, ATTACKER, folder)
      system("chmod", "-R", "a+rX", folder)
      FileUtils.mkdir(other, mode: 0o700)
      File.chown(VICTIM, VICTIM, other)
      swapper = Process.spawn(RbConfig.ruby, "--disable-gems", "-e", SWAP, folder, other, random.rand(2000).to_s)
      4.times { refused(program.boot(image: folder), "folders that change places") }
    ensure
      Process.kill(:KILL, swapper) if swapper
      Process.wait(swapper) if swapper
      FileUtils.rm_rf([folder, other, "#{folder}.third"]) if folder
    end

    SWAP = <<~RUBY
      one, other, pause = ARGV
      loop do
        File.rename(one, one + ".third")
        File.rename(other, one)
        File.rename(one + ".third", other)
        sleep(pause.to_i / 1e6)
      end
    RUBY

    def refused(run, what)
      failed("#{what}: OWNED", run.transcript) if (run.stdout + run.stderr).include?("OWNED")
      failed("#{what}: hangs") if run.status.start_with?("no answer")
      unless run.stdout == @plain.stdout && run.status == @plain.status
        failed("#{what}: another answer: #{run.stdout.dump} #{run.stderr[0, 200].dump} #{run.status}", run.transcript)
      end
      if run.stderr.lines.size > 1 && run.complaints.size != 1
        failed("#{what}: #{run.complaints.size} lines", run.stderr)
      end
    end
  end
end
