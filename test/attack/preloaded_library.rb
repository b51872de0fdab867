# frozen_string_literal: true

require "digest"
require "fileutils"
require "open3"
require_relative "../support/program"

module Attack
  # A class whose SOURCE is a library that programs preload. It is built when it is asked for, once for each text.
  module PreloadedLibrary
    # (-fno-builtin: each call of a function is a call, whatever the compiler knows of that function)
    FLAGS = %w[-shared -fPIC -O1 -g -Wall -Wextra -fno-builtin -U_FORTIFY_SOURCE].freeze

    # @return [String] its path
    def library
      @library ||=
        begin
          name = File.basename(self::SOURCE, ".c")
          path =
            File.join(Program::REPOSITORY, "tmp/attack/#{name}-#{Digest::MD5.file(self::SOURCE).hexdigest[0, 12]}.so")
          build(path) unless File.exist?(path)
          path
        end
    end

    private

    def build(path)
      FileUtils.mkdir_p(File.dirname(path))
      draft = "#{path}.#{Process.pid}"
      output, status = Open3.capture2e(ENV.fetch("CC", "cc"), *FLAGS, "-o", draft, self::SOURCE, "-ldl")
      raise "cannot build #{self::SOURCE}: #{output.lines.first}" unless status.success? && output.empty?

      File.rename(draft, path)
    end
  end
end
