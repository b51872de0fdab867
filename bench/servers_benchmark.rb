# frozen_string_literal: true

require_relative "first_answer"

module Benchmarks
  # A server in production whose master loads the application and then forks two workers (Puma): CPU and wall time until
  # its first answer, and the memory of all three processes one minute later. A page that they share counts once
  # (proportional set size).
  class Servers < Benchmark
    VARIANTS = ["plain", "bootsnap", "warmstart", *Examples::TZINFO_VARIANTS].freeze
    WORKERS = 2
    REST = 60 # seconds

    # The memory of a server and its workers, after a rest.
    class AfterRest < FirstAnswer
      private

      def memory(pid)
        sleep(REST)
        [pid, *children(pid)].sum { |process| proportional(process) }
      end

      # (The second field behind the program's name is the parent.)
      def children(pid)
        Dir["/proc/[0-9]*/stat"].filter_map do |path|
          path[/\d+/].to_i if File.read(path).rpartition(")").last.split[1].to_i == pid
        rescue SystemCallError
          nil
        end
      end

      def proportional(pid) = File.read("/proc/#{pid}/smaps_rollup")[/^Pss:\s+(\d+)/, 1].to_i << 10
    end

    def run
      unless File.exist?("/proc/self/smaps_rollup")
        raise Unavailable, "a server is measured by /proc, which this system does not have"
      end

      apps = [application("rails_app"), Examples["shop"]].select(&:set_up?)
      grouped(
        "a server with #{WORKERS} workers, production mode; memory one minute after the first answer",
        apps.to_h { |app| [app.name, servers(app)] }
      )
    end

    private

    # (What warms up need not rest. Three times: the image records, learns the size of the boot, and is used.)
    def servers(app)
      measure(VARIANTS.to_h { |name| [name, server(app, name, FirstAnswer)] }, runs: 1, warmups: 2)
      measure(VARIANTS.to_h { |name| [name, server(app, name, AfterRest)] }, warmups: 0)
    end

    def server(app, name, taking)
      {
        command: app.server_command(port: 0),
        env: app.environment(name).merge("WEB_CONCURRENCY" => WORKERS.to_s),
        chdir: app.folder,
        take: taking.new(app, "/up")
      }
    end
  end
end
