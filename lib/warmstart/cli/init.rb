# frozen_string_literal: true

require "fileutils"

require_relative "command"
require_relative "difference"
require_relative "init/boot_file"
require_relative "init/gemfile"

module Warmstart
  module CLI
    # `warmstart init`: a file that finds the gem before Bundler is loaded, the line in config/boot.rb that requires it, and the
    # gem in the Gemfile. What is there already is not touched; run twice, it does nothing the second time.
    class Init < Command
      USAGE = "[OPTIONS]"
      ABOUT = <<~TEXT
        Has config/boot.rb start the application from its boot image, Bundler's setup included: writes config/#{BootFile::LOADER}.rb, requires it
        in the place of bundler/setup, and adds the gem to the Gemfile. Shows what it changed.
      TEXT

      # The file that is written into the application.
      LOADER = File.expand_path("init/#{BootFile::LOADER}.rb", __dir__)
      HEADER = "# Written by `warmstart init`"

      private

      def define(parser)
        parser.on("--dry-run", "show what would change, change nothing") { @options[:dry_run] = true }
        parser.on("--undo", "take out again what this command has written") { @options[:undo] = true }
        parser.on("--replace-bootsnap", "put Warmstart in the place of bootsnap") { @options[:replace] = true }
        parser.on("--loader FILE", "write only the file that takes the place of bundler/setup, for a program without config/boot.rb") { |path| @options[:loader] = path }
        parser.on("--root FOLDER", "the application's folder (default: the nearest one above with a Gemfile)") { |path| @options[:root] = path }
      end

      def execute(rest)
        no_arguments(rest)
        usage_error("--loader and --replace-bootsnap do not go together") if @options[:loader] && @options[:replace]
        return loader_only if @options[:loader]

        check_bootsnap unless @options[:undo]
        changed = @options[:undo] ? undo : add
        CLI.complain("nothing to do: Warmstart is #{@options[:undo] ? "not there" : "there already"}") if changed.empty? && boot_file && gemfile
        say_where unless boot_file || @options[:undo]
        say_next(changed) if changed.any?
        0
      end

      def add
        boot = change(boot_file) { |text| BootFile.add(text, replace_bootsnap: @options[:replace]) }
        [loader_wanted? ? write_loader(default_loader) : nil, boot, change(gemfile) { |text| Gemfile.add(text, replace_bootsnap: @options[:replace]) }].compact
      end

      def undo
        changed = [change(boot_file) { |text| BootFile.remove(text) }, remove_loader(default_loader), change(gemfile) { |text| Gemfile.remove(text) }]
        changed.compact
      end

      def boot_file = in_application("config/boot.rb")
      def gemfile = Location::GEMFILES.filter_map { |name| in_application(name) }.first

      def in_application(name)
        path = File.join(target.root!, name)
        path if File.file?(path)
      end

      # Only one of the two can answer Ruby's loader.
      def check_bootsnap
        text = boot_file ? read(boot_file) : ""
        return unless text.match?(BootFile::USES_BOOTSNAP)
        raise Error, "config/boot.rb loads bootsnap in a way of its own; put #{BootFile::REQUIRE} there by hand" unless text.match?(BootFile::BOOTSNAP)
        return if @options[:replace]

        raise Error, "config/boot.rb requires bootsnap/setup, and only one of the two can answer Ruby's loader; --replace-bootsnap puts ours in its place"
      end

      # ---- the loader ----

      def default_loader = File.join(target.root!, "config", "#{BootFile::LOADER}.rb")

      # Does config/boot.rb require it, or will it?
      def loader_wanted?
        boot_file && BootFile.add(read(boot_file), replace_bootsnap: @options[:replace]).match?(BootFile::OURS)
      end

      def loader_only
        path = File.expand_path(@options[:loader], target.root!)
        changed = @options[:undo] ? remove_loader(path) : write_loader(path)
        CLI.complain("nothing to do: #{path} is #{@options[:undo] ? "not there" : "as it should be"}") unless changed
        say_how(path) unless @options[:undo]
        0
      end

      # @return [String, nil] the path, when it is written
      def write_loader(path)
        raise Error, "#{path} is not of this command's; name another file by --loader, or remove it" if File.exist?(path) && !ours?(path)

        replace(path, File.file?(path) ? read(path) : "", File.read(LOADER))
      end

      def remove_loader(path)
        return unless File.file?(path) && ours?(path)

        show(path, read(path), "")
        File.unlink(path) unless @options[:dry_run]
        path
      end

      def ours?(path) = File.file?(path) && read(path).include?(HEADER)

      # ---- files ----

      def read(path) = File.binread(path).force_encoding(Encoding::UTF_8)

      # @return [String, nil] the path, when its text changes
      def change(path)
        return unless path

        before = read(path)
        replace(path, before, yield(before))
      end

      def replace(path, before, after)
        return if after == before

        show(path, before, after)
        return path if @options[:dry_run]

        FileUtils.mkdir_p(File.dirname(path))
        File.binwrite(path, after)
        path
      rescue SystemCallError => error
        raise Error, "cannot change #{path}: #{error.message}"
      end

      def show(path, before, after) = print(Difference.unified(short(path), before, after))
      def short(path) = path.delete_prefix("#{target.root!}/")

      # ---- advice ----

      def say_where
        CLI.complain("there is no config/boot.rb in #{target.root!}; put #{BootFile::REQUIRE} after bundler/setup, before anything else is required; " \
                     "or, to have Bundler's setup from the image, too: warmstart init --loader #{BootFile::LOADER}.rb")
      end

      def say_how(path)
        CLI.complain("the program's first lines, in the place of bundler/setup: ENV[\"BUNDLE_GEMFILE\"] ||= #{(gemfile || "Gemfile").dump} " \
                     "and require #{path.delete_suffix(".rb").dump} (or both relative to the program's file)")
      end

      def say_next(changed)
        return CLI.complain("nothing was changed (--dry-run)") if @options[:dry_run]

        CLI.complain("changed #{changed.map { |path| short(path) }.join(", ")}; next: bundle install")
      end
    end
  end
end
