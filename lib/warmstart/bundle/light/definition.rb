# frozen_string_literal: true

module Warmstart
  module Bundle
    module Light
      # Ruby itself asks for these conversions (Array#flatten, puts); that must not load Bundler's Definition.
      CONVERSIONS = %i[to_ary to_str to_hash to_proc to_io to_path to_int to_regexp].freeze

      # Stands for an object of Bundler's, and finds the real one when it is asked something that the record does not
      # have.
      # @api private
      class Stand < BasicObject
        # @yieldreturn [Object] the real object
        def initialize(becoming, &real)
          @becoming = becoming
          @find = real
        end

        # (While the real one is made, the answer is for the one who makes it.)
        def warmstart_real
          return @warmstart_real if @warmstart_real

          real = @find.call
          @becoming.become? ? @warmstart_real = real : real
        end

        def class = warmstart_real.class
        def nil? = false
        def respond_to?(name, all = false) =
          ::Warmstart::Bundle::Light::CONVERSIONS.include?(name.to_sym) ? false : warmstart_real.respond_to?(name, all)
        def ==(other) = equal?(other) || warmstart_real == other
        def !=(other) = !(self == other)
        def ! = false

        def method_missing(name, *arguments, **keywords, &block)
          warmstart_real.__send__(name, *arguments, **keywords, &block)
        end

        def respond_to_missing?(name, all = false) = warmstart_real.respond_to?(name, all)
      end

      # A Bundler::Dependency. The real one gets its source when the real Definition is made, which asks the disk; what
      # Runtime#require calls does not depend on that.
      class Dependency < Stand
        # @param dependency [Bundler::Dependency]
        def initialize(dependency, becoming)
          super(becoming) do
            becoming.definition
            dependency
          end
          @dependency = dependency
        end

        def name = @dependency.name
        def groups = @dependency.groups
        def autorequire = @dependency.autorequire
        def should_include? = @dependency.should_include?
      end

      # The Bundler::Definition. It knows the dependencies, for Bundler.require, and the gems, for the setup. The checks
      # of Gemfile and lockfile were made when the record was made.
      class Definition < Stand
        # @param dependencies [Array<Bundler::Dependency>]
        # @yieldreturn [Array, Bundler::SpecSet] the gems, when the setup asks for them
        def initialize(dependencies, becoming, &gems)
          super(becoming, &becoming.method(:definition))
          @dependencies = dependencies.map { |dependency| Dependency.new(dependency, becoming) }
          @gems = gems
        end

        # The setup is over: what it asks is answered by the real one from here on.
        def warmstart_set_up = @gems = nil

        def dependencies = @warmstart_real ? @warmstart_real.dependencies : @dependencies

        def specs_for(groups) = @gems && groups.empty? ? @gems.call : warmstart_real.specs_for(groups)
        %i[validate_runtime! ensure_equivalent_gemfile_and_lockfile].each do |name|
          define_method(name) do |*arguments, **options|
            @gems ? nil : warmstart_real.__send__(name, *arguments, **options)
          end
        end
      end
    end
  end
end
