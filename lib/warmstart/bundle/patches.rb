# frozen_string_literal: true

require_relative "situation"

module Warmstart
  module Bundle
    # Whether the program has changed something of Bundler's or RubyGems' that runs in each setup, but not in a replay (the
    # Gemfile, or a file that was loaded before, may have). Asked when the Gemfile has been evaluated.
    #
    # Each method of these classes is looked at, also in modules that were prepended: where it was defined tells whose it
    # is. That takes 0.8 ms. (An alias of one of Bundler's methods for another is not seen: it has the place of what it stands
    # for.)
    # @api private
    module Patches
      BUNDLER = %w[
        Definition
        Runtime
        LockfileParser
        SpecSet
        LazySpecification
        RemoteSpecification
        StubSpecification
        Source::Rubygems
        Source::Path
        Source::Git
        Source::Gemspec
        Source::Metadata
        Index
        RubygemsIntegration
        SharedHelpers
      ].freeze

      class << self
        # @return [String, nil] what was changed, in words
        def found
          return "Bundler's messages are on" unless silent?
          return "an object of Bundler's has methods of its own" if ::Bundler.rubygems.singleton_methods(false).any?

          @own = [*Situation.sources, "#{FOLDER}/"]
          changed = classes.find { |owner| foreign?(owner) || foreign?(owner.singleton_class) }
          "methods of #{changed} were changed" if changed
        end

        private

        # (bundler/setup silences them. The classes come by autoload, so they are known by name.)
        def silent?
          name = ::Bundler.ui.class.name
          name == "Bundler::UI::Silent" || (name == "Bundler::UI::Shell" && ::Bundler.ui.level == "silent")
        end

        # (What is not loaded yet is Bundler's own when it comes.)
        def classes
          bundler =
            BUNDLER.filter_map do |name|
              name
                .split("::")
                .inject(::Bundler) do |owner, part|
                  owner && !owner.autoload?(part) ? owner.const_get(part, false) : nil
                end
            end
          [*bundler, ::Gem::Specification, ::Gem::StubSpecification, ::Gem::BasicSpecification]
        end

        def foreign?(owner)
          prepended = owner.ancestors.take_while { |ancestor| !ancestor.equal?(owner) }
          [*prepended, owner].any? do |holder|
            (holder.instance_methods(false) + holder.private_instance_methods(false)).any? do |name|
              file, = holder.instance_method(name).source_location
              file.nil? || !file.start_with?(*@own)
            end
          end
        end
      end
    end
  end
end
