# frozen_string_literal: true

module Warmstart
  # The control groups (versions 1 and 2) of this process.
  # @api private
  module ControlGroups
    module_function

    # In a container a group's path is often not visible, because the root of the mount is the group itself. So the
    # folders above count, too.
    # @param text [String, nil] /proc/self/cgroup
    # @param controller [String] the controller of version 1 that is wanted, as "memory"
    # @return [Array<Array(Symbol, String)>] :unified or :legacy, and a group's path below the mount, for each group and
    #   those above it
    def of(text, controller)
      (text || "")
        .lines(chomp: true)
        .flat_map do |line|
          _, controllers, path = line.split(":", 3)
          if controllers == ""
            ancestors(path).map { |group| [:unified, group] }
          elsif controllers&.split(",")&.include?(controller)
            ancestors(path).map { |group| [:legacy, group] }
          else
            []
          end
        end
    end

    def ancestors(path)
      parts = path.to_s.split("/").reject(&:empty?)
      (0..parts.size).map { |size| parts.first(size).join("/") }
    end
  end

  # How much more memory this process may use: the least of what is left by its control groups (versions 1 and 2), by
  # its resource limits and by the machine (on Windows, where a system call tells, also by the job that the process is
  # in). A file that does not exist limits nothing.
  # @api private
  module MemoryLimits
    # Version 1 writes a huge number for "no limit".
    NO_LIMIT = 1 << 60

    module_function

    # Of the last ten seconds, the share in percent in which some process waited for memory (PSI), from which on memory is
    # short.
    PRESSURE = 5.0

    # Bytes. A boot with an image takes some 60 MB more of the address space than in plain Ruby, because the image is
    # mapped, and a command may grow by half as much again. Where the resource limits leave less than this, a program
    # that plain Ruby just has room for might not end well.
    LEAST_LEFT = 1 << 30

    # @param root [String] the folder that holds proc and sys
    # @param resources [Array<Integer>] what the soft limits of the process leave, bytes
    # @param system [Integer, nil] what a system call tells (Windows), bytes
    # @return [Integer, nil] bytes; nil if nothing tells. The extension can ask again for the same files.
    def available(root: "/", resources: resource_limits, system: Native.available_memory)
      Native.memory_limits = [File.join(root, "proc/meminfo"), *control_groups(root)]
      [system, Native.memory_left, *resources].compact.min
    end

    # Whether processes of the machine wait for memory. (Those of this process's own group are among them.)
    def pressed?(root: "/")
      text(root, "proc/pressure/memory").to_s[/^some avg10=([\d.]+)/, 1].to_f >= PRESSURE
    end

    # What the limits of address space and data leave. Of its address space a process uses much from the start: an empty
    # program of Ruby 3.4 450 MB. (Where /proc does not tell how much, the limit itself.)
    def resource_limits
      unless Process.respond_to?(:getrlimit) && Process.const_defined?(:RLIMIT_AS) &&
               Process.const_defined?(:RLIMIT_DATA)
        return []
      end

      { Process::RLIMIT_AS => "VmSize", Process::RLIMIT_DATA => "VmData" }.filter_map do |resource, name|
        limit = Process.getrlimit(resource).first
        [limit - used(name), 0].max if limit < NO_LIMIT
      end
    rescue SystemCallError
      []
    end

    # @param name [String] a line of /proc/self/status
    # @return [Integer] bytes
    def used(name) = text("/", "proc/self/status").to_s[/^#{name}:\s*(\d+)/, 1].to_i << 10

    # @return [Array<Array(Integer, String, String, String)>] of each group that has a limit: the limit, the file that
    #   tells the use, the one with statistics, and the name there of what the kernel gives up before anything else
    def control_groups(root)
      ControlGroups
        .of(text(root, "proc/self/cgroup"), "memory")
        .filter_map do |kind, group|
          kind == :unified ? unified(root, "sys/fs/cgroup/#{group}") : legacy(root, "sys/fs/cgroup/memory/#{group}")
        end
    end

    def unified(root, folder)
      limit = [number(root, "#{folder}/memory.max"), number(root, "#{folder}/memory.high")].compact.min or return
      folder = File.join(root, folder)
      [limit, "#{folder}/memory.current", "#{folder}/memory.stat", "inactive_file"]
    end

    def legacy(root, folder)
      limit = number(root, "#{folder}/memory.limit_in_bytes") or return
      return if limit >= NO_LIMIT

      folder = File.join(root, folder)
      [limit, "#{folder}/memory.usage_in_bytes", "#{folder}/memory.stat", "total_inactive_file"]
    end

    # @return [Integer, nil] nil: there is no number ("max")
    def number(root, path)
      text(root, path)&.slice(/\A\d+/)&.to_i
    end

    def text(root, path) = Native.kernel_text(File.join(root, path))
  end
end
