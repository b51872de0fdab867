# frozen_string_literal: true

require_relative "command"
require_relative "adopt"
require_relative "parts_off"
require_relative "../units"
require_relative "../image/inspector"
require_relative "../image/reasons"

module Warmstart
  module CLI
    # `warmstart status`: what the image holds, and what the last boot that recorded something has counted. The exit
    # status is 1 if there is no image that can be used.
    # @api private
    class Status < Command
      USAGE = "[OPTIONS]"
      ABOUT =
        "Shows which image this application has, what it holds, and how well it served the last boot that added to " \
          "it.\n"

      # If a greater share of files was revalidated, the boot reads too much, and a warning names the cause.
      REVALIDATED_LIMIT = 0.1

      private

      def define(parser)
        define_target(parser)
        parser.on("--json", "as JSON")
      end

      def execute(rest)
        no_arguments(rest)
        need_extension
        @image = Image::Inspector.new(target.directory, **target.trust)
        facts = { **(@image.problem ? without_image : with_image), not_writable: not_writable, off: PartsOff.all }
        @options[:json] ? print_json(facts) : print_text(facts)
        @image.problem ? 1 : 0
      end

      # ---- what there is to say ----

      def with_image
        {
          folder: @image.folder,
          image: true,
          key: describe_key(@image.key),
          mode: mode,
          **@image.manifest.slice(:generation, :portable, :reproducible, :root, :fingerprints),
          size: @image.size,
          entries: @image.code.size,
          documents: @image.documents.size,
          compiled_only: @image.entries.count { |entry| entry.fetch(:hints).include?(:compiled_only) },
          now: now,
          index: @image.index,
          **bundles,
          last_boot: last_boot,
          warnings: warnings,
          segments: @image.segments.map { |segment| segment.slice(:id, :size, :entries, :created, :payload_size) }
        }
      end

      # What a boot would find now: the number of files (and documents) that are as recorded; that look different, and
      # whose contents, which have to be read first, are the same; that have changed (without `revalidate`: or look
      # different); that are gone.
      # @return [Hash{Symbol => Integer}, nil] nil: the image is sealed, and no boot looks at them
      def now
        return if sealed?

        states = @image.entries.map { |entry| @image.freshness(entry.fetch(:key)).first }.tally
        known = %i[fresh gone]
        known << :same_content if target.configuration.revalidate
        {
          as_recorded: states.fetch(:fresh, 0),
          same_content: states.slice(*known).fetch(:same_content, 0),
          changed: states.except(*known).values.sum,
          gone: states.fetch(:gone, 0)
        }
      end

      # @return [String, nil] a folder in which a boot would write, or that it would make for that, if it cannot
      def not_writable
        [target.directory, target.secret && File.dirname(target.secret)].compact.find do |place|
          place = existing(place)
          !File.directory?(place) || !File.writable?(place)
        end
      end

      def existing(place)
        place = File.dirname(place) until File.exist?(place)
        place
      end

      def sealed? = @image.manifest.fetch(:sealed) && target.configuration.mode != :checked

      # bundles: the number of situations in which Bundler's setup is replayed; bundles_not_recorded: those in which it
      # cannot be, and why.
      def bundles
        refused, kept = @image.records.partition { |record| record.key?(:not_recorded) }
        {
          bundles: kept.size,
          bundles_not_recorded:
            refused.map { |record| { gemfile: record[:gemfile], reason: record[:not_recorded] } }.uniq
        }
      end

      def without_image
        {
          folder: @image.folder,
          image: false,
          reason: @image.problem,
          message: @image.message,
          explanation: Image::Reasons.explain(@image.problem),
          others: other_images
        }
      end

      # The facts in the key's text.
      def describe_key(text)
        lines = text.lines(chomp: true).to_h { |line| line.split(" ", 2) }
        names = %w[platform parser encodings compile_option]
        { ruby: lines["engine"], **names.to_h { |name| [name.to_sym, lines[name]] } }
      end

      # The images in the same folder that this Ruby does not use.
      def other_images
        present = describe_key(Image::Key.text)
        Image::Inspector
          .images(target.directory, **target.trust)
          .map do |image|
            key = describe_key(image.key)
            { size: image.size, key: key, differs_in: key.keys.select { |name| key[name] != present[name] } }
          end
      end

      def mode
        return "checked" unless @image.manifest.fetch(:sealed)

        target.configuration.mode == :checked ? "sealed, but checked (WARMSTART_MODE)" : "sealed"
      end

      def last_boot
        boot = @image.last_boot or return
        {
          program: boot[:program],
          recorded_at: boot[:created].zero? ? nil : Time.at(boot[:created]).utc.strftime("%FT%TZ"),
          **boot.slice(:counts, :reasons),
          ways: boot[:ways].sort_by { |_, count| -count }.to_h,
          **boot.slice(:governor, :boot_sizes, :adopted)
        }
      end

      def warnings
        counts = last_boot&.fetch(:counts) or return []
        revalidated = counts.fetch("revalidated", 0)
        all = counts.values_at("hit", "miss", "stale", "revalidated").compact.sum
        return [] unless all.positive? && revalidated > all * REVALIDATED_LIMIT

        reasons = last_boot.fetch(:reasons).select { |name, _| name.start_with?("revalidated.") }
        cause = reasons.max_by(&:last)&.first.to_s.delete_prefix("revalidated.")
        [
          "#{revalidated} of #{all} files had to be read to see that they are unchanged (#{cause}: " \
            "#{Image::Reasons.explain(cause.empty? ? :mtime : cause)}); " \
            "build the image where the program runs, or with --portable"
        ]
      end

      # ---- how it is said ----

      def print_text(facts)
        puts Units.left((facts[:image] ? image_rows(facts) : problem_rows(facts)) + place_rows(facts) + off_rows)
        facts.fetch(:warnings, []).each { |line| CLI.complain(line) }
      end

      def image_rows(facts)
        [
          ["image", facts[:folder]],
          ["for", key_line(facts[:key])],
          ["mode", mode_line(facts)],
          [
            "size",
            "#{Units.bytes(facts[:size])} in #{plural(facts[:segments].size, "segment")}, generation " \
              "#{facts[:generation]}"
          ],
          ["files", files_line(facts)],
          ["documents", Units.count(facts[:documents])],
          ["now", now_line(facts[:now])],
          ["index", index_line(facts[:index])],
          *bundle_rows(facts),
          *boot_rows(facts[:last_boot])
        ]
      end

      def bundle_rows(facts)
        [
          ["bundle", facts[:bundles].zero? ? "no record: Bundler sets it up" : plural(facts[:bundles], "record")],
          *facts[:bundles_not_recorded].map { |bundle| ["  not recorded", "#{bundle[:gemfile]}: #{bundle[:reason]}"] }
        ]
      end

      # (A boot is silent about a place that is so for good.)
      def place_rows(facts)
        place = facts[:not_writable] or return []

        what = place == existing(place) ? "written to" : "made in #{existing(place)}"
        [["records", "nothing: #{place} cannot be #{what}; WARMSTART_CACHE_DIR names another folder"]]
      end

      def off_rows = PartsOff.lines.map { |line| ["off", line] }

      def key_line(key) = "#{key[:ruby]}, #{key[:platform]}, #{key[:parser]}, #{key[:encodings]}"

      def mode_line(facts)
        marks = [facts[:mode], *%i[portable reproducible].select { |name| facts[name] }].join(", ")
        facts[:fingerprints].empty? ? marks : "#{marks}; for #{facts[:root]}, #{facts[:fingerprints].join(", ")}"
      end

      def files_line(facts)
        compiled = facts[:compiled_only]
        "#{Units.count(facts[:entries])}" \
          "#{", #{Units.count(compiled)} of them compiled without running" if compiled.positive?}"
      end

      def now_line(now)
        return "a boot believes them as they were when the image was built" unless now

        others = { same_content: "to be read and the same", changed: "changed", gone: "gone" }
        differing = others.filter_map { |state, text| "#{Units.count(now[state])} #{text}" if now[state].positive? }
        ["#{Units.count(now[:as_recorded])} as recorded", *differing].join(", ")
      end

      def index_line(index)
        return "none yet" unless index

        "#{Units.count(index[:features])} features, #{Units.count(index[:load_path_entries])} load-path entries, " \
          "#{Units.count(index[:directories])} folders"
      end

      def boot_rows(boot)
        return [["recorded", "by no boot yet"]] unless boot

        head = [
          "recorded",
          [
            boot[:program],
            boot[:recorded_at],
            "last; a boot that finds everything as recorded writes nothing"
          ].compact.join(", ")
        ]
        counts = boot[:counts].map { |event, count| ["  #{event}", Units.count(count)] }
        reasons =
          boot[:reasons].map do |name, count|
            ["  #{name.sub(".", ", ")}", "#{Units.count(count)}: #{Image::Reasons.explain(name.split(".").last)}"]
          end
        [
          head,
          *counts,
          *reasons,
          ["requires", "#{Units.count(boot[:ways].values.sum)} in that boot"],
          *way_rows(boot[:ways]),
          collector_row(boot[:governor]),
          *adopted_rows(boot[:adopted])
        ]
      end

      # What that boot has taken over from another image.
      def adopted_rows(counts)
        return [] if counts.empty?

        rows = Adopt::COUNTS.map { |name, text| ["  #{Units.count(counts.fetch(name.to_s, 0))}", text] }
        [
          ["adopted", plural(counts.fetch("entries", 0), "file") + " of another image"],
          *rows.reject { |count, _| count == "  0" }
        ]
      end

      def collector_row(facts)
        return "collector", "as Ruby has it" if facts.empty?

        step, first, peak = facts.values_at("step", "first", "peak").map { |size| Units.bytes(size.to_i) }
        [
          "collector",
          "#{plural(facts["collections"].to_i, "collection")} by a step of #{step}; the process grew from #{first} " \
            "to #{peak} " \
            "in #{facts["milliseconds"]} ms#{" (ended: #{facts["ended_by"]})" if facts["ended_by"]}" \
            "#{taken_for(facts)}"
        ]
      end

      def taken_for(facts)
        "; taken for a #{facts["taken_for"]}: #{facts["because"].to_s.tr("_", " ")}" if facts["taken_for"]
      end

      # How requires were answered. A reason why a file was not loaded directly follows after a dot.
      WAYS = {
        "direct" => "loaded from the image, without a system call or with one",
        "path" => "loaded by Ruby, not searched",
        "search" => "left to Ruby",
        "provided" => "loaded already",
        "circular" => "circular",
        "missing" => "no such feature, known without a search",
        "wait" => "another thread loaded it"
      }.freeze

      def way_rows(ways)
        ways.map do |name, count|
          way, reason = name.split(".", 2)
          because = ": #{Image::Reasons.explain(reason)}" if reason && reason != "loading"
          explanation = "#{WAYS.fetch(way, way)}#{because}"
          ["  #{[way, reason].compact.join(", ")}", "#{Units.count(count)}: #{explanation}"]
        end
      end

      def problem_rows(facts)
        rows = [
          ["image", "none that can be used"],
          ["folder", facts[:folder]],
          ["reason", "#{facts[:reason]}: #{facts[:message]}"],
          ["", facts[:explanation]]
        ]
        rows +
          facts[:others].map do |other|
            [
              "other",
              "#{Units.bytes(other[:size])} for #{key_line(other[:key])} (differs in: #{other[:differs_in].join(", ")})"
            ]
          end
      end

      def plural(count, noun) = "#{Units.count(count)} #{noun}#{"s" unless count == 1}"
    end
  end
end
