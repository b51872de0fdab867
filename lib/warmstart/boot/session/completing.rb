# frozen_string_literal: true

module Warmstart
  # What is done while the program boots, and where its boot ends.
  # @api private
  class Session
    # Rails is ready. As boot_complete!, but the index stays in use and the collector is postponed until a pause (or more
    # growth): what the command or the first request needs is still to be loaded. A command that ends now never collects.
    # A server that forks its workers now is prepared for that (GCGovernor#serve).
    # @param serves [Boolean] whether the process is a server, as far as is known
    # @param all [Boolean] whether the application has loaded all of its code
    def application_ready(serves: false, all: false)
      @has_all ||= all
      Failsafe.run("the end of the boot") do
        @governor&.land(serves: serves)
        next if Native.complete?

        request_commit
        know_gems
        Native.ready!
      end
    end

    # A server's application is built.
    def server_ready = application_ready(serves: true)

    # A server begins to serve in this very process, and so forks no workers.
    def server_begins
      server_ready
      Native.undefine_fork
      leave
    end

    # A server of jobs begins, and forks for them.
    def forking_server_begins
      server_begins
      children_begin
    end

    # The process is about to fork children.
    def children_begin = @governor&.share_heap

    # A server forks its first worker, which means that the boot is complete, unless the workers boot.
    def fork_ready
      @governor&.land(serves: true)
      return if @boots_in_workers

      boot_complete!
      leave
    end

    # The boot is over, at once: writes in the background what it recorded, and stops using the index (a running program
    # may write files anywhere). When an application is only ready, it lands: see application_ready.
    def boot_complete!
      Failsafe.run("the end of the boot") do
        @governor&.finish
        complete
      end
    end

    # A test runner has loaded all tests: the boot is complete. But the first tests create much that is kept (database
    # schemas, translations), and many runs end soon after them. So the collector works as usual only after a little
    # more growth, or a pause.
    def tests_begin
      Failsafe.run("the end of the boot") do
        @governor&.land
        complete
      end
    end

    # rake has loaded its Rakefile. What its tasks load is found by the index and recorded as before; only the collector
    # soon works as usual. But if a task is about to start a Rails application, Rails tells when that is ready.
    def tasks_begin
      @governor&.land unless defined?(::Rails::Application)
      Standby.pass("tasks") if @standby
    end

    # Puma is about to fork its workers. If it has not loaded the application (preload_app!), they do that, and the boot
    # goes on in each of them.
    # @param cluster [Puma::Cluster]
    def workers_begin(cluster)
      @boots_in_workers = !cluster.preload?
    end

    # One of the workers records what they all load.
    # @param worker [Puma::Cluster::Worker]
    def worker_begins(worker)
      start_recording if @boots_in_workers && worker.index.zero? && may_record? && !Native.complete?
    end

    private

    # The server has loaded all of its code. From here on the process is plain Ruby: only the constant stays, and what
    # is to be written at the end of the program. (Where literals are to be frozen, that holds for each later file, too.)
    def leave
      return if !@has_all || @plain_again || configuration.frozen_string_literals

      Failsafe.run("the end of the boot") do
        boot_sizes # (before the image is closed)
        boot_complete!
        uninstall
        @plain_again = Native.close_image # (false: code is being loaded just now. The next such moment tries again.)
        Native.log("the application has loaded all of its code: everything is Ruby's own again") if @plain_again
      end
    end

    # From here on nothing is kept in mind of what a name means, so File.rename, File.symlink and File.link are Ruby's
    # again. (The other methods stay Warmstart's: a test, or the first request, reads translations by IO.open, and an exec
    # has to wait until the recording is written.)
    def complete
      request_commit unless Native.complete?
      know_gems
      Native.complete!
      Native.stop_watching_names
    end

    # Tells Warmstart the folders of gems, to which the program's users do not write: documents in them are recorded even
    # after the boot (documents.c, is_worth_keeping). The folders are not asked for if
    # RubyGems' own path is not loaded: then no gem is in use, and asking would load a file of RubyGems that the
    # program has not loaded.
    def know_gems
      return unless defined?(::Gem) && ::Gem.respond_to?(:path) && !::Gem.autoload?(:PathSupport)

      Native.lasting_folders =
        ::Gem.path.flat_map { |folder| [File.join(folder, "gems", ""), File.join(folder, "bundler", "gems", "")] }
    end
  end
end
