# frozen_string_literal: true

module Warmstart
  module Profiler
    # What only the profiled process knows, and only at its end: its gems, $LOAD_PATH, and which accelerator it uses.
    # These are plain arrays, hashes and strings, for Marshal and JSON.
    # @api private
    module Details
      class << self
        # @return [Hash{String => Object}]
        def collect
          {
            "ruby" => RUBY_DESCRIPTION,
            "ruby_version" => RUBY_VERSION,
            "platform" => RUBY_PLATFORM,
            "gems" => gems,
            "load_path" => $LOAD_PATH.map(&:to_s),
            "features" => $LOADED_FEATURES.size,
            "gemfile" => ENV["BUNDLE_GEMFILE"],
            "directory" => Dir.pwd,
            "slot_bytes" => slot_bytes,
            "accelerator" => accelerator,
            "bootsnap" => defined?(::Bootsnap::CompileCache) ? true : false,
            "files_outside_image" => OutsideImage.files
          }
        end

        private

        def gems
          return [] unless defined?(::Gem) && ::Gem.respond_to?(:loaded_specs)

          ::Gem.loaded_specs.each_value.map do |spec|
            {
              "name" => spec.name,
              "version" => spec.version.to_s,
              "path" => spec.full_gem_path,
              "default" => spec.default_gem? ? true : false
            }
          end
        end

        def accelerator
          return "absent" unless defined?(::Warmstart::Native)
          return "off" unless ::Warmstart.respond_to?(:session) && ::Warmstart.session
          return "sealed" if ::Warmstart::Native.sealed?

          ::Warmstart::Native.counts.fetch(:hit, 0).positive? ? "warm" : "recording"
        rescue NoMethodError
          "warm"
        end

        # The mean size of the slots of all objects that were allocated.
        def slot_bytes
          base = GC::INTERNAL_CONSTANTS[:BASE_SLOT_SIZE] || GC::INTERNAL_CONSTANTS[:RVALUE_SIZE] || 40
          return base unless GC.respond_to?(:stat_heap)

          heaps = GC.stat_heap.each_value.select { |heap| heap[:total_allocated_objects] }
          objects = heaps.sum { |heap| heap[:total_allocated_objects] }
          if objects.positive?
            heaps.sum { |heap| heap[:total_allocated_objects] * heap[:slot_size] }.fdiv(objects).round(2)
          else
            base
          end
        end
      end
    end

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
