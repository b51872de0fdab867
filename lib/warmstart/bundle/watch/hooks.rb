# frozen_string_literal: true

module Warmstart
  module Bundle
    class Watch
      # Replaces Ruby's methods that look at files, folders and variables by methods that tell the watch and then call
      # Ruby's. They are removed right after the evaluation.
      # @api private
      class Hooks
        READING = %i[read binread foreach readlines].freeze
        STATUS = %i[ftype size size? zero? empty?].freeze
        TIMES = %i[stat lstat mtime ctime atime birthtime].freeze
        PRESENCE = %i[exist? file? directory?].freeze
        RIGHTS = %i[readable? readable_real? world_readable? executable? executable_real? owned?].freeze
        RIGHTS_TO_WRITE = %i[writable? writable_real? world_writable?].freeze
        LINKS = %i[symlink? readlink realpath realdirpath].freeze
        WRITING = %i[write binwrite copy_stream sysopen truncate delete unlink rename symlink link mkfifo].freeze
        CHANGING = %i[chmod lchmod chown lchown utime].freeze
        LISTING = %i[entries children each_child foreach empty? new open].freeze
        VARIABLE = %i[[] fetch key? has_key? include? member? values_at slice assoc].freeze
        COMMANDS = %i[` system spawn exec fork daemon popen].freeze

        def initialize(watch)
          @watch = watch
          @originals = []
        end

        def install
          files
          folders
          watch_each(ENV.singleton_class, VARIABLE) { |_, arguments| arguments.each { |name| @watch.variable(name) } }
          commands
          gemspecs
          # (A replay would not print the warning. This hook also sees the warnings of the parser, which no TracePoint
          # sees.)
          watch_each(Warning.singleton_class, %i[warn]) do |_, arguments|
            @watch.refuse("a warning: #{arguments.first.to_s[0, 80].chomp}")
          end
        end

        def uninstall
          CoreExt.silently do
            until @originals.empty?
              restore(*@originals.last)
              @originals.pop
            end
          end
        end

        private

        def files
          singletons = [File.singleton_class, IO.singleton_class]
          singletons.each do |owner|
            watch_each(owner, READING + STATUS) { |_, arguments| content(arguments.first) }
            watch_each(owner, TIMES) { |_, arguments| @watch.dated(arguments.first) }
            watch_each(owner, WRITING + CHANGING) { |name, _| @watch.refuse("Bundler calls File.#{name}") }
            watch_each(owner, %i[open new]) { |_, arguments, keywords| opened(arguments, keywords) }
          end
          # (Of a file that is open.)
          [File, IO].each { |owner| watch_each(owner, TIMES) { @watch.dated } }
          [File.singleton_class, FileTest.singleton_class].each do |owner|
            watch_each(owner, PRESENCE) { |_, arguments| @watch.presence(arguments.first) }
            watch_each(owner, RIGHTS + RIGHTS_TO_WRITE + LINKS) do |name, arguments|
              @watch.answer(name, arguments.first)
            end
          end
          watch_each(File.singleton_class, %i[expand_path absolute_path]) { |_, arguments| home(arguments) }
          watch_each(FileTest.singleton_class, %i[size size? zero? empty?]) do |_, arguments|
            @watch.file(arguments.first)
          end
        end

        # (Up to Ruby 3.4, IO.read("|ls") runs a command.)
        def content(path)
          String.try_convert(path)&.start_with?("|") ? @watch.refuse("Bundler runs #{path}") : @watch.file(path)
        end

        # Only the system knows the home that "~name" stands for.
        def home(paths)
          named = paths.find { |path| String.try_convert(path)&.match?(%r{\A~[^/]}) }
          @watch.refuse("Bundler asks for the home of #{named}") if named
        end

        # Opening for writing is refused, and so is opening a descriptor.
        def opened(arguments, keywords)
          path, mode = arguments
          return @watch.refuse("Bundler opens the descriptor #{path}") if path.is_a?(Integer)

          mode = keywords[:mode] if keywords.key?(:mode)
          writes =
            mode.is_a?(Integer) ? mode.anybits?(File::WRONLY | File::RDWR | File::CREAT) : mode.to_s.match?(/[wa+]/)
          writes ? @watch.refuse("Bundler writes #{path}") : @watch.file(path)
        end

        def folders
          owner = Dir.singleton_class
          watch_each(owner, %i[exist?]) { |_, arguments| @watch.presence(arguments.first) }
          watch_each(owner, %i[home]) do |_, arguments|
            arguments.compact.empty? || @watch.refuse("Bundler asks for the home of #{arguments.first}")
          end
          watch_each(owner, LISTING) { |_, arguments| @watch.file(arguments.first) }
          watch_each(owner, %i[glob []]) do |_, arguments, keywords|
            Globs.new(@watch).note(arguments.flatten, keywords)
          end
        end

        def commands
          [Kernel, Kernel.singleton_class, Process.singleton_class, IO.singleton_class].each do |owner|
            watch_each(owner, COMMANDS) { |name, _| @watch.refuse("Bundler runs a command (#{name})") }
          end
        end

        def gemspecs
          [[::Gem::Specification, :load], [::Bundler, :load_gemspec_uncached]].each do |owner, name|
            watch_each(owner.singleton_class, [name]) { |_, arguments| @watch.evaluated << arguments.first.to_s }
          end
        end

        def watch_each(owner, names, &note)
          names.each do |name|
            watch_method(owner, name, note) if owner.method_defined?(name) || owner.private_method_defined?(name)
          end
        end

        # (A method of a module that the program has prepended cannot be watched: below it, ours would call itself, since
        # `super` in the module comes back to it.)
        def watch_method(owner, name, note)
          watch = @watch
          original = owner.instance_method(name)
          prepended = owner.ancestors.take_while { |ancestor| !ancestor.equal?(owner) }
          return watch.refuse("#{name} of #{owner.inspect} is a prepended one") if prepended.include?(original.owner)

          visibility = owner.private_method_defined?(name) ? :private : :public
          @originals << [owner, name, original, visibility]
          CoreExt.silently do
            owner.define_method(name) do |*arguments, **keywords, &block|
              watch.note { note.call(name, arguments, keywords) }
              original.bind_call(self, *arguments, **keywords, &block)
            end
            owner.send(visibility, name)
          end
        end

        # A method that an ancestor owns is found there again when ours is removed; one of the owner's own is defined
        # again.
        def restore(owner, name, original, visibility)
          ours = owner.method_defined?(name, false) || owner.private_method_defined?(name, false)
          return ours && owner.send(:remove_method, name) unless original.owner == owner

          owner.define_method(name, original)
          owner.send(visibility, name)
        end
      end
    end
  end
end
