# frozen_string_literal: true

require_relative "file_names"

module Warmstart
  # Every setting. OPTIONS is the one table behind Warmstart.setup, the environment variables, `warmstart env` and
  # docs/configuration.md. The environment wins over keywords: whoever runs a program decides last.
  #
  # A variable and a keyword are read by the same rule, that of the option's type. A keyword may be whatever one would
  # write in Ruby: true, :off, 64, %w[a b], a Pathname. A value that is not understood is ignored and becomes a
  # complaint, never an exception.
  # @api private
  class Configuration
    # name: the keyword of Warmstart.setup; variable: that of the environment; type: a key of TYPES.
    Option = Struct.new(:name, :variable, :type, :default, :doc)

    OPTIONS = [
      Option.new(:enabled, "WARMSTART", :boolean, true, "0 turns Warmstart off: plain Ruby, nothing installed"),
      Option.new(
        :cache_dir,
        "WARMSTART_CACHE_DIR",
        :path,
        nil,
        "folder that holds a folder of images for each application; default: tmp/cache of the application that " \
          "asks, else the user's cache folder"
      ),
      Option.new(
        :image_dir,
        "WARMSTART_IMAGE_DIR",
        :path,
        nil,
        "the very folder of the image, whatever the application; `warmstart build` sets it while it trains"
      ),
      Option.new(
        :training,
        "WARMSTART_TRAINING",
        :boolean,
        false,
        "1: wait while another process writes the image, and lose nothing; `warmstart build` sets it while it trains"
      ),
      Option.new(:mode, "WARMSTART_MODE", :mode, nil, "checked: check each file of a sealed image, too"),
      Option.new(
        :readonly,
        "WARMSTART_READONLY",
        :boolean,
        false,
        "1: use an image that is there, record and write nothing"
      ),
      Option.new(:search, "WARMSTART_SEARCH", :boolean, true, "0: no load-path index, Ruby searches as usual"),
      Option.new(:code, "WARMSTART_CODE", :boolean, true, "0: no code from the image, Ruby compiles as usual"),
      Option.new(
        :documents,
        "WARMSTART_DOCUMENTS",
        :boolean,
        true,
        "0: no documents from the image, Psych parses YAML files as usual"
      ),
      Option.new(
        :frozen_string_literals,
        "WARMSTART_FROZEN_STRING_LITERALS",
        :boolean,
        false,
        "1: freeze the string literals of the application's own files (not of gems) that have no magic comment"
      ),
      Option.new(
        :bundler,
        "WARMSTART_BUNDLER",
        :boolean,
        true,
        "0: warmstart/bundler runs Bundler's own setup each time, and records nothing of it"
      ),
      Option.new(
        :direct,
        "WARMSTART_DIRECT",
        :boolean,
        true,
        "0: files are loaded by Ruby's own require, which costs system calls"
      ),
      Option.new(
        :revalidate,
        "WARMSTART_REVALIDATE",
        :boolean,
        true,
        "0: a file whose times differ is compiled anew, without a look at its content"
      ),
      Option.new(
        :ahead,
        "WARMSTART_AHEAD",
        :boolean,
        true,
        "0: no threads that make a boot's metadata calls before their turn where calls are slow"
      ),
      Option.new(
        :gc,
        "WARMSTART_GC",
        :gc,
        true,
        "off: collections during the boot as Ruby makes them; a number: megabytes of growth between two of them"
      ),
      Option.new(
        :ignore_directories,
        "WARMSTART_IGNORE_DIRECTORIES",
        :list,
        %w[node_modules .git .hg .svn log tmp storage],
        "names of folders that the index does not enter, separated by commas"
      ),
      Option.new(
        :maximum_size,
        "WARMSTART_MAXIMUM_SIZE",
        :bytes,
        512 << 20,
        "bytes that one image may take on disk (K, M, G)"
      ),
      Option.new(
        :map,
        "WARMSTART_MAP",
        :map,
        nil,
        "copy: read the image into memory rather than map it (network file systems: always)"
      ),
      Option.new(
        :paths,
        "WARMSTART_PATHS",
        :boolean,
        true,
        "0: on Windows File.expand_path and File.absolute_path are Ruby's own, which ask the disk; elsewhere they " \
          "always are"
      ),
      Option.new(
        :default_gems,
        "WARMSTART_DEFAULT_GEMS",
        :boolean,
        true,
        "0: under `warmstart exec` RubyGems reads the gemspecs of all default gems at its start, as usual"
      ),
      Option.new(
        :tweaks,
        "WARMSTART_TWEAKS",
        :list,
        %w[all],
        "names of the tweaks to apply (docs/speed.md), separated by commas; all or none"
      ),
      Option.new(
        :config,
        "WARMSTART_CONFIG",
        :file,
        "config/warmstart.rb",
        "a file of the application's, loaded when the application has set up Warmstart"
      ),
      Option.new(
        :standby,
        "WARMSTART_STANDBY",
        :boolean,
        nil,
        "0: the standby's client runs the ordinary command; 1: it uses a standby also in production, under CI and as " \
          "root " \
          "(docs/standby.md)"
      ),
      Option.new(:log, "WARMSTART_LOG", :boolean, false, "1: a line on stderr for each event"),
      Option.new(:stats, "WARMSTART_STATS", :boolean, false, "1: a summary on stderr when the program ends")
    ].each(&:freeze).freeze

    OPTIONS.each { |option| attr_reader option.name }

    # The application's folder. There is no variable for it: the programs that this one starts inherit the environment,
    # and they may be other applications.
    ROOT = Option.new(:root, nil, :path, nil, "the application's folder").freeze

    # How a complaint describes the values that a type allows.
    TYPES = {
      boolean: "on or off",
      path: "a path",
      file: "a path",
      list: "names, separated by commas",
      bytes: "a number of bytes, as 256M",
      mode: "checked",
      map: "copy",
      gc: "on, off or a number of megabytes"
    }.freeze

    OFF = %w[0 false off no].freeze
    ON = %w[1 true on yes].freeze
    UNITS = { "" => 0, "K" => 10, "M" => 20, "G" => 30 }.freeze

    # @return [Hash{Symbol => Symbol}] the settings that were given, each with its source (:keyword or :environment);
    #   the others have their defaults
    attr_reader :given

    # @return [Array<String>] a line about each value that is not understood and each keyword that is unknown
    attr_reader :complaints

    # @return [String, nil] the keyword `root` of Warmstart.setup as an absolute path
    attr_reader :root

    # @param settings [Hash{Symbol => Object}] keywords of Warmstart.setup
    # @param environment [#[]] ENV, or an empty Hash if the environment cannot be trusted (a privileged process)
    def initialize(settings = {}, environment = ENV)
      @given = {}
      @complaints = []
      OPTIONS.each do |option|
        value = take(option, :environment, environment[option.variable])
        value = take(option, :keyword, settings[option.name]) if value.nil?
        instance_variable_set(:"@#{option.name}", value.nil? ? option.default : value)
      end
      @root = take(ROOT, :keyword, settings[:root]) || nil
      unknown = settings.keys - OPTIONS.map(&:name) - [:root]
      unknown.each do |name|
        @complaints << "remove #{name.inspect} from Warmstart.setup (`warmstart env` lists its keywords): it is ignored"
      end
    end

    # Turns off the parts that need something that this Ruby does not have.
    # @param parts [Array<Symbol>] :code, :direct, :documents, :recording
    def leave_out(parts)
      @code &&= !parts.include?(:code)
      @direct &&= !parts.include?(:direct)
      @documents &&= !parts.include?(:documents)
      @readonly = true if parts.include?(:recording)
    end

    private

    # @return [Object, nil] nil: no value is given (an empty text counts as none), or the value is not understood
    def take(option, source, value)
      return if value.nil? || (value.is_a?(String) && value.empty?)

      read = read(option.type, value)
      return complain(option, source, value) if read.nil?

      @given[option.name] = source
      read
    end

    def read(type, value)
      case type
      when :path, :file
        read_path(type, value)
      when :list
        read_list(value)
      else
        (text = text(value)) && read_word(type, text)
      end
    end

    def read_word(type, text)
      case type
      when :boolean
        !OFF.include?(text.downcase)
      when :bytes
        read_bytes(text)
      when :gc
        read_gc(text)
      when :mode
        :checked if text == "checked"
      when :map
        :copy if text == "copy"
      end
    end

    # The text that one would write into a variable to say the same as a Ruby value.
    # @return [String, nil] nil: it cannot be written so (another class, or bytes that are not valid characters)
    def text(value)
      text =
        case value
        when true
          "1"
        when false
          "0"
        when String
          value
        when Symbol, Integer
          value.to_s
        end
      text if text && text.encoding.ascii_compatible? && text.valid_encoding?
    end

    # (A number of more than 18 digits does not fit the system's type for file sizes.)
    def read_bytes(text)
      number, unit = text.match(/\A(\d{1,18})([KMG]?)\z/i)&.captures
      bytes = number.to_i << UNITS.fetch(unit.upcase) if number
      bytes if bytes && bytes < 1 << 62
    end

    # 0 and 1 mean off and on, as for the other settings; a greater number is megabytes.
    def read_gc(text)
      text = text.downcase
      return false if OFF.include?(text)
      return true if ON.include?(text)

      text.to_i if text.match?(/\A\d{1,6}\z/)
    end

    def read_list(value)
      return text(value)&.split(",")&.map(&:strip)&.reject(&:empty?) unless value.is_a?(Array)

      names = value.filter_map { |name| text(name) }
      names if names.size == value.size
    end

    # A path need not be valid text: any bytes can be a file's name. A :file is relative to the application's folder,
    # which is not known yet, so it stays as it is. File.expand_path raises if there is no such user (~user) or no
    # current folder; there is no other way to find out.
    def read_path(type, value)
      return false if value == false

      path = value.respond_to?(:to_path) ? value.to_path : String.try_convert(value)
      return unless path.is_a?(String) && path.encoding.ascii_compatible? && !path.include?("\0")

      path = FileNames.text(path)
      type == :file && !path.start_with?("~") ? path : FileNames.expand(path)
    rescue ArgumentError, SystemCallError
      nil
    end

    # (The value is shown as in Ruby source, so that it is one line whatever it contains.)
    def complain(option, source, value)
      shown = (value.is_a?(String) ? value.inspect[1...-1] : value.inspect).to_s[0, 100]
      given = source == :environment ? "#{option.variable}=#{shown}" : "#{option.name}: #{shown}"
      @complaints << "correct #{given}: it is not understood (#{TYPES.fetch(option.type)}), and ignored"
      nil
    end
  end
end
