# frozen_string_literal: true

require "open3"
require "tmpdir"

module Warmstart
  module Bench
    # The number of system calls that a command and its children make, counted by strace if that is installed.
    # @api private
    module SystemCalls
      module_function

      def available?
        return @available unless @available.nil?

        @available = Open3.capture3("strace", "-c", "-o", File::NULL, "true").last.success?
      rescue SystemCallError
        @available = false
      end

      # @param variant [Hash] as Runner's
      # @return [Integer, nil]
      def count(variant)
        return unless available?

        Dir.mktmpdir("warmstart-strace-") do |folder|
          output = File.join(folder, "counts")
          options = variant[:chdir] ? { chdir: variant[:chdir] } : {}
          _, _, status =
            Open3.capture3(variant[:env] || {}, "strace", "-f", "-c", "-o", output, *variant.fetch(:command), **options)
          total(File.read(output)) if status.success?
        end
      end

      # The last line: "100.00  0.123456  1  12345  678 total".
      def total(text)
        line = text.lines.reverse.find { |candidate| candidate.match?(/\btotal$/) }
        line&.split&.then { |words| words[3].to_i }
      end
    end
  end
end
