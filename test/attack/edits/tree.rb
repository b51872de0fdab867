# frozen_string_literal: true

require "fileutils"

module Attack
  # The tree of a program for the section `edits`, and what is done to it between two boots. An edit is a name and three
  # numbers, which select from the sorted list of what exists. So an edit has a meaning whatever edits before it were
  # left out (the shrinker leaves out most of them).
  class Tree
    FEATURES = (0..7).map { |number| "f#{number}" }.freeze
    # The folders of features. The first five are on the load path, in this order.
    FOLDERS = %w[over lib gems/gems/g-1/lib gems/gems/h-2/lib link lib/deep gems/gems/g-1/lib/g other].freeze
    ENTRIES = FOLDERS.first(5).freeze
    GEMS = %w[gems/gems/g-1 gems/gems/h-2].freeze
    NOBODY = 65_534

    # The program prints which file runs, by which names, and called from where; and the result of each require.
    MAIN = <<~'RUBY'
      ROOT = File.join(__dir__, "tree")
      def say(token, file, dir)
        places = caller_locations(1).map { |place| [place.path, place.absolute_path, place.lineno, place.label].join(":") }
        puts [token, file, dir, *places].join(" ").gsub(ROOT, "~")
      end
      def try(what)
        puts "#{what}: #{yield.inspect}"
      rescue LoadError, StandardError, SyntaxError => error
        puts "#{what}: #{error.class} #{error.message.gsub(ROOT, "~")} #{(error.path if error.respond_to?(:path)).inspect.gsub(ROOT, "~")}"
      end
      BEFORE = $LOADED_FEATURES.dup
      step, code = ENV["MID"].to_s.split(" ", 2)
      $LOAD_PATH.unshift(*ENTRIES.map { |name| File.join(ROOT, name) })
      autoload :Kf7, "f7"
      FEATURES.each_with_index do |name, index|
        Dir.chdir(ROOT) { eval(code) } if code && index == step.to_i
        next try("autoload") { Kf7 } if name == "f7"
        try(name) { require(index == 5 ? "#{name}.rb" : name) }
      end
      Dir.chdir(ROOT) { eval(code) } if code && step.to_i == FEATURES.size
      try("deep/f0") { require "deep/f0" }
      try("relative") { require_relative "tree/lib/f1" }
      Dir.glob("**/f?.rb", base: ROOT).sort.each { |path| try(path) { require File.join(ROOT, path) } }
      try("load") { load File.join(ROOT, "other/leaf.rb") }
      try("load by name") { load "leaf.rb" }
      try("yaml") { require "yaml"; YAML.load_file(File.join(ROOT, "other/data.yml")) } if ENV["YAML"]
      puts ($LOADED_FEATURES - BEFORE).grep(/\A#{Regexp.escape(ROOT)}/).join("\n").gsub(ROOT, "~")
      File.write(ENV["COUNTS"], Warmstart::Native.counts.fetch(:hit)) if ENV["COUNTS"] && defined?(Warmstart::Native.counts)
    RUBY

    attr_reader :base, :root

    def initialize(base, random)
      @base = base
      @root = File.join(base, "tree")
      @random = random
      @tokens = 0
    end

    def path(name) = File.join(root, name)
    def mounted? = mounts.any?

    def make
      constants =
        { "ENTRIES" => ENTRIES, "FEATURES" => FEATURES }.map { |name, list| "#{name} = %w[#{list.join(" ")}].freeze\n" }
          .join
      File.write(File.join(base, "main.rb"), constants + MAIN)
      (FOLDERS - %w[link]).each { |name| FileUtils.mkdir_p(path(name)) }
      FileUtils.mkdir_p(path("gems/specifications"))
      %w[g-1 h-2].each { |name| File.write(path("gems/specifications/#{name}.gemspec"), "") }
      File.symlink(%w[other lib/deep gems/gems/h-2/lib].sample(random: @random), path("link"))
      (FOLDERS - %w[link]).each do |folder|
        FEATURES
          .sample(2 + @random.rand(3), random: @random)
          .each { |name| write("#{folder}/#{name}.rb", source(name)) }
      end
      write("other/leaf.rb", source(nil))
      write("other/data.yml", "token: #{token}\nlist: [1, 2]\n")
    end

    # Tokens have a fixed width, so that a file with another token has the same size.
    def token = format("t%07d", @tokens += 1)

    def source(name)
      lines = ["say \"#{token}\", __FILE__, __dir__\n", ("module K#{name}; end\n" if name)]
      @random.rand(3).times { lines << call_line(FEATURES.sample(random: @random)) } if name
      lines.compact.join
    end

    def call_line(name)
      relative = "#{["", "../", "deep/", "../lib/", "../other/"].sample(random: @random)}#{name}"
      if @random.rand(2).zero?
        "try(\"#{name} inside\") { require \"#{name}\" }\n"
      else
        "try(\"#{relative} inside\") { require_relative \"#{relative}\" }\n"
      end
    end

    def write(name, content)
      File.binwrite(path(name), content)
    end

    # ---- what is there ----

    def all = Dir.glob("**/*", base: root).sort
    def files =
      all.select do |name|
        File.file?(path(name)) && !File.symlink?(path(name)) && !name.start_with?("gems/specifications")
      end
    def links = all.select { |name| File.symlink?(path(name)) }
    def folders =
      all.select { |name| File.directory?(path(name)) && !File.symlink?(path(name)) && name != "gems/specifications" }

    # Paths at which a feature can be created.
    def places = folders.flat_map { |folder| FEATURES.map { |name| "#{folder}/#{name}.rb" } }

    def pick(list, number) = list.empty? ? nil : list[number % list.size]

    # ---- mounts: only where this process has a mount namespace of its own ----

    def mount(from, to)
      @mounted = true if system("mount", "--bind", path(from), path(to), err: File::NULL)
    end

    # As the system knows them: a folder above may have been renamed meanwhile.
    def mounts
      return [] unless @mounted

      File
        .readlines("/proc/self/mountinfo")
        .filter_map { |line| line.split[4].gsub(/\\\d{3}/) { |code| code[1..].oct.chr } }
        .select { |path| path.start_with?("#{base}/") }
    end

    def unmount
      path = mounts.last or return
      system("umount", path, err: File::NULL) || system("umount", "-l", path, err: File::NULL)
    end

    def unmount_all = (unmount while mounted?)
  end
end
