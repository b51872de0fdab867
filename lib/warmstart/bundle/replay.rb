# frozen_string_literal: true

require_relative "becoming"
require_relative "light/definition"
require_relative "light/specification"

module Warmstart
  module Bundle
    # Runs Bundler's own Runtime#setup over light objects. As always it changes ENV and $LOAD_PATH, replaces RubyGems'
    # methods and marks the gems as loaded. Only the steps that would ask the disk are left out, because the record has
    # their results.
    # @api private
    class Replay
      # @param record [Record] one whose `problem` is nil
      def initialize(record, situation)
        @record = record
        @situation = situation
      end

      # @param setup_file [String] bundler/setup.rb, which becomes a loaded feature at the end
      def run(setup_file)
        load_features
        make_specifications
        runtime = ::Bundler::Runtime.new(::Bundler.root, Light::SetupDefinition.new(@bundled))
        becoming = Becoming.new(@record, runtime, @known)
        becoming.listed = run_setup(runtime)
        adopt(runtime, becoming)
        $LOADED_FEATURES << setup_file
      end

      # Undoes what `run` has begun, so that Bundler's own setup can run next. (No code of the program has run since.)
      def undo
        ::Bundler.reset!
        ::Gem.loaded_specs.delete_if { |_, spec| @lights&.any? { |light| light.equal?(spec) } }
        @lights = nil
      end

      # The program ends: adds the executables for which somebody had to read a gem's specification, for the next time.
      def finish
        return unless Native.recording? && !@record.portable? && @lights&.any?(&:warmstart_learned)

        @record.content[:known] = @lights.map { |light| light.warmstart_values.to_a }
        @record.write(@situation)
      end

      private

      # Since Ruby 4.1 these libraries are not loaded at the start, but when somebody touches their constants, which
      # Bundler does. So they are loaded by their constant here: a require of one of their files, which contains `module
      # DidYouMean`, would load the others first.
      COMPANIONS = {
        DidYouMean: %r{/did_you_mean[/.]},
        ErrorHighlight: %r{/error_highlight[/.]},
        SyntaxSuggest: %r{/syntax_suggest[/.]}
      }.freeze
      private_constant :COMPANIONS

      # Requires what the Gemfile and gemspecs required (a version.rb, usually) while Bundler evaluated them, and
      # activates the gems that RubyGems activated for that.
      def load_features
        @record.content.fetch(:activated).each { |name, version| Kernel.send(:gem, name, version) }
        companions = COMPANIONS.select { |name, _| Object.autoload?(name) }
        @record.features.each do |path|
          companion, = companions.find { |_, pattern| path.match?(pattern) }
          companion ? Object.const_get(companion) : Kernel.require(path)
        end
        require "rubygems/user_interaction"
      end

      def make_specifications
        @known = @record.specifications.to_h { |values| [values.name, Light.specification(values)] }
        @lights = @known.values
        bundled = @record.bundled.map { |name| @known.fetch(name) }
        @bundled = @record.content.fetch(:set) ? specification_set(bundled) : bundled
      end

      # Older versions of Bundler give RubyGems their SpecSet. It enumerates the bundle's gems only, but counts the
      # default gems with them.
      def specification_set(bundled)
        set = ::Bundler::SpecSet.new(bundled.dup)
        set.instance_variable_set(:@sorted, bundled)
        @known.except(*@record.bundled).each_value { |light| set << light }
        set
      end

      # @return [Array] the list that RubyGems has been given
      def run_setup(runtime)
        known = @known
        without_disk(runtime, setup_manpath: @record.content.fetch(:manuals) ? nil : -> {}, lock: ->(*) {}) do
          without_disk(::Bundler.rubygems, add_default_gems_to: ->(_bundled) { known }) { runtime.setup }
        end
        ::Gem::Specification.stubs
      end

      # Replaces methods of an object while the block runs.
      def without_disk(object, **methods)
        methods = methods.compact
        methods.each { |name, answer| object.define_singleton_method(name, &answer) }
        yield
      ensure
        methods.each_key { |name| object.singleton_class.send(:remove_method, name) }
      end

      # Leaves the same state as Bundler.setup and bundler/setup.rb.
      def adopt(runtime, becoming)
        definition = Light.definition(@record, becoming)
        becoming.adopt(@known.values)
        runtime.instance_variable_set(:@definition, definition)
        { :@definition => definition, :@load => runtime, :@setup => runtime }.each do |name, value|
          ::Bundler.instance_variable_set(name, value)
        end
        ::Gem::DefaultUserInteraction.ui = nil
      end
    end
  end
end
