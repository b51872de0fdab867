# frozen_string_literal: true

require_relative "boot_file"

module Warmstart
  module CLI
    class Init < Command
      # The text of a Dockerfile, with bootsnap's commands and with Warmstart's. Bootsnap's commands are where gems and
      # code are copied. Warmstart has one command, the last one of the stage, because a sealed image does not notice
      # what changes later. Only the user who built it could use an image in tmp/cache/warmstart. So a variable names
      # the folder, also in the stage that runs; the image is copied with the application.
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

        # An instruction: its first line, and the lines that follow by backslashes (with comments between them).
        INSTRUCTION = /^[ \t]*[A-Za-z]+\b(?:.*\\[ \t]*\r?\n(?:[ \t]*(?:#.*)?\r?\n)*)*.*(?:\n|\z)/
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

        module_function

        # @return [String]
        def add(text)
          return text unless text.match?(USES_BOOTSNAP)

          jobs = text[/\bbootsnap[ \t]+precompile\b[^&|;\\\n]*[ \t](?:-j|--jobs)[= \t]*(\d+)/, 1]
          stage = text[0...text.rindex(/\bbootsnap[ \t]+precompile\b/)].scan(/^[ \t]*FROM\b/i).size
          without = [AFTER, ALONE, BEFORE].inject(text) { |rest, command| rest.gsub(command, "") }
          own = without[USES_BOOTSNAP] and
            raise Error,
                  "the Dockerfile runs bootsnap in a way of its own (#{own.strip}); put RUN #{BUILD} #{SEALED} there " \
                    "by hand"

          boots = without.match?(BOOTS)
          build(
            without,
            stage,
            "RUN #{ENVIRONMENT if boots}#{BUILD}#{" -j #{jobs}" if jobs} #{SEALED}#{COMMAND if boots}"
          )
        end

        # @return [String]
        def remove(text)
          return text unless text.match?(WRITTEN)

          BootFile.without(text, WRITTEN).gsub(/(^[ \t]*FROM\b.*\n)#{FOLDER}/i) { $1 }
        end

        # Inserts the command after the last instruction of the stage (counted from 1) that changes files.
        def build(text, stage, command)
          from = 0
          place = last = nil
          text.scan(INSTRUCTION) do |instruction|
            ending = Regexp.last_match.end(0)
            from += 1 if instruction.match?(/\A[ \t]*FROM\b/i)
            last = ending if instruction.match?(/\A[ \t]*FROM\b/i)
            place = ending if from == stage && instruction.match?(/\A[ \t]*(?:RUN|COPY|ADD)\b/i)
          end
          newline = BootFile.newline(text)
          folder = text[0...place].scan(/^[ \t]*WORKDIR[ \t]+["']?([^"'\s]+)/i).flatten.last
          environment =
            "ENV WARMSTART_CACHE_DIR=\"" \
              "#{folder ? "#{folder.chomp("/")}/tmp/cache/warmstart" : "/var/cache/warmstart"}\""
          text = "#{text[0...last]}#{environment}#{newline}#{text[last..]}" if last && last > place
          BootFile.append(text[0...place], "", COMMENT, environment, command) + text[place..]
        end
      end
    end
  end
end
