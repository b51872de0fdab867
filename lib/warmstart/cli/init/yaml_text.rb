# frozen_string_literal: true

require "psych"

require_relative "boot_file"

module Warmstart
  module CLI
    class Init < Command
      # A YAML file as text. Psych only says where something stands: it would write the file without its comments. Lines
      # are put in, and stay only if Psych then reads what was meant, and nothing else has changed.
      # @api private
      class YamlText
        attr_reader :text

        def initialize(text)
          @text = text
        end

        # @return [Psych::Nodes::Node, nil] the value under these keys
        def at(*keys, node: root)
          keys.inject(node) { |found, key| pairs(found).find { |name, _| name == key }&.last }
        end

        # @return [Array<Array(String, Psych::Nodes::Node)>]
        def pairs(node)
          return [] unless node.is_a?(Psych::Nodes::Mapping)

          node.children.each_slice(2).filter_map { |key, value| [key.value, value] if key.is_a?(Psych::Nodes::Scalar) }
        end

        # Whether this node's children stand in lines of their own.
        def block?(node)
          [Psych::Nodes::Mapping, Psych::Nodes::Sequence].include?(node.class) && node.children.any? &&
            node.style == node.class::BLOCK
        end

        # @return [String] the scalar under these keys; "" if there is none
        def word(*keys, node:)
          found = at(*keys, node: node)
          found.is_a?(Psych::Nodes::Scalar) ? found.value : ""
        end

        # @return [Integer] the line after the last one of this node
        def after(node) = node.children&.any? ? after(node.children.last) : node.end_line + 1

        # @param added [String] lines
        # @yieldparam [Object] what the text says now; the block makes of it what the text shall say
        # @return [Boolean] false: the text says something else then, so it stays
        def insert(line, added, indent = 0)
          added = added.gsub(/^(?=[^\r\n])/, " " * indent).gsub("\n", BootFile.newline(@text))
          longer = @text.lines.insert(line, added).join
          return false unless load(longer) == load(@text).tap { |data| yield data }

          @root = nil
          @text = longer
          true
        rescue Psych::Exception
          false
        end

        private

        def root = @root ||= Psych.parse(@text)&.root
        def load(text) = Psych.safe_load(text, aliases: true)
      end
    end
  end
end
