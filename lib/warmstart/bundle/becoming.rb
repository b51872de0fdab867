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
        @builders = {}.compare_by_identity
      end

      # The setup is done: from now on the light objects may ask for the real ones.
      def settle(lights)
        @runtime = ::Bundler.instance_variable_get(:@load)
        @listed = ::Gem::Specification.stubs
        @lights = lights.each { |light| light.warmstart_becoming = self }
        @variables = ENV.select { |name, _| decides?(name) }
      end

      def become? = @definition ? true : false
      def building? = @lock.owned? || @builders.key?(Thread.current)

      # (A handler that interrupts the builder sees what the program sees.)
      def builds_here? = building? && !handler?

      # @return [Bundler::Definition]
      def definition
        return @definition if @definition
        return ::Bundler.definition unless ours?
        # (What the real one asks while it is made is not answered by another one.)
        return @builders[Thread.current] if builds_here?

        beside = building?
        outside_handlers { beside ? build.first : @lock.synchronize { @definition || become } }
      end

      # @return [Gem::Specification, Bundler::StubSpecification]
      def specification(light)
        definition if ours? && !building?
        light.warmstart_became || outside_handlers { load(light) }
      end

      private

      # Whether the bundle is still the one that was replayed. (Bundler.reset! and bundler/inline begin another.)
      def ours? = @runtime.nil? || ::Bundler.instance_variable_get(:@load).equal?(@runtime)

      # In a signal's handler Ruby takes no lock (Mutex#lock raises ThreadError), so another thread does it, for which the
      # handler waits. If the handler has interrupted the builder itself, that thread builds beside it.
      def outside_handlers(&question)
        return yield unless handler?

        beside = building?
        Thread
          .new do
            Thread.current.report_on_exception = false
            beside ? as_builder(&question) : question.call
          end
          .value
      end

      def handler?
        Thread::Mutex.new.synchronize { false }
      rescue ThreadError
        true
      end

      def as_builder
        @builders[Thread.current] = nil
        yield
      ensure
        @builders.delete(Thread.current)
      end

      def load(light) =
        ::Gem::Specification.load(light.loaded_from) || raise(::Gem::MissingSpecError.new(light.name, light.version))

      # Whatever interrupts this (an error, Timeout, Thread#kill) leaves everything as it was, and the next question builds
      # anew.
      def become
        Native.log("bundler: becoming the real one for #{asker}")
        load_path = $LOAD_PATH.dup
        definition, bundled, real =
          as_builder { in_recorded_environment { with_plain_rubygems { with_silent_bundler { build } } } }
        undisturbed do
          $LOAD_PATH.replace(load_path) unless $LOAD_PATH == load_path
          exchange(definition, bundled, real)
        end
        definition
      end

      # The line of the program that asked for more than the record has.
      def asker
        caller_locations(2).map(&:to_s).find { |line| !line.start_with?(__dir__) && !line.start_with?("<internal:") }
      end

      # @return [Array(Bundler::Definition, Bundler::SpecSet, Hash)] the definition, the bundle's gems, and these with
      #   Ruby's default gems
      def build
        definition = @builders[Thread.current] = @real_definition.call
        definition.validate_runtime!
        bundled = definition.specs_for([])
        # (a SpecSet sorts itself once, and must do that before the default gems are added, as in Runtime#setup)
        bundled.each { |_spec| nil }
        [definition, bundled, ::Bundler.rubygems.add_default_gems_to(bundled)]
      end

      # RubyGems as it was before the setup: it finds all installed gems, and the bundle has activated none. What it has
      # loaded of gemspecs stays, because the program may have got it. RubyGems' own hash of loaded gems is not changed,
      # because the program may be in the middle of using it; only the builder sees another hash.
      def with_plain_rubygems(&block)
        owner = ::Gem::Specification
        lists = owner.class_variables.to_h { |name| [name, owner.class_variable_get(name)] }
        record = owner.instance_variable_get(:@specification_record)
        forget_lists(owner)
        with_loaded_specs(@loaded.dup, &block)
      ensure
        undisturbed do
          lists&.each { |name, value| owner.class_variable_set(name, value) } # rubocop:disable Style/ClassVars
          if owner.instance_variable_defined?(:@specification_record)
            owner.instance_variable_set(:@specification_record, record)
          end
        end
      end

      # (As Gem::Specification.reset, without the hooks. RubyGems 3.6 has the lists in an object: Gem::SpecificationRecord.)
      def forget_lists(owner)
        owner.class_variable_set(:@@dirs, nil) # rubocop:disable Style/ClassVars
        if owner.respond_to?(:clear_specs, true)
          owner.send(:clear_specs)
        else
          owner.instance_variable_set(:@specification_record, nil)
        end
      end

      # (A module that the program has prepended calls the method of RubyGems' own, which is replaced here.)
      def with_loaded_specs(plain)
        owner = ::Gem.singleton_class
        original = owner.instance_method(:loaded_specs)
        original = original.super_method until original.owner.equal?(owner)
        becoming = self
        CoreExt.silently do
          owner.define_method(:loaded_specs) { becoming.builds_here? ? plain : original.bind_call(self) }
        end
        yield
      ensure
        undisturbed { CoreExt.silently { owner.define_method(:loaded_specs, original) } } if original
      end

      # (The program's own Bundler.ui hears nothing. A new one chooses Thor's shell anew, too.)
      def with_silent_bundler
        ui = ::Bundler.instance_variable_get(:@ui)
        shell = ::Bundler::Thor::Base.shell
        silent = ::Bundler::UI::Shell.new
        silent.level = "silent"
        ::Bundler.instance_variable_set(:@ui, silent)
        yield
      ensure
        undisturbed do
          ::Bundler::Thor::Base.shell = shell if shell
          ::Bundler.instance_variable_set(:@ui, ui) if silent
        end
      end

      def undisturbed(&block) = Thread.handle_interrupt(Object => :never, &block)

      # Puts each real specification in the place of its light one, in the same hashes and lists as before.
      def exchange(definition, bundled, real)
        replace = replacements(real)
        [@known, ::Gem.loaded_specs].each { |specs| specs.transform_values!(&replace) unless specs.frozen? }
        exchange_list(bundled, replace)
        [@runtime, ::Bundler].each do |holder|
          ours = Light::Definition === holder.instance_variable_get(:@definition)
          holder.instance_variable_set(:@definition, definition) if ours
        end
        @definition = definition
      end

      # RubyGems holds an Array of Bundler's, or Bundler's SpecSet, unless the program has given it another list.
      def exchange_list(bundled, replace)
        if @listed.is_a?(Array)
          @listed.map!(&replace) unless @listed.frozen?
        else
          bundled.instance_variables.each do |name|
            @listed.instance_variable_set(name, bundled.instance_variable_get(name))
          end
        end
        ::Gem::Specification.all = @listed if ::Gem::Specification.stubs.equal?(@listed)
      end

      # @return [Proc] light -> real, anything else -> itself
      def replacements(real)
        table = {}.compare_by_identity
        @lights.each do |light|
          its_own = real.fetch(light.name, nil) or next

          light.warmstart_become(its_own)
          table[light] = its_own
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
        undisturbed { changed&.each { |name| ENV[name] = now[name] } }
      end
    end
  end
end
