# frozen_string_literal: true

module Warmstart
  module Profiler
    # Which methods written in Ruby are nodes, and from when on: as soon as the file that defines them has been loaded.
    module Methods
      # End of the file's path => [[constant, method, kind, {text:, local:, ivar:}], ...]. A name with a dot: a singleton method.
      TRACED = {
        "/psych.rb" => %i[load_file unsafe_load_file safe_load_file parse_file].map do |name|
          ["Psych", ".#{name}", "yaml", { text: "YAML", local: :filename }]
        end,
        "/json/common.rb" => %i[load_file load_file!].map { |name| ["JSON", ".#{name}", "json", { text: "JSON", local: :path }] },
        "/bundler.rb" => [
          ["Bundler", ".setup", "bundler", { text: "Bundler.setup" }],
          ["Bundler", ".require", "bundler", { text: "Bundler.require" }],
          ["Bundler", ".definition", "bundler", { text: "Bundler.definition" }],
        ],
        "/bundler/definition.rb" => [
          ["Bundler::Definition", ".build", "bundler", { text: "Definition.build" }],
          ["Bundler::Definition", "#specs", "bundler", { text: "Definition#specs" }],
          ["Bundler::Definition", "#specs_for", "bundler", { text: "Definition#specs_for" }],
          ["Bundler::Definition", "#resolve", "bundler", { text: "Definition#resolve" }],
        ],
        "/bundler/dsl.rb" => [["Bundler::Dsl", ".evaluate", "bundler", { text: "Dsl.evaluate" }]],
        "/bundler/runtime.rb" => [
          ["Bundler::Runtime", "#setup", "bundler", { text: "Runtime#setup" }],
          ["Bundler::Runtime", "#require", "bundler", { text: "Runtime#require" }],
        ],
        "/rails/initializable.rb" => [["Rails::Initializable::Initializer", "#run", "initializer", { text: "initializer", ivar: :@name }]],
      }.freeze

      class << self
        # What has been loaded already.
        def install
          @tracepoints = []
          @traced = {}
          TRACED.each_value { |methods| methods.each { |method| trace(*method) } }
        end

        def uninstall
          @tracepoints&.each(&:disable)
          @tracepoints = nil
        end

        # @param path [String] of a file that has just been loaded
        def loaded(path)
          TRACED.each { |ending, methods| methods.each { |method| trace(*method) } if path.end_with?(ending) }
        end

        private

        def trace(constant, name, kind, naming)
          owner = constant(constant) or return
          method = name.start_with?(".") ? own_method(owner.singleton_class, name) : own_method(owner, name)
          return if method&.source_location.nil? || @traced[method]

          @traced[method] = true
          @tracepoints << Native.trace(method, kind, naming[:text], naming[:local], naming[:ivar])
        rescue ArgumentError, NameError
          nil # (of another version: it has no such variable, or is no method in Ruby)
        end

        # Nothing is loaded for it.
        def constant(name)
          name.split("::").inject(::Object) do |scope, part|
            return nil if scope.autoload?(part) || !scope.const_defined?(part, false)

            scope.const_get(part, false)
          end
        end

        def own_method(owner, name)
          name = name[1..].to_sym
          owner.instance_method(name) if owner.method_defined?(name, false) || owner.private_method_defined?(name, false)
        end
      end
    end
  end
end
