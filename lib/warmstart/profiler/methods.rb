# frozen_string_literal: true

module Warmstart
  module Profiler
    # The methods written in Ruby that become nodes. Each is traced as soon as the file that defines it is loaded.
    # @api private
    module Methods
      # End of the file's path => [[constant, method, kind, naming], ...]. A method with a dot is a singleton method.
      # naming tells the node's name: a text, :path (the method's first parameter is a path), or an instance variable
      # that holds it.
      TRACED = {
        "/psych.rb" =>
          %i[load_file unsafe_load_file safe_load_file parse_file].map { |name| ["Psych", ".#{name}", "yaml", :path] },
        "/json/common.rb" => %i[load_file load_file!].map { |name| ["JSON", ".#{name}", "json", :path] },
        "/bundler.rb" => [
          %w[Bundler .setup bundler Bundler.setup],
          %w[Bundler .require bundler Bundler.require],
          %w[Bundler .definition bundler Bundler.definition]
        ],
        "/bundler/definition.rb" => [
          %w[Bundler::Definition .build bundler Definition.build],
          %w[Bundler::Definition #specs bundler Definition#specs],
          %w[Bundler::Definition #specs_for bundler Definition#specs_for],
          %w[Bundler::Definition #resolve bundler Definition#resolve]
        ],
        "/bundler/dsl.rb" => [%w[Bundler::Dsl .evaluate bundler Dsl.evaluate]],
        "/bundler/runtime.rb" => [
          %w[Bundler::Runtime #setup bundler Runtime#setup],
          %w[Bundler::Runtime #require bundler Runtime#require]
        ],
        "/rails/initializable.rb" => [["Rails::Initializable::Initializer", "#run", "initializer", :@name]]
      }.freeze

      class << self
        # Traces the methods of what is loaded already.
        def install
          @tracepoints = []
          @traced = {}
          TRACED.each_value { |methods| methods.each { |method| trace(*method) } }
        end

        def uninstall
          @tracepoints&.each(&:disable)
          @tracepoints = nil
        end

        # @param path [String] a file that has just been loaded
        def loaded(path)
          TRACED.each { |ending, methods| methods.each { |method| trace(*method) } if path.end_with?(ending) }
        end

        private

        def trace(constant, name, kind, naming)
          owner = constant(constant) or return
          method = name.start_with?(".") ? own_method(owner.singleton_class, name) : own_method(owner, name)
          return if method&.source_location.nil? || @traced[method]

          @traced[method] = true
          @tracepoints << Native.trace(method, kind, *variables(method, kind, naming))
        rescue ArgumentError, NameError
          nil # (another version of the library: it has no such variable, or the method is not written in Ruby)
        end

        # @return [Array] text, local variable or nil, instance variable or nil
        def variables(method, kind, naming)
          return naming, nil, nil if naming.is_a?(String)

          naming == :path ? [kind, method.parameters.first.last, nil] : [kind, nil, naming]
        end

        # @return [Module, nil] nil if it is not loaded; no autoload is triggered
        def constant(name)
          name
            .split("::")
            .inject(::Object) do |scope, part|
              return nil if scope.autoload?(part) || !scope.const_defined?(part, false)

              scope.const_get(part, false)
            end
        end

        def own_method(owner, name)
          name = name[1..].to_sym
          if owner.method_defined?(name, false) || owner.private_method_defined?(name, false)
            owner.instance_method(name)
          end
        end
      end
    end
  end
end
