# frozen_string_literal: true

module Warmstart
  module CoreExt
    # RubyVM::InstructionSequence.load_iseq, the hook that Ruby's loader asks for each file: a C singleton method.
    module LoadIseq
      class << self
        # @return [Boolean] false when somebody else has the hook (bootsnap, say): then we leave it to them
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
