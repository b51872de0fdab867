# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"

# Compiles test/support/extension/calls.c for the Ruby that runs this: once per process, into a folder that is removed
# with the process.
module Extension
  SOURCE = File.join(__dir__, "extension/calls.c")

  class << self
    # The folder of the library `calls`, for the load path.
    def folder
      @folder ||=
        Dir
          .mktmpdir("warmstart-extension-")
          .tap do |folder|
            File.chmod(0o755, folder) # (programs may run as another user)
            pid = Process.pid
            at_exit { FileUtils.rm_rf(folder) if Process.pid == pid }
            build(File.realpath(folder))
          end
    end

    private

    def build(folder)
      FileUtils.cp(SOURCE, folder)
      code = "require 'mkmf'; $warnflags = nil; create_makefile('calls')"
      output, status =
        Open3.capture2e("#{RbConfig.ruby.dump} --disable-gems -e #{code.dump.gsub("$", "\\$")} && make", chdir: folder)
      raise "the extension cannot be built:\n#{output}" unless status.success?
    end
  end
end
