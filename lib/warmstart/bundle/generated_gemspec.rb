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

      EXECUTABLES = /^  s\.executables = \[(.*?)\](?:\.freeze)?$/n
      BINDIR = /^  s\.bindir = (#{STRING})/n

      # @param text [String] bytes of such a gemspec
      # @return [Array(Array<String>, String), nil] what it says of the gem's programs; nil: in another form
      def self.programs(text)
        names, folder = [text[EXECUTABLES, 1].to_s.scan(STRING), text.scan(BINDIR).flatten]
        return unless [*names, *folder].all? { |word| word.match?(/\A"[\w.+-]*"\z/n) }

        [names.map { |word| word[1..-2] }, (folder.first || '"bin"')[1..-2]]
      end

      # @param text [String] bytes of a gemspec
      def self.is?(text) = text.each_line(chomp: true).all? { |line| line.match?(TOLD) || line.match?(FRAME) }
    end
  end
end
