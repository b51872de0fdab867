# frozen_string_literal: true

require_relative "command"
require_relative "../image/application"
require_relative "../image/inspector"
require_relative "../image/reasons"
require_relative "../standby_client"

module Warmstart
  module CLI
    # `warmstart why`: tells whether a file would come from the image now, and why (not). For a feature's name it first
    # tells what the load-path index answers under the application's own $LOAD_PATH. The exit status is 0 if the file
    # would come from the image.
    # @api private
    class Why < Command
      USAGE = "[OPTIONS] FILE|FEATURE, or --standby [--json] -- COMMAND"
      ABOUT = <<~TEXT
        Says whether FILE would come from the image if it were loaded now, and why. For a FEATURE, as `require` is given it, also
        how it would be found. FILE: an existing file, or a name that begins with / . or ~

        With --standby: whether COMMAND, typed as it is here, would come from its standby now (docs/standby.md), and why not.
      TEXT

      private

      def define(parser)
        define_target(parser)
        parser.on("--standby", "about a standby: --standby -- COMMAND")
        parser.on("--json", "as JSON")
      end

      def execute(rest)
        return explain_command(rest) if @options[:standby]

        usage_error("give one file or feature") unless rest.size == 1
        need_extension
        @image = Image::Inspector.new(target.directory, **target.trust)
        facts = path?(rest.first) ? explain_file(FileNames.expand(rest.first)) : explain_feature(rest.first)
        @options[:json] ? print_json(facts) : print_text(facts)
        facts[:served] ? 0 : 1
      rescue Image::Application::Failed => error
        raise Error, error.message
      end

      # The client tells it, in the environment in which the user types the command (bundle exec has changed this one).
      def explain_command(command)
        usage_error("give a command") if command.empty?

        environment = defined?(::Bundler) ? ::Bundler.original_env : ENV.to_h
        arguments = ["--why", *("--json" if @options[:json]), "--", *command]
        StandbyClient.tell(*arguments, environment: environment, unsetenv_others: true) ? 0 : 1
      end

      def path?(name) = name.b.match?(%r{\A[/.~]}) || File.file?(name)

      # ---- a feature ----

      def explain_feature(feature)
        answer =
          Image::Application.ask(target.gemfile, root: target.root, feature: feature, directory: target.directory)
        settings = target.configuration
        kind, found = settings.enabled && settings.search ? answer.fetch(:answer) : [:index_off, nil]
        by_index = !found.nil?
        found ||= search(feature, answer.fetch(:load_path))
        kind = :found if by_index
        {
          feature: feature,
          by_index: by_index,
          search: kind,
          search_explanation: Image::Reasons.explain(kind),
          path: found,
          **explain_found(found)
        }
      end

      def explain_found(path)
        return verdict(path, false, :unfound) unless path

        path.end_with?(".rb") ? explain_file(path) : verdict(path, false, :library)
      end

      # Searches as Ruby does: for each extension in each entry.
      def search(feature, load_path)
        stem = feature.delete_suffix(".rb")
        [".rb", ".#{Location.library_extension}"].each do |extension|
          found = load_path.map { |entry| File.join(entry, stem + extension) }.find { |path| File.file?(path) }
          return File.join(File.realpath(found.delete_suffix("/#{stem}#{extension}")), stem + extension) if found
        end
        nil
      end

      # ---- a file ----

      def explain_file(path)
        return verdict(path, false, :off) unless target.configuration.enabled
        return no_image(path) if @image.problem

        entry = @image.find(path)
        documents = entry ? [] : @image.documents.select { |document| document.fetch(:path) == path }
        return explain_documents(path, documents) if documents.any?

        path, entry = real_entry(path) unless entry
        return verdict(path, false, File.file?(path) ? :not_recorded : :gone) unless entry

        judge(path, entry)
      end

      # A file is a separate document for each way in which it was loaded (method, options). The answer is that of the
      # first one that the image does not serve.
      def explain_documents(path, documents)
        each =
          documents.map do |document|
            { call: document.fetch(:document), **explain_document(document).slice(:served, :reason, :explanation) }
          end
        (each.find { |facts| !facts[:served] } || each.first).slice(:served, :reason, :explanation).merge(
          path: path,
          documents: each
        )
      end

      def explain_document(document)
        key = document.fetch(:key)
        judged = judge(key, document)
        kind = @image.document_kind(key) if judged[:served]
        judged[:served] && kind != :stored ? verdict(key, false, kind || :refused, document) : judged
      end

      def no_image(path)
        {
          path: path,
          served: false,
          reason: @image.problem,
          explanation: "there is no image to use: #{@image.message}: #{Image::Reasons.explain(@image.problem)}"
        }
      end

      # If a path leads through a symlink, the image has the path by which Ruby loads the file, most often the realpath.
      def real_entry(path)
        real = File.realpath(path)
        [real, @image.find(real)]
      rescue SystemCallError
        [path, nil]
      end

      # The same steps as in ruby/code/judgement.c (ws_judge; then ws_payload), at the warning level of this process. What
      # only the program knows is left out: how it wants its literals, in which encoding it names the file (WS_ENTRY_KIND),
      # and what else changes how Ruby compiles (ws_compiling_differs).
      def judge(path, entry)
        part = entry.fetch(:document) ? :documents : :code
        return verdict(path, false, :"#{part}_off", entry) unless target.configuration.public_send(part)
        return verdict(path, false, :warnings, entry) unless entry.fetch(:document) || @image.silent?(entry)

        state, reason = sealed? ? :sealed : @image.freshness(path)
        state = :not_compared if state == :same_content && !target.configuration.revalidate
        served = %i[sealed fresh same_content].include?(state)
        if served
          problem = entry.fetch(:hints).include?(:encoded) ? :encoding : @image.damaged_entry(path)
          return verdict(path, false, problem, entry) if problem
        end
        verdict(path, served, reason || state, entry, COMPARED[state])
      end

      def sealed? = @image.manifest.fetch(:sealed) && target.configuration.mode != :checked

      EXPLANATIONS = {
        sealed: "the image is sealed: its files are believed as they were when it was built",
        fresh: "the file is as it was recorded",
        off: "Warmstart is off (WARMSTART=0)",
        code_off: "no code is taken from the image (WARMSTART_CODE=0)",
        documents_off: "no document is taken from the image (WARMSTART_DOCUMENTS=0)",
        library: "a compiled library: Ruby loads it itself",
        unfound: "no entry of $LOAD_PATH holds it"
      }.freeze

      # What is added to a reason for which the contents are compared.
      COMPARED = {
        same_content: ": it is the same, so the image serves, after a read",
        other_content: ": it is another",
        not_compared: " (but not here: WARMSTART_REVALIDATE=0)"
      }.freeze

      def verdict(path, served, reason, entry = nil, compared = nil)
        {
          path: path,
          served: served,
          reason: reason,
          explanation: "#{EXPLANATIONS[reason] || Image::Reasons.explain(reason)}#{compared}",
          warnings: (warnings(entry) if served),
          entry: entry
        }.compact
      end

      # At which warning levels the image does not serve an entry that it serves at this one.
      def warnings(entry)
        return if entry.nil? || entry.fetch(:document)

        verbose = entry.fetch(:warning_level) & 0xff
        return "the file warns when it is compiled; it is served only where warnings are off (-W0)" if verbose.zero?

        "with -w, or more Warning categories than when it was recorded, Ruby compiles it itself" if verbose < 2
      end

      def print_text(facts)
        if facts[:feature]
          searched = "Ruby searches (#{facts[:search]}): #{facts[:search_explanation]}"
          puts "#{facts[:feature]}: #{facts[:by_index] ? "the index answers without a search" : searched}"
        end
        puts "#{facts[:path] || facts[:feature]}: #{facts[:served] ? "from the image" : "not from the image"} " \
               "(#{facts[:reason]}): #{facts[:explanation]}"
        puts "  #{facts[:warnings]}" if facts[:warnings]
        facts
          .fetch(:documents, [])
          .each do |document|
            puts "  #{document[:call]}: #{document[:served] ? "from the image" : "by Psych"} (#{document[:reason]}): " \
                   "#{document[:explanation]}"
          end
      end
    end
  end
end
