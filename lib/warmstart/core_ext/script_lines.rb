# frozen_string_literal: true

module Warmstart
  module CoreExt
    # RubyVM::InstructionSequence#script_lines, which knows the lines of files from the image, too
    # (ruby/code/script_lines.c). Where Ruby keeps none of files (3.3), it stays Ruby's own.
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
