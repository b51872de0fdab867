# frozen_string_literal: true

require_relative "command"
require_relative "difference"

module Warmstart
  module CLI
    # `warmstart init`: two lines, one in config/boot.rb, one in the Gemfile. What is there already is not touched; run twice, it
    # does nothing the second time.
    class Init < Command
      USAGE = "[OPTIONS]"
      ABOUT = "Adds `require \"warmstart/setup\"` to config/boot.rb and the gem to the Gemfile, and shows what it changed.\n"

      REQUIRE = 'require "warmstart/setup"'
      GEM = 'gem "warmstart", require: false'

      # What counts is code: not what stands in a comment.
      OURS = /^[^#\n]*\brequire\b[\s(]*["']warmstart\/setup["']/
      BUNDLER = /^[^#\n]*\brequire\b[\s(]*["']bundler\/setup["']/
      BOOTSNAP = /^[ \t]*require[\s(]*["']bootsnap\/setup["']\)?[ \t]*(#.*)?$/
      USES_BOOTSNAP = /^[^#\n]*\b(?:require\b[\s(]*["']bootsnap|Bootsnap\.setup)/
      OUR_GEM = /^[^#\n]*\bgem\b[\s(]*["']warmstart["']/
      BOOTSNAP_GEM = /^[ \t]*gem[\s(]*["']bootsnap["'].*$/

      private

      def define(parser)
        parser.on("--dry-run", "show what would change, change nothing") { @options[:dry_run] = true }
        parser.on("--replace-bootsnap", "put Warmstart in the place of bootsnap") { @options[:replace] = true }
        parser.on("--root FOLDER", "the application's folder (default: the nearest one above with a Gemfile)") { |path| @options[:root] = path }
      end

      def execute(rest)
        no_arguments(rest)
        check_bootsnap
        changed = [change(boot_file) { |text| with_require(text) }, change(gemfile) { |text| with_gem(text) }].compact
        CLI.complain("nothing to do: Warmstart is there already") if changed.empty? && boot_file && gemfile
        say_where unless boot_file
        say_next(changed) if changed.any?
        0
      end

      def boot_file
        path = File.join(target.root!, "config/boot.rb")
        path if File.file?(path)
      end

      def gemfile
        Location::GEMFILES.map { |name| File.join(target.root!, name) }.find { |path| File.file?(path) }
      end

      # Only one of the two can answer Ruby's loader.
      def check_bootsnap
        text = boot_file ? File.read(boot_file) : ""
        return unless text.match?(USES_BOOTSNAP)
        raise Error, "config/boot.rb loads bootsnap in a way of its own; put #{REQUIRE} there by hand" unless text.match?(BOOTSNAP)
        return if @options[:replace]

        raise Error, "config/boot.rb requires bootsnap/setup, and only one of the two can answer Ruby's loader; --replace-bootsnap puts ours in its place"
      end

      # @return [String, nil] the path, when its text changes
      def change(path)
        return unless path

        before = File.binread(path).force_encoding(Encoding::UTF_8)
        after = yield before
        return if after == before

        print Difference.unified(path.delete_prefix("#{target.root!}/"), before, after)
        File.binwrite(path, after) unless @options[:dry_run]
        path
      rescue SystemCallError => error
        raise Error, "cannot change #{path}: #{error.message}"
      end

      # ---- config/boot.rb ----

      def with_require(text)
        return replace_bootsnap(text) if text.match?(BOOTSNAP) && @options[:replace]

        text.match?(OURS) ? text : insert_after_bundler(text)
      end

      # Its line becomes ours, indentation and place stay; where ours is there already, its line goes.
      def replace_bootsnap(text)
        return text.gsub(/#{BOOTSNAP.source}\n?/, "") if text.match?(OURS)

        text.sub(BOOTSNAP) { |line| line[/\A[ \t]*/] + REQUIRE }.gsub(/#{BOOTSNAP.source}\n?/, "")
      end

      def insert_after_bundler(text)
        line = "#{REQUIRE} # starts the application from its boot image#{newline(text)}"
        return complete(text) + line unless text.match?(BUNDLER)

        # after the last one: an application may choose its Gemfile in between
        index = text.lines.rindex { |candidate| candidate.match?(BUNDLER) }
        lines = complete(text).lines
        indentation = lines[index][/\A[ \t]*(?=require)/] || ""
        (lines[0..index] + [indentation + line] + lines[(index + 1)..]).join
      end

      def newline(text) = text.include?("\r\n") ? "\r\n" : "\n"
      def complete(text) = text.empty? || text.end_with?("\n") ? text : text + newline(text)

      # ---- Gemfile ----

      def with_gem(text)
        bootsnap = text.match(BOOTSNAP_GEM) if @options[:replace]
        return bootsnap ? text.gsub(/#{BOOTSNAP_GEM.source}\n?/, "") : text if text.match?(OUR_GEM)
        return text.sub(BOOTSNAP_GEM) { |line| line[/\A[ \t]*/] + GEM } if bootsnap

        blank = text.end_with?("\n\n") || text.empty? ? "" : newline(text)
        "#{complete(text)}#{blank}# Starts the application from its boot image#{newline(text)}#{GEM}#{newline(text)}"
      end

      # ---- advice ----

      def say_where
        CLI.complain("there is no config/boot.rb in #{target.root!}; put #{REQUIRE} after bundler/setup, before anything else is required")
      end

      def say_next(changed)
        return CLI.complain("nothing was changed (--dry-run)") if @options[:dry_run]

        CLI.complain("changed #{changed.map { |path| path.delete_prefix("#{target.root!}/") }.join(" and ")}; next: bundle install")
      end
    end
  end
end
