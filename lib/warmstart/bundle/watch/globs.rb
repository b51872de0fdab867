# frozen_string_literal: true

module Warmstart
  module Bundle
    class Watch
      # The answer of a glob depends on the names in the folders that it walks through: so these lists of names are
      # compared. (It does no harm to compare more folders than the glob enters, so patterns are not interpreted
      # exactly.)
      # @api private
      class Globs
        MAXIMUM = 3000
        MAGIC = /[*?\[{\\]/

        def initialize(watch)
          @watch = watch
          @seen = {}
        end

        # @param patterns [Array] the arguments of Dir.glob or Dir.[], flattened
        def note(patterns, keywords)
          @hidden =
            patterns.any?(Integer) || keywords.key?(:flags) ||
              patterns.any? { |pattern| pattern.to_s.match?(/(?:\A|[{,\[\\]|\/)\./) }
          patterns =
            patterns.grep_v(Integer).map { |pattern| pattern.respond_to?(:to_path) ? pattern.to_path : pattern.to_s }
          patterns.flat_map { |pattern| braces(pattern) }.each { |pattern| walk(pattern, keywords[:base]) }
        end

        private

        # "{a,b/c}/*" -> "a/*", "b/c/*". Nested or escaped braces are left; they count as magic.
        def braces(pattern)
          match = pattern.match(/\{([^{}\\]*)\}/) or return [pattern]
          return [pattern] if match.pre_match.end_with?("\\")

          match[1].split(",", -1).flat_map { |choice| braces(match.pre_match + choice + match.post_match) }
        end

        def walk(pattern, base)
          base = base.respond_to?(:to_path) ? base.to_path : base
          parts = pattern.split("/", -1)
          fixed = parts.take_while { |part| !part.match?(MAGIC) }
          rest = parts.drop(fixed.size)
          path =
            File.join(
              *[base && !pattern.start_with?("/") ? base : nil, fixed.join("/")].compact.reject do |part|
                part == "" && !pattern.start_with?("/")
              end
            )
          path = "/" if path.empty? && pattern.start_with?("/")
          path = "." if path.empty?
          return @watch.presence(path) if rest.empty?

          depth = rest.any? { |part| part.include?("**") || part.match?(/[{\\]/) } ? nil : rest.size
          enter(File.expand_path(path), depth)
        end

        # depth: how many levels of names are compared; nil: all.
        def enter(folder, depth)
          return if @seen[folder] || depth&.zero?
          return @watch.refuse("a glob walks through more than #{MAXIMUM} folders") if @seen.size >= MAXIMUM

          @seen[folder] = true
          @watch.file(folder)
          return unless File.directory?(folder) && depth != 1

          Dir.each_child(folder) do |name|
            path = File.join(folder, name)
            enter(path, depth && (depth - 1)) if (@hidden || !name.start_with?(".")) && File.directory?(path)
          end
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
