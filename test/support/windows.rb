# frozen_string_literal: true

# Which tests do not run on Windows, and why. bin/test reads it on Windows, and `bin/test --windows` also prints it.
module WindowsTests
  # What is set for what runs under Wine. Wine crashes at its start where TMPDIR is set ("free(): invalid pointer").
  ENVIRONMENT = { "TMPDIR" => nil }.freeze
  # What `bin/test --windows` sets for itself and what it starts: WARMSTART_WINE says that some tests run on Windows only.
  WINE = { "WARMSTART_WINE" => "1", **ENVIRONMENT }.freeze

  POSIX = "is about POSIX (fork, signals, symlinks, modes, /proc)"

  PSYCH = "needs psych, which the Ruby under Wine does not have"

  # Pattern of files => reason.
  LEFT_OUT = {
    "test/core/file_test.c" => "#{POSIX}; windows_files_test.c tries the same contracts",
    "test/core/mapping_test.c" => "#{POSIX}; windows_files_test.c tries the same contracts",
    "test/core/scanner_test.c" => "#{POSIX}; feature_index_builder_test.c scans there, too",
    "test/core/file_system_*_test.c" =>
      "lists with POSIX calls; test/file_system_windows_test.rb runs what Windows has",
    "test/core/store_process_test.c" => "forks its processes",
    "test/profiler_calls_test.rb" => "counts calls by strace",
    "test/system_calls_test.rb" => "counts calls by strace",
    "test/file_system_test.rb" => "#{POSIX}; test/file_system_windows_test.rb runs what Windows has",
    "test/file_system_calls_test.rb" => "looks at calls by strace",
    "test/leaving_processes_test.rb" => POSIX,
    "test/differential/leaving_test.rb" => POSIX,
    "test/differential/limits_test.rb" => "sets limits, which Windows does not have",
    "test/differential/standby_changes_test.rb" => "standbys are for Linux",
    "test/differential/callers_file_test.rb" => "builds C extensions",
    "test/documents_test.rb" => PSYCH,
    "test/bundler_test.rb" => "needs Bundler with a writable home, and openssl",
    "test/integration/*" => "needs Rails or Zeitwerk, installed by Bundler",
    "test/exactness/*" => "builds C extensions, needs FIFOs, symlinks or signals",
    "test/architecture_test.rb" => "reads the sources, which are the same everywhere",
    "test/plot_test.rb" => "draws, which is the same everywhere",
    "test/figures_test.rb" => "reads pages, which are the same everywhere",
    "test/cli_test.rb" => "drives the command line by a shell",
    "test/gem_test.rb" => "compiles the gem, which takes a compiler",
    "test/gate_test.rb" => "drives what runs on Debian only",
    "test/init_test.rb" => "needs Bundler, which installs gems",
    "test/init_ci_test.rb" => PSYCH,
    "test/binstub_test.rb" => "the binstub is a script for sh",
    "test/moments_test.rb" => "needs Bundler's gems",
    "test/start_cost_test.rb" => "counts calls by strace",
    "test/costs_test.rb" => "counts calls by strace, and instructions by valgrind",
    "test/build_test.rb" => "compares builds by a shell",
    "test/deploy_test.rb" => "needs symlinks",
    "test/rake_test.rb" => "needs the rake gem",
    "test/tweaks_test.rb" => "needs the tzinfo gem",
    "test/links_test.rb" =>
      "makes, renames and removes symlinks, which is a privilege on Windows; Wine's are none to Ruby",
    "test/forks_test.rb" => "forks, or builds C extensions",
    "test/attack_test.rb" => "the attack forks its workers",
    "test/adoption_test.rb" => "#{PSYCH}; adopt_command_test.rb takes images over, too",
    "test/bytes_in_paths_test.rb" =>
      "a name on Windows is UTF-16: Ruby itself opens no other, and none in the locale C",
    "test/*stores_test.rb" => "needs openssl, which the Ruby under Wine does not have",
    "test/standby*_test.rb" => "standbys are for Linux",
    "test/format_test.rb" => "reads bytes of images, which are the same everywhere"
  }.freeze

  # File => {a test's sentence, or a pattern of several => reason}: the rest of the file runs. Skipped with the reason.
  TESTS_LEFT_OUT = {
    "test/build_places_test.rb" => {
      "--json prints to stdout, and no file is called --" => PSYCH
    },
    "test/adopt_command_test.rb" => {
      "the key is another one for another bundle, and begins alike; without a bundle there is one, too" =>
        "needs a bundle, and the Ruby under Wine has no Bundler"
    },
    "test/configuration_test.rb" => {
      "folders are 0700 and files 0600 whatever the umask" =>
        "Windows has no umask, and modes are not rights there; windows_files_test.c looks at the access lists"
    },
    "test/application_test.rb" => {
      /\Aa folder |a lone script that asks, |commands take no application |may have put a Gemfile there/ =>
        "is about owners and modes of folders as POSIX has them; windows_places_test.rb tries Windows' owners",
      "a shared folder of releases gives no application its name" => "needs symlinks, and modes that are rights"
    },
    "test/gc_governor_test.rb" => {
      /\A(?:memory that is left: |processes that wait for memory|others grow, too: )/ =>
        "Windows has no /proc and no control groups; a system call tells"
    },
    "test/main_script_test.rb" => {
      /\A(?:exec hands over|where exec cannot know) / =>
        "starts scripts by their first lines, which Windows does not, and shells"
    },
    "test/two_copies_test.rb" => {
      /\Aa bundle with a copy / => "needs a binstub, which is a script for sh"
    },
    "test/differential/shadowing_test.rb" => {
      "a file in front: a link" => "needs symlinks"
    },
    "test/direct_way_test.rb" => {
      /\Aa(?: file under two names\z|n alias of what )/ => "needs symlinks"
    },
    "test/invalidation_test.rb" => {
      /\A(?:folders, FIFOs and symlinks|a source file becomes a FIFO)/ => "needs FIFOs",
      /\A(?:the image's folder is a symlink|a file that is written and loaded after a require)/ => "needs symlinks",
      /\A(?:no HOME|a cache folder that cannot|a source file(?:'s folder)? cannot be|an image that cannot be read)/ =>
        "runs a program as another user",
      /\A(?:an image that others may write|an image of another user)/ => "is about modes and owners",
      "an image truncated while it is mapped" => "Windows truncates no file that is mapped",
      "a source file is replaced by another process while the boot records it" =>
        "Windows renames nothing over a file that another process has open",
      "a cache folder deep in folders that do not exist, with odd names" => "no name has a quotation mark on Windows"
    },
    "test/recording_test.rb" => {
      "what the commits did is told; a commit that went well has no error" => "runs a program as another user"
    },
    "test/ruby_compatibility_test.rb" => {
      /\Arb_fork: / => "Windows knows no fork",
      /\Arb_construct_expanded_load_path: an entry is expanded to its realpath/ => "needs symlinks"
    },
    "test/trust_test.rb" => {
      "an application below the home by way of a link is believed as any other" => "needs symlinks",
      /\Awithout a home, / => "needs symlinks, and Ruby gives itself a HOME on Windows (win32.c: init_env)"
    }
  }.freeze
  TESTS_LEFT_OUT_UNDER_WINE = {
    "test/configuration_test.rb" => {
      "the image is the application's whose config/boot.rb asks, Bundler's decorators of require or not" =>
        "needs Bundler, which the Ruby under Wine has no gem of"
    },
    "test/gc_governor_test.rb" => {
      "a boot that is not known to be large takes half of what it keeps between two collections" =>
        "Wine counts 200 MB of its own as the process's, and half of that is not kept here",
      /\Aa command (?:that|whose) / => "Wine counts 200 MB of its own as the process's, which is more than these keep"
    },
    "test/compaction_test.rb" => {
      "code, autoloads and documents" => PSYCH
    },
    "test/debug_test.rb" => {
      "under -d: YAML" => PSYCH,
      /\Aunder -d: Bundler/ => "needs Bundler, which the Ruby under Wine has no gem of"
    },
    "test/invalidation_test.rb" => {
      /\Aa damaged payload of a document/ => PSYCH
    },
    "test/frozen_literals_test.rb" => {
      /\Abuild --all / => "needs Bundler, which the Ruby under Wine has no gem of"
    },
    "test/ruby_compatibility_test.rb" => {
      /\APsych\.load_file / => PSYCH,
      /\AProbes\.exported\?/ => "needs a compiler for Windows that runs under Wine"
    }
  }.freeze

  # What tells most of what is different on Windows comes first under Wine, behind the core. Of these the short ones
  # precede the two that take minutes.
  FIRST_UNDER_WINE = %w[
    test/file_system_windows_test.rb
    test/windows_held_files_test.rb
    test/differential/odd_names_test.rb
    test/differential/basics_test.rb
    test/differential/require_test.rb
    test/start_test.rb
    test/trust_test.rb
    test/configuration_test.rb
  ].freeze

  class << self
    # @param path [String] a test file
    # @param sentence [String] one of its tests
    # @return [String, nil] why the test does not run here
    def test_reason(path, sentence)
      return unless File::ALT_SEPARATOR

      lists = [TESTS_LEFT_OUT, (TESTS_LEFT_OUT_UNDER_WINE if ENV["WARMSTART_WINE"])].compact
      lists
        .filter_map do |list|
          list.find { |name, _| path.end_with?("/#{name}") }&.last&.find { |key, _| key === sentence }&.last
        end
        .first
    end

    # Under Wine: the files that come first, and of the others the shortest.
    # @param name [String] a test file, from the repository's root
    # @return [Array] what the files are sorted by
    def place(name, size) = [FIRST_UNDER_WINE.index(name) || FIRST_UNDER_WINE.size, size]

    # @param name [String] a test file, from the repository's root
    # @return [String, nil] why the file does not run
    def reason(name) = LEFT_OUT.find { |pattern, _| File.fnmatch?(pattern, name) }&.last
  end
end
