# frozen_string_literal: true

module Warmstart
  # A tweak leaves out useless work that a framework does while it boots. There is one. It is applied when Rails is about
  # to load namespaces eagerly, and only if the version and the methods are the ones it knows, and it can be switched off
  # (WARMSTART_TWEAKS). docs/speed.md tells its gain.
  #
  # It replaces TZInfo's DataSource#eager_load!. In production Rails has TZInfo load all time zones
  # (config.eager_load_namespaces). With the zones of the tzinfo-data gem, this loads files that stay in memory. With the
  # system's zoneinfo folder, it reads and parses some 600 files in pieces of 8 bytes and drops the result:
  # DataSource#eager_load! calls load_timezone_info, which keeps nothing (get_timezone_info keeps a zone when it is first
  # used). The only effect that could be noticed is the error for a file that is missing or unreadable, and the
  # replacement checks for these files.
  # @api private
  module Tweaks
    # Its name in WARMSTART_TWEAKS.
    NAME = "tzinfo_eager_load"
    NONE = %w[none 0].freeze

    VERSIONS = ("2.0.0".."2.0.6")
    SMALLEST_ZONE = 44 # bytes of a header (tzfile(5))

    class << self
      # @param names [Array<String>] the setting: "all", "none", or names of tweaks
      # @yieldparam unknown [String] a text about names that no tweak has
      # @return [Boolean] false if a name is unknown
      def chosen?(names)
        unknown = names - [NAME, "all", *NONE]
        yield "no tweak #{unknown.join(", ")}; one of #{NAME}, all, none" if unknown.any?
        unknown.empty? && names.any? && !names.intersect?(NONE)
      end

      # @return [true, String] true, or why it is not applied
      def apply
        return "TZInfo is not loaded" unless defined?(::TZInfo::DataSource) && defined?(::TZInfo::VERSION)
        return "TZInfo #{::TZInfo::VERSION} is not known" unless known_version?

        source = ::TZInfo::DataSource.get
        unless source.instance_of?(::TZInfo::DataSources::ZoneinfoDataSource)
          return "time zones come from #{source.class}"
        end
        return "TZInfo's methods are not its own" unless original?(source)

        replace(source)
        true
      rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
        "#{error.class}: #{error.message}"
      end

      # Gives TZInfo its own method back. If somebody has meanwhile replaced ours, the replacement stays, and calls
      # TZInfo's.
      def withdraw
        source = @applied&.delete(:source) or return
        if source.singleton_method(:eager_load!).source_location&.first == __FILE__
          source.singleton_class.remove_method(:eager_load!)
        end
      end

      # Whether each zone's file exists and may be read. If not, TZInfo's own method is called, which raises its own
      # error.
      # @param folder [String]
      # @param zones [Array<String>]
      def readable?(folder, zones)
        zones.all? do |zone|
          path = "#{folder}/#{zone}"
          stat = File.stat(path)
          stat.file? && stat.size > SMALLEST_ZONE && may_read?(path, stat)
        end
      rescue SystemCallError
        false
      end

      # Whether somebody would see that the calls are left out: a TracePoint, Coverage, -d.
      def watched? = Native.traced? || Native.compiling_differs ? true : false

      private

      # The rule of ws_file_is_readable (core/system/file_posix.c): mostly the mode tells, without a call. Otherwise the
      # kernel is asked. File::Stat#readable? asks who the user is for each file, and believes that root may read
      # everything, which it may not in a container without CAP_DAC_OVERRIDE.
      def may_read?(path, stat) = (stat.mode & 0o444) == 0o444 || File.readable?(path)

      def known_version?
        Gem::Version.new(::TZInfo::VERSION).between?(Gem::Version.new(VERSIONS.begin), Gem::Version.new(VERSIONS.end))
      end

      # Whether the methods that would be left out are TZInfo's own. If somebody has decorated them, he expects the
      # calls.
      def original?(source)
        {
          eager_load!: ::TZInfo::DataSource,
          load_timezone_info: ::TZInfo::DataSources::ZoneinfoDataSource,
          load_country_info: ::TZInfo::DataSources::ZoneinfoDataSource
        }.all? { |name, owner| source.method(name).owner == owner && own?(source.method(name)) } &&
          own?(::TZInfo.method(:eager_load!)) &&
          own?(::TZInfo::DataSources.const_get(:ZoneinfoReader).instance_method(:read))
      end

      # (An alias, and what define_method makes of a Method, have the owner and file of what they stand for.)
      def own?(method)
        method.original_name == method.name &&
          method.source_location&.first.to_s.start_with?(
            File.dirname(::TZInfo.method(:eager_load!).source_location.first)
          )
      end

      def replace(source)
        applied = @applied = { source: source }
        source.define_singleton_method(:eager_load!) do
          left_out = !applied.empty? && !Tweaks.watched?
          left_out && Tweaks.readable?(zoneinfo_dir, timezone_identifiers) ? nil : super()
        end
      end
    end
  end
end
