# frozen_string_literal: true

module Warmstart
  module Profiler
    # The files that the accelerator could not serve from its image, and why. The accelerator's instrumentation tells
    # it. If the program has set an instrumentation, that stays, and the profile does without this list.
    # @api private
    module OutsideImage
      @files = {}

      class << self
        # @return [Array<Hash{String => String}>, nil] nil: the accelerator was not observed
        def files
          return unless @listener

          @files.map { |path, reason| { "path" => path, "reason" => reason.to_s } }
        end

        def observe
          return if ::Warmstart::Native.instrumentation

          @listener = ->(event, path, reason) { @files[path] = reason if %i[miss stale].include?(event) }
          ::Warmstart::Native.instrumentation = @listener
        end

        def ignore
          return unless @listener

          ::Warmstart::Native.instrumentation = nil if ::Warmstart::Native.instrumentation.equal?(@listener)
          @listener = nil
          @files = {}
        end
      end
    end
  end
end
