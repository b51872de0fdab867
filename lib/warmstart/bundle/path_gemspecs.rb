# frozen_string_literal: true

module Warmstart
  module Bundle
    # The specifications of gems beside the application. Bundler loads their gemspecs in Definition.new, to compare them
    # with the lockfile (Definition#specs_changed?). Here they are loaded just before that, because they decide whether
    # the record may be used. Each is evaluated once all the same:
    #
    # - Bundler keeps what it has loaded (Bundler.load_gemspec).
    # - It keeps no error. So the error of a gemspec is kept here for Bundler, until it asks for that file and the error
    #   leaves its setup at the place where it would have done so in plain Ruby.
    # @api private
    module PathGemspecs
      VARIABLE = Kernel.instance_method(:instance_variable_get)
      private_constant :VARIABLE

      class << self
        # What the program does here is its own business: whatever else a gemspec raises, throws or waits for passes.
        # @param builder [Bundler::Dsl] which has evaluated the Gemfile
        # @return [Array, nil] for each source its specifications and its folder, or why there are none; nil if a gemspec
        #   has failed
        def load(builder)
          sources = VARIABLE.bind_call(builder, :@sources).path_sources
          return [] if sources.empty?

          watching { sources.map { |source| said(source) } }
        end

        # The setup is over, so nobody asks for a kept error any more.
        def forget
          @kept&.default_proc = nil
          @kept = nil
        end

        private

        # (A path that is not there does not disturb Bundler. A gem without a gemspec tells nothing of its folder, which
        # may lie beside the application.)
        def said(source)
          [source.specs.to_a, VARIABLE.bind_call(source, :@expanded_path)]
        rescue ::Bundler::PathError => error
          error.message
        end

        # Bundler.load_gemspec looks into this Hash before it evaluates a file, and puts what came of it there.
        def watching
          known =
            ::Bundler.instance_variable_get(:@gemspec_cache) || ::Bundler.instance_variable_set(:@gemspec_cache, {})
          file = depth = nil
          known.default_proc =
            lambda do |_, path|
              next if file && !known.key?(file) # (The gemspec of `file` loads another one.)

              file = path
              depth = caller_locations(1).size
              nil
            end
          yield
        rescue ::Bundler::BundlerError, SystemCallError, NoMethodError => error
          raise if !file || known.key?(file)

          keep(known, file, depth, error)
        ensure
          known.default_proc = nil unless @kept
        end

        # (NoMethodError: what a gemspec returns need not be a specification.)
        def keep(known, file, depth, error)
          @kept = known
          known.default_proc =
            lambda do |_, path|
              next unless path == file

              forget
              move(error, depth, caller(1))
              raise error
            end
          nil
        end

        # Gives an error and its causes the callers that they would have had here.
        # @param depth [Integer] how many callers they had
        def move(error, depth, callers)
          while error
            own = error.backtrace
            error.set_backtrace(own[0...-depth] + callers) if own && own.size > depth
            error = error.cause
          end
        end
      end
    end
  end
end
