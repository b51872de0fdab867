# frozen_string_literal: true

# Which tests do not run on Windows, and why. bin/test reads it on Windows, and `bin/test --windows` also prints it.
module WindowsTests
  POSIX = "is about POSIX (fork, signals, symlinks, modes, /proc)"

  # Pattern of files => reason.
  LEFT_OUT = {
    "test/core/file_test.c" => "#{POSIX}; windows_files_test.c tries the same contracts",
    "test/core/mapping_test.c" => "#{POSIX}; windows_files_test.c tries the same contracts",
    "test/core/scanner_test.c" => "#{POSIX}; feature_index_builder_test.c scans there, too",
    "test/core/file_system_*_test.c" => "lists with POSIX calls; test/file_system_windows_test.rb runs what Windows has",
    "test/core/store_process_test.c" => "forks its processes",
    "test/profiler_calls_test.rb" => "counts calls by strace",
    "test/system_calls_test.rb" => "counts calls by strace",
    "test/file_system_*" => "#{POSIX}, or starts the Windows Ruby itself",
    "test/leaving_processes_test.rb" => POSIX,
    "test/differential/leaving_test.rb" => POSIX,
    "test/documents_test.rb" => "needs psych, which the Ruby under Wine does not have",
    "test/bundler_test.rb" => "needs Bundler with a writable home, and openssl",
    "test/integration/*" => "needs Rails or Zeitwerk, installed by Bundler",
    "test/exactness/*" => "builds C extensions, needs FIFOs, symlinks or signals",
    "test/architecture_test.rb" => "reads the sources, which are the same everywhere",
    "test/plot_test.rb" => "draws, which is the same everywhere",
    "test/cli_test.rb" => "drives the command line by a shell",
    "test/init_test.rb" => "needs Bundler, which installs gems",
    "test/binstub_test.rb" => "the binstub is a script for sh",
    "test/moments_test.rb" => "needs Bundler's gems",
    "test/start_cost_test.rb" => "counts calls by strace",
    "test/build_test.rb" => "compares builds by a shell",
    "test/deploy_test.rb" => "needs symlinks",
    "test/rake_test.rb" => "needs the rake gem",
    "test/tweaks_test.rb" => "needs the tzinfo gem",
    "test/format_test.rb" => "reads bytes of images, which are the same everywhere"
  }.freeze

  # File => {a test's sentence => reason}: the rest of the file runs. Skipped with the reason.
  TESTS_LEFT_OUT = {
    "test/configuration_test.rb" => {
      "folders are 0700 and files 0600 whatever the umask" => "Windows has no umask, and modes are not rights there; windows_files_test.c looks at the access lists"
    }
  }.freeze
  TESTS_LEFT_OUT_UNDER_WINE = {
    "test/configuration_test.rb" => {
      "the image is the application's whose config/boot.rb asks, Bundler's decorators of require or not" => "needs Bundler, which the Ruby under Wine has no gem of"
    }
  }.freeze

  # These take minutes under Wine, so they run on Windows itself only.
  SLOW_UNDER_WINE = %w[
    test/load_path_test.rb test/load_path_changes_test.rb test/invalidation_test.rb test/recording_test.rb test/differential/*
    test/paths_test.rb test/paths_*_test.rb test/file_server_test.rb test/frozen_literals_test.rb test/start_test.rb test/direct_way_test.rb test/ruby_compatibility_test.rb
  ].freeze

  # Exceptions from the list above, which do run under Wine.
  UNDER_WINE = %w[test/differential/basics_test.rb test/differential/odd_names_test.rb].freeze

  class << self
    # @param path [String] a test file
    # @param sentence [String] one of its tests
    # @return [String, nil] why the test does not run here
    def test_reason(path, sentence)
      return unless File::ALT_SEPARATOR

      lists = [TESTS_LEFT_OUT, (TESTS_LEFT_OUT_UNDER_WINE if ENV["WARMSTART_WINE"])].compact
      lists.filter_map { |list| list.find { |name, _| path.end_with?("/#{name}") }&.last&.[](sentence) }.first
    end

    # @param name [String] a test file, from the repository's root
    # @return [String, nil] why the file does not run
    def reason(name, wine: false)
      return if wine && UNDER_WINE.include?(name)

      LEFT_OUT.find { |pattern, _| File.fnmatch?(pattern, name) }&.last ||
        ("takes too long under Wine; the workflow runs it on Windows" if wine && SLOW_UNDER_WINE.any? { |pattern| File.fnmatch?(pattern, name) })
    end
  end
end
