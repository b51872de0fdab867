# frozen_string_literal: true

require "fileutils"
require "shellwords"

require_relative "command"
require_relative "difference"
require_relative "init/boot_file"
require_relative "init/dockerfile"
require_relative "init/gemfile"
require_relative "init/ignored"
require_relative "init/memory"

module Warmstart
  module CLI
    # `warmstart init`: writes a file that finds the gem before Bundler is loaded, adds the line in config/boot.rb that
    # requires it, and adds the gem to the Gemfile. It replaces bootsnap, also in the Dockerfile. What is already there
    # is not touched, so a second run does nothing. All changes are computed and shown before the first file is written.
    # @api private
    class Init < Command
      USAGE = "[OPTIONS]"
      ABOUT = <<~TEXT.freeze
        Has config/boot.rb start the application from its boot image, Bundler's setup included: writes config/#{BootFile::LOADER}.rb, requires it
        in the place of bundler/setup, and adds the gem to the Gemfile. Only one of the two can answer Ruby's loader, so bootsnap's lines in these
        files and in the Dockerfile are replaced. The image is ignored by git and Docker. Shows what it changes.
      TEXT

      # The file that is copied into the application.
      LOADER = File.expand_path("init/#{BootFile::LOADER}.rb", __dir__)
      HEADER = "# Written by `warmstart init`"

      # Other places that may mention bootsnap. These files are the application's: init only reports them.
      ELSEWHERE =
        "{bin/*,config/**/*.rb,lib/tasks/**/*.rake,Procfile*,Rakefile,*compose*.{yml,yaml},.gitlab-ci.yml," \
          "{.github,.circleci,.kamal}/**/*.{yml,yaml}}"

      # A file's text before and after; nil: the file does not exist.
      Change = Struct.new(:path, :before, :after)

      # Writes a change into a new file beside the old one, and then replaces the old one. A link is followed, and the
      # mode stays.
      class Staged
        def initialize(change)
          @text = change.after
          @path = File.exist?(change.path) ? File.realpath(change.path) : change.path
          @beside = "#{@path}.#{Process.pid}.new"
        end

        def write
          mode = File.stat(@path).mode & 0o7777 if File.exist?(@path)
          raise Errno::EACCES, @path if mode && !File.writable?(@path)
          return unless @text

          FileUtils.mkdir_p(File.dirname(@path))
          File.binwrite(@beside, @text)
          File.chmod(mode, @beside) if mode
        end

        def put = @text ? File.rename(@beside, @path) : File.unlink(@path)
        def remove = FileUtils.rm_f(@beside)
      end

      private

      def define(parser)
        parser.on("--dry-run", "show what would change, change nothing") { @options[:dry_run] = true }
        parser.on("--undo", "take out again what this command has written, and put back what it has replaced") do
          @options[:undo] = true
        end
        parser.on(
          "--loader FILE",
          "write only the file that takes the place of bundler/setup, for a program without config/boot.rb"
        ) { |path| @options[:loader] = path }
        parser.on("--standby", "change nothing, say how a command comes from a process that has booted it already") do
          @options[:standby] = true
        end
        parser.on("--root FOLDER", "the application's folder (default: the nearest one above with a Gemfile)") do |path|
          @options[:root] = path
        end
        parser.on("--json", "print the differences as JSON") { @options[:json] = true }
      end

      # (No file is written: where the client lies depends on the machine and on the gem's version.)
      def tell_standby
        require_relative "../standby_client"
        client = StandbyClient.path or raise Error, StandbyClient::MISSING
        puts "alias s=#{Shellwords.escape(client.b)}    # in your shell's profile; then: s bin/rails test"
        0
      end

      def execute(rest)
        no_arguments(rest)
        return tell_standby if @options[:standby]
        return loader_only if @options[:loader]

        changes = (@options[:undo] ? undo : add).reject { |change| change.before == change.after }
        carry_out(changes)
        if changes.empty? && boot_file && gemfile
          CLI.complain("nothing to do: Warmstart is #{@options[:undo] ? "not installed" : "installed already"}")
        end
        say_where unless boot_file || @options[:undo]
        say_rest(changes) unless @options[:undo]
        say_next(changes) if changes.any?
        @incomplete ? 1 : 0
      end

      # @return [Array<Change>] the loader first, and then the files that require it
      def add
        changes = [
          change(boot_file) { |text| BootFile.add(text) },
          change(gemfile) { |text| Gemfile.add(text, replace_bootsnap: !boot_file.nil?) },
          *(boot_file ? dockerfiles : []).map { |path| change(path) { |text| Dockerfile.add(text) } },
          *ignored.map { |path| change(path) { |text| Ignored.add(text) } }
        ].compact
        [(loader(default_loader, replaced(changes)) if changes.first&.after&.match?(BootFile::OURS)), *changes].compact
      end

      def undo
        @entries = ours?(default_loader) ? Memory.entries(read(default_loader)) : []
        known = [boot_file, gemfile, *ignored].compact.map { |path| short(path) }
        changes =
          (known | @entries.map(&:path))
            .filter_map { |name| in_application(name) }
            .map { |path| change(path) { |text| without_ours(path, take_back(path, text)) } }
        [*changes, (Change.new(default_loader, read(default_loader), nil) if ours?(default_loader))].compact
      end

      # @return [Array<String>] the differences that --undo could not find out from the new texts alone
      def replaced(changes)
        lost =
          changes.reject do |change|
            change.before == change.after || without_ours(change.path, change.after) == change.before
          end
        lost.map { |change| difference(change) }
      end

      def take_back(path, text)
        @entries
          .select { |entry| entry.path == short(path) }
          .inject(text) do |rest, entry|
            before = entry.take_back(rest)
            next before if before
            next rest unless rest.match?(/warmstart/i)

            @incomplete = true
            CLI.complain("#{short(path)} has changed since 'warmstart init'; put back by hand: #{entry.replaced}")
            rest
          end
      end

      # Removes what the text itself shows to be written by this command.
      def without_ours(path, text)
        case path
        when boot_file
          BootFile.remove(text)
        when gemfile
          Gemfile.remove(text)
        when *ignored
          Ignored.remove(text)
        else
          text
        end
      end

      def boot_file = in_application("config/boot.rb")
      def gemfile = Location::GEMFILES.filter_map { |name| in_application(name) }.first
      def dockerfiles = Dir.glob("Dockerfile*", base: target.root!).sort.filter_map { |name| in_application(name) }
      def ignored = %w[.gitignore .dockerignore].filter_map { |name| in_application(name) }

      def in_application(name)
        path = File.join(target.root!, name)
        path if File.file?(path)
      end

      # ---- the loader ----

      def default_loader = File.join(target.root!, "config", "#{BootFile::LOADER}.rb")

      # @param replaced [Array<String>] differences for --undo
      def loader(path, replaced = [])
        if File.exist?(path) && !ours?(path)
          raise Error, "#{path} is not of this command's; name another file by --loader, or remove it"
        end

        before = File.file?(path) ? read(path) : nil
        Change.new(path, before, File.read(LOADER) + Memory.tail(before.to_s, replaced))
      end

      def loader_only
        path = FileNames.expand(@options[:loader], target.root!)
        change = @options[:undo] ? (Change.new(path, read(path), nil) if ours?(path)) : loader(path)
        changes = [change].compact.reject { |one| one.before == one.after }
        carry_out(changes)
        CLI.complain("nothing to do: #{path} is #{@options[:undo] ? "not there" : "up to date"}") if changes.empty?
        say_how(path) unless @options[:undo]
        0
      end

      def ours?(path) = File.file?(path) && read(path).include?(HEADER)

      # ---- files ----

      def read(path)
        File.binread(path).force_encoding(Encoding::UTF_8)
      rescue SystemCallError => error
        raise Error, "cannot read #{path}: #{error.message}"
      end

      # @return [Change, nil]
      def change(path)
        return unless path

        before = read(path)
        raise Error, "#{short(path)} is not written in UTF-8" unless before.valid_encoding?

        Change.new(path, before, yield(before))
      end

      # Makes all changes or none: all new texts are written beside the files before the first file is replaced.
      def carry_out(changes)
        @options[:json] ? print_json(json(changes)) : changes.each { |change| print(difference(change)) }
        return if @options[:dry_run]

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
          "there is no config/boot.rb in #{target.root!}; put #{BootFile::REQUIRE} after bundler/setup, before " \
            "anything else is required; " \
            "or run this, to take Bundler's setup from the image, too: warmstart init --loader #{BootFile::LOADER}.rb"
        )
      end

      def say_how(path)
        CLI.complain(
          "in the program's first lines, replace bundler/setup by: ENV[\"BUNDLE_GEMFILE\"] ||= " \
            "#{(gemfile || "Gemfile").dump} " \
            "and require #{path.delete_suffix(".rb").dump} (or both relative to the program's file)"
        )
      end

      # Reports what this command does not change, and what --undo cannot restore.
      def say_rest(changes)
        replaced = replaced(changes)
        return if replaced.empty?

        names =
          Dir.glob(ELSEWHERE, base: target.root!).sort.filter_map { |name| in_application(name) } - changes.map(&:path)
        names =
          names
            .select { |path| File.size(path) < 1 << 20 && File.binread(path).match?(/bootsnap/ni) }
            .map { |path| short(path) } - [short(default_loader)]
        CLI.complain("bootsnap is named in #{names.join(", ")}, too; left unchanged") if names.any?
        return if changes.any? { |change| change.path == default_loader } || ours?(default_loader)

        CLI.complain(
          "config/boot.rb does not require bundler/setup, so --undo cannot restore bootsnap's lines (there is no " \
            "config/#{BootFile::LOADER}.rb to keep them)"
        )
      end

      def say_next(changes)
        return CLI.complain("nothing was changed (--dry-run)") if @options[:dry_run]

        worth = "; then see what it is worth: warmstart bench -- #{example}" unless @options[:undo]
        CLI.complain("changed #{changes.map { |change| short(change.path) }.join(", ")}; next: bundle install#{worth}")
      end

      def example = in_application("bin/rails") ? "bin/rails runner 1" : "COMMAND"
    end
  end
end
