# frozen_string_literal: true

module Warmstart
  # Opens the image, installs the patches that answer from it, and asks to be told what else the program loads.
  # @api private
  class Session
    # Freezes the string literals of the application in `root` from here on.
    def freeze_literals(root)
      Native.require_own("boot/frozen_literals")
      problem = FrozenLiterals.enable(root, Location.ruby_folders)
      return unless problem

      Native.complain("put '# frozen_string_literal: true' into the files: string literals are not frozen: #{problem}")
    end

    # Leaves out useless work of the frameworks, which are loaded by now.
    def tweak
      return if @tweak_failed

      Failsafe.run("a tweak", -> { @tweak_failed = true }) do
        Native.require_own("boot/tweaks")
        next unless tweaks?

        outcome = Tweaks.apply
        Native.log("tweak #{Tweaks::NAME}: #{outcome == true ? "applied" : outcome}")
      end
    end

    private

    def open_image
      root = location.root
      Native.prepare(directory, Image::Key.text, Location.library_extension, location.owner, location.secret)
      Native.ahead_enabled = configuration.ahead
      @problem, message, @failure, path, errno = open_at(root)
      if @problem == :writable && (file = location.runs) && Native.trust_writers_of(file)
        @problem, message, @failure, path, errno = open_at(root)
      end
      @problem, message, @failure, path, errno = open_at(root) if (@problem == :missing || moved?) && adopt
      return Native.log("opened the boot image in #{directory}") unless @problem

      Native.log("no boot image in #{directory.b}: #{message.to_s.b}")
      # (In a folder of another user's, nothing must be replaced.)
      @failure = :refused if @problem == :elsewhere && !File.owned?(directory)
      # (See Messages: who cannot mend it is not told each time.)
      tell_refusal(message, path, errno) unless SILENT.include?(@problem) || !own_folder?
    end

    # Whether the image, which is in order, is that of the same application at another place (an earlier release).
    def moved? = !@problem && (root = Native.image_root) && root != location.folder

    # Whether there may be images of other applications.
    def others?
      folder = location.others
      !folder.nil? && File.directory?(folder) && File.readable?(folder) &&
        Dir.children(folder).any? { |name| name != location.identity }
    rescue SystemCallError
      false
    end

    # A first boot here: perhaps another image knows our files. (Which files a lone script needs, nothing tells.)
    # @return [Boolean] whether the image knows more now
    def adopt
      return false if configuration.readonly || configuration.training || !configuration.revalidate
      return false if @standby || !location.application? || (@problem && !others?)

      Failsafe.run("taking over another image") do
        Native.require_own("boot/adoption")
        adoption = Adoption.new(location, Native.key_hash(Image::Key.text))
        other = @problem ? adoption.other : Adoption::Other.new(directory, location.secret)
        @adopted = other && adoption.take_over(other, configuration.maximum_size)
        !@adopted.nil?
      end
    end

    def open_at(root) = Native.open(root, configuration.map == :copy, configuration.mode == :checked)

    # (Messages cannot be loaded if too many files are open, for instance.)
    def tell_refusal(message, path, errno)
      Failsafe.guard(->(_error) {}) do
        line = messages.refusal(@problem, message, path, errno, kept: untouchable? || configuration.readonly)
        Native.complain(line) if line
      end
    end

    def own_folder?
      (File.exist?(directory) || File.symlink?(directory)) && File.lstat(directory).owned?
    rescue SystemCallError
      false
    end

    def install
      if (configuration.code || configuration.frozen_string_literals) && !CoreExt::LoadIseq.install
        Native.complain(
          "take the other one out (bootsnap? 'warmstart init' does): it answers " \
            "RubyVM::InstructionSequence.load_iseq, so its code cache is used instead of Warmstart's"
        )
      end
      freeze_literals(location.root) if configuration.frozen_string_literals
      CoreExt::CMethod.looking_once { install_methods }
      Native.revalidation_enabled = configuration.revalidate
      Native.hook_enabled = configuration.code
      Native.index_enabled = configuration.search # (the index searches; without it, Ruby does)
      Native.direct_enabled = direct?
      Native.documents_enabled = true if configuration.documents
      CoreExt::ExpandPath.install if configuration.paths && Native.path_windows?
    end

    def install_methods
      CoreExt::ScriptLines.install if configuration.code
      install_require if configuration.search || direct?
      install_autoload if direct? || may_record?
      CoreExt::FileOpen.install if configuration.documents
    end

    def install_require
      CoreExt::KernelRequire.install(relative: direct?)
      absolute, relative = Native.require_functions
      CoreExt.require_observer&.call([absolute, direct? ? relative : 0])
    end

    # (If no code but Ruby's own has run, only Object can have autoloads, and there is no need to walk the heap.)
    def install_autoload
      CoreExt::Autoload.install
      Native.note_autoloads(@early ? [Object] : nil)
    end

    # Whether files are loaded directly. This needs the load_iseq hook, which guards the files that Ruby loads by
    # itself.
    def direct?
      configuration.direct && configuration.code && CoreExt::LoadIseq.installed?
    end

    # Whether this process may add to the image. (Native.recording? tells whether it does.)
    def may_record?
      !(configuration.readonly || @standby || Native.sealed_image? || untouchable?)
    end

    # Whether this process must leave the image as it is. Nothing is written to a folder that cannot be trusted, and no
    # boot replaces a sealed image. An image that cannot be read at the moment (too many open files, trouble on a
    # network file system) may be in order: this boot does without, and the next one can use it.
    def untouchable? = @failure == :refused || @failure == :passing

    # Has Warmstart called before the next `require "bundler/setup"` that means Bundler's own.
    def expect_bundler
      before =
        lambda do |feature| # (what it returns is asked if the file raises: see Native.landmark)
          Failsafe.run("Bundler's setup from a record") do
            Native.require_own("bundle")
            path = Bundle.own_setup(feature)
            next expect_bundler unless path

            @bundle = true
            Bundle.before_setup(path)
            ->(error) { Failsafe.run("Bundler's setup from a record") { Bundle.once_more?(error) } }
          end
        end
      after =
        lambda do
          Failsafe.run("Bundler's setup from a record") { Bundle.after_setup } if @bundle
          Failsafe.run("the index of a first boot") { index_at_once }
        end
      Native.landmark("bundler/setup", after, before)
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
      defined?(::ActiveSupport) ? listen.call : Native.landmark("active_support/lazy_load_hooks", listen)
    end

    def expect_standby
      Native.require_own("boot/standby")
      Standby.expect(self)
    end

    # (This comes before the exit handler is registered, so that what the registration allocates is governed, too.)
    def govern
      known = boot_sizes[@command = BootSizes.command]
      governor = GCGovernor.new(configuration.gc, known: known, ours: !@was_off)
      @governor = governor if governor.start { fork_ready }
    end

    # (What is wrong with the setting is told once.)
    def tweaks?
      return @tweaks if defined?(@tweaks)

      @tweaks =
        Tweaks.chosen?(configuration.tweaks) do |unknown|
          Native.complain("correct WARMSTART_TWEAKS: #{unknown}; no tweak is applied")
        end
    end

    # Takes out what is installed, the latest first. (What is not installed stays as it is.)
    def uninstall
      Failsafe.all(
        [
          -> { Native.end_governor(:stopped) },
          -> { Native.undefine_collector },
          -> { Native.undefine_fork },
          -> { Moments.forget },
          -> { Native.forget_landmarks },
          -> { Native.undefine_exec },
          -> { Native.stop_listening },
          -> { CoreExt::ExpandPath.uninstall },
          -> { Native.documents_enabled = false },
          -> { CoreExt::FileOpen.uninstall },
          -> { Native.direct_enabled = false },
          -> { Native.index_enabled = false },
          -> { Native.hook_enabled = false },
          -> { CoreExt::Autoload.uninstall },
          -> { CoreExt::KernelRequire.uninstall },
          -> { CoreExt::ScriptLines.uninstall },
          -> { Tweaks.withdraw if defined?(Tweaks) },
          -> { FrozenLiterals.disable if defined?(FrozenLiterals) },
          -> { CoreExt::LoadIseq.uninstall }
        ]
      )
    end
  end
end
