# frozen_string_literal: true

require "etc"
require_relative "../boot/memory_limits"

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
        ControlGroups
          .of(text(root), "cpu")
          .filter_map do |kind, group|
            if kind == :unified
              unified_quota(File.join(root, "sys/fs/cgroup", group))
            else
              legacy_quota(File.join(root, "sys/fs/cgroup/cpu", group))
            end
          end
          .min
          &.ceil
      end

      def text(root)
        File.read(File.join(root, "proc/self/cgroup"))
      rescue SystemCallError
        nil
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
