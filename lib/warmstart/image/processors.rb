# frozen_string_literal: true

require "etc"

module Warmstart
  module Image
    # How many processors this process can really use: those of its affinity, limited by the CPU quota of its control
    # groups (versions 1 and 2), which Etc.nprocessors does not know.
    # @api private
    module Processors
      module_function

      # @return [Integer] at least 1
      def count(available: Etc.nprocessors, root: "/")
        [available, quota(root)].compact.min.clamp(1, available)
      end

      # @return [Integer, nil] the processors of the quota, rounded up; nil if there is no quota. The quotas of the
      #   groups above count, too.
      def quota(root = "/")
        groups(root)
          .flat_map do |kind, group|
            base = kind == :unified ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu"
            ancestors(group).filter_map { |path| send(:"#{kind}_quota", File.join(root, base, path)) }
          end
          .min
          &.ceil
      end

      # @return [Array] [:unified, "/a/b"] or [:legacy, "/a/b"] each, from /proc/self/cgroup. In a container the path is
      #   often not visible, because the root of the mount is the group itself. So `quota` also looks at the folders
      #   above.
      def groups(root)
        File
          .readlines(File.join(root, "proc/self/cgroup"), chomp: true)
          .filter_map do |line|
            _, controllers, path = line.split(":", 3)
            next :unified, path if controllers == ""

            [:legacy, path] if controllers&.split(",")&.include?("cpu")
          end
      rescue SystemCallError
        []
      end

      def ancestors(path)
        parts = path.to_s.split("/").reject(&:empty?)
        (0..parts.size).map { |size| parts.first(size).join("/") }
      end

      def unified_quota(folder)
        limit, period = File.read(File.join(folder, "cpu.max")).split
        limit.to_f / period.to_f if limit.match?(/\A\d+\z/) && period.to_i.positive?
      rescue SystemCallError
        nil
      end

      def legacy_quota(folder)
        limit, period = %w[cpu.cfs_quota_us cpu.cfs_period_us].map { |name| File.read(File.join(folder, name)).to_i }
        limit.fdiv(period) if limit.positive? && period.positive?
      rescue SystemCallError
        nil
      end
    end
  end
end
