# frozen_string_literal: true

module Warmstart
  module Bundle
    # Objects that answer from the record, and become Bundler's own when they are asked anything else.
    # @api private
    module Light
      # The methods of a gem's specification that answer from the record. All others are called on the real
      # specification. What they give out is the object's own, which a program may change (Replay#finish).
      module SpecificationMethods
        def warmstart_hold(values)
          @values = values
          @becoming = nil
          @activated = false
          @learned = nil
        end

        def warmstart_becoming=(becoming)
          @becoming = becoming
        end

        def warmstart_learned = @learned

        # (RubyGems and Bundler freeze no other of these texts.)
        def name = @values.name.freeze
        def version = @version ||= ::Gem::Version.new(@values.version)
        def platform = @platform ||= ::Gem::Platform.new(@values.platform)
        def full_name = @values.full_name
        def full_gem_path = @full_gem_path ||= @values.full_gem_path.dup
        def loaded_from = @values.loaded_from
        # (The setup changes no list, so it gets no copies.)
        def load_paths = @becoming ? @load_paths ||= @values.load_paths.dup : @values.load_paths
        def full_require_paths = load_paths
        def default_gem? = @values.default_gem
        def gem_dir = @values.gem_dir || warmstart_real.gem_dir
        def executables = warmstart_executable(:executables)
        def bindir = warmstart_executable(:bindir)
        def bin_dir = @values.gem_dir ? File.join(gem_dir, bindir) : warmstart_real.bin_dir
        def bin_file(name) = File.join(bin_dir, name)

        RECORDED = instance_methods(false).grep_v(/\Awarmstart_/).freeze

        # The real object is there, and a program may change it: it answers from now on. What the program has done to
        # the lists and texts that it was given is true of the real object's, too.
        # @param real [Gem::Specification, Bundler::StubSpecification]
        def warmstart_become(real)
          real.activated = true if @activated
          # (The setup has asked for them, and RubyGems keeps the answer whatever is set later.)
          paths = real.load_paths if @activated
          paths&.replace(load_paths) unless load_paths == @values.load_paths
          real.full_gem_path.replace(full_gem_path) unless full_gem_path == @values.full_gem_path
          @warmstart_real = real
          EXTEND.bind_call(self, Light.forwarding)
        end

        EXTEND = ::Kernel.instance_method(:extend)
        private_constant :EXTEND

        # What only the gem's own gemspec says.
        READ = %i[
          dependencies
          runtime_dependencies
          development_dependencies
          metadata
          summary
          description
          homepage
          license
          licenses
          author
          authors
          email
          required_ruby_version
          required_rubygems_version
        ].freeze
        READ.each { |name| define_method(name) { |*arguments| warmstart_reader(name).public_send(name, *arguments) } }

        # A Bundler::StubSpecification answers these from the gemspec alone (Gem::StubSpecification#to_spec reads it,
        # and RubyGems keeps what it has read: Gem::Specification.load), unless the program has put a method over
        # Bundler's.
        def warmstart_reader(name)
          return warmstart_real if @values.kind != :stub || @becoming&.become? || !Light.asks_gemspec?(name)

          ::Gem::Specification.load(@values.loaded_from) || warmstart_real
        end

        # The record has these only where somebody has asked for them, and they are not used where the program has
        # methods of its own for them.
        def warmstart_executable(name)
          return warmstart_reader(name).public_send(name) unless Light.own_executables?

          warmstart_learn unless @values.executables
          @values[name]
        end

        # Reads the gem's specification, as Bundler would for the same question. A copy of the result is added to the
        # record when the program ends.
        def warmstart_learn
          specification = warmstart_reader(:executables)
          @values.executables = specification.executables
          @values.bindir = specification.bindir
          @learned = [@values.executables.map(&:dup).freeze, @values.bindir.dup.freeze]
          Light.learned = true
        end

        # (Bundler sets this; if there is a real specification by now, that is marked, too.)
        def activated=(value)
          @activated = value
          warmstart_real.activated = value if @becoming&.become?
        end

        def class = @values.kind == :full ? ::Gem::Specification : ::Bundler::StubSpecification
        def is_a?(other) = self.class <= other ? true : false
        def kind_of?(other) = self.class <= other ? true : false
        def instance_of?(other) = self.class == other
        def nil? = false

        # (A light object has other instance variables than the real one, so these methods answer for the real one.)
        def instance_variable_get(name) = warmstart_real.instance_variable_get(name)
        def instance_variable_set(name, value) = warmstart_real.instance_variable_set(name, value)
        def instance_variable_defined?(name) = warmstart_real.instance_variable_defined?(name)
        def remove_instance_variable(name) = warmstart_real.remove_instance_variable(name)
        def instance_variables = warmstart_real.instance_variables

        def ==(other) = equal?(other) || warmstart_real == other
        def !=(other) = !(self == other)
        def hash = warmstart_real.hash
        def eql?(other) = equal?(other) || warmstart_real.eql?(other)

        def respond_to?(name, all = false)
          name = name.to_sym
          return false if Light::CONVERSIONS.include?(name)

          ANSWERS.include?(name) || warmstart_real.respond_to?(name, all)
        end

        def method_missing(name, *arguments, **keywords, &block)
          warmstart_real.public_send(name, *arguments, **keywords, &block)
        end

        def respond_to_missing?(name, all = false) = warmstart_real.respond_to?(name, all)

        def warmstart_real = @warmstart_real || @becoming.specification(self)
        def warmstart_became = @warmstart_real

        ANSWERS = instance_methods(false).grep_v(/\Awarmstart_|\Amethod_missing\z/).freeze
        private_constant :ANSWERS
      end

      class << self
        # Whether a gem's specification was read for a question that the record does not answer.
        # @return [Boolean, nil]
        attr_accessor :learned
      end

      # What a light object that has become real passes on besides.
      # @return [Module]
      def self.forwarding
        @forwarding ||=
          Module.new do
            SpecificationMethods::RECORDED.each do |name|
              define_method(name) { |*arguments| @warmstart_real.public_send(name, *arguments) }
            end
          end
      end

      # Does Bundler's own class answer the question, or pass it on to the gemspec by its own method_missing?
      # @param name [Symbol] a method of a gem's specification
      def self.asks_gemspec?(name)
        [name, :method_missing].all? do |each|
          owner = ::Bundler::StubSpecification
          next true unless owner.method_defined?(each) || owner.private_method_defined?(each)

          method = owner.instance_method(each)
          # (An alias has the file of what it stands for.)
          method.original_name == each && method.source_location&.first&.start_with?(BUNDLER)
        end
      end

      # Are they RubyGems' methods that tell a Gem::Specification's executables, and their folder?
      def self.own_executables?
        %i[executables bindir].all? do |name|
          method = ::Gem::Specification.instance_method(name)
          method.original_name == name && method.source_location&.first&.start_with?(RUBYGEMS)
        end
      end

      BUNDLER = ::Bundler.method(:setup).source_location.first.sub(/\.rb\z/, "/")
      RUBYGEMS = File.join(File.dirname(::Gem.method(:ruby).source_location.first), "rubygems/")
      private_constant :BUNDLER, :RUBYGEMS

      # A gem that is a Gem::Specification in Bundler. It inherits from that, so that `Gem::Specification === spec`
      # holds.
      class FullSpecification < ::Gem::Specification
      end

      bare(FullSpecification, SpecificationMethods)

      # A gem that is a Bundler::StubSpecification in Bundler. (Its class is made when Bundler would load its own.)
      # @return [Class]
      def self.stub
        return StubSpecification if const_defined?(:StubSpecification, false)

        const_set(:StubSpecification, Class.new(::Bundler::StubSpecification))
        bare(StubSpecification, SpecificationMethods)
        StubSpecification
      end

      # @param values [Record::Specification]
      def self.specification(values)
        specification = (values.kind == :full ? FullSpecification : stub).allocate
        specification.warmstart_hold(values)
        specification
      end
    end
  end
end
