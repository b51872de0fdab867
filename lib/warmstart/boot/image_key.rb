# frozen_string_literal: true

module Warmstart
  module Image
    # The key of an image: a text with everything that decides how Ruby compiles a file and what paths mean. Another key
    # means another image, and is never an error.
    # @api private
    module Key
      module_function

      # @return [String] one "name value" a line
      def text
        [
          "format #{FORMAT}",
          "engine #{RUBY_ENGINE} #{RUBY_VERSION} #{RUBY_PATCHLEVEL} #{RUBY_REVISION}",
          "platform #{RUBY_PLATFORM}",
          "parser #{RUBY_DESCRIPTION.include?("+PRISM") ? "prism" : "parse.y"}",
          "compile_option " \
            "#{RubyVM::InstructionSequence.compile_option.sort.map { |name, value| "#{name}=#{value}" }.join(",")}",
          # -K sets the source encoding together with the external one
          "encodings #{Encoding.default_external} #{Encoding.find("filesystem")} #{Encoding.find("locale")}",
          ""
        ].join("\n")
      end

      FORMAT = 1
    end
  end
end
