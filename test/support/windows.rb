# frozen_string_literal: true

# Which tests do not run on Windows, and why. bin/test reads it on Windows, and `bin/test --windows` also prints it.
module WindowsTests
  # What is set for what runs under Wine. Wine crashes at its start where TMPDIR is set ("free(): invalid pointer").
  ENVIRONMENT = { "TMPDIR" => nil }.freeze
  # What `bin/test --windows` sets for itself and what it starts: WARMSTART_WINE says that some tests run on Windows only.
  WINE = { "WARMSTART_WINE" => "1", **ENVIRONMENT }.freeze

  POSIX = "is about POSIX (fork, signals, symlinks, modes, /proc)"
  EXTENSION = "builds a C extension that forks and waits as POSIX has it (support/extension/calls.c)"
  LINKS = "needs symlinks"
  MODES = "is about modes and owners"
  FORK = "Windows knows no fork"
  OTHER_USER = "runs a program as another user"
  SHELL = "starts commands by sh"

  # Pattern of files => why they do not run on Windows.
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
    "test/differential/limits_test.rb" => "sets limits, which Windows does not have",
    "test/differential/standby_changes_test.rb" => "standbys are for Linux",
    "test/differential/callers_file_test.rb" => EXTENSION,
    "test/exactness/c_extension_test.rb" => EXTENSION,
    "test/exactness/realpaths_test.rb" => "#{LINKS}, or counts calls by strace",
    "test/exactness/special_files_test.rb" => POSIX,
    "test/architecture_test.rb" => "reads the sources, which are the same everywhere",
    "test/windows_lists_test.rb" => "reads these lists, which are the same everywhere",
    "test/plot_test.rb" => "draws, which is the same everywhere",
    "test/figures_test.rb" => "reads pages, which are the same everywhere",
    "test/gate_test.rb" => "drives what runs on Debian only",
    "test/binstub_test.rb" => "the binstub is a script for sh",
    "test/costs_test.rb" => "counts calls by strace, and instructions by valgrind",
    "test/deploy_test.rb" => LINKS,
    "test/links_test.rb" => "makes, renames and removes symlinks, which is a privilege on Windows",
    "test/forks_test.rb" => EXTENSION,
    "test/attack_test.rb" => "the attack forks its workers",
    "test/bytes_in_paths_test.rb" =>
      "a name on Windows is UTF-16: Ruby itself opens no other, and none in the locale C",
    "test/standby*_test.rb" => "standbys are for Linux",
    "test/format_test.rb" =>
      "builds a program with the compiler and the libraries of Unix; the bytes are the same everywhere"
  }.freeze

  PSYCH = "needs psych, which the Ruby under Wine does not have"
  OPENSSL = "needs openssl, which the Ruby under Wine does not have"
  BUNDLER = "needs Bundler, which the Ruby under Wine has no gem of"
  COMPILER = "needs a compiler for Windows that runs under Wine"

  # Pattern of files => what Wine, or its Ruby, lacks for them. Nothing is known against them on Windows itself, and
  # there they run.
  LEFT_OUT_UNDER_WINE = {
    "test/adoption_test.rb" => "#{PSYCH}; adopt_command_test.rb takes images over, too",
    "test/bundler_test.rb" => BUNDLER,
    "test/documents_test.rb" => PSYCH,
    "test/exactness/generated_bundles_test.rb" => BUNDLER,
    "test/gem_test.rb" => COMPILER,
    "test/init_ci_test.rb" => PSYCH,
    "test/init_test.rb" => PSYCH,
    "test/integration/bootsnap_test.rb" => COMPILER,
    "test/integration/rails_*_test.rb" => BUNDLER,
    "test/moments_test.rb" => "needs gems, which the Ruby under Wine does not have",
    "test/rake_test.rb" => "needs the rake gem, which the Ruby under Wine does not have",
    "test/*stores_test.rb" => OPENSSL
  }.freeze

  # File => {a test's sentence, or a pattern of several => why it does not run on Windows}: the rest of the file runs.
  # Skipped with the reason.
  TESTS_LEFT_OUT = {
    "test/adoption_test.rb" => {
      "a file that spells its old path, one that is gone, and one that is a link now are left out" => LINKS
    },
    "test/application_test.rb" => {
      /\Aa folder |a lone script that asks, |commands take no application |may have put a Gemfile there/ =>
        "is about owners and modes of folders as POSIX has them; windows_places_test.rb tries Windows' owners",
      "a shared folder of releases gives no application its name" => "needs symlinks, and modes that are rights"
    },
    "test/build_test.rb" => {
      /\ACtrl-C while / => "sends a signal to a group of processes, as POSIX has them"
    },
    "test/bundler_test.rb" => {
      "a file that is of another kind now is not read" => "needs FIFOs",
      /\Aa (?:question about a file, and a command\z|gem beside the application, )/ => LINKS,
      /\Aa (?:record that others may write|sealed image has the bundle's record)/ => MODES,
      "a forked child, and one that is started" => FORK
    },
    "test/cli_test.rb" => {
      "output that cannot be written is a failure" => SHELL,
      "status says when an image for another encoding lies there" => "Windows asks no LANG for its encoding",
      "what nobody can read on stderr fails no command" => SHELL
    },
    "test/configuration_test.rb" => {
      "folders are 0700 and files 0600 whatever the umask" =>
        "Windows has no umask, and modes are not rights there; windows_files_test.c looks at the access lists"
    },
    "test/differential/shadowing_test.rb" => {
      "a file in front: a link" => LINKS
    },
    "test/direct_way_test.rb" => {
      /\Aa(?: file under two names\z|n alias of what )/ => LINKS
    },
    "test/documents_test.rb" => {
      "relative paths, the working folder, Pathnames, links, odd names" => LINKS,
      /\APsych changed by what it has itself: / => EXTENSION,
      "threads, a forked child, a Ractor" => FORK
    },
    "test/exactness/errors_test.rb" => {
      "a file that its user may not read" => OTHER_USER
    },
    "test/exactness/names_test.rb" => {
      "a program whose name is no valid text" => "names on Windows are UTF-16, so it can have none of these"
    },
    "test/exactness/told_apart_test.rb" => {
      /\Aa load is told from a require, / => EXTENSION
    },
    "test/gc_governor_test.rb" => {
      /\A(?:memory that is left: |processes that wait for memory|others grow, too: )/ =>
        "Windows has no /proc and no control groups; a system call tells"
    },
    "test/init_test.rb" => {
      "a file that cannot be written: one line, and the others are as they were" => OTHER_USER,
      "a file's rights stay, and where it leads" => MODES,
      "through a link, and where no lockfile says which version: the application is the one that asks" => LINKS
    },
    "test/invalidation_test.rb" => {
      /\A(?:folders, FIFOs and symlinks|a source file becomes a FIFO)/ => "needs FIFOs",
      /\A(?:the image's folder is a symlink|a file that is written and loaded after a require)/ => LINKS,
      /\A(?:no HOME|a cache folder that cannot|a source file(?:'s folder)? cannot be|an image that cannot be read)/ =>
        OTHER_USER,
      /\A(?:an image that others may write|an image of another user)/ => MODES,
      "an image truncated while it is mapped" => "Windows truncates no file that is mapped",
      "a source file is replaced by another process while the boot records it" =>
        "Windows renames nothing over a file that another process has open",
      "a cache folder deep in folders that do not exist, with odd names" => "no name has a quotation mark on Windows"
    },
    "test/leaving_processes_test.rb" => {
      /\A(?:a parent that only waits|children write nothing|several workers, forked)/ => FORK,
      /\A(?:when Ruby is gone|the end of a program waits)/ => "needs /proc",
      /\A(?:at the end, while |a signal at the end is heard|signals and Thread#raise are heard)/ =>
        "needs signals, or a clock of the test's own (support/clock.c is for Linux)"
    },
    "test/main_script_test.rb" => {
      /\A(?:exec hands over|where exec cannot know) / =>
        "starts scripts by their first lines, which Windows does not, and shells"
    },
    "test/rake_test.rb" => {
      "an image that cannot be removed is a failure of warmstart:clear, and of no other task" => LINKS
    },
    "test/recording_test.rb" => {
      "what the commits did is told; a commit that went well has no error" => OTHER_USER
    },
    "test/ruby_compatibility_test.rb" => {
      /\Arb_fork: / => FORK,
      /\Arb_construct_expanded_load_path: an entry is expanded to its realpath/ => LINKS
    },
    "test/stores_test.rb" => {
      /\Aa piece that is not what the list says|\Aa wrong store, key or name is one line/ => "needs FIFOs",
      /\A(?:unsigned images are for a folder|the trusted keys are those of|key new writes a private key)/ => MODES
    },
    "test/trust_test.rb" => {
      "an application below the home by way of a link is believed as any other" => LINKS,
      /\Awithout a home, / => "needs symlinks, and Ruby gives itself a HOME on Windows (win32.c: init_env)"
    },
    "test/tweaks_test.rb" => {
      "a zone's file that may not be read is TZInfo's to judge" => OTHER_USER
    },
    "test/two_copies_test.rb" => {
      /\Aa bundle with a copy / => "needs a binstub, which is a script for sh"
    },
    "test/web_stores_test.rb" => {
      "who we are: a token from a variable or a file, a user in the address or in netrc" => "needs /dev/zero, and modes"
    }
  }.freeze

  # The same for what Wine, or its Ruby, lacks. On Windows itself they run.
  TESTS_LEFT_OUT_UNDER_WINE = {
    "test/adopt_command_test.rb" => {
      "the key is another one for another bundle, and begins alike; without a bundle there is one, too" => BUNDLER
    },
    "test/build_places_test.rb" => {
      "--json prints to stdout, and no file is called --" => PSYCH
    },
    "test/cli_test.rb" => {
      /\A(?:each command explains itself|a wrong command, option or argument gets one line)/ =>
        "#{PSYCH}: `warmstart init` asks for it",
      "why, status and verify know documents" => PSYCH
    },
    "test/compaction_test.rb" => {
      "code, autoloads and documents" => PSYCH
    },
    "test/configuration_test.rb" => {
      "the image is the application's whose config/boot.rb asks, Bundler's decorators of require or not" => BUNDLER
    },
    "test/debug_test.rb" => {
      "under -d: YAML" => PSYCH,
      /\Aunder -d: (?:Bundler|caches, )/ => BUNDLER
    },
    "test/exactness/observers_test.rb" => {
      "files are required under a linked folder after" => "Wine makes no link to a folder, and says that it has"
    },
    "test/exactness/own_names_test.rb" => {
      /\Aa standalone bundle, / => BUNDLER
    },
    "test/exactness/told_apart_test.rb" => {
      /Psych/ => PSYCH
    },
    "test/frozen_literals_test.rb" => {
      /\Abuild --all / => BUNDLER
    },
    "test/invalidation_test.rb" => {
      /\Aa damaged payload of a document/ => PSYCH
    },
    "test/ruby_compatibility_test.rb" => {
      /\APsych\.load_file / => PSYCH,
      /\AProbes\.exported\?/ => COMPILER
    },
    "test/start_cost_test.rb" => {
      /\A(?:files that are loaded|files that Ruby compiles|objects that are allocated)\z/ =>
        "needs the compiled library, which bin/setup --target does not make"
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

      lists(TESTS_LEFT_OUT, TESTS_LEFT_OUT_UNDER_WINE, wine?)
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
    def reason(name, wine: wine?)
      lists(LEFT_OUT, LEFT_OUT_UNDER_WINE, wine)
        .filter_map { |list| list.find { |pattern, _| File.fnmatch?(pattern, name) }&.last }
        .first
    end

    private

    def wine? = !ENV["WARMSTART_WINE"].nil?

    def lists(windows, under_wine, wine) = wine ? [windows, under_wine] : [windows]
  end
end
