# frozen_string_literal: true

module Warmstart
  # One process's use of its image: opens it, installs what answers from it, records what is new, and writes that when
  # the boot is over. Every failure means plain Ruby and at the most one line on stderr.
  class Session
    # How long the end of the program waits for what is being written.
    FINISH_MILLISECONDS = 10_000

    # Bytes: a boot that has recorded less was warm.
    RECORDED_LITTLE = 1 << 20

    # So many names that do not exist may be searched by Ruby in each boot before they are worth an index.
    MISSING_FEW = 8

    # Failures that are no news: there is no image yet; somebody else is writing, or has built an image meanwhile.
    SILENT = %i[missing lock changed].freeze

    attr_reader :configuration, :location, :directory, :problem

    # @param early [Boolean] has no code but Ruby's own run yet?
    # @param was_off [Boolean] was the collector off before set-up switched it off?
    def initialize(configuration, location, early: false, was_off: true)
      @configuration = configuration
      @early = early
      @was_off = was_off
      @location = location
      @directory = location.directory
    end

    # @return [Boolean] is anything installed?
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

    # Rails says so, or a server begins to serve: as boot_complete!, but the index rests, and the collector is as usual,
    # only after a pause (or a little growth): what the command or the first request needs is still to be loaded. One
    # that ends now never collects; a server that forks its workers now is made ready for that (GCGovernor#serve).
    def application_ready
      Failsafe.run("the end of the boot") do
        @governor&.land
        next if Native.complete?

        commit
        know_gems
        Native.ready!
      end
    end

    # Says that the application is ready: what the boot recorded is written in the background, the index is left alone
    # from now on (a running program may write files anywhere).
    def boot_complete!
      Failsafe.run("the end of the boot") do
        @governor&.finish
        complete
      end
    end

    # A test runner has loaded all tests: the boot is complete. But the first tests make much that is kept (database
    # schemas, translations), and many runs end after them: the collector is as usual after a little growth, or a pause.
    def tests_begin
      Failsafe.run("the end of the boot") do
        @governor&.land
        complete
      end
    end

    # rake has loaded its Rakefile. What its tasks load is found by the index and recorded as before; only the collector
    # is as usual soon, unless a task is about to start a Rails application, which says itself when it is ready.
    def tasks_begin
      @governor&.land unless defined?(::Rails::Application)
    end

    # The end of the program: writes what is pending. Never raises; a child process has nothing to write.
    def finish
      return if @undone

      recorded = Failsafe.run("the end of the recording") { end_recording || Native.recording? }
      return unless recorded

      Native.wait(FINISH_MILLISECONDS)
      Failsafe.run("the end of the recording") { explain_failure(Native.recorded) }
    end

    # The end of a program that has removed its image: what it recorded itself would be the next one.
    def discard
      commit
      Native.wait(FINISH_MILLISECONDS)
      @discarded = true
      Native.clear(directory)
    end

    # The string literals of the application in `root` are frozen from here on.
    def freeze_literals(root)
      Native.require_own("boot/frozen_literals")
      problem = FrozenLiterals.enable(root, Location.ruby_folders)
      Native.complain("string literals are not frozen: #{problem}; put the magic comment into the files") if problem
    end

    # RbConfig is loaded: the recording, which has begun, may know Ruby's folders.
    def know_ruby_folders
      stable_roots.concat(Location.ruby_folders).uniq!
    end

    # Leaves out what the frameworks, loaded by now, would do for nothing.
    def tweak
      return if @tweak_failed

      Failsafe.run("a tweak", -> { @tweak_failed = true }) do
        Native.require_own("boot/tweaks")
        Tweaks.apply(tweaks) do |tweak, outcome|
          Native.log("tweak #{tweak.name}: #{outcome == true ? "applied" : outcome}")
        end
      end
    end

    # Takes everything out again (for tests, and for who wants plain Ruby after the boot).
    def stop
      boot_complete!
      Failsafe.all(UNINSTALL)
    end

    # A step of `start` has failed: as `stop`, but nothing is written.
    def undo
      @undone = true
      Failsafe.all(UNINSTALL)
      Failsafe.all([-> { Native.stop_recording }, -> { Native.complete! }])
    end

    # What `start` puts in, the last first. Where a part is not there, nothing happens.
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

    # What they hold does not come from the program's users. Where nobody has asked RubyGems for its folders, no gem is
    # in use, and asking would load a file of RubyGems that the program has not.
    def know_gems
      return unless defined?(::Gem) && ::Gem.respond_to?(:path) && !::Gem.autoload?(:PathSupport)

      Native.lasting_folders =
        ::Gem.path.flat_map { |folder| [File.join(folder, "gems", ""), File.join(folder, "bundler", "gems", "")] }
    end

    # The next `require "bundler/setup"` comes to us first.
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

    # What programs require of Warmstart, each time: the application's bundle may have a copy of its own.
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

    # Rails is loaded after us, mostly.
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

    # (Before our exit handler is registered: what that allocates is governed, too.)
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
      Native.complain("there is no folder for the boot image: #{why}; set WARMSTART_CACHE_DIR")
      false
    end

    def open_image
      root = location.root
      Native.prepare(directory, Image::Key.text, Location.library_extension, location.owner, location.secret)
      Native.ahead_enabled = configuration.ahead
      @problem, message, @failure = Native.open(root, configuration.map == :copy, configuration.mode == :checked)
      return Native.log("opened the boot image in #{directory}") unless @problem

      Native.log("no boot image in #{directory.b}: #{message.to_s.b}")
      # (A folder of another user's is not ours to replace anything in.)
      @failure = :refused if @problem == :elsewhere && !File.owned?(directory)
      Native.complain("#{message}; Ruby starts as usual#{remedy}") unless SILENT.include?(@problem)
    end

    def remedy
      case @problem
      when :writable
        Location::WINDOWS ? " (icacls shows who may write)" : " (chmod go-w would mend it)"
      when :elsewhere
        if untouchable?
          " (docs/security.md says which images are believed; WARMSTART_CACHE_DIR names a folder of your own)"
        else
          ", and the image is made anew"
        end
      when :fingerprint
        " (build the image again for this application)"
      when :not_regular
        " (symlinks, folders and FIFOs are not taken for an image: remove it)"
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
          "another library answers RubyVM::InstructionSequence.load_iseq (bootsnap?); its code cache is used, not ours"
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

    # Files are loaded directly only where the hook is ours, too: it guards what Ruby loads by itself.
    def direct?
      configuration.direct && configuration.code && CoreExt::LoadIseq.installed?
    end

    def recording?
      !(configuration.readonly || Native.sealed_image? || untouchable?)
    end

    # Is there an image that this process must leave as it is? Where the folder itself is not to be trusted, nothing is
    # written to it either; nor is a sealed image replaced by a boot. What cannot be read at the moment (too many open
    # files, a network file system's bad day) may be in order: this boot goes without, and the next one finds it.
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

    # Folders that do not change while a program boots. (Our own lib, too, which may be a path gem's.)
    def stable_roots
      @stable_roots ||= [*Location.ruby_folders, File.expand_path("../..", __dir__ || ".")]
    end

    def commit
      return if @discarded || !Native.recording?

      outdated = configuration.search && (Native.index_outdated? || missing_names?)
      learned = learn_size
      Native.commit(statistics, outdated, learned) if learned || outdated || Native.pending.positive?
    end

    # Are there names to remember for which Ruby found no file? A few do not make a warm boot write its index again.
    def missing_names?
      Native.missing_pending > (Native.pending.positive? ? 0 : MISSING_FEW)
    end

    # What a boot keeps is learned by one that is warm: recording takes memory itself, and compiling leaves garbage.
    # Once a process, where the boot ends: what comes later is another size, and a recording has been written by then.
    def learn_size
      return false if @measured || !(governor = @governor)

      @measured = true
      governor.matters? && Native.recorded_size < RECORDED_LITTLE &&
        boot_sizes.note(@command, governor.size, at_most: !governor.collected?)
    end

    # This program is about to be replaced by another one.
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
