# frozen_string_literal: true

module Warmstart
  # How one process uses its image: opens it, installs the patches that answer from it, records what is new, and writes
  # that when the boot is over. Every failure leads to plain Ruby and at most one line on stderr.
  # @api private
  class Session
    # How long the end of the program waits until the recording is written.
    FINISH_MILLISECONDS = 10_000

    # Bytes: a boot that has recorded less was a warm one.
    RECORDED_LITTLE = 1 << 20

    # A warm boot writes its index again only if Ruby has searched in vain for more than this many names.
    MISSING_FEW = 8

    # Failures that are not reported: there is no image yet; another process is writing, or has built an image
    # meanwhile.
    SILENT = %i[missing lock changed].freeze

    attr_reader :configuration, :location, :directory, :problem

    # @param early [Boolean] whether no code but Ruby's own has run yet
    # @param was_off [Boolean] whether the collector was off before setup switched it off
    def initialize(configuration, location, early: false, was_off: true)
      @configuration = configuration
      @early = early
      @was_off = was_off
      @location = location
      @directory = location.directory
    end

    # @return [Boolean] whether anything is installed
    def start
      Native.log = configuration.log
      Native.complain(configuration.complaints.join("; ")) if configuration.complaints.any?
      return no_folder unless directory

      open_image
      install
      record if recording?
      expect_bundler if configuration.bundler
      COPIES.each { |name| expect_copy(name) }
      expect_rails
      Moments.expect
      GC.enable unless @was_off
      govern if configuration.gc
      Native.finish_at_end(self)
      true
    end

    # Rails is ready, or a server begins to serve. As boot_complete!, but the index stays in use and the collector is
    # postponed until a pause (or a little more growth): what the command or the first request needs is still to be
    # loaded. A command that ends now never collects. A server that forks its workers now is prepared for that
    # (GCGovernor#serve).
    def application_ready
      Failsafe.run("the end of the boot") do
        @governor&.land
        next if Native.complete?

        commit
        know_gems
        Native.ready!
      end
    end

    # The application is ready: writes in the background what the boot recorded, and stops using the index (a running
    # program may write files anywhere).
    def boot_complete!
      Failsafe.run("the end of the boot") do
        @governor&.finish
        complete
      end
    end

    # A test runner has loaded all tests: the boot is complete. But the first tests create much that is kept (database
    # schemas, translations), and many runs end soon after them. So the collector works as usual only after a little
    # more growth, or a pause.
    def tests_begin
      Failsafe.run("the end of the boot") do
        @governor&.land
        complete
      end
    end

    # rake has loaded its Rakefile. What its tasks load is found by the index and recorded as before; only the collector
    # soon works as usual. But if a task is about to start a Rails application, Rails tells when that is ready.
    def tasks_begin
      @governor&.land unless defined?(::Rails::Application)
    end

    # The end of the program: writes what is not written yet. Never raises. A child process has nothing to write.
    def finish
      return if @undone

      recorded = Failsafe.run("the end of the recording") { end_recording || Native.recording? }
      return unless recorded

      Native.wait(FINISH_MILLISECONDS)
      Failsafe.run("the end of the recording") { explain_failure(Native.recorded) }
    end

    # The end of a program that has removed its image: what this program has recorded must not become the next image.
    def discard
      commit
      Native.wait(FINISH_MILLISECONDS)
      @discarded = true
      Native.clear(directory)
    end

    # Freezes the string literals of the application in `root` from here on.
    def freeze_literals(root)
      Native.require_own("boot/frozen_literals")
      problem = FrozenLiterals.enable(root, Location.ruby_folders)
      Native.complain("string literals are not frozen: #{problem}; put the magic comment into the files") if problem
    end

    # Tells the recording Ruby's folders. It had begun before RbConfig was loaded, which knows them.
    def know_ruby_folders
      stable_roots.concat(Location.ruby_folders).uniq!
    end

    # Leaves out useless work of the frameworks, which are loaded by now.
    def tweak
      return if @tweak_failed

      Failsafe.run("a tweak", -> { @tweak_failed = true }) do
        Native.require_own("boot/tweaks")
        Tweaks.apply(tweaks) do |tweak, outcome|
          Native.log("tweak #{tweak.name}: #{outcome == true ? "applied" : outcome}")
        end
      end
    end

    # Removes everything (for tests, and for programs that want plain Ruby after the boot).
    def stop
      boot_complete!
      Failsafe.all(UNINSTALL)
    end

    # A step of `start` has failed: as `stop`, but writes nothing.
    def undo
      @undone = true
      Failsafe.all(UNINSTALL)
      Failsafe.all([-> { Native.stop_recording }, -> { Native.complete! }])
    end

    # Removes what `start` has installed, in reverse order. A step does nothing if its part is not installed.
    UNINSTALL = [
      -> { Native.end_governor(:stopped) },
      -> { CoreExt::Collector.uninstall },
      -> { Moments.forget },
      -> { Native.forget_landmarks },
      -> { CoreExt::Exec.uninstall },
      -> { Native.stop_listening },
      -> { CoreExt::ExpandPath.uninstall if defined?(CoreExt::ExpandPath) },
      -> { Native.documents_enabled = false },
      -> { CoreExt::FileOpen.uninstall },
      -> { Native.direct_enabled = false },
      -> { Native.search_enabled = false },
      -> { Native.hook_enabled = false },
      -> { CoreExt::Autoload.uninstall },
      -> { CoreExt::KernelRequire.uninstall },
      -> { CoreExt::ScriptLines.uninstall },
      -> { Tweaks.withdraw if defined?(Tweaks) },
      -> { FrozenLiterals.disable if defined?(FrozenLiterals) },
      -> { CoreExt::LoadIseq.uninstall }
    ].freeze
    private_constant :UNINSTALL

    private

    def end_recording
      report if configuration.stats
      Bundle.finish if @bundle
      commit
    end

    def complete
      commit unless Native.complete?
      know_gems
      Native.complete!
    end

    # Tells Warmstart the folders of gems: the program's users do not write to these. They are not asked for if
    # RubyGems' own path is not loaded: then no gem is in use, and asking would load a file of RubyGems that the program
    # has not loaded.
    def know_gems
      return unless defined?(::Gem) && ::Gem.respond_to?(:path) && !::Gem.autoload?(:PathSupport)

      Native.lasting_folders =
        ::Gem.path.flat_map { |folder| [File.join(folder, "gems", ""), File.join(folder, "bundler", "gems", "")] }
    end

    # Has Warmstart called before the next `require "bundler/setup"`.
    def expect_bundler
      before =
        lambda do |_feature|
          Failsafe.run("Bundler's setup from a record") do
            require_relative "../bundle"
            @bundle = true
            Bundle.before_setup
          end
        end
      Native.landmark(
        "bundler/setup",
        -> { Failsafe.run("Bundler's setup from a record") { Bundle.after_setup } if @bundle },
        before
      )
    end

    # The features by which programs require Warmstart. Each require of them is intercepted, because the application's
    # bundle may have a copy of its own.
    COPIES = %w[
      warmstart
      warmstart/setup
      warmstart/start
      warmstart/bundler
      warmstart/cli
      warmstart/path
      warmstart/file_system
      warmstart/profiler
    ].freeze
    private_constant :COPIES

    def expect_copy(name)
      before =
        lambda do |feature|
          Failsafe.run("another copy of Warmstart") do
            path = File.absolute_path?(feature) ? feature : find(feature)
            next if !path || path.start_with?("#{FOLDER}.", "#{FOLDER}/")

            Native.require_own("older_copy")
            OlderCopy.head_off(path)
          end
        end
      Native.landmark(name, -> { expect_copy(name) if Warmstart.session.equal?(self) }, before)
    end

    # @return [String, nil] the file that a require of the name would load
    def find(name)
      known = Native.resolve(name)
      (known.is_a?(Array) ? known : $LOAD_PATH.resolve_feature_path(name))&.last
    end

    # Rails is mostly loaded after Warmstart.
    def expect_rails
      listen =
        lambda do
          Failsafe.run("listening to Rails") do
            Native.require_own("integrations/rails")
            RailsHooks.listen
          end
        end
      defined?(::ActiveSupport::LazyLoadHooks) ? listen.call : Native.landmark("active_support/lazy_load_hooks", listen)
    end

    def tweaks = @tweaks ||= choose_tweaks

    def choose_tweaks
      Tweaks.chosen(configuration.tweaks) do |unknown|
        Native.complain("WARMSTART_TWEAKS: #{unknown}; no tweak is applied")
      end
    end

    def boot_sizes
      @boot_sizes ||= BootSizes.new(Native.statistics)
    end

    # (This comes before the exit handler is registered, so that what the registration allocates is governed, too.)
    def govern
      expected = boot_sizes[@command = BootSizes.command]
      governor = GCGovernor.new(configuration.gc, expected: expected)
      @governor = governor if governor.start { boot_complete! }
    end

    def no_folder
      home = Location::WINDOWS ? "LOCALAPPDATA" : "HOME"
      why =
        (
          if Location.user_cache
            "the user's cache folder lies in the application's, which may have brought it along"
          else
            "#{home} is not set"
          end
        )
      Native.complain("no folder for the boot image: #{why}; set WARMSTART_CACHE_DIR")
      false
    end

    def open_image
      root = location.root
      Native.prepare(directory, Image::Key.text, Location.library_extension, location.owner, location.secret)
      Native.ahead_enabled = configuration.ahead
      @problem, message, @failure = Native.open(root, configuration.map == :copy, configuration.mode == :checked)
      return Native.log("opened the boot image in #{directory}") unless @problem

      Native.log("no boot image in #{directory.b}: #{message.to_s.b}")
      # (In a folder of another user's, nothing must be replaced.)
      @failure = :refused if @problem == :elsewhere && !File.owned?(directory)
      Native.complain("#{message}; Ruby starts as usual#{remedy}") unless SILENT.include?(@problem)
    end

    def remedy
      case @problem
      when :writable
        Location::WINDOWS ? " (icacls shows who may write)" : " (chmod go-w fixes it)"
      when :elsewhere
        if untouchable?
          " (docs/security.md says which images are believed; WARMSTART_CACHE_DIR names a folder of your own)"
        else
          ", and the image is made anew"
        end
      when :fingerprint
        " (build the image again for this application)"
      when :not_regular
        " (symlinks, FIFOs and the like are not taken for an image: remove what stands in its place)"
      when :foreign_owner
        " (an image is code: chown it, or set WARMSTART_CACHE_DIR to a folder of your own)"
      when :system
        " (WARMSTART_CACHE_DIR names another folder)"
      else
        untouchable? || @configuration.readonly ? "" : ", and the image is made anew"
      end
    end

    def install
      if (configuration.code || configuration.frozen_string_literals) && !CoreExt::LoadIseq.install
        Native.complain(
          "another library answers RubyVM::InstructionSequence.load_iseq (bootsnap?); its code cache is used instead of Warmstart's"
        )
      end
      freeze_literals(location.root) if configuration.frozen_string_literals
      CoreExt::ScriptLines.install if configuration.code
      CoreExt::KernelRequire.install(relative: direct?) if configuration.search || direct?
      CoreExt::Autoload.install(early: @early) if direct? || recording?
      Native.revalidation_enabled = configuration.revalidate
      Native.hook_enabled = configuration.code
      Native.search_enabled = configuration.search
      Native.direct_enabled = direct?
      install_documents if configuration.documents
      CoreExt::ExpandPath.install if configuration.paths && Native.path_windows?
    end

    def install_documents
      CoreExt::FileOpen.install
      Native.documents_enabled = true
    end

    # Whether files are loaded directly. This needs the load_iseq hook, which guards the files that Ruby loads by
    # itself.
    def direct?
      configuration.direct && configuration.code && CoreExt::LoadIseq.installed?
    end

    def recording?
      !(configuration.readonly || Native.sealed_image? || untouchable?)
    end

    # Whether this process must leave the image as it is. Nothing is written to a folder that cannot be trusted, and no
    # boot replaces a sealed image. An image that cannot be read at the moment (too many open files, trouble on a
    # network file system) may be in order: this boot does without, and the next one can use it.
    def untouchable? = @failure == :refused || @failure == :passing

    def record
      Native.record(
        idle: 1000,
        wait: configuration.training,
        maximum_size: configuration.maximum_size,
        ignored: configuration.ignore_directories,
        stable_roots: stable_roots
      )
      CoreExt::Exec.install { leave }
    end

    # Folders that do not change while a program boots. (Warmstart's own lib is one of them; it may be a path gem's.)
    def stable_roots
      @stable_roots ||= [*Location.ruby_folders, File.expand_path("../..", __dir__ || ".")]
    end

    def commit
      return if @discarded || !Native.recording?

      outdated = configuration.search && (Native.index_outdated? || missing_names?)
      learned = learn_size
      Native.commit(statistics, outdated, learned) if learned || outdated || Native.pending.positive?
    end

    # Whether there are enough names to remember for which Ruby found no file. A warm boot does not write its index
    # again for a few.
    def missing_names?
      Native.missing_pending > (Native.pending.positive? ? 0 : MISSING_FEW)
    end

    # Learns how much memory a boot keeps. Only a warm boot tells, because recording takes memory, and compiling leaves
    # garbage. It is measured once, at the end of the boot: later the size is another, and the recording is already
    # written.
    def learn_size
      return false if @measured || !(governor = @governor)

      @measured = true
      governor.matters? && Native.recorded_size < RECORDED_LITTLE &&
        boot_sizes.note(@command, governor.size, at_most: !governor.collected?)
    end

    # This program is about to be replaced by another one (exec).
    def leave
      Failsafe.run("the end of the recording") { commit }
    end

    def statistics
      lines = Native.counts.map { |event, count| "#{event} #{count}" }
      lines.concat(Native.reasons.map { |(event, reason), count| "#{event}.#{reason} #{count}" })
      lines.concat(Native.ways.map { |(way, reason), count| "way.#{[way, reason].compact.join(".")} #{count}" })
      lines.concat(@governor&.statistics.to_a)
      lines.concat(boot_sizes.lines)
      "program #{$PROGRAM_NAME}\n#{lines.join("\n")}\n"
    end

    def report
      Native.counts.each { |event, count| $stderr.puts "warmstart: #{event}: #{count}" }
      Native.reasons.each { |(event, reason), count| $stderr.puts "warmstart: #{event} (#{reason}): #{count}" }
      @governor&.statistics&.each { |line| $stderr.puts "warmstart: #{line.sub(" ", ": ")}" }
    end

    def explain_failure(result)
      return if result[:error].nil? || SILENT.include?(result[:error])

      remedy =
        (
          if result[:error] == :foreign_owner
            "WARMSTART_CACHE_DIR names a folder of your own"
          else
            "WARMSTART_READONLY=1 records nothing, silently"
          end
        )
      Native.complain("#{result[:message]}; nothing was recorded (#{remedy})")
    end
  end
end
