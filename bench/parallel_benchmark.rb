# frozen_string_literal: true

module Benchmarks
  # Eight commands at the same time, as parallel tests and deploys run them: `bin/rails runner 1` of the Rails
  # application, production, in a control group with 4 GB (Linux, as root). A row is all eight together; if one is killed,
  # the run has failed. "by steps" is the rule for servers, which collects more often.
  class Parallel < Benchmark
    COMMANDS = 8
    LIMIT = 4 << 30 # bytes

    # Starts all, and waits for each.
    TOGETHER = <<~'SH'
      echo $$ > "$1/cgroup.procs" || exit 1
      count=$2
      shift 2
      while [ "$count" -gt 0 ]; do
        "$@" &
        processes="$processes $!"
        count=$((count - 1))
      done
      for process in $processes; do wait "$process" || exit 1; done
    SH

    def run
      app = application("rails_app")
      in_group do |group|
        together = ["sh", "-c", TOGETHER, "sh", group, COMMANDS.to_s, *app.boot_command]
        environments = {
          "plain" => app.environment("plain"),
          "bootsnap" => app.environment("bootsnap"),
          "warmstart" => app.environment("warmstart"),
          "warmstart, by steps" => app.environment("warmstart").merge("WARMSTART_GC" => "112")
        }
        variants = environments.transform_values { |env| { command: together, env: env, chdir: app.folder } }
        result(
          "#{COMMANDS} commands at once in 4 GB, production mode; memory of the largest",
          measure(variants, warmups: 2)
        )
      end
    end

    private

    # @yieldparam group [String] the folder of a new control group
    def in_group
      parent, file =
        [%w[/sys/fs/cgroup/memory memory.limit_in_bytes], %w[/sys/fs/cgroup memory.max]].find do |folder, name|
          probe = File.join(folder, "warmstart-bench-#{Process.pid}")
          Dir.mkdir(probe)
          File.exist?(File.join(probe, name)).tap { Dir.rmdir(probe) }
        rescue SystemCallError
          false
        end
      raise Unavailable, "no control group for memory can be made (root, Linux)" unless parent

      group = File.join(parent, "warmstart-bench-#{Process.pid}")
      Dir.mkdir(group)
      File.write(File.join(group, file), LIMIT.to_s)
      begin
        yield group
      ensure
        Dir.rmdir(group)
      end
    end
  end
end
