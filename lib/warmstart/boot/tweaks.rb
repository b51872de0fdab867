# frozen_string_literal: true

module Warmstart
  # What frameworks do for nothing while they boot, left out. Each tweak is named, tells what it leaves out and why
  # nobody can miss it, is applied when Rails is about to load namespaces eagerly, looks at the versions and methods
  # that it knows before it touches anything, and can be switched off (WARMSTART_TWEAKS). docs/tweaks.md lists them with
  # what they are worth.
  module Tweaks
    # name: [Symbol] in WARMSTART_TWEAKS, and its file in tweaks/; about: [String] a line; constant: [Symbol] a module
    # here with `apply` → true, or [String] why it was left alone; and `withdraw`, after which the library's method is
    # its own again. Where somebody has put his own over ours meanwhile, that one stays, and what it calls is the
    # library's.
    Tweak = Struct.new(:name, :about, :constant)

    ALL = [
      Tweak.new(
        :tzinfo_eager_load,
        "TZInfo.eager_load! looks at the system's time zone files instead of parsing all and dropping the result",
        :TZInfoEagerLoad
      )
    ].each(&:freeze).freeze

    NONE = %w[none 0].freeze

    class << self
      # @param names [Array<String>] as configured: "all", "none", or names
      # @yieldparam unknown [String] about names that no tweak has
      # @return [Array<Tweak>] none where a name is unknown
      def chosen(names)
        unknown = names - ALL.map { |tweak| tweak.name.to_s } - NONE - ["all"]
        yield "no tweak #{unknown.join(", ")}; one of #{ALL.map(&:name).join(", ")}, all, none" if unknown.any?
        return [] if unknown.any? || names.intersect?(NONE)

        names.include?("all") ? ALL : ALL.select { |tweak| names.include?(tweak.name.to_s) }
      end

      # Applies them. Whatever a framework may have become: a tweak that fails is left out, the boot goes on.
      # @yieldparam tweak [Tweak] @yieldparam outcome [true, String]
      def apply(tweaks)
        tweaks.each do |tweak|
          Native.require_own("boot/tweaks/#{tweak.name}")
          yield tweak, const_get(tweak.constant).apply
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
          yield tweak, "#{error.class}: #{error.message}"
        end
      end

      # Takes out what was applied.
      def withdraw
        Failsafe.all(
          ALL.filter_map do |tweak|
            const_get(tweak.constant).method(:withdraw) if const_defined?(tweak.constant, false)
          end
        )
      end
    end
  end
end
