# frozen_string_literal: true

module Exactness
  module Standby
    # A generated application, and what changes between its commands: all of it follows from the seed.
    #
    # The script "foo" requires lib/foo.rb, at whose end the standby waits (docs/standby.md). That file asks questions of
    # the outside (files, folders, links, variables, limits, features) and keeps the answers; the script prints them.
    # So whatever a standby fails to see again is an answer that differs from plain Ruby's.
    class World
      FILES = {
        "data/a.txt" => "a\n",
        "data/b.txt" => "b\n",
        "data/deep/er/c.txt" => "c\n",
        "data/code" => "1 + 1\n",
        "conf/one.conf" => "1\n",
        "conf/two.conf" => "2\n",
        "conf/.hidden" => "",
        ".env" => "FROM_FILE=1\n",
        "second/part.rb" => "PART = 1\n",
        "second/late.rb" => "Late = 1\n",
        "first/other.rb" => "",
        "empty/.keep" => ""
      }.freeze
      LINKS = { "link" => "data/a.txt", "folder_link" => "conf", "chain" => "folder_link/one.conf" }.freeze
      ABSENT = %w[
        absent
        data/absent
        conf/three.conf
        nowhere/absent
        first/part.rb
        first/late.rb
        first/missing_feature.rb
        conf/one.conf/below
      ].freeze
      FOLDERS = %w[data data/deep data/deep/er conf empty first second].freeze
      # What the questions ask for, and what is changed. (A link's target is changed under its own name, too.)
      PATHS = [
        *FILES.keys,
        *LINKS.keys,
        *ABSENT,
        *FOLDERS,
        "folder_link/two.conf",
        "data/../data/a.txt",
        "folder_link/../data/b.txt"
      ].freeze

      # An application with a bundle has these as well: an installed gem in two versions, and a gem beside the application.
      # (Frozen, so that plain Ruby writes no lockfile.)
      GEMFILES = [
        "gem 'alpha'\ngem 'local', path: 'local'\n",
        "gem 'alpha', '1.0'\ngem 'local', path: 'local'\n",
        "gem 'alpha'\n",
        "gem 'alpha', require: false\ngem 'local', path: 'local', group: :test\n"
      ].freeze
      LOCKFILE =
        "PATH\n  remote: local\n  specs:\n    local (0.1)\n\nGEM\n  specs:\n    alpha (VERSION)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  alpha\n  local!\n"
      LOCKFILES = %w[1.0 2.0].map { |version| LOCKFILE.sub("VERSION", version) }.freeze
      GEMSPEC =
        "Gem::Specification.new { |spec| spec.name, spec.version, spec.summary, spec.authors, spec.files, spec.require_paths = %p, %p, '', [''], %p, %p }\n"
      BUNDLE = {
        "Gemfile" => GEMFILES.first,
        "Gemfile.lock" => LOCKFILES.first,
        "local/local.gemspec" => format(GEMSPEC, "local", "0.1", ["lib/local.rb"], ["lib"]),
        "local/lib/local.rb" => "LOCAL = 1\n",
        **%w[1.0 2.0].to_h do |version|
          ["home/specifications/alpha-#{version}.gemspec", format(GEMSPEC, "alpha", version, ["lib/alpha.rb"], ["lib"])]
        end,
        **%w[1.0 2.0].to_h { |version| ["home/gems/alpha-#{version}/lib/alpha.rb", "ALPHA = #{version.dump}\n"] }
      }.freeze
      BUNDLE_PATHS = [
        *BUNDLE.keys,
        "home/gems/alpha-1.0",
        "home/gems",
        "local",
        "local/lib",
        "local/lib/alpha.rb",
        "home/specifications",
        ".bundle/config"
      ].freeze
      BUNDLED = {
        "BUNDLE_FROZEN" => "true",
        "GEM_HOME" => "home",
        "GEM_PATH" => "home",
        "BUNDLE_GEMFILE" => "Gemfile"
      }.freeze
      # (An error of the setup has Warmstart's frames in its backtrace while it is recorded: docs/bundler_and_documents.md.)
      SETUP =
        %(begin; require "bundler/setup"; rescue StandardError => error; FAILED = [error.class, error.message]; end).freeze
      OF_A_BUNDLE = [
        "Gem.loaded_specs.map { |name, spec| [name, spec.version.to_s, spec.full_gem_path] }.sort",
        "Bundler.require(:default)",
        "Bundler.require",
        "require('alpha') && ALPHA",
        "require('local') && LOCAL",
        "$LOAD_PATH.grep(/application/)",
        "Bundler.load.specs.map(&:full_name).sort",
        "Gem::Specification.map(&:full_name).grep(/alpha|local/).sort",
        "Gem.path",
        "Bundler.definition.dependencies.map(&:to_s)",
        "gem('alpha', '2.0')",
        "Bundler.settings[:frozen]",
        "File.read(Bundler.default_lockfile).size",
        "Gem.find_files('alpha').size",
        "Bundler.bundle_path.to_s"
      ].freeze

      # Questions about the path P.
      OF_A_PATH = [
        "File.read(P)",
        "File.binread(P, 1)",
        "File.foreach(P).first",
        "File.readlines(P, chomp: true)",
        "File.open(P, &:gets)",
        "File.open(P) { |file| file.seek(1); file.read }",
        "open(P, &:read)",
        "File.open(P, 'r:bom|utf-8', &:read)",
        "IO.open(IO.sysopen(P), &:read)",
        "File.open(P, File::RDONLY | File::NOFOLLOW, &:read)",
        "File.open(P) { |file| [file.size, file.stat.mode] }",
        "File.open(P, File::RDONLY | File::NONBLOCK) { |file| file.read_nonblock(2) }",
        "File.size(P) unless File.directory?(P)",
        "File.size?(P) unless File.directory?(P)",
        "File.zero?(P) unless File.directory?(P)",
        "File.exist?(P)",
        "File.file?(P)",
        "File.directory?(P)",
        "File.readable?(P)",
        "File.writable?(P)",
        "File.executable?(P)",
        "File.executable_real?(P)",
        "File.world_readable?(P)",
        "File.owned?(P)",
        "File.grpowned?(P)",
        "File.symlink?(P)",
        "File.readlink(P)",
        "File.realpath(P)",
        "File.realdirpath(P)",
        "File.ftype(P)",
        "File.lstat(P).mode",
        "File.stat(P).ino",
        "File.stat(P).dev",
        "File.stat(P).uid",
        "File.mtime(P).to_r if File.file?(P)",
        "File.stat(P).nlink if File.file?(P)",
        "File.lstat(P).size if File.symlink?(P)",
        "File.identical?(P, ROOT + '/data/a.txt')",
        "test(?e, P)",
        "test(?s, P) if File.file?(P)",
        "Dir.children(P).sort",
        "Dir.entries(P).sort",
        "Dir.each_child(P).to_a.sort",
        "Dir.exist?(P)",
        "Dir.empty?(P)",
        "Dir.glob('*', base: P).sort",
        "Dir.glob('**/*', base: P).sort",
        "Dir.glob(P + '/{one,three,part}*').sort",
        "Dir[P + '*'].sort",
        "Dir.glob('*', File::FNM_DOTMATCH, base: P).sort",
        "Dir.open(P) { |folder| folder.read && folder.children.sort }",
        "Dir.children(P).map { |name| [name, File.lstat(P + '/' + name).mode] }.sort",
        "Dir.children(P).sum { |name| File.size?(P + '/' + name).to_i unless File.directory?(P + '/' + name) or next 0 }",
        "eval(File.read(P))",
        "load(P)",
        "require(P)",
        "require(P + '.rb')",
        "Find.find(P).sort",
        "Pathname(P).exist?",
        "Pathname(P).each_child.map(&:to_s).sort",
        "File.stat(P).ftype",
        "File.expand_path(P)",
        "RubyVM::InstructionSequence.compile_file(P).path",
        "File.foreach(P) { |line| break line }",
        "IO.read(P, 2, 0)",
        "File.read(P, mode: 'rb', encoding: 'BINARY').bytesize",
        "Dir.chdir(P) { Dir.pwd }",
        "File.directory?(P) && File.exist?(P + '/a.txt')",
        "File.exist?(P) ? File.read(P) : :default",
        "(File.stat(P).file? && File.read(P)) || Dir.children(P).size",
        "File.world_writable?(P)",
        "File.sticky?(P)"
      ].freeze

      # Of a folder only what it is matters here, and of a link only where it leads: nothing in them is asked for.
      OF_A_FOLDER = [
        "File.stat(P).mode",
        "File.lstat(P).mode",
        "File.stat(P).ino",
        "File.stat(P).uid",
        "File.executable?(P)",
        "File.identical?(P, ROOT + '/conf')",
        "File.world_writable?(P)"
      ].freeze
      OF_A_LINK = [
        "File.readlink(P)",
        "File.realpath(P)",
        "File.realdirpath(P)",
        "File.readlink(P).size",
        "File.symlink?(P) && File.readlink(P)"
      ].freeze

      # Questions about the process and what it was given.
      OF_THE_PROCESS = [
        "ENV['READ']",
        "ENV.fetch('READ', :none)",
        "ENV.key?('READ')",
        "ENV.to_h.select { |name, _| name.start_with?('READ') }.sort",
        "ENV.values_at('READ', 'READ_TOO')",
        "Dir.pwd",
        "File.umask",
        "Time.at(0).to_s",
        "Time.at(1_600_000_000).zone",
        "Time.local(2001, 7, 1).utc_offset",
        "Encoding.default_external.name",
        "Encoding.find('locale').name",
        "Process.getrlimit(:NOFILE)",
        "Process.getrlimit(:CORE)",
        "Process.groups.sort",
        "[Process.uid, Process.euid, Process.gid]",
        "File.expand_path('relative')",
        "File.read('data/a.txt')",
        "Dir.children('.').sort",
        "Dir.home",
        "Dir.tmpdir",
        "Etc.getpwuid.name",
        "Etc.nprocessors",
        "Etc.uname[:nodename]",
        "Socket.gethostname",
        "ARGV.dup",
        "ENV.update('SET_BY_BOOT' => ENV['READ'].to_s) && 1",
        "File.join(ROOT, 'data', ENV.fetch('READ', 'a') + '.txt').then { |path| File.read(path) }",
        "File.foreach(ROOT + '/.env') { |line| name, value = line.chomp.split('=', 2); ENV[name] = value if value } && ENV['FROM_FILE']"
      ].freeze

      # What the boot keeps (as HELD[K]), and the command goes on with: each command has to find it as the boot has left
      # it, and not as another command has.
      HELD_OPEN = [
        "(HELD[K] ||= File.open(P)).getc",
        "(HELD[K] ||= File.open(P)).gets",
        "(HELD[K] ||= File.open(P)).then { |file| [file.sysread(1), file.sysseek(0, IO::SEEK_CUR)] }",
        "(HELD[K] ||= File.open(P, 'a+')).getc",
        "(HELD[K] ||= File.open(P, 'r+')).getc",
        "(HELD[K] ||= File.open(P, File::RDONLY | File::NOFOLLOW)).getc",
        "(HELD[K] ||= File.open(P, File::RDONLY | File::NONBLOCK)).getc",
        "(HELD[K] ||= File.open(P, File::RDONLY | (defined?(File::NOATIME) ? File::NOATIME : 0))).getc",
        "(HELD[K] ||= File.open(P).then { |file| [file, file.dup] }).map { |file| file.sysread(1) }",
        "(HELD[K] ||= Array.new(2) { File.open(P) }).map { |file| file.sysread(1) }",
        "(HELD[K] ||= Dir.open(P)).then { |folder| [folder.read.nil?, folder.tell.nil?, folder.children.size] }",
        "(HELD[K] ||= File.foreach(P)).next",
        "(HELD[K] ||= File.open(P)).then { |file| [file.size, file.lstat.mode, file.pos] }"
      ].freeze
      HELD = [
        "(HELD[K] ||= Random.new(1)).rand",
        "(HELD[K] ||= IO.allocate).class",
        "(HELD[K] ||= []).push(ENV['READ']).size",
        "(HELD[K] ||= ENV.to_h)['READ_TOO']",
        "(HELD[K] ||= File.open('/dev/null', 'r+')).write('text')",
        "(HELD[K] ||= File.open('/dev/urandom')).read(1).size"
      ].freeze

      # What is asked of the standard descriptors, and of one that only some commands are given; and vain attempts.
      OF_DESCRIPTORS = [
        "[$stdin, $stdout, $stderr].map { |io| io.fcntl(3) & 3 }",
        "[$stdin, $stdout, $stderr].map { |io| io.stat.ftype }",
        "$stdout.fsync",
        "$stdin.tty?",
        "$stdin.fcntl(1)",
        "IO.for_fd(1, autoclose: false).read",
        "IO.for_fd(0, 'r', autoclose: false).read_nonblock(1, exception: false)",
        "IO.for_fd(20, autoclose: false).stat.ftype",
        "$stdout.dup.close",
        "File.exist?('')",
        "File.stat('').size",
        "File.exist?(P) && File.open(P, File::WRONLY | File::CREAT | File::EXCL) { 1 }",
        "File.directory?(P) && File.open(P, 'w')",
        "File.open('/proc/version', 'w')",
        "Dir.mkdir(P) if File.directory?(P)",
        "[ENV.store('LANG', ENV.delete('LANG')), ENV.keys & %w[READ LANG TZ]].last",
        "ENV.keys & %w[READ TZ LANG HOME PATH]"
      ].freeze

      # Questions about features, and what they change.
      OF_FEATURES = [
        "$LOAD_PATH.first(2)",
        "$LOADED_FEATURES.grep(/application/)",
        "File.exist?('absent')",
        "require('part')",
        "require('part') && PART",
        "Late",
        "require('missing_feature')",
        "require_relative('../second/part')",
        "require_relative('../link')",
        "load('part.rb')",
        "load('data/code')",
        "autoload?(:Late)",
        "ENV.delete('READ_TOO')",
        "$:.unshift(ROOT + '/first').size",
        "$:.dup.map { |folder| File.directory?(folder) }",
        "[$0, __FILE__, caller(0).size]",
        "Dir.glob('*').sort"
      ].freeze

      # What a command can be given, and the values that change it.
      VARIABLES = {
        "READ" => [nil, "", "a", "b", "other"],
        "READ_TOO" => [nil, "1", "2"],
        "TZ" => [nil, "UTC", "Asia/Tokyo", "Europe/Berlin"],
        "LANG" => %w[C.UTF-8 C],
        "UNREAD" => [nil, "1"]
      }.freeze
      CONTENTS = ["a\n", "b\n", "longer than it was\n", "", "1 + 1\n", "PART = 2\n", "Late = 2\n"].freeze
      PREFIXES = [
        [],
        %w[prlimit --nofile=512],
        %w[prlimit --core=0],
        %w[nice -n 3],
        %w[taskset 1],
        %w[setpriv --groups 0,7],
        %w[setpriv --clear-groups],
        ["bash", "-c", 'exec 20</dev/null "$@"', "bash"],
        ["bash", "-c", 'exec 20<"$0" "$@"', "/etc/passwd"]
      ].freeze

      attr_reader :seed
      # Both lists can be cut (to find the smallest form of a difference).
      attr_accessor :questions, :steps

      # steps: so many changes
      def initialize(seed, steps: 24)
        @seed = seed
        @random = Random.new(seed)
        @bundle = @random.rand(6).zero?
        @paths = @bundle ? PATHS + BUNDLE_PATHS * 3 : PATHS
        @asked = []
        # (Many a question about what is held makes every standby ineligible. So there are few in such a world.)
        @questions =
          @random.rand(4).zero? ? Array.new(@random.rand(1..3)) { held } : Array.new(@random.rand(4..14)) { question }
        @steps =
          Array.new(steps) do
            [*([:restore] if @random.rand(5).zero?), *Array.new(one([1, 1, 1, 2, 3])) { change }, pause]
          end
      end

      def bundle? = @bundle

      # So many changes, pauses not counted.
      def changes = steps.sum { |step| step.count { |kind, *| kind != :pause } }

      # The files of the application, but for the first line of the script.
      def files
        FILES.merge(
          bundle? ? BUNDLE : {},
          "foo" =>
            "$:.unshift(*%w[lib first second].map { |name| File.join(__dir__, name) })\nrequire 'foo'\nputs ANSWERS, defined?(FAILED) && FAILED.inspect\nputs FOO.asked.map(&:inspect)\nputs $LOADED_FEATURES.grep(/application/), ENV['SET_BY_BOOT'].inspect\n",
          "lib/foo.rb" => <<~RUBY
            #{SETUP if bundle?}
            require "etc"
            require "find"
            require "pathname"
            require "socket"
            require "tmpdir"
            ROOT = File.expand_path("..", __dir__)
            autoload :Late, "late"
            HELD = {}
            FOO = Object.new
            def FOO.asked
              [
            #{questions.map { |code| "    FOO.answer { #{code} }," }.join("\n")}
              ]
            end
            def FOO.answer
              yield
            rescue SystemCallError, IOError, ScriptError, StandardError => error
              [error.class, error.message[0, 200]]
            end
            ANSWERS = FOO.asked.map(&:inspect)
          RUBY
        )
      end

      private

      def one(list) = list.sample(random: @random)

      def question
        return one(OF_A_BUNDLE) if bundle? && @random.rand(2).zero?
        kind = @random.rand(10)
        return one(kind < 3 ? OF_THE_PROCESS : OF_FEATURES) if kind < 5

        return about(one(OF_A_FOLDER), one(FOLDERS)) if kind == 5 && @random.rand(2).zero?
        return about(one(OF_A_LINK), one(LINKS.keys)) if kind == 6 && @random.rand(2).zero?

        about(one(OF_A_PATH), one(@paths))
      end

      def held
        code = one([HELD_OPEN, HELD_OPEN, HELD, OF_DESCRIPTORS])
        about(one(code), one(@paths)).gsub(/\bK\b/, @random.rand(1_000_000).to_s)
      end

      def about(code, path)
        @asked << [path, code]
        # (some are asked for by a relative name, which means another file in another folder)
        code.gsub(/\bP\b/, @random.rand(6).zero? ? path.dump : "(ROOT + #{"/#{path}".dump})")
      end

      def contents(path) =
        one(
          {
            "Gemfile" => GEMFILES,
            "Gemfile.lock" => LOCKFILES,
            ".bundle/config" => ["---\nBUNDLE_WITHOUT: \"test\"\n"]
          }.fetch(path, CONTENTS)
        )

      # How long after a change the next command comes, and whether the standby is complete by then.
      def pause = [:pause, one(%i[none none short settled settled settled])]

      # What is changed of a path; and what answers some questions otherwise, which other changes seldom do.
      KINDS = %i[
        write
        write
        write
        write
        toggle
        toggle
        remove
        mode
        touch
        link
        move
        swap
        copy
        hard_link
        storm
        other
      ].freeze
      ANSWERED_BY = {
        /\.mode|executable|writable|sticky/ => :mode,
        /\.ino\b|identical/ => :renew,
        /readlink|real(?:dir)?path/ => :link,
        /uid|owned/ => :owner,
        /nlink/ => :hard_link
      }.freeze

      # A change that can be played again, and does nothing where it is not possible.
      def change
        return of_the_command if @random.rand(4).zero?

        path, code = @random.rand(3).zero? || @asked.empty? ? one(@paths) : one(@asked)
        kind = ANSWERED_BY.find { |pattern, _| code&.match?(pattern) }&.last if @random.rand(3).zero?
        case kind || one(KINDS)
        when :write
          [:write, path, contents(path), one(%i[in_place renamed same_times appended])]
        when :toggle
          [:toggle, path, contents(path)]
        when :remove
          [:remove, path]
        when :mode
          [:mode, path, one([0o644, 0o600, 0o755, 0o700, 0o444, 0o1777])]
        when :touch
          [:touch, path, @random.rand(1_000)]
        when :link
          [:link, path, one([*PATHS, "/nonexistent", "."])]
        when :move
          [:move, path, one(PATHS)]
        when :swap
          [:swap, path, one(PATHS)]
        when :copy
          [:copy, path, one(PATHS)]
        when :renew
          [:copy, path, path]
        when :hard_link
          [:hard_link, path, one(PATHS)]
        when :storm
          [:storm, path, @random.rand(10..120)]
        when :owner
          [:owner, path, @random.rand(3)]
        else
          one(
            [
              [:checkout],
              [:mount, path],
              [:bind, one(FOLDERS), one(FOLDERS)],
              [:unmount],
              [:owner, path, @random.rand(3)]
            ]
          )
        end
      end

      # What a command can be given, and the questions whose answers that changes.
      GIVEN = {
        variable: /ENV|Time|Encoding/,
        folder: /pwd|relative|'data|'\.'|absent/,
        prefix: /getrlimit|groups|nprocessors|\b20\b/,
        umask: /umask/,
        arguments: /ARGV/,
        host: /nodename|gethostname/
      }.freeze

      # A change to what the command is given; mostly one that its questions are about.
      def of_the_command
        about = GIVEN.keys.select { |kind| questions.any?(GIVEN[kind]) }
        case one(about.empty? || @random.rand(3).zero? ? GIVEN.keys : about)
        when :variable
          one(VARIABLES.keys).then { |name| [:variable, name, one(VARIABLES[name])] }
        when :folder
          [:folder, one(["", "data", "conf", "folder_link"])]
        when :prefix
          [:prefix, one(PREFIXES)]
        when :umask
          [:umask, one([0o022, 0o077, 0o002])]
        when :arguments
          [:arguments, one([[], ["argument"]])]
        else
          [:host, one(%w[one two])]
        end
      end
    end
  end
end
