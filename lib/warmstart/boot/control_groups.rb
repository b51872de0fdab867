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
end
