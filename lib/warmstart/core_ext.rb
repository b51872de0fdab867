# frozen_string_literal: true

module Warmstart
  # Every patch of Ruby's own classes, each with install and uninstall.
  # @api private
  module CoreExt
    class << self
      # A callable that is called with the addresses of the C functions that now implement require and require_relative
      # (0: not installed). The profiler sets it, because it patches these functions in turn.
      attr_accessor :require_observer
    end

    # Replacing a method warns under -w. The program must not see such a warning about Warmstart's patches.
    def self.silently
      verbose = $VERBOSE
      begin
        $VERBOSE = nil
        yield
      ensure
        $VERBOSE = verbose
      end
    end
  end
end

require_relative "core_ext/c_method"
require_relative "core_ext/autoload"
require_relative "core_ext/collector"
require_relative "core_ext/exec"
require_relative "core_ext/expand_path" if File::ALT_SEPARATOR
require_relative "core_ext/file_open"
require_relative "core_ext/kernel_require"
require_relative "core_ext/load_iseq"
require_relative "core_ext/script_lines"
