# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces RubyVM::InstructionSequence#script_lines by a function that also knows the lines of files from the image
    # (ruby/code/script_lines.c). On a Ruby that keeps no lines of files (3.3) nothing is replaced.
    # @api private
    module ScriptLines
      class << self
        include CMethods

        def install
          if Native.files_keep_lines?
            put_in(CMethod.new(RubyVM::InstructionSequence, :script_lines) { Native.define_script_lines })
          end
        end
      end
    end
  end
end
