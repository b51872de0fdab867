# frozen_string_literal: true

require_relative "control_groups"

module Warmstart
  # How much more memory this process may use: the least of what is left by its control groups (versions 1 and 2), by
  # its resource limits and by the machine (on Windows, where a system call tells, also by the job that the process is
  # in). It is read once, at setup. A file that does not exist limits nothing.
  # @api private
  module MemoryLimits
    # Version 1 writes a huge number for "no limit".
    NO_LIMIT = 1 << 60

    module_function

    # @param root [String] the folder that holds proc and sys
    # @param resources [Array<Integer>] soft limits of the process, bytes
    # @param system [Integer, nil] what a system call tells (Windows), bytes
    # @return [Integer, nil] bytes; nil if nothing tells
    def available(root: "/", resources: resource_limits, system: Native.available_memory)
      [system || machine(root), *resources, *control_groups(root)].compact.min
    end

    # What the kernel can give without swapping.
    def machine(root)
      kilobytes = text(root, "proc/meminfo")&.slice(/^MemAvailable:\s+(\d+)/, 1)
      kilobytes && (kilobytes.to_i << 10)
    end

    # The limits of address space and data. What is used already is not subtracted: it is little when a process starts.
    def resource_limits
      unless Process.respond_to?(:getrlimit) && Process.const_defined?(:RLIMIT_AS) &&
               Process.const_defined?(:RLIMIT_DATA)
        return []
      end

      [Process::RLIMIT_AS, Process::RLIMIT_DATA].map { |resource| Process.getrlimit(resource).first }
        .reject { |limit| limit >= NO_LIMIT }
    rescue SystemCallError
      []
    end

    # What each group leaves.
    def control_groups(root)
      ControlGroups
        .of(text(root, "proc/self/cgroup"), "memory")
        .filter_map do |kind, group|
          kind == :unified ? unified(root, "sys/fs/cgroup/#{group}") : legacy(root, "sys/fs/cgroup/memory/#{group}")
        end
    end

    def unified(root, folder)
      limit = [number(root, "#{folder}/memory.max"), number(root, "#{folder}/memory.high")].compact.min or return
      left(limit, number(root, "#{folder}/memory.current"), text(root, "#{folder}/memory.stat"), "inactive_file")
    end

    def legacy(root, folder)
      limit = number(root, "#{folder}/memory.limit_in_bytes") or return
      if limit < NO_LIMIT
        left(
          limit,
          number(root, "#{folder}/memory.usage_in_bytes"),
          text(root, "#{folder}/memory.stat"),
          "total_inactive_file"
        )
      end
    end

    # The kernel gives up pages of files that were not used for a while before anything else, so they count as free.
    def left(limit, used, statistics, name)
      cached = statistics.to_s[/^#{name} (\d+)/, 1].to_i
      [limit - [(used || 0) - cached, 0].max, 0].max
    end

    # @return [Integer, nil] nil: there is no number ("max")
    def number(root, path)
      text(root, path)&.slice(/\A\d+/)&.to_i
    end

    def text(root, path) = Native.kernel_text(File.join(root, path))
  end
end
