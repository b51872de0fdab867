# frozen_string_literal: true

module Warmstart
  module Profiler
    # `warmstart profile --exact`: runs the command under strace, and counts each system call for the node that was
    # current at that moment. So the calls of the dynamic linker and within the C library count, too. This costs time.
    # @api private
    class Exact
      # A line of `strace -ttt`: the time, the call, its arguments, its result.
      LINE = /\A(\d+)\.(\d{6}) (\w+)\((.*)\)\s+= (-?\d+|0x\h+|\?)/

      OTHERS =
        /\A(access|faccessat2?|chdir|getcwd|(mk|rm)dir|mkdirat|(un|sym)?link(at)?|rename(at2?)?|chmod|fchmodat|getdents(64)?)\z/

      # The profiler itself reads the process's memory from this file; these calls do not count.
      OWN = "/proc/self/statm"
      OWN_SIZE = 63

      # @return [String, nil] why strace cannot be used here; nil: it can
      def self.problem
        case system("strace", "-qq", "-o", File::NULL, "true", out: File::NULL, err: File::NULL)
        when nil
          "there is no strace (install it, or leave --exact out: the interposer counts)"
        when false
          "strace may not trace here (see its message; a container may need the capability SYS_PTRACE)"
        end
      end

      # @param folder [String] the folder of the recording
      def initialize(folder)
        @output = File.join(folder, "trace")
        @folder = folder
        # (strace writes times of the wall clock)
        @offset =
          Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) -
            Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      end

      # @return [Array<String>] the words to be put before the command
      def prefix = %w[strace -ff -qq -ttt -s 128 -e trace=%file,%desc,%process -e signal=none -o] + [@output, "--"]

      # @param recording [Recording] its nodes get the counts
      def count_into(recording)
        counts = Hash.new { |hash, id| hash[id] = Hash.new(0) }
        main = recording.nodes.select { |node| node["thread"].zero? }
        threads(recording.pid).each do |tid|
          owners = tid == recording.pid ? Owners.new(main, recording.started_ns) : nil
          each_call(tid) { |time, call| count(counts[owners ? owners.at(time) : 0], *call) }
        end
        recording.replace_calls(counts)
      end

      # Finds the innermost node at a moment; each moment must be later than the one before.
      class Owners
        def initialize(nodes, started_ns)
          @nodes = nodes
          @started_ns = started_ns
          @next = 0
          @open = []
        end

        # @return [Integer] the node's id
        def at(time)
          time -= @started_ns
          while (node = @nodes[@next]) && node["start_ns"] <= time
            @open.pop while @open.any? && @open.last["end_ns"] <= node["start_ns"]
            @open << node
            @next += 1
          end
          @open.pop while @open.size > 1 && @open.last["end_ns"] <= time
          @open.last ? @open.last["id"] : 0
        end
      end

      private

      # The ids of the process's threads: strace writes a file for each.
      def threads(pid)
        found = [pid]
        found.each do |tid|
          next unless File.file?("#{@output}.#{tid}")

          File.foreach("#{@output}.#{tid}", encoding: Encoding::BINARY) do |line|
            found << Regexp.last_match(1).to_i if line.match(/ clone3?\(.*CLONE_THREAD.*\)\s+= (\d+)/)
          end
        end
      end

      # Yields (time in ns of CLOCK_MONOTONIC, [call, arguments, result]).
      def each_call(tid)
        own = nil
        File.foreach("#{@output}.#{tid}", encoding: Encoding::BINARY) do |line|
          match = line.match(LINE) or next
          call, arguments, result = match[3], match[4], match[5].to_i
          if arguments.include?(OWN)
            own = result
          elsif own && call == "read" && arguments.start_with?("#{own},") && arguments.end_with?(", #{OWN_SIZE}")
            own = nil
          elsif !arguments.include?(@folder)
            yield (match[1].to_i * 1_000_000_000) + (match[2].to_i * 1000) - @offset, [call, arguments, result]
          end
        end
      rescue Errno::ENOENT
        nil
      end

      def count(counts, call, arguments, result)
        failed = result.negative?
        case call
        when "open", "openat", "creat", "openat2"
          listed = arguments.include?("O_DIRECTORY") && !failed
          listed ? counts["list"] += 1 : add(counts, "open", failed)
        when /\A(new)?[fl]?stat(at|x|64|at64)?\z/
          add(counts, "stat", failed)
        when "readlink", "readlinkat"
          add(counts, "readlink", failed)
        when "read", "pread64"
          count_read(counts, arguments, result, call == "read")
        when "mmap"
          counts["mmap"] += 1 unless arguments.match?(/, -1, 0\z/)
        when OTHERS
          counts["other_calls"] += 1
        end
      end

      def add(counts, name, failed)
        counts[name] += 1
        counts["#{name}_failed"] += 1 if failed
      end

      def count_read(counts, arguments, result, plain)
        size = arguments[plain ? /, (\d+)\z/ : /, (\d+), \d+\z/, 1].to_i
        counts["read"] += 1
        counts["read_bytes"] += result if result.positive?
        limit = [16, 512, 4096].find { |most| size <= most }
        counts[limit ? "reads_to_#{limit}" : "reads_over_4096"] += 1
      end
    end
  end
end
