# frozen_string_literal: true

require_relative "file_names"

module Warmstart
  # Every setting of a boot. OPTIONS is the one table behind Warmstart.setup, the environment variables, `warmstart env`
  # and docs/configuration.md. The environment wins over keywords: whoever runs a program decides last. (What only one
  # command reads is not in here: cli/env.rb, ONLY_COMMANDS_READ.)
  #
  # A variable and a keyword are read by the same rule, that of the option's type. A keyword may be whatever one would
  # write in Ruby: true, :off, 64, %w[a b], a Pathname. A value that is not understood is ignored and becomes a
  # complaint, never an exception.
  # @api private
  class Configuration
    # name: the keyword of Warmstart.setup; type: a key of TYPES.
    Option = Struct.new(:name, :type, :default)

    class Option
      # @return [String] the variable of the environment
      def variable = name == :enabled ? "WARMSTART" : "WARMSTART_#{name.upcase}"

      # @return [Boolean] whether Warmstart.setup takes it as a keyword. :standby is read by the client alone, before
      #   there is any Ruby, and so from the variable: ext/warmstart_standby/client.c.
      def keyword? = name != :standby
    end

    # Names of folders that hold no code to require, wherever they lie (core/index/scanner.c has them, too).
    WITHOUT_CODE = %w[node_modules .git .hg .svn].freeze

    # (What each of them does is said in cli/env.rb, because no boot needs that. A new one also needs its meaning there,
    # at the same place, a line in sig/configuration.rbs, and docs/configuration.md.)
    OPTIONS =
      [
        [:enabled, :boolean, true],
        [:cache_dir, :path, nil],
        [:image_dir, :path, nil],
        [:training, :boolean, false],
        [:mode, :mode, nil],
        [:readonly, :boolean, false],
        [:search, :boolean, true],
        [:code, :boolean, true],
        [:documents, :boolean, true],
        [:frozen_string_literals, :boolean, false],
        [:bundler, :boolean, true],
        [:direct, :boolean, true],
        [:revalidate, :boolean, true],
        [:ahead, :boolean, true],
        [:gc, :gc, true],
        [:ignore_directories, :list, [*WITHOUT_CODE, "log", "tmp", "storage"].freeze],
        [:maximum_size, :bytes, 512 << 20],
        [:map, :map, nil],
        [:paths, :boolean, true],
        [:default_gems, :boolean, true],
        [:tweaks, :list, %w[all]],
        [:config, :file, "config/warmstart.rb"],
        [:standby, :boolean, nil],
        [:log, :boolean, false],
        [:stats, :boolean, false]
      ].map { |name, type, default| Option.new(name, type, default).freeze }.freeze

    OPTIONS.each { |option| attr_reader option.name }

    # The application's folder. There is no variable for it: the programs that this one starts inherit the environment,
    # and they may be other applications.
    ROOT = Option.new(:root, :path, nil).freeze

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
        value = take(option, :keyword, settings[option.name]) if value.nil? && option.keyword?
        instance_variable_set(:"@#{option.name}", value.nil? ? option.default : value)
      end
      @root = take(ROOT, :keyword, settings[:root]) || nil
      unknown = settings.keys - OPTIONS.select(&:keyword?).map(&:name) - [:root]
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
