# frozen_string_literal: true

require_relative "becoming"
require_relative "light/definition"
require_relative "light/specification"

module Warmstart
  module Bundle
    # Bundler's setup over light objects. As always it changes ENV and $LOAD_PATH, replaces RubyGems' methods and marks
    # the gems as loaded. Only the steps that would ask the disk are left out, because the record has their results.
    # @api private
    class Replay
      attr_reader :record

      # @param record [Record] one whose `problem` is nil
      def initialize(record, situation)
        @record = record
        @situation = situation
      end

      # @param builder [Bundler::Dsl] which has evaluated the Gemfile
      # @param real [Proc] makes the real Definition
      # @return [Light::Definition]
      def definition(builder, real)
        load_features
        make_specifications
        @becoming = Becoming.new(@record, @known, real)
        @light = Light::Definition.new(builder.dependencies, @becoming) { gems }
      end

      # The setup has failed. Bundler's own can run next: no code of the program has run since.
      def undo
        restore
        ::Gem.loaded_specs.delete_if { |_, spec| @lights&.any? { |light| light.equal?(spec) } }
      end

      # Bundler's setup is over.
      def settle
        restore
        @light.warmstart_set_up
        @becoming.settle(@lights)
      end

      # The program ends: adds the executables for which somebody had to read a gem's specification, for the next time.
      def finish
        return unless Light.learned && Native.recording?
        return if @record.portable?

        learned = @lights.to_h { |light| [light.name, light.warmstart_learned] }.compact
        Record.learn(@situation, @record.content, learned)
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

      # Requires what RubyGems and gemspecs required, activates the gems that RubyGems activated for that, and loads
      # what Bundler loaded of its own.
      def load_features
        @record.content.fetch(:activated).each { |name, version| Kernel.send(:gem, name, version) }
        companions = COMPANIONS.select { |name, _| Object.autoload?(name) }
        @record.features.each do |path|
          companion, = companions.find { |_, pattern| path.match?(pattern) }
          companion ? Object.const_get(companion) : Kernel.require(path)
        end
        @record.content.fetch(:constants).each { |name| Object.const_get(name) }
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

      # (A failure is raised here, so that Bundle.once_more? knows whose it is.)
      def gems
        problem = nil
        failed =
          lambda do |error|
            problem = error.message
            nil
          end
        Failsafe.guard(failed) { setup_begins } || raise(TypeError, problem)
      end

      # The setup asks for the gems. What comes next would look for Ruby's default gems and for each gem's manuals, and
      # compare the lockfile once more.
      # @return [Array, Bundler::SpecSet] the bundle's gems
      def setup_begins
        known = @known
        replace(::Bundler.rubygems, :add_default_gems_to) { |_bundled| known }
        runtime = ::Bundler.instance_variable_get(:@load)
        if runtime.instance_of?(::Bundler::Runtime)
          replace(runtime, :lock) { |*, **| nil }
          replace(runtime, :setup_manpath) { nil } unless @record.content.fetch(:manuals)
        end
        @bundled
      end

      # (Objects of Bundler's own, and no code of the program runs before the setup is over.)
      def replace(object, name, &answer)
        object.define_singleton_method(name, &answer)
        (@replaced ||= []) << [object, name]
      end

      def restore
        @replaced&.each { |object, name| object.singleton_class.send(:remove_method, name) }
        @replaced = nil
      end
    end
  end
end
