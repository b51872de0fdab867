# frozen_string_literal: true

module Warmstart
  module Bundle
    module Light
      # Ruby itself asks for these conversions (Array#flatten, puts); that must not load Bundler's Definition.
      CONVERSIONS = %i[to_ary to_str to_hash to_proc to_io to_path to_int to_regexp].freeze

      KEPT = %i[__send__ __id__ object_id equal? ! initialize].freeze
      PRIVATE = ::Object.private_instance_methods.freeze

      # Hides what every object can do, from a class that includes it.
      BARE =
        Module.new do
          include ::Kernel
          (::Object.instance_methods - KEPT).each do |name|
            define_method(name) { nil } unless method_defined?(name) # (a module can only undefine what it has)
            undef_method(name)
          end
        end
      private_constant :KEPT, :PRIVATE, :BARE

      # Hides all that a class inherits, because a light object has other instance variables. What a caller may ask is
      # asked of the real object, by method_missing; what is private is passed on to it, for methods that a program adds.
      # @param owner [Class]
      # @param answers [Module] the methods that stay
      def self.bare(owner, answers)
        owner.include(BARE)
        stay = answers.instance_methods
        (owner.instance_methods - KEPT - stay).each { |name| owner.undef_method(name) }
        names = owner.private_instance_methods - PRIVATE - stay
        names.each do |name|
          owner.define_method(name) do |*arguments, **keywords, &block|
            warmstart_real.__send__(name, *arguments, **keywords, &block)
          end
        end
        owner.send(:private, names)
        owner.include(answers)
      end

      # A Bundler::Dependency that has a source (a path, a repository): the real one gets that of the lockfile when the
      # real Definition is made (Bundler::Definition#converge_dependencies), which asks the disk. All other questions do not
      # depend on that.
      module DependencyMethods
        # (It has the same instance variables, for methods that a program adds.)
        # @param dependency [Bundler::Dependency]
        def warmstart_hold(dependency, becoming)
          @warmstart_dependency = dependency
          @warmstart_becoming = becoming
          dependency.instance_variables.each do |name|
            SET.bind_call(self, name, dependency.instance_variable_get(name))
          end
        end

        SET = ::Kernel.instance_method(:instance_variable_set)
        private_constant :SET

        def warmstart_real
          @warmstart_becoming.definition
          @warmstart_dependency
        end

        %i[
          name
          type
          requirement
          groups
          autorequire
          should_include?
          class
          is_a?
          kind_of?
          instance_of?
          nil?
          hash
        ].each { |name| define_method(name) { |*arguments| @warmstart_dependency.public_send(name, *arguments) } }

        def ==(other) = equal?(other) || @warmstart_dependency == other
        def !=(other) = !(self == other)
        def eql?(other) = equal?(other) || @warmstart_dependency.eql?(other)

        def respond_to?(name, all = false) =
          Light::CONVERSIONS.include?(name.to_sym) ? false : @warmstart_dependency.respond_to?(name, all)

        def method_missing(name, *arguments, **keywords, &block)
          warmstart_real.public_send(name, *arguments, **keywords, &block)
        end

        def respond_to_missing?(name, all = false) = @warmstart_dependency.respond_to?(name, all)
      end

      class Dependency < ::Bundler::Dependency
      end

      bare(Dependency, DependencyMethods)

      # @param dependency [Bundler::Dependency]
      # @return [Bundler::Dependency] the same, or a light one
      def self.dependency(dependency, becoming)
        return dependency unless dependency.source

        light = Dependency.allocate
        light.warmstart_hold(dependency, becoming)
        light
      end

      # The Bundler::Definition. It knows the dependencies, for Bundler.require, and the gems, for the setup. The checks
      # of Gemfile and lockfile were made when the record was made.
      #
      # It finds the real one when it is asked something that the record does not have. (It does not inherit from that: a
      # method that a program adds to Bundler's class would find none of the instance variables.)
      class Definition < BasicObject
        # @param dependencies [Array<Bundler::Dependency>]
        # @yieldreturn [Array, Bundler::SpecSet] the gems, when the setup asks for them
        def initialize(dependencies, becoming, &gems)
          @becoming = becoming
          @dependencies = dependencies.map { |dependency| Light.dependency(dependency, becoming) }
          @gems = gems
        end

        # (While the real one is made, the answer is for the one who makes it.)
        def warmstart_real
          return @warmstart_real if @warmstart_real

          real = @becoming.definition
          @becoming.become? ? @warmstart_real = real : real
        end

        # The setup is over: what it asks is answered by the real one from here on.
        def warmstart_set_up = @gems = nil

        def dependencies = @warmstart_real ? @warmstart_real.dependencies : @dependencies

        def specs_for(groups) = @gems && groups.empty? ? @gems.call : warmstart_real.specs_for(groups)
        %i[validate_runtime! ensure_equivalent_gemfile_and_lockfile].each do |name|
          define_method(name) do |*arguments, **options|
            @gems ? nil : warmstart_real.public_send(name, *arguments, **options)
          end
        end

        def class = warmstart_real.class
        def nil? = false
        def respond_to?(name, all = false) =
          Light::CONVERSIONS.include?(name.to_sym) ? false : warmstart_real.respond_to?(name, all)
        def ==(other) = equal?(other) || warmstart_real == other
        def !=(other) = !(self == other)
        def ! = false

        undef_method :instance_eval, :instance_exec
        include(
          # (Ruby warns of a __send__ in a class that has one already: rb_method_entry_make in vm_method.c.)
          ::Module.new do
            define_method(:__send__) do |name, *arguments, **keywords, &block| # rubocop:disable Naming/MethodName
              warmstart_real.__send__(name, *arguments, **keywords, &block)
            end
          end
        )

        def method_missing(name, *arguments, **keywords, &block)
          warmstart_real.public_send(name, *arguments, **keywords, &block)
        end

        def respond_to_missing?(name, all = false) = warmstart_real.respond_to?(name, all)
      end
    end
  end
end
