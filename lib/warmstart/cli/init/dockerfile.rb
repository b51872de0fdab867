# frozen_string_literal: true

require_relative "boot_file"

module Warmstart
  module CLI
    class Init < Command
      # The text of a Dockerfile, with bootsnap's commands and with Warmstart's. Bootsnap's commands are where gems and
      # code are copied. Warmstart has one command, the last one of the stage, because a sealed image does not notice
      # what changes later. Only the user who built it could use an image in tmp/cache/warmstart. So a variable names
      # the folder, also in the stage that runs; the image is copied with the application.
      #
      # Where there are no commands of bootsnap's (`rails new --skip-bootsnap`), the command is added only if it is
      # certain that it can run there, and that nothing changes the application afterwards.
      # @api private
      module Dockerfile
        COMMENT = "# Build the boot image: last, because a sealed one does not notice what changes later."
        BUILD = "bundle exec warmstart build"
        SEALED = "--all --seal"
        # Rails' own Dockerfile boots the application in this way to compile the assets. If it does, the application can
        # be booted for the image, too, which then contains its documents and Bundler's setup.
        BOOTS = /\bSECRET_KEY_BASE_DUMMY=1\b[^&|;\n]*\brails\b/
        ENVIRONMENT = "SECRET_KEY_BASE_DUMMY=1 "
        COMMAND = " -- bin/rails runner 1"

        # An instruction: its first line, and the lines that follow, down to the word that a heredoc names, or by
        # backslashes (with comments between them).
        INSTRUCTION =
          /^[ \t]*[A-Za-z]+\b(?:.*<<-?(["']?)(\w+)\1.*\n(?:.*\n)*?\t*\2[ \t]*\r?(?:\n|\z)|
          (?:.*\\[ \t]*\r?\n(?:[ \t]*(?:\#.*)?\r?\n)*)*.*(?:\n|\z))/x
        ABOUT = /(?:[ \t]*#.*bootsnap.*\n)*/i
        PRECOMPILE =
          %r{(?:\w+=\S+[ \t]+)*(?:bundle[ \t]+exec[ \t]+|\S*bin/)?bootsnap[ \t]+precompile\b(?:[ \t]+[^&|;\\\s]+)*}
        NEXT = /[ \t]*&&[ \t]*(?:\\[ \t]*\r?\n)?/
        # The forms of bootsnap's command: alone in its RUN, after another command in it, or before one.
        ALONE = /#{ABOUT.source}^[ \t]*RUN[ \t]+(?:--\S+[ \t]+)*#{PRECOMPILE.source}[ \t]*\r?(?:\n\r?\n?|\z)/i
        AFTER = /#{NEXT.source}#{ABOUT.source}[ \t]*#{PRECOMPILE.source}/i
        BEFORE = /#{ABOUT.source}#{PRECOMPILE.source}#{NEXT.source}[ \t]*/i
        USES_BOOTSNAP = /^[^#\n]*\bbootsnap[ \t]+precompile\b.*/
        # What this command has written: its step, and the variable in the stage that runs.
        FOLDER = %r{ENV\ WARMSTART_CACHE_DIR="[^"\r\n]*/warmstart"\r?\n}
        WRITTEN =
          /\r?\n#{Regexp.escape(COMMENT)}\r?\n#{FOLDER}
          RUN[ ](?:#{Regexp.escape(ENVIRONMENT)})?#{Regexp.escape(BUILD)}(?:[ ]-j[ ]\d+)?
          [ ]#{Regexp.escape(SEALED)}(?:#{Regexp.escape(COMMAND)})?/x

        # What makes it certain where the command belongs. Users and folders may be made in the stage that runs.
        INSTALLS = /\A[ \t]*RUN\b(?:(?!^[ \t]*#).)*\bbundle[ \t]+install\b/im
        COPIES_ALL = %r{\A[ \t]*COPY[ \t]+(?:--(?!from)\S+[ \t]+)*\./?[ \t]+(\S+?)/?[ \t]*\r?\n?\z}i
        FROM = /\A[ \t]*FROM\b/i
        CHANGES = /\A[ \t]*(?:RUN|COPY|ADD)\b/i
        USER = /\A[ \t]*USER\b/i
        PRODUCTION = /\b(?:RAILS|RACK)_ENV(?:=|[ \t]+)["']?production\b/
        NAMED = /\A[ \t]*FROM\b.*[ \t]AS[ \t]+(\S+)/i
        FOR_USERS =
          /\A[ \t]*RUN(?:[\s\\]+(?:groupadd|useradd|addgroup|adduser|chown|chmod|mkdir)\b[^&|;]*(?:&&|\z))+\z/i
        ESCAPE = /\A(?:[ \t]*#.*\n)*?[ \t]*#[ \t]*escape[ \t]*=/i
        DOUBT =
          "it is not certain where the boot image belongs; if this is for production, put RUN #{BUILD} #{SEALED} " \
            "after the last step that changes files by hand (docs/deploying.md)".freeze

        module_function

        # @param doubts [Array<String>] gets what has to be done by hand
        # @return [String]
        def add(text, doubts)
          return add_where_certain(text, doubts) unless text.match?(USES_BOOTSNAP)

          jobs = text[/\bbootsnap[ \t]+precompile\b[^&|;\\\n]*[ \t](?:-j|--jobs)[= \t]*(\d+)/, 1]
          stage = text[0...text.rindex(/\bbootsnap[ \t]+precompile\b/)].scan(/^[ \t]*FROM\b/i).size
          without = [AFTER, ALONE, BEFORE].inject(text) { |rest, command| rest.gsub(command, "") }
          own = without[USES_BOOTSNAP] and
            raise Error,
                  "the Dockerfile runs bootsnap in a way of its own (#{own.strip}); put RUN #{BUILD} #{SEALED} there " \
                    "by hand"

          build(without, stage, jobs)
        end

        def add_where_certain(text, doubts)
          return text if text.match?(/warmstart/i)

          stages = instructions(text).slice_before(FROM).select { |first, *| first.match?(FROM) }
          stage = stages.index { |steps| steps.any?(INSTALLS) } or return text
          return build(text, stage + 1, nil) if certain?(text, stages, stage)

          doubts << DOUBT
          text
        end

        # Whether the stage, the only one that installs gems, copies the application, for production, as the user who
        # may write there, and the last stage takes it as it is.
        def certain?(text, stages, stage)
          installed = stages[stage].index { |step| step.match?(INSTALLS) }
          folder = folder(stages.take(stage + 1).join)
          folder&.match?(%r{\A/[^$]+\z}) && !text.match?(ESCAPE) && stages.one? { |steps| steps.any?(INSTALLS) } &&
            text.match?(/#{PRODUCTION}|#{BOOTS}/) &&
            stages[stage].drop(installed).any? { |step| [".", folder].include?(step[COPIES_ALL, 1]) } &&
            before_last_change(stages, stage).none?(USER) &&
            (stage == stages.size - 1 || taken_as_it_is?(stages, stage, folder))
        end

        # What is done in this stage, or in one before, until the place of the command.
        def before_last_change(stages, stage)
          steps = stages[stage]
          stages.take(stage).flatten + steps.take(steps.rindex { |step| step.match?(CHANGES) })
        end

        def taken_as_it_is?(stages, stage, folder)
          names = [stage.to_s, stages[stage].first[NAMED, 1]].compact.map { |name| Regexp.escape(name) }
          copy =
            %r{\A[ \t]*COPY[ \t]+(?:--\S+[ \t]+)*--from=(?:#{names.join("|")})[ \t]+(?:--\S+[ \t]+)*(\S+?)/?[ \t]+\1/?[ \t]*\r?$}i
          taken = stages.last.index { |step| step[copy, 1] == folder }
          !taken.nil? &&
            stages.last.drop(taken + 1).none? { |step| step.match?(CHANGES) && !step.match?(/#{copy}|#{FOR_USERS}/) }
        end

        # The folder in which the application lies at the end of these instructions.
        def folder(text) = text.scan(/^[ \t]*WORKDIR[ \t]+["']?([^"'\s]+)/i).flatten.last&.chomp("/")

        # @return [Array<String>]
        def instructions(text) = text.enum_for(:scan, INSTRUCTION).map { Regexp.last_match[0] }

        # @return [String]
        def remove(text)
          return text unless text.match?(WRITTEN)

          BootFile.without(text, WRITTEN).gsub(/(^[ \t]*FROM\b.*\n)#{FOLDER}/i) { $1 }
        end

        # Inserts the command after the last instruction of the stage (counted from 1) that changes files.
        def build(text, stage, jobs)
          boots = text.match?(BOOTS)
          command = "RUN #{ENVIRONMENT if boots}#{BUILD}#{" -j #{jobs}" if jobs} #{SEALED}#{COMMAND if boots}"
          from = 0
          place = last = nil
          text.scan(INSTRUCTION) do
            instruction = Regexp.last_match[0]
            ending = Regexp.last_match.end(0)
            from += 1 if instruction.match?(FROM)
            last = ending if instruction.match?(FROM)
            place = ending if from == stage && instruction.match?(CHANGES)
          end
          newline = BootFile.newline(text)
          folder = folder(text[0...place])
          environment =
            "ENV WARMSTART_CACHE_DIR=\"#{folder ? "#{folder}/tmp/cache/warmstart" : "/var/cache/warmstart"}\""
          text = "#{text[0...last]}#{environment}#{newline}#{text[last..]}" if last && last > place
          BootFile.append(text[0...place], "", COMMENT, environment, command) + text[place..]
        end
      end
    end
  end
end
