# frozen_string_literal: true

module Warmstart
  # Every setting, once: OPTIONS is what `Warmstart.setup` takes, what the environment may say, what `warmstart env` prints
  # and what docs/configuration.md lists. The environment wins over keywords: who runs a program decides last.
  class Configuration
    # name: the keyword of Warmstart.setup; type: how the variable's text is read.
    Option = Struct.new(:name, :variable, :type, :default, :doc)

    OPTIONS = [
      Option.new(:enabled, "WARMSTART", :boolean, true, "0 turns Warmstart off: plain Ruby, nothing installed"),
      Option.new(:cache_dir, "WARMSTART_CACHE_DIR", :path, nil,
                 "folder that holds a folder of images for each application; default: tmp/cache of the application that " \
                 "asks, else the user's cache folder"),
      Option.new(:image_dir, "WARMSTART_IMAGE_DIR", :path, nil,
                 "the very folder of the image, whatever the application; `warmstart build` sets it while it trains"),
      Option.new(:training, "WARMSTART_TRAINING", :boolean, false,
                 "1: wait while another process writes the image, and lose nothing; `warmstart build` sets it while it trains"),
      Option.new(:mode, "WARMSTART_MODE", :mode, nil, "checked: check each file of a sealed image, too"),
      Option.new(:readonly, "WARMSTART_READONLY", :boolean, false, "1: use an image that is there, record and write nothing"),
      Option.new(:search, "WARMSTART_SEARCH", :boolean, true, "0: no load-path index, Ruby searches as usual"),
      Option.new(:code, "WARMSTART_CODE", :boolean, true, "0: no code from the image, Ruby compiles as usual"),
      Option.new(:documents, "WARMSTART_DOCUMENTS", :boolean, true, "0: no documents from the image, Psych parses YAML files as usual"),
      Option.new(:frozen_string_literals, "WARMSTART_FROZEN_STRING_LITERALS", :boolean, false,
                 "1: freeze the string literals of the application's own files (not of gems) that have no magic comment"),
      Option.new(:bundler, "WARMSTART_BUNDLER", :boolean, true, "0: warmstart/bundler runs Bundler's own setup each time, and records nothing of it"),
      Option.new(:direct, "WARMSTART_DIRECT", :boolean, true, "0: files are loaded by Ruby's own require, which costs system calls"),
      Option.new(:revalidate, "WARMSTART_REVALIDATE", :boolean, true,
                 "0: a file whose times differ is compiled anew, without a look at its content"),
      Option.new(:ahead, "WARMSTART_AHEAD", :boolean, true,
                 "0: no threads that make a boot's metadata calls before their turn where calls are slow"),
      Option.new(:gc, "WARMSTART_GC", :gc, true,
                 "off: collections during the boot as Ruby makes them; a number: megabytes of growth between two of them"),
      Option.new(:ignore_directories, "WARMSTART_IGNORE_DIRECTORIES", :list, %w[node_modules .git .hg .svn log tmp storage],
                 "names of folders that the index does not enter, separated by commas"),
      Option.new(:maximum_size, "WARMSTART_MAXIMUM_SIZE", :bytes, 512 << 20, "bytes that one image may take on disk (K, M, G)"),
      Option.new(:map, "WARMSTART_MAP", :map, nil, "copy: read the image into memory rather than map it (network file systems: always)"),
      Option.new(:paths, "WARMSTART_PATHS", :boolean, true,
                 "0: on Windows File.expand_path and File.absolute_path are Ruby's own, which ask the disk; elsewhere they always are"),
      Option.new(:default_gems, "WARMSTART_DEFAULT_GEMS", :boolean, true,
                 "0: under `warmstart exec` RubyGems reads the gemspecs of all default gems at its start, as usual"),
      Option.new(:tweaks, "WARMSTART_TWEAKS", :list, %w[all],
                 "names of the tweaks to apply (docs/tweaks.md), separated by commas; all or none"),
      Option.new(:config, "WARMSTART_CONFIG", :path, "config/warmstart.rb", "a file of the application's, loaded once Warmstart is set up"),
      Option.new(:log, "WARMSTART_LOG", :boolean, false, "1: a line on stderr for each event"),
      Option.new(:stats, "WARMSTART_STATS", :boolean, false, "1: a summary on stderr when the program ends"),
    ].each(&:freeze).freeze

    OPTIONS.each { |option| attr_reader option.name }

    # The settings that were given, by a keyword or a variable; the others have their defaults.
    attr_reader :given

    # @param settings [Hash{Symbol => Object}] keywords of Warmstart.setup
    # @param environment [#[]] ENV, or an empty Hash where it must not lead us
    # @raise [ArgumentError] an unknown keyword
    def initialize(settings = {}, environment = ENV)
      unknown = settings.keys - OPTIONS.map(&:name)
      raise ArgumentError, "unknown keyword#{"s" if unknown.size > 1}: #{unknown.map(&:inspect).join(", ")}" if unknown.any?

      @given = {}
      @complaints = []
      OPTIONS.each { |option| assign(option, settings, environment) }
    end

    # Lines about variables that could not be read.
    attr_reader :complaints

    private

    def assign(option, settings, environment)
      text = environment[option.variable]
      value = option.default
      if text && !text.empty? && !(parsed = parse(option, text)).nil?
        @given[option.name] = :environment
        value = parsed
      elsif settings.key?(option.name) && !settings[option.name].nil?
        @given[option.name] = :keyword
        value = settings[option.name]
      end
      instance_variable_set(:"@#{option.name}", value)
    end

    def parse(option, text)
      case option.type
      when :boolean then !%w[0 false off no].include?(text.downcase)
      when :path then File.expand_path(text)
      when :list then text.split(",").map(&:strip).reject(&:empty?)
      when :bytes then parse_bytes(option, text)
      when :mode then one_of(option, text, %w[checked])
      when :gc then parse_gc(option, text)
      when :map then one_of(option, text, %w[copy])
      end
    end

    def parse_bytes(option, text)
      number, unit = text.match(/\A(\d+)([KMG]?)\z/i)&.captures
      return complain(option, text, "a number of bytes, as 256M") unless number

      number.to_i << { "" => 0, "K" => 10, "M" => 20, "G" => 30 }.fetch(unit.upcase)
    end

    # 0 and 1 are off and on, as everywhere.
    def parse_gc(option, text)
      case text.downcase
      when "0", "false", "off", "no" then false
      when "1", "true", "on", "yes" then true
      when /\A\d{1,6}\z/ then text.to_i
      else complain(option, text, "on, off or a number of megabytes")
      end
    end

    def one_of(option, text, words)
      words.include?(text) ? text.to_sym : complain(option, text, words.join(" or "))
    end

    def complain(option, text, expected)
      @complaints << "#{option.variable}=#{text} is not understood (#{expected}); it is ignored"
      nil
    end
  end
end
