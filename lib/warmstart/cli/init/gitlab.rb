# frozen_string_literal: true

require_relative "yaml_text"

module Warmstart
  module CLI
    class Init < Command
      # The text of .gitlab-ci.yml, with and without the lines that keep the image between jobs (docs/deploying.md says
      # why they are as they are).
      # @api private
      module Gitlab
        FOLDER = "tmp/cache/warmstart"
        MARK = " # written by: warmstart init"
        VARIABLE = "WARMSTART_CACHE_DIR: $CI_PROJECT_DIR/#{FOLDER}".freeze
        ENTRY = "- { key: warmstart-$CI_JOB_NAME_SLUG, paths: [#{FOLDER}] }".freeze
        PATH = "- #{FOLDER}".freeze
        LINES = [VARIABLE, ENTRY, PATH].map { |line| Regexp.escape(line) }
        WRITTEN = /^[ \t]*(?:#{LINES.join("|")})#{MARK}\r?\n/
        # A key at the file's end, when nothing is left below it.
        KEY = /^\r?\n(?:variables|cache):#{MARK}\r?\n(?![ \t])/
        RUBY = /\b(?:bundle|rails|rake|rspec)\b/

        module_function

        # @param doubts [Array<String>] gets what has to be done by hand
        # @return [String]
        def add(text, doubts)
          return text if text.match?(/warmstart/i) || !text.match?(RUBY)

          yaml = YamlText.new(text)
          cache = yaml.at("default", "cache") ? %w[default cache] : %w[cache]
          cache << "paths" if yaml.at(*cache, "paths")
          sure =
            add_first?(yaml, ["variables"], VARIABLE) && add_first?(yaml, cache, cache.include?("paths") ? PATH : ENTRY)
          own = yaml.pairs(yaml.at).select { |name, job| name != "default" && yaml.at("cache", node: job) }.map(&:first)
          doubts << "it is not certain what is kept; set #{VARIABLE} and keep #{FOLDER} by hand" unless sure
          doubts << "put #{FOLDER} into the cache of #{own.join(", ")}, too, by hand" if sure && own.any?
          sure ? yaml.text : text
        rescue Psych::Exception
          doubts << "it cannot be read; set #{VARIABLE} and keep #{FOLDER} by hand"
          text
        end

        # @return [String]
        def remove(text) = text.gsub(WRITTEN, "").gsub(KEY, "")

        # Puts a line before the first one below these keys; where there is none yet, both at the end.
        # @return [Boolean] false: in doubt
        def add_first?(yaml, keys, line)
          node = yaml.at(*keys)
          return false if node ? !yaml.block?(node) : !yaml.text.end_with?("\n")

          place = node ? node.start_line : -1
          yaml.insert(
            place,
            "#{"\n#{keys.last}:#{MARK}\n  " unless node}#{line}#{MARK}\n",
            node ? node.start_column : 0
          ) do |data|
            added = Psych.safe_load(line)
            there = data.dig(*keys)
            next data[keys.last] = added unless there

            there.is_a?(Array) ? there.unshift(*added) : there.update(added)
          end
        end
      end
    end
  end
end
