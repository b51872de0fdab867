# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces Module#autoload and Kernel#autoload, and since Ruby 4.1 autoload_relative. The direct way must know which
    # files may be the target of an autoload, and the recorder notes which files register themselves as such a target.
    # @api private
    module Autoload
      class << self
        include CMethods

        # @param early [Boolean] whether no code but Ruby's own has run: then only Object can have autoloads, and there
        #   is no need to walk the heap
        def install(early: false)
          targets = [::Module, ::Kernel, ::Kernel.singleton_class]
          methods =
            targets.map do |target|
              CMethod.new(target, :autoload) { |original| Native.define_autoload(target, original) }
            end
          relatives = ::Module.method_defined?(:autoload_relative) ? targets : []
          methods +=
            relatives.map do |target|
              CMethod.new(target, :autoload_relative) { Native.define_autoload_relative(target) }
            end
          put_in(*methods)
          Native.note_autoloads(early ? [::Object] : ObjectSpace.each_object(::Module).to_a)
        end
      end
    end
  end
end
