# frozen_string_literal: true

require "fileutils"

require_relative "command"
require_relative "difference"
require_relative "init/boot_file"
require_relative "init/dockerfile"
require_relative "init/gemfile"
require_relative "init/gitlab"
require_relative "init/ignored"
require_relative "init/standby_scripts"
require_relative "init/workflow"
require_relative "../standby_client"

module Warmstart
  module CLI
    # `warmstart init`: has config/boot.rb find the gem before Bundler is loaded, and adds the gem to the Gemfile. It
    # replaces bootsnap, also in the Dockerfile. What is already there is not touched, so a second run does nothing. All
    # changes are computed and shown before the first file is written. --undo works by what it recognises.
    # @api private
    class Init < Command
      USAGE = "[OPTIONS]"
      ABOUT = <<~TEXT
        Has config/boot.rb start the application from its boot image, Bundler's setup included, and adds the gem to the Gemfile. Only one of the
        two can answer Ruby's loader, so bootsnap's lines in these files and in the Dockerfile are replaced. The image is ignored by git and
        Docker. Where GitHub Actions or GitLab boot the application, they keep its image. Shows what it changes.
      TEXT

      # Other places that may mention bootsnap. These files are the application's: init only reports them.
      ELSEWHERE =
        "{bin/*,config/**/*.rb,lib/tasks/**/*.rake,Procfile*,Rakefile,*compose*.{yml,yaml},.gitlab-ci.yml," \
          "{.github,.circleci,.kamal}/**/*.{yml,yaml}}"

      CI = "{.gitlab-ci.yml,.github/workflows/*.{yml,yaml}}"

      # A file's text before and after.
      Change = Struct.new(:path, :before, :after)

      # Writes a change into a new file beside the old one, and then replaces the old one. A link is followed, and the
      # mode stays.
      class Staged
        def initialize(change)
          @text = change.after
          @path = File.realpath(change.path)
          @beside = "#{@path}.#{Process.pid}.new"
        end

        def write
          raise Errno::EACCES, @path unless File.writable?(@path)

          File.binwrite(@beside, @text)
          File.chmod(File.stat(@path).mode & 0o7777, @beside)
        end

        def put = File.rename(@beside, @path)
        def remove = FileUtils.rm_f(@beside)
      end

      private

      def define(parser)
        parser.on("--dry-run", "show what would change, change nothing")
        parser.on("--undo", "take out again what this command has written, and put bootsnap's lines back")
        parser.on(
          "--standby",
          "change only #{StandbyScripts::NAMES.join(", ")}: they come from a process that has booted already (Linux)"
        )
        parser.on(*ROOT)
        parser.on("--json", "print the differences as JSON")
      end

      def execute(rest)
        no_arguments(rest)
        return change_scripts if @options[:standby]

        changes = different(@options[:undo] ? undo : add)
        carry_out(changes)
        if changes.empty? && boot_file && gemfile
          CLI.complain("nothing to do: Warmstart is #{@options[:undo] ? "not installed" : "installed already"}")
        end
        say_where unless boot_file || @options[:undo]
        @options[:undo] ? say_lost(changes) : say_rest(changes)
        say_next(changes) if changes.any?
        0
      end

      def different(changes) = changes.reject { |change| change.before == change.after }

      # --standby
      def change_scripts
        raise Error, "there is none of #{StandbyScripts::NAMES.join(", ")} in #{target.root!}" if scripts.empty?

        StandbyClient.path! unless @options[:undo]
        changes =
          @options[:undo] ? scripts_as_before : scripts.map { |path| change(path) { |text| StandbyScripts.add(text) } }
        other = changes.select { |change| StandbyScripts.other?(change.before) }.map { |change| short(change.path) }
        changes = different(changes)
        carry_out(changes)
        CLI.complain("#{other.join(", ")}: nothing that `env ruby` runs; left unchanged") if other.any?
        CLI.complain("nothing to do") if changes.empty? && other.empty?
        say_next(changes) if changes.any?
        0
      end

      # @return [Array<Change>]
      def scripts_as_before = scripts.map { |path| change(path) { |text| StandbyScripts.remove(text) } }
      def scripts = StandbyScripts::NAMES.filter_map { |name| in_application(name) }

      # @return [Array<Change>]
      def add
        [
          change(boot_file) { |text| BootFile.add(text) },
          change(gemfile) { |text| Gemfile.add(text, replace_bootsnap: !boot_file.nil?) },
          *(boot_file ? dockerfiles : []).map { |path| change(path) { |text| add_to(Dockerfile, path, text) } },
          *(boot_file ? ci_files : []).map { |path| change(path) { |text| add_to(ci(path), path, text) } },
          *ignored.map { |path| change(path) { |text| Ignored.add(text) } }
        ].compact
      end

      # @return [Array<Change>]
      def undo
        [
          change(boot_file) { |text| BootFile.remove(text) },
          change(gemfile) { |text| Gemfile.remove(text) },
          *dockerfiles.map { |path| change(path) { |text| Dockerfile.remove(text) } },
          *ci_files.map { |path| change(path) { |text| ci(path).remove(text) } },
          *ignored.map { |path| change(path) { |text| Ignored.remove(text) } },
          *scripts_as_before
        ].compact
      end

      def boot_file = in_application("config/boot.rb")
      def gemfile = Location::GEMFILES.filter_map { |name| in_application(name) }.first
      def dockerfiles = Dir.glob("Dockerfile*", base: target.root!).sort.filter_map { |name| in_application(name) }
      def ignored = %w[.gitignore .dockerignore].filter_map { |name| in_application(name) }

      def ci_files = Dir.glob(CI, base: target.root!).sort.filter_map { |name| in_application(name) }
      def ci(path) = path.end_with?(".gitlab-ci.yml") ? Gitlab : Workflow

      # Says what has to be done by hand.
      def add_to(kind, path, text)
        doubts = []
        kind.add(text, doubts).tap { doubts.each { |doubt| CLI.complain("#{short(path)}: #{doubt}") } }
      end

      def in_application(name)
        path = File.join(target.root!, name)
        path if File.file?(path)
      end

      # ---- files ----

      def read(path)
        File.binread(path).force_encoding(Encoding::UTF_8)
      rescue SystemCallError => error
        raise Error, "cannot read #{path}: #{CLI.reason(error)}"
      end

      # @return [Change, nil]
      def change(path)
        return unless path

        before = read(path)
        raise Error, "#{short(path)} is not written in UTF-8" unless before.valid_encoding?

        Change.new(path, before, yield(before))
      end

      def carry_out(changes)
        @options[:json] ? print_json(json(changes)) : changes.each { |change| print(difference(change)) }
        $stdout.flush
        write(changes) unless @options[:dry_run]
      end

      # Makes all changes or none: all new texts are written beside the files before the first file is replaced.
      def write(changes)
        staged = changes.map { |change| Staged.new(change) }
        staged.each(&:write)
        staged.each(&:put)
      rescue SystemCallError => error
        raise Error, "cannot change the files: #{error.message}"
      ensure
        staged&.each(&:remove)
      end

      def json(changes)
        {
          dry_run: @options[:dry_run] == true,
          changes: changes.map { |change| { path: short(change.path), difference: difference(change) } }
        }
      end

      def difference(change) = Difference.unified(short(change.path), change.before.to_s, change.after.to_s)
      def short(path) = FileNames.below(target.root!, path)

      # ---- advice ----

      def say_where
        CLI.complain(
          "there is no config/boot.rb in #{target.root!}; put #{BootFile::AFTER_BUNDLER} after bundler/setup, before " \
            "anything else is required; or, to take Bundler's setup from the image, too, what is printed here in the " \
            "place of require \"bundler/setup\""
        )
        puts BootFile.add("require \"bundler/setup\"\n") unless @options[:json]
      end

      # Reports what this command does not change.
      def say_rest(changes)
        return unless changes.any? { |change| change.before.match?(/bootsnap/i) }

        names = Dir.glob(ELSEWHERE, base: target.root!).sort.filter_map { |name| in_application(name) } - [boot_file]
        names = names.select { |path| File.size(path) < 1 << 20 && File.binread(path).match?(/bootsnap/ni) }
        if names.any?
          CLI.complain("bootsnap is named in #{names.map { |path| short(path) }.join(", ")}, too; left unchanged")
        end
      end

      # Reports what --undo has not put back.
      def say_lost(changes)
        return unless changes.any? { |change| change.before.include?(BootFile::INSTEAD) }

        names = changes.map { |change| short(change.path) }.grep(/\ADockerfile/)
        CLI.complain("bootsnap's steps are not put back in #{names.join(", ")}; git has them") if names.any?
      end

      def say_next(changes)
        return CLI.complain("nothing was changed (--dry-run)") if @options[:dry_run]

        names = changes.map { |change| short(change.path) }.join(", ")
        return CLI.complain("changed #{names}") if @options[:standby]

        worth = "; then see what it is worth: warmstart bench -- #{example}" unless @options[:undo]
        CLI.complain("changed #{names}; next: bundle install#{worth}")
      end

      def example = in_application("bin/rails") ? "bin/rails runner 1" : "COMMAND"
    end
  end
end
