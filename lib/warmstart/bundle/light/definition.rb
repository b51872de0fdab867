# frozen_string_literal: true

module Warmstart
  module Bundle
    module Light
      # Stands for an object of Bundler's, and finds the real one when it is asked something that the record does not
      # have.
      # @api private
      class Stand < BasicObject
        CONVERSIONS = %i[to_ary to_str to_hash to_proc to_io to_path to_int to_regexp].freeze

        # @yieldreturn [Object] the real object
        def initialize(&real)
          @find = real
        end

        def warmstart_real = @warmstart_real ||= @find.call

        def class = warmstart_real.class
        def nil? = false
        def respond_to?(name, all = false) =
          CONVERSIONS.include?(name.to_sym) ? false : warmstart_real.respond_to?(name, all)
        def ==(other) = equal?(other) || warmstart_real == other
        def !=(other) = !(self == other)
        def ! = false

        def method_missing(name, *arguments, **keywords, &block)
          warmstart_real.__send__(name, *arguments, **keywords, &block)
        end

        def respond_to_missing?(name, all = false) = warmstart_real.respond_to?(name, all)
      end

      # A Bundler::Dependency, with the methods that Runtime#require calls.
      class Dependency < Stand
        def initialize(values, &real)
          super(&real)
          @values = values
        end

        def name = @values.name
        def groups = @values.groups
        def autorequire = @values.autorequire
        def should_include? = @values.included
      end

      # The Bundler::Definition after the setup. It knows the dependencies, for Bundler.require.
      class Definition < Stand
        def initialize(dependencies, &real)
          super(&real)
          @dependencies = dependencies
        end

        def dependencies = @warmstart_real ? @warmstart_real.dependencies : @dependencies
      end

      # The Definition while Runtime#setup runs. It does not repeat the check of Gemfile and lockfile, which was made
      # when the record was made.
      class SetupDefinition
        def initialize(bundled)
          @bundled = bundled
        end

        def specs_for(_groups) = @bundled
        def ensure_equivalent_gemfile_and_lockfile(*) = nil
      end

      # @return [Definition]
      def self.definition(record, becoming)
        dependencies =
          record.dependencies.each_with_index.map do |values, index|
            Dependency.new(values) { becoming.definition.dependencies.fetch(index) }
          end
        Definition.new(dependencies) { becoming.definition }
      end
    end
  end
end
