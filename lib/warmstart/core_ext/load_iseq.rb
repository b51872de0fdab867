# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Defines RubyVM::InstructionSequence.load_iseq, the hook that Ruby's loader calls for each file, as a C singleton
    # method.
    # @api private
    module LoadIseq
      class << self
        # @return [Boolean] false if another library (bootsnap, for instance) has defined the hook; it keeps it
        def install
          return false if RubyVM::InstructionSequence.respond_to?(:load_iseq, true)

          CoreExt.silently { Native.define_load_iseq }
          @installed = true
        end

        def installed? = @installed ? true : false

        def uninstall
          CoreExt.silently { Native.undefine_load_iseq } if @installed
          @installed = false
        end
      end
    end
  end
end
