# frozen_string_literal: true

require_relative "environment"

module Warmstart
  module Profiler
    # exec in the middle: where the next program is a Ruby program, it gets the variables that this one was begun with,
    # so that the profile goes on with it. Anything else gets the environment as the program has it.
    class Following
      # @param folder [String] of the recording
      # @param started [Integer] ns, when the process was started
      # @param interposer [String, nil]
      def initialize(folder, started, interposer)
        @folder = folder
        @started = started
        @interposer = interposer
      end

      # @param arguments [Array, nil] exec's; nil: it has failed, we go on
      def call(arguments)
        return restore unless arguments
        return unless ruby?(arguments)

        changes = Environment.to_profile(@folder, interposer: @interposer, started: @started)
        @saved = changes.keys.to_h { |name| [name, ENV[name]] }
        changes.each { |name, value| ENV[name] = value }
        Claim.leave(@folder) if Environment::WINDOWS
      rescue StandardError
        nil # (exec itself will say what is wrong)
      end

      private

      def restore
        return unless @saved

        @saved.each { |name, value| ENV[name] = value }
        @saved = nil
        Claim.leave(@folder, Process.pid) if Environment::WINDOWS
      end

      def ruby?(arguments)
        words = arguments.grep_v(Hash).map { |argument| argument.is_a?(Array) ? argument.first : argument }
        words = words.first.split if words.size == 1
        words.shift if words.first && File.basename(words.first) == "env"
        path = words.first && find(words.first)
        path ? File.basename(path).start_with?("ruby") || script?(path) : false
      end

      def find(name)
        return name if name.include?("/")
        return find_on_windows(name) if Environment::WINDOWS

        ENV
          .fetch("PATH", "")
          .split(File::PATH_SEPARATOR)
          .map { |folder| File.join(folder, name) }
          .find { |path| File.file?(path) && File.executable?(path) }
      end

      def find_on_windows(name)
        folders =
          name.include?("\\") ? [""] : ENV.fetch("PATH", "").split(File::PATH_SEPARATOR).map { |folder| "#{folder}/" }
        folders
          .product(["", ".exe", ".bat", ".cmd"])
          .map { |folder, extension| "#{folder}#{name}#{extension}" }
          .find { |path| File.file?(path) }
      end

      # (On Windows RubyGems' executables are batch files.)
      def script?(path)
        text = File.open(path, "rb") { |file| file.read(1024) }.to_s
        return text.match?(/\bruby/i) if path.match?(/\.(bat|cmd)\z/i)

        line = text.byteslice(0, 256).lines.first.to_s
        line.start_with?("#!") && line.include?("ruby")
      end
    end
  end
end
