# frozen_string_literal: true

module Warmstart
  # Frozen string literals for the application's own files. This module finds out whether this Ruby can compile a single
  # file with that option, and which folders are not the application's. The rest is in
  # ext/warmstart/ruby/code/frozen_literals.c.
  # @api private
  module FrozenLiterals
    # A file that has a string literal and no magic comment.
    CANARY = File.expand_path("frozen_literals_canary.txt", __dir__)

    class << self
      # @param root [String, nil] the application's realpath
      # @param excluded [Array<String>] Ruby's own folders
      # @return [String, nil] why it is not possible; nil: it is enabled
      def enable(root, excluded)
        return "no folder is the application's" unless root
        return "this Ruby's compile_file has not that option (Ruby bug #22023)" unless (compiler = self.compiler)

        Native.freeze_literals(root, excluded, compiler)
        nil
      end

      def disable
        Native.freeze_literals(nil, [], :compile_file)
      end

      # The method that compiles a file with the parser of this process and obeys the options. Under Prism, before
      # 3.4.10 and 4.0.4, compile_file uses the other parser, and compile_file_prism of some of these versions ignores
      # the options.
      # @return [Symbol, nil] nil: there is no such method
      def compiler
        iseq = RubyVM::InstructionSequence
        name = prism? ? :compile_file_prism : :compile_file
        name if iseq.respond_to?(name) && iseq.public_send(name, CANARY, frozen_string_literal: true).eval.frozen?
      end

      private

      def prism? = RUBY_DESCRIPTION.include?("+PRISM")
    end
  end
end
