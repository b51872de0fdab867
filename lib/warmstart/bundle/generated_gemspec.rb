# frozen_string_literal: true

module Warmstart
  module Bundle
    # The form in which RubyGems writes the gemspec of a gem that it installs (Gem::Specification#to_ruby).
    # @api private
    module GeneratedGemspec
      STRING = /"(?:[^"\\#]|\\.|#(?![{$@]))*"|%q<[^<>\\]*>|'[^'\\]*'/n
      PLAIN =
        /\.freeze\b|\b(?:true|false|nil)\b|\d+(?:\.\d+)*|:\w+|Gem::(?:Requirement|Version|Platform)\.new\b|=>|>=|[\[\]{}(),\s]/n
      CONDITION = /\s*if s\.respond_to\? ?\(?:\w+=?\)?/n
      TOLD = /\A\s*s\.(?:\w+ = |add_\w*dependency\b)(?:#{STRING}|#{PLAIN})+(?:#{CONDITION})?\s*\z/n
      # (In another encoding a quotation mark or backslash may be a part of a character, and so end a String elsewhere.)
      FRAME =
        /\A\s*(?:#(?!.*coding[:=](?!\s*utf-8\b)).*|Gem::Specification\.new do \|s\||end|else|if s\.respond_to\? :\w+ then|if Gem::Version\.new\(Gem::VERSION\) >= Gem::Version\.new\('[\d.]+'\) then|)\s*\z/n

      # @param text [String] bytes of a gemspec
      def self.is?(text) = text.each_line(chomp: true).all? { |line| line.match?(TOLD) || line.match?(FRAME) }
    end
  end
end
