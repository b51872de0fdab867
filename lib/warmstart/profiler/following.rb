# frozen_string_literal: true

require_relative "environment"

module Warmstart
  module Profiler
    # Handles an exec: if the next program is a Ruby program, it gets the variables of the profiler, and the profile
    # goes on with it. Any other program gets the environment as this program has it.
    # @api private
    class Following
      # @param folder [String] the folder of the recording
      # @param started [Integer] when the process was started, in ns
      # @param interposer [String, nil]
      def initialize(folder, started, interposer)
        @folder = folder
        @started = started
        @interposer = interposer
      end

      # @param arguments [Array, nil] those of exec; nil: exec has failed, and this program goes on
      def call(arguments)
        return restore unless arguments
        return unless ruby?(arguments)

        changes = Environment.to_profile(@folder, interposer: @interposer, started: @started)
        @saved = changes.keys.to_h { |name| [name, ENV[name]] }
        changes.each { |name, value| ENV[name] = value }
        Claim.leave(@folder) if Environment::WINDOWS
      rescue StandardError
        nil # (exec itself will raise)
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

        windows = Environment::WINDOWS
        folders = ENV.fetch("PATH", "").split(File::PATH_SEPARATOR).map { |folder| "#{folder}/" }
        folders = [""] if windows && name.include?("\\")
        folders
          .product(windows ? ["", ".exe", ".bat", ".cmd"] : [""])
          .map { |folder, extension| "#{folder}#{name}#{extension}" }
          .find { |path| File.file?(path) && (windows || File.executable?(path)) }
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
