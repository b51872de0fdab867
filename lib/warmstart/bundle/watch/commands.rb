# frozen_string_literal: true

module Warmstart
  module Bundle
    class Watch
      # Commands cannot be observed, except for the one in most gemspecs: `git ls-files`, whose answer is in git's
      # index.
      # @api private
      class Commands
        OPTIONS = %w[-z --full-name -c --cached --].freeze

        def initialize(watch)
          @watch = watch
        end

        def note(name, arguments, keywords)
          words = name == :fork ? nil : words_of(arguments)
          return refuse(name, arguments) unless words && lists_files?(words)

          folder = keywords[:chdir] || option(arguments, :chdir)
          depend_on_index(File.expand_path((folder || Dir.pwd).to_s))
        end

        private

        def refuse(name, arguments)
          shown = arguments.flatten.grep(String).join(" ")
          @watch.refuse("the Gemfile or a gemspec runs a command (#{shown.empty? ? name : shown[0, 60]})")
        end

        # @return [Array<String>, nil] nil: only a shell could split the command
        def words_of(arguments)
          arguments = arguments.reject { |argument| argument.is_a?(Hash) }
          arguments = arguments.flatten(1)
          if arguments.size == 1 && arguments.first.is_a?(String) && !arguments.first.match?(/[|&;<>$`"'\\*?(\n]/)
            return arguments.first.split
          end

          arguments if arguments.size > 1 && arguments.all?(String)
        end

        def lists_files?(words)
          words.first(2) == %w[git ls-files] &&
            words.drop(2).all? { |word| OPTIONS.include?(word) || !word.start_with?("-") }
        end

        def option(arguments, name)
          arguments.grep(Hash).filter_map { |options| options[name] }.first
        end

        # The result depends on the index of the repository that git finds from this folder. Without a repository it is
        # refused.
        def depend_on_index(folder)
          %w[GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_CEILING_DIRECTORIES PATH].each do |variable|
            @watch.variable(variable)
          end
          loop do
            git = File.join(folder, ".git")
            @watch.file(git) unless File.directory?(git)
            # (For a repository of another user, git prints on stderr that it does not trust it.)
            if File.exist?(git) && !(File.owned?(git) && File.owned?(folder))
              return @watch.refuse("#{git} is another user's")
            end
            return @watch.file(File.join(git, "index")) if File.directory?(git)
            return worktree(git) if File.file?(git)

            parent = File.dirname(folder)
            return @watch.refuse("git finds no repository") if parent == folder

            folder = parent
          end
        end

        # In a worktree .git is a file that names the folder: "gitdir: ../.git/worktrees/x".
        def worktree(git)
          target = File.read(git)[/\Agitdir: (.+)$/, 1]
          if target
            @watch.file(File.expand_path(File.join(target, "index"), File.dirname(git)))
          else
            @watch.refuse("#{git} is not understood")
          end
        end
      end
    end
  end
end
