# frozen_string_literal: true

module Warmstart
  # Tweaks leave out useless work that frameworks do while they boot. Each tweak has a name, documents what it leaves
  # out and why nobody can notice, and can be switched off (WARMSTART_TWEAKS). It is applied when Rails is about to load
  # namespaces eagerly, and only if the versions and methods are the ones it knows. docs/speed.md lists the
  # tweaks and their gain.
  # @api private
  module Tweaks
    # name: [Symbol] its name in WARMSTART_TWEAKS and that of its file in tweaks/; about: [String] a line of
    # description; constant: [Symbol] a module in Tweaks. The module's method `apply` returns true, or a [String] that
    # says why it does nothing; `withdraw` gives the library its own method back. If somebody has meanwhile replaced the
    # tweaked method, the replacement stays, and calls the library's method.
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
      # @param names [Array<String>] the setting: "all", "none", or names of tweaks
      # @yieldparam unknown [String] a text about names that no tweak has
      # @return [Array<Tweak>] empty if a name is unknown
      def chosen(names)
        unknown = names - ALL.map { |tweak| tweak.name.to_s } - NONE - ["all"]
        yield "no tweak #{unknown.join(", ")}; one of #{ALL.map(&:name).join(", ")}, all, none" if unknown.any?
        return [] if unknown.any? || names.intersect?(NONE)

        names.include?("all") ? ALL : ALL.select { |tweak| names.include?(tweak.name.to_s) }
      end

      # Applies the tweaks. If one fails, because a framework has changed for instance, the others are still applied,
      # and the boot goes on.
      # @yieldparam tweak [Tweak]
      # @yieldparam outcome [true, String]
      def apply(tweaks)
        tweaks.each do |tweak|
          Native.require_own("boot/tweaks/#{tweak.name}")
          yield tweak, const_get(tweak.constant).apply
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
          yield tweak, "#{error.class}: #{error.message}"
        end
      end

      # Removes the tweaks that were applied.
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
