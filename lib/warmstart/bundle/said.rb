# frozen_string_literal: true

module Warmstart
  module Bundle
    # What a Gemfile has told Bundler, or a gemspec RubyGems, as a text: if two texts are the same, so is what was told.
    # Bundler's Dsl keeps it in plain objects (dependencies, sources, the Ruby version, groups ...), whose instance
    # variables are written down one by one, whatever a version of Bundler calls them.
    # @api private
    class Said
      VARIABLES = Kernel.instance_method(:instance_variables)
      VARIABLE = Kernel.instance_method(:instance_variable_get)
      # What a source or a dependency has computed of the others and keeps, which depends on the order of a Hash: such a
      # path is computed when two sources happen to be compared.
      KEPT = /\A@expanded_/
      private_constant :VARIABLES, :VARIABLE, :KEPT

      # @param builder [Bundler::Dsl] which has evaluated the Gemfile
      # @param places [Places] the folders in whose place are marks
      # @return [String] bytes
      def self.by_gemfile(builder, places) = new(places).add(builder).text

      # @param said [Array] as PathGemspecs.load returns it
      # @return [String] bytes
      def self.by_gemspecs(said, places) = new(places).add(said).text

      attr_reader :text

      def initialize(places)
        @places = places
        @text = "".b
        @seen = {}.compare_by_identity
      end

      # (Memoised values and caches of objects that are shared with others must not matter: so versions, requirements and
      # URIs are written as they print themselves.)
      def add(object)
        case object
        when nil, true, false, Symbol, Numeric, Regexp, Range
          @text << object.inspect.b << "\n"
        when String
          object = @places.mark(object)
          @text << "#{object.bytesize} " << object.b << "\n"
        when Module
          @text << object.name.to_s.b << "\n"
        else
          @seen.key?(object) ? @text << "again #{@seen[object]}\n" : add_new(object)
        end
        self
      end

      private

      def add_new(object)
        @seen[object] = @seen.size
        case object
        when Array
          add_all("array", object)
        when Hash
          add_all("hash", object.to_a.flatten(1))
        when Struct
          add_all(object.class.name, object.to_a)
        when ::Gem::Specification
          add_all("gemspec", [object.loaded_from, *gemspec(object)])
        when ::Gem::Requirement
          add_all("requirement", object.as_list)
        when ::Gem::Version, ::Gem::Platform, ::Pathname
          add_all(object.class.name, [object.to_s])
        else
          add_object(object)
        end
      end

      # (A gemspec that names no date gets that of today when it is validated, which its code need not repeat tomorrow. And
      # to_ruby would make the specification remember a date.)
      def gemspec(specification)
        copy = specification.dup
        named = VARIABLE.bind_call(copy, :@date)
        named = nil if named == ::Gem::Specification.new.date
        copy.date = "1970-01-01" unless named
        [named ? true : false, copy.to_ruby]
      end

      def add_object(object)
        name = object.class.name.to_s
        return add_all(name, [object.to_s]) if name.include?("URI::")
        return add_all(name, object.to_a) if name == "Set"

        variables = VARIABLES.bind_call(object).grep_v(KEPT)
        add_all(name, variables.flat_map { |variable| [variable, VARIABLE.bind_call(object, variable)] })
      end

      def add_all(name, parts)
        @text << "#{name} #{parts.size}\n".b
        parts.each { |part| add(part) }
      end
    end
  end
end
