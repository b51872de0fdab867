# frozen_string_literal: true

require "tmpdir"
require_relative "../../program"
require_relative "generator"

module Exactness
  module Programs
    # Compares one program in plain Ruby with its boots with Warmstart. Each runs in a process of its own.
    class Comparison
      TRACE = File.join(__dir__, "trace.rb")
      TIMEOUT = 10
      # On a busy machine threads can look stuck that are not. So a difference is checked again with much more patience.
      PATIENCE, LONG_PATIENCE = 0.5, 4
      LONG_TIMEOUT = 60
      NATIVE = { "WARMSTART_DIRECT" => "0" }.freeze
      # The boots after the recording one: the name of each with its variables. PLANS take turns. Sealed boots have an
      # image of their own.
      VARIANTS = {
        warm: {
        },
        again: {
        },
        native: NATIVE,
        sealed: {
        },
        sealed_native: NATIVE,
        read_only: {
          "WARMSTART_READONLY" => "1"
        },
        copied: {
          "WARMSTART_MAP" => "copy"
        },
        collected: {
          "WARMSTART_GC" => "1"
        },
        unsearched: {
          "WARMSTART_SEARCH" => "0"
        },
        uncompiled: {
          "WARMSTART_CODE" => "0"
        }
      }.freeze
      PLANS = [
        %i[warm again],
        %i[warm again],
        %i[warm native],
        %i[warm sealed],
        %i[warm sealed_native],
        %i[native warm],
        %i[warm read_only],
        %i[sealed],
        %i[copied again],
        %i[collected warm],
        %i[unsearched warm],
        %i[uncompiled warm]
      ].freeze
      RECORDING_TURN, LATER_TURN = 0, 1

      COLLECTING_OFTEN =
        %w[MALLOC OLDMALLOC]
          .flat_map { |kind| ["RUBY_GC_#{kind}_LIMIT", "RUBY_GC_#{kind}_LIMIT_MAX"] }
          .to_h { |name| [name, "20000"] }
          .freeze

      # (a sealed image is for one script)
      SEALABLE = %i[path relative].freeze
      # (by design a sealed image does not notice later changes: docs/semantics.md)
      CHANGE = /File\.(?:write|truncate|rename|unlink|chmod|utime|symlink|link)/

      # Frames of the circular warning, which have two blanks. docs/semantics.md tells which of them differ on Ruby 3.4
      # and later.
      CIRCULAR = /^\tfrom (?:.*:in  '(?:rescue|ensure) in |<internal:.*:in  |.*:in  'require').*\n/

      # What a program sees of the constants that Psych::ClassLoader looks for while it is loaded, in the order of
      # Module#constants (docs/semantics.md, 7): exceptions under -d, calls of const_missing.
      PSYCH_LOOK =
        %r{^Exception `NameError' at \S+/psych/class_loader\.rb:\d+ - .*\n|^  \[:missing, :(?:BigDecimal|Date|DateTime)\]\n(?:  \[.*const_missing.*\n)?}
      # When the file is loaded a second time, it defines these methods again, in the same order, until it comes to its
      # constant CACHE, for which its text does not compile. So it is chance how many of them are compiled and defined.
      PSYCH_AGAIN =
        %r{^  \[:compiled, "\S+/psych/class_loader\.rb", \d+\]\n|^(?:\(eval\):1|\S+/psych/class_loader\.rb:\d+): warning: (?:method redefined; discarding old|previous definition of) (?:big_decimal|complex|date|date_time|exception|object|psych_omap|psych_set|range|rational|regexp|struct|symbol|restricted)\b.*\n}
      # Ruby does not warn if somebody has called the method before (docs/semantics.md, 7).
      NAME_REPLACED = /^\S+: warning: method redefined; discarding old name\n/
      PSYCH_LOOKS = /(?:#{PSYCH_LOOK})+/

      # When Ruby has found a deadlock, all threads go on at the same time, in any order. Only what came before is
      # compared, and whether the process was killed.
      DEADLOCK = /\A(.*?No live threads left\. Deadlock\?).*\z/m

      # Ruby from 3.4 on frees the bytes of a path of a String subclass (copy_path_class, rb_fstring) while Prism, and so
      # __FILE__, still reads them. What a program then shows as its path is whatever lies there.
      FREED = %r{\\(?:u0000|x00|0)[^"\n]*/application/}

      # How deep a recursion of requires gets before Ruby ends it (docs/semantics.md, 6).
      TOO_DEEP = /stack level too deep/

      # variant: the boot that differs; boots: all boots from the recording one up to it; plain, ours: what was printed.
      Difference = Struct.new(:library, :variant, :boots, :plain, :ours)

      def initialize(program, patient: false)
        @case = program
        @patient = patient
      end

      # @param boots [Array<Symbol>, nil] the boots to run; nil: those of the case's plan
      # @return [Difference, nil] the first difference
      def difference(boots = nil)
        in_a_folder do
          @plain = {}
          @sealed = nil
          boots ||= [:recording, *PLANS[@case.seed % PLANS.size]]
          boots.each_index do |index|
            variant = boots[index]
            turn = @case.turns && index.positive? ? LATER_TURN : RECORDING_TURN
            plain = @plain[turn] ||= shown(run(:plain, turn))
            return nil if endless?(plain) || plain.match?(FREED)

            ours = boot(variant, turn) or next
            return nil if ours.match?(FREED) || [plain, ours].all?(TOO_DEEP)
            return Difference.new(@case, variant, boots.first(index + 1), plain, ours) if plain != ours
          end
          nil
        end
      end

      # Whether plain Ruby itself always prints the same, also if its collector runs often. (When it runs depends on
      # everything that was allocated, and what Ruby keeps of a failed autoload depends on it: docs/semantics.md, 6.)
      def steady?(times)
        in_a_folder do
          [RECORDING_TURN, *(LATER_TURN if @case.turns)].all? do |turn|
            [*[{}] * times, COLLECTING_OFTEN].map { |env| shown(run(:plain, turn, env: env)) }.uniq.size == 1
          end
        end
      end

      private

      def endless?(text) = text.start_with?("no answer")

      def in_a_folder
        Dir.mktmpdir("exactness-") do |base|
          @program = Program.new(base, @case.contents, args: @case.arguments, load_path: %w[lib other], witness: false)
          yield
        end
      end

      def boot(variant, turn)
        if variant.to_s.start_with?("sealed")
          if !SEALABLE.include?(@case.form) ||
               (@case.turns && @case.contents.values.grep(String).any? { |text| text.b.match?(CHANGE) })
            return
          end

          @sealed ||= @program.seal or return
        end
        shown(
          run(
            :boot,
            turn,
            env: VARIANTS.fetch(variant, {}),
            **({ image: @sealed } if variant.to_s.start_with?("sealed")).to_h
          )
        )
      end

      def run(way, turn, env: {}, **options)
        @program.restore
        Dir
          .glob("**/*/", File::FNM_DOTMATCH, base: @program.folder)
          .sort
          .reverse_each do |name|
            if Dir.empty?(@program.path(name)) && !File.symlink?(@program.path(name).chomp("/"))
              Dir.rmdir(@program.path(name))
            end
          end
        env = {
          "TRACE_APPLICATION" => @program.folder,
          "TRACE_TURN" => turn.to_s,
          "TRACE_PATIENCE" => (@patient ? LONG_PATIENCE : PATIENCE).to_s,
          **env
        }
        @program.public_send(
          way,
          env: env,
          args: [*@case.arguments, "-r", TRACE],
          timeout: @patient ? LONG_TIMEOUT : TIMEOUT,
          **form,
          **options
        )
      end

      # How Ruby gets the program.
      def form
        main = @program.path("main.rb")
        case @case.form
        when :relative
          { script: ["main.rb"] }
        when :input
          { script: ["-"], stdin: File.binread(main) }
        when :command
          { script: ["-e", File.read(main).delete("\0")] }
        when :link
          { script: [@program.path("linked_main.rb")] }
        else
          { script: [main], arguments: %w[an argument] }
        end
      end

      def shown(run)
        text = "#{run.status}\n#{run.stderr}#{run.stdout}"
        text =
          text
            .gsub(/(?<=frozen Array: )\[.*\]/, "")
            .gsub(CIRCULAR, "")
            .gsub(NAME_REPLACED, "")
            .gsub(PSYCH_AGAIN, "")
            .gsub(PSYCH_LOOKS) { |lines| lines.scan(PSYCH_LOOK).sort.join }
        text.match?(DEADLOCK) ? text.sub(DEADLOCK, "\\1").sub(/\Aexit \d+/, "exit") : text
      end
    end
  end
end
