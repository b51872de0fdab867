# frozen_string_literal: true

module Warmstart
  # Finds the program that runs a command from its standby (ext/warmstart_standby/client.c). bin/setup and the gem's
  # installation put it beside the extension.
  # @api private
  module StandbyClient
    # @return [String, nil]
    def self.path
      build = "#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}"
      [File.join(__dir__, "native", build), __dir__].map { |folder| File.join(folder, "standby") }
        .find { |path| File.file?(path) && File.executable?(path) }
    end

    def self.path!
      path or
        raise CLI::Error,
              "there is no standby's client for this Ruby: it is built on Linux only (run bin/setup, or install the " \
                "gem again)"
    end

    # Has the client tell something on stdout.
    # @return [Boolean] whether the answer is yes
    def self.tell(*words, environment: {}, **options)
      $stdout.flush
      answer = system(environment, path!, *words, **options)
      raise Errno::EPIPE, "<STDOUT>" if $?.termsig == Signal.list["PIPE"]

      answer == true
    end
  end
end
