# frozen_string_literal: true

module Warmstart
  module Bundle
    # The way from the light objects back to Bundler's own. It makes the real Definition and puts its specifications in
    # the place of the light ones, in the very lists and hashes that Bundler and RubyGems hold. It does not set up the
    # bundle a second time: the program may meanwhile have decorated the methods that a setup would replace.
    # @api private
    class Becoming
      # Variables that decide which gems Bundler finds, besides those that the record names.
      VARIABLES = /\A(?:BUNDLE|GEM_|RUBY|HOME\z)/

      # This is made before the setup, which marks the bundle's gems as loaded.
      # @param known [Hash{String => light specification}] the hash that Bundler's replacements hold
      # @param real [Proc] makes the real Definition
      def initialize(record, known, real)
        @record = record
        @known = known
        @real_definition = real
        @loaded = ::Gem.loaded_specs.dup
        @lock = Thread::Mutex.new
      end

      # The setup is done: from now on the light objects may ask for the real ones.
      def settle(lights)
        @runtime = ::Bundler.instance_variable_get(:@load)
        @listed = ::Gem::Specification.stubs
        @lights = lights.each { |light| light.warmstart_becoming = self }
        @variables = ENV.select { |name, _| decides?(name) }
      end

      def become? = @definition ? true : false

      # @return [Bundler::Definition]
      def definition
        return @definition if @definition
        return ::Bundler.definition unless ours?

        @lock.owned? ? @building : @lock.synchronize { @definition || become }
      end

      # @param values [Record::Specification]
      # @return [Gem::Specification, Bundler::StubSpecification]
      def specification(values)
        definition if ours? && !@lock.owned?
        @real&.fetch(values.name, nil) || ::Gem::Specification.load(values.loaded_from) or
          raise ::Gem::MissingSpecError.new(values.name, values.version)
      end

      private

      # Whether the bundle is still the one that was replayed. (Bundler.reset! and bundler/inline begin another.)
      def ours? = @runtime.nil? || ::Bundler.instance_variable_get(:@load).equal?(@runtime)

      def become
        Native.log("bundler: becoming the real one for #{asker}")
        load_path = $LOAD_PATH.dup
        ui_before = ::Gem::DefaultUserInteraction.instance_variable_get(:@ui)
        in_recorded_environment { with_plain_rubygems { ::Bundler.ui.silence { build } } }
        exchange
        $LOAD_PATH.replace(load_path) unless $LOAD_PATH == load_path
        ::Gem::DefaultUserInteraction.instance_variable_set(:@ui, ui_before)
        @definition
      end

      # The line of the program that asked for more than the record has.
      def asker
        caller_locations(2).map(&:to_s).find { |line| !line.start_with?(__dir__) && !line.start_with?("<internal:") }
      end

      def build
        @building = @real_definition.call
        @building.validate_runtime!
        @bundled = @building.specs_for([])
        # (a SpecSet sorts itself once, and must do that before the default gems are added, as in Runtime#setup)
        @bundled.each { |_spec| nil }
        @real = ::Bundler.rubygems.add_default_gems_to(@bundled)
      end

      # RubyGems as it was before the setup: it finds all installed gems, and the bundle has activated none. RubyGems'
      # own hash of loaded gems is not changed, because the program may be in the middle of using it; only this thread
      # sees another hash.
      def with_plain_rubygems
        hooks = ::Gem.post_reset_hooks.dup
        ::Gem.post_reset_hooks.clear
        ::Gem::Specification.reset
        with_loaded_specs(@loaded.dup) { yield }
      ensure
        ::Gem.post_reset_hooks.replace(hooks) if hooks
        ::Gem::Specification.all = @listed
      end

      def with_loaded_specs(plain)
        owner = ::Gem.singleton_class
        original = owner.instance_method(:loaded_specs)
        builder = Thread.current
        CoreExt.silently do
          owner.define_method(:loaded_specs) { Thread.current.equal?(builder) ? plain : original.bind_call(self) }
        end
        yield
      ensure
        CoreExt.silently { owner.define_method(:loaded_specs, original) }
      end

      # Puts each real specification in the place of its light one, in the same hashes and lists as before.
      def exchange
        replace = replacements
        @known.transform_values!(&replace)
        exchange_list(replace)
        ::Gem.loaded_specs.transform_values!(&replace)
        @definition = @building
        @runtime.instance_variable_set(:@definition, @definition)
        ::Bundler.instance_variable_set(:@definition, @definition)
      end

      # RubyGems holds an Array of Bundler's, or Bundler's SpecSet.
      def exchange_list(replace)
        if @listed.is_a?(Array)
          @listed.map!(&replace)
        else
          @bundled.instance_variables.each do |name|
            @listed.instance_variable_set(name, @bundled.instance_variable_get(name))
          end
        end
        ::Gem::Specification.all = @listed
      end

      # @return [Proc] light -> real, anything else -> itself
      def replacements
        table = {}.compare_by_identity
        @lights.each do |light|
          real = @real.fetch(light.name, nil) or next

          light.warmstart_become(real)
          table[light] = real
        end
        ->(spec) { table.fetch(spec, spec) }
      end

      def decides?(name) = name.match?(VARIABLES) || @record.content.fetch(:variables).key?(name)

      # The gems are looked for with the variables that there were at the start.
      def in_recorded_environment
        now = ENV.to_h
        changed = (now.keys | @variables.keys).select { |name| now[name] != @variables[name] && decides?(name) }
        changed.each { |name| ENV[name] = @variables[name] }
        yield
      ensure
        changed&.each { |name| ENV[name] = now[name] }
      end
    end
  end
end
