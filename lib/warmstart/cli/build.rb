# frozen_string_literal: true

require "tmpdir"

require_relative "command"
require_relative "progress"
require_relative "../ruby_options"
require_relative "../boot/training"
require_relative "../units"
require_relative "../image/builder"
require_relative "../image/fingerprint"
require_relative "../image/processors"

module Warmstart
  module CLI
    # `warmstart build`: makes a new image by running a command, by compiling everything, or both.
    # @api private
    class Build < Command
      USAGE = "[OPTIONS] -- COMMAND\n       warmstart build --all [OPTIONS] [FOLDER...] [-- COMMAND]"
      ABOUT = <<~TEXT
        Runs COMMAND and records what it, and every Ruby process that it starts, loads. With --all: compiles every file that the
        bundle and the application can require (or those in the FOLDERs), without running any. Of a file that COMMAND
        loads, too, what it recorded is kept; with --reproducible or --seal, what was compiled.
        The image is the one that COMMAND itself reads: its application's, where that asks for Warmstart, else the user's, which
        'warmstart exec COMMAND' reads; with --all, --root or --image the one that these name. The one that is there stays until the new one is complete.
      TEXT

      # An image in an application's folder can be used only by the user who made it: see Location#secret.
      STAYS =
        ", but only for this user on this machine; for a container or another user, set WARMSTART_CACHE_DIR " \
          "when you build and when you run (docs/security.md)"

      private

      def define(parser)
        parser.on("-a", "--all", "compile everything that can be required")
        parser.on("-j", "--jobs N", Integer, "compile in N processes (default: the processors that we may use)")
        parser.on(
          "--exclude PATTERN",
          "with --all: leave out files whose path this regular expression matches (may be repeated)"
        ) { |text| text.tap { (@excluded ||= []) << FileNames.text(text) } }
        parser.on("--seal", "believe the image at run time without a look at any file; implies --reproducible")
        parser.on(
          "--fingerprint FILE",
          "refuse the sealed image when this file has changed, too (may be repeated)"
        ) { |path| path.tap { (@fingerprints ||= []) << FileNames.text(path) } }
        parser.on("--reproducible", "same bytes for the same inputs; implies --portable")
        parser.on("--portable", "compare files by size and whole seconds only (container layers keep no more)")
        parser.on(*ROOT)
        parser.on("--user", "build the images that 'warmstart exec COMMAND' uses")
        parser.on("--image FOLDER", "put the image into this very folder")
        parser.on("-v", "--verbose", "name each file that is left out")
        parser.on("-q", "--quiet", "print errors only")
      end

      # Without --all, the first word that is not an option begins the command.
      def parse(parser, arguments)
        marker = arguments.index("--")
        own = marker ? arguments.take(marker) : arguments
        @command = marker ? arguments.drop(marker + 1) : []
        rest = parsed(own, parser.method(:order!))
        return parsed(rest, parser.method(:permute!)) if @options[:all]

        usage_error("unexpected argument: #{rest.first}") if marker && rest.any?
        @command = rest unless marker
        []
      end

      def execute(folders)
        check(folders)
        need_extension
        @started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        fix_addresses if reproducible?
        builder = new_builder
        status = train(builder) if @command.any?
        return not_built(status) unless status.nil? || status.zero?
        raise Error, "not all could be recorded; the image is unchanged" unless builder.complete?

        find_places(builder) unless @options[:user]
        if @options[:all] && reproducible? && target.gemfile && target.root
          builder.record_bundle(target.gemfile, target.root)
        end
        compile(builder, folders) if @options[:all] || reproducible?
        report(merge(builder))
      rescue Image::Builder::Failed, Image::Compiler::Failed, Image::Application::Failed => error
        raise Error, "#{error.message}; the image is unchanged"
      ensure
        builder&.close
      end

      def check(folders)
        usage_error("nothing to build from: give a command after --, or --all") if @command.empty? && !@options[:all]
        if @options[:user] && (@command.empty? || @options[:all])
          usage_error("--user needs a command after --, and cannot be combined with --all")
        end
        if @options[:user] && @options[:seal]
          usage_error("--user and --seal cannot be combined: only an application's image can be sealed")
        end
        usage_error("--fingerprint needs --seal") if @fingerprints && !@options[:seal]
        usage_error("--exclude needs --all") if @excluded && !@options[:all]
        @excluded &&= Regexp.union(@excluded.map { |text| regular("--exclude", text) })
        usage_error("--jobs must be 1 or more") if @options[:jobs] && @options[:jobs] < 1
        missing = folders.find { |folder| !File.directory?(folder) }
        raise Error, "#{missing} is not a folder; name folders, or none for everything" if missing
      end

      def target
        @target ||= Target.new(root: @options[:root], image: @options[:image])
      end

      def reproducible? = @options[:reproducible] || @options[:seal]

      # Processes that this one starts get fixed addresses. This process keeps its own: merging does not depend on
      # addresses.
      def fix_addresses
        return if Native.fix_addresses || @options[:quiet]

        CLI.complain(
          "the system does not allow fixed addresses, so a few files may differ between builds (docs/command_line.md)"
        )
      end

      # ---- where ----

      # Whether an option or a variable names the image. If not, the processes of the command tell which they read.
      def named? = @options[:all] || @options[:root] || !target.configuration.image_dir.nil?

      def new_builder
        beside =
          if @options[:user]
            user_folder
          elsif named?
            File.dirname(target.directory)
          else
            Location.user_cache ? user_folder : Dir.tmpdir
          end
        Image::Builder.new(
          beside: beside,
          options: image_options,
          owner: named? && !@options[:user] ? target.owner : nil
        )
      end

      # The places of the images: as the command's processes tell, or as the command line says.
      def find_places(builder)
        told = @command.any? ? Training.places(builder.places_file) : []
        return @places = told unless named?

        @places = [
          Training::Place.new(
            "asked",
            target.directory,
            target.root.to_s,
            target.gemfile.to_s,
            target.owner.to_s,
            target.secret.to_s
          )
        ]
        elsewhere = told.map(&:directory) - [target.directory]
        return if elsewhere.empty? || target.configuration.image_dir || @options[:quiet]

        CLI.complain("#{@command.join(" ")} itself reads #{elsewhere.first}; build that without --all and --root")
      end

      def image_options
        configuration = target.configuration
        Image::Builder::Options.new(
          sealed: @options[:seal],
          reproducible: reproducible?,
          portable: @options[:portable] || reproducible?,
          root: nil,
          fingerprints: {
          },
          maximum_size: configuration.maximum_size,
          ignored: configuration.ignore_directories
        )
      end

      # Which application the image is of (a boot at another path takes it over: Adoption). A sealed image is for one
      # application, in one state.
      def seal(options, place)
        options.root = folder_of(place.root)
        return unless @options[:seal]
        if place.root.empty?
          raise Error,
                "a sealed image is an application's or a script's; #{@command.join(" ")} runs code that belongs to none"
        end

        options.root = place.root
        options.fingerprints =
          Image::Fingerprint.files(
            place.root,
            gemfile: place.gemfile.empty? ? nil : place.gemfile,
            given: @fingerprints || []
          )
      rescue ArgumentError => error
        raise Error, error.message
      end

      # @param root [String] of an application, or a lone script; "" for none
      def folder_of(root) = root.empty? || File.directory?(root) ? root : File.dirname(root)

      # ---- by running ----

      # @return [Integer] the command's exit status
      def train(builder)
        environment = RubyOptions.environment(command: (@command if @options[:user])).merge(builder.environment)
        if @options[:user]
          environment["WARMSTART_CACHE_DIR"] = environment.delete("WARMSTART_IMAGE_DIR")
        else
          environment[Training::VARIABLE] = builder.places_file
        end
        pid = Process.spawn(environment, [@command.first, @command.first], *@command.drop(1))
        _, status = Process.wait2(pid)
        status.exitstatus || (128 + status.termsig)
      rescue SystemCallError => error
        raise CLI.cannot_start(@command.first, error)
      end

      def not_built(status)
        how = status > 128 ? "by signal #{Signal.signame(status - 128)}" : "with status #{status}"
        CLI.complain("#{@command.join(" ")} ended #{how}; the image is unchanged")
        status
      end

      # ---- by compiling ----

      # A reproducible image has the same code in every build, so everything is compiled here. From the command it takes
      # only which files were loaded, and what they do.
      def compile(builder, folders)
        bundle = Image::Application.new(target.gemfile, root: target.root) if @options[:all]
        files = reproducible? ? builder.trained_paths : []
        files = [*files, *source_files(bundle, folders)].uniq(&:b) if @options[:all]
        bar =
          Progress.new(
            "compiling",
            files: files.size,
            bytes: files.sum { |path| File.size?(path) || 0 },
            quiet: @options[:quiet]
          )
        builder.compile(
          files,
          bundle: bundle,
          jobs: @options[:jobs] || Image::Processors.count,
          frozen: frozen(builder),
          progress: bar.method(:add)
        )
      ensure
        bar&.finish
      end

      # The folders in which string literals are frozen: if the variable says so, or if they were in the command.
      def frozen(builder)
        roots = @places.to_a.map(&:root).reject(&:empty?)
        return [] unless roots.any? && (target.configuration.frozen_string_literals || builder.trained_frozen?)

        [roots.first, *Location.ruby_folders]
      end

      def source_files(bundle, folders)
        configuration = target.configuration
        files =
          Image::SourceFiles.new(
            configuration.ignore_directories,
            everywhere: configuration.given.key?(:ignore_directories)
          )
        folders.empty? ? files.add_all(bundle, target.root) : folders.each { |folder| files.add_tree(folder) }
        @excluded ? files.paths.reject { |path| @excluded.match?(path.scrub) } : files.paths
      end

      # ---- the image ----

      def merge(builder)
        return @places.flat_map { |place| merge_place(builder, place) } unless @options[:user]

        trained = builder.trained_folder
        names = File.directory?(trained) ? Dir.children(trained).sort : []
        names.flat_map { |name| builder.merge(File.join(user_folder, name), trained: File.join(trained, name)) }
      end

      def merge_place(builder, place)
        seal(builder.options, place)
        builder.owner = place.uid
        builder.secret = place.secret_path
        builder.merge(place.directory)
      end

      def report(results)
        raise Error, nothing unless results.any?

        tell_failures(results.first.failures)
        return 0 if @options[:quiet]

        seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - @started
        results.each do |result|
          CLI.complain(
            "built #{result.folder}: #{Units.count(result.entries)} files, #{Units.bytes(result.size)}, in " \
              "#{Units.seconds(seconds)}#{readers(result.folder)}"
          )
        end
        0
      end

      # Tells who reads the image.
      def readers(folder)
        place = @places&.find { |each| each.directory == folder } or return
        if place.asked?
          return(
            "; #{place.root.empty? ? "who names this folder" : place.root} reads " \
              "it#{STAYS if @options[:seal] && place.secret_path}"
          )
        end

        "; 'warmstart exec' and -r read it for #{place.root.empty? ? "code without a file" : place.root}"
      end

      def nothing
        return "there was nothing to compile; the image is unchanged" if @command.empty?

        "#{@command.join(" ")} recorded nothing (was it a Ruby program, with the Ruby that Warmstart is installed " \
          "for?); the image is unchanged"
      end

      def tell_failures(failures)
        return if failures.empty? || @options[:quiet]

        if @options[:verbose]
          failures.each do |path, message|
            CLI.complain("left out #{path}: #{message || "syntax error, or Ruby cannot keep its code"}")
          end
        else
          CLI.complain(
            "left out #{failures.size} file#{"s" if failures.size > 1} that cannot be compiled (templates, other " \
              "syntax); --verbose names them"
          )
        end
      end
    end
  end
end
