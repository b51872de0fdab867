# frozen_string_literal: true

require_relative "yaml_text"

module Warmstart
  module CLI
    class Init < Command
      # The text of a workflow of GitHub Actions, with and without the steps that keep the image between runs
      # (docs/deploying.md says why they are as they are). They belong after the step that installs the gems, because
      # they ask the gem for the key, and only into jobs that boot the application.
      # @api private
      module Workflow
        STEPS = <<~YAML
          # Keeps Warmstart's boot image between runs (written by: warmstart init).
          - name: Find the boot image's key
            id: warmstart
            run: |
              echo "WARMSTART_CACHE_DIR=$HOME/warmstart" >> "$GITHUB_ENV"
              echo "key=$(bundle exec warmstart key)" >> "$GITHUB_OUTPUT"
              echo "prefix=$(bundle exec warmstart key --prefix)" >> "$GITHUB_OUTPUT"
          - name: Keep the boot image
            uses: actions/cache@v4
            with:
              path: ~/warmstart
              key: ${{ github.job }}-${{ steps.warmstart.outputs.key }}-${{ github.sha }}
              restore-keys: |
                ${{ github.job }}-${{ steps.warmstart.outputs.key }}-
                ${{ github.job }}-${{ steps.warmstart.outputs.prefix }}
        YAML
        SECOND = /^(?=- name: Keep)/
        # A tool may have written a newer version of the action meanwhile.
        LINES = STEPS.lines(chomp: true).map { |line| Regexp.escape(line).sub("cache@v4", "cache@[^\\r\\n]*") }
        WRITTEN = /(?:^\r?\n)?^([ \t]*)#{LINES.join("(?:\\r?\\n)+\\1")}\r?(?:\n|\z)/
        BOOTS = %r{\b(?:bin/|exec +)(?:rails|rake|rspec|cucumber|importmap|ci)\b}
        BY_HAND =
          "it is not certain where all gems are installed; put the steps of docs/deploying.md after that by hand"

        module_function

        # @param doubts [Array<String>] gets what has to be done by hand
        # @return [String]
        def add(text, doubts)
          return text if text.match?(/warmstart/i) || !text.include?("ruby/setup-ruby@")

          yaml = YamlText.new(text)
          jobs = yaml.pairs(yaml.at("jobs")).reverse
          doubtful = jobs.reject { |name, job| sure?(yaml, name, job) }.map(&:first).reverse
          doubts << "#{BY_HAND} (#{doubtful.join(", ")})" if doubtful.any?
          yaml.text
        rescue Psych::Exception
          doubts << BY_HAND
          text
        end

        # @return [String]
        def remove(text) = text.gsub(WRITTEN, "")

        # Puts the steps in where they belong. (From the last job to the first, so that the places stay true.)
        # @return [Boolean] false: in doubt
        def sure?(yaml, name, job)
          steps = yaml.at("steps", node: job)
          return true unless steps.is_a?(Psych::Nodes::Sequence)

          number = steps.children.index { |step| yaml.word("uses", node: step).start_with?("ruby/setup-ruby@") } or
            return true
          step, *later = steps.children.drop(number)
          return true if later.none? { |other| yaml.word("run", node: other).match?(BOOTS) }
          return false unless yaml.block?(steps) && certain?(yaml, job, step)

          line = yaml.after(step)
          blank = yaml.text.lines[line].to_s.strip.empty? ? "\n" : ""
          yaml.insert(line, blank + STEPS.sub(SECOND, blank), steps.start_column) do |data|
            data.dig("jobs", name, "steps")&.insert(number + 1, *Psych.safe_load(STEPS))
          end
        end

        # Whether all gems are installed after this step, always, in the folder where the next ones run, which a POSIX
        # shell reads.
        def certain?(yaml, job, step)
          yaml.word("with", "bundler-cache", node: step) == "true" &&
            !yaml.at("with", "working-directory", node: step) && !yaml.at("if", node: step) &&
            !yaml.text.lines[job.start_line..job.end_line].join.match?(/windows/i)
        end
      end
    end
  end
end
