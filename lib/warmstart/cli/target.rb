# frozen_string_literal: true

require_relative "../configuration"
require_relative "../location"
require_relative "../boot/image_key"

module Warmstart
  module CLI
    # The application and the image's folder that a command is about. It is the same folder that the program uses at run
    # time.
    #
    # Without options it is that of the application in the nearest folder above the current one, as its own
    # config/boot.rb would choose it. `program`: the folder in the user's cache folder that `warmstart exec PROGRAM`
    # uses. `image`: the folder itself.
    # @api private
    class Target
      attr_reader :configuration

      def initialize(root: nil, program: nil, image: nil, environment: ENV)
        @configuration =
          Configuration.new({}, image ? { "WARMSTART_IMAGE_DIR" => FileNames.expand(image) } : environment)
        @root = root
        @program = program
        @image = image
        @given_root = given_root if root
      end

      # @return [String, nil] the application's realpath
      def root
        @program ? location.root : (@given_root || nearest)
      end

      # @return [String] the application's realpath
      # @raise [Error] there is no application here
      def root!
        return root if root
        if @passed_over
          raise Error,
                "the application in #{@passed_over[0]} is passed over: #{@passed_over[1]} #{@passed_over[2]}; name " \
                  "it by --root if it is yours"
        end

        raise Error,
              "there is no application here: no folder above #{Dir.pwd} has a Gemfile or a config/application.rb; " \
                "name one by --root"
      end

      # @return [String] the image's folder
      def directory
        @directory ||= @configuration.image_dir || found_directory
      end

      def location
        @location ||=
          if @program
            Location.new(@configuration, script: program_path)
          else
            asks = %w[config/boot.rb Gemfile gems.rb].map { |name| File.join(root!, name) }
            Location.new(@configuration, root: root!, script: asks.find { |path| File.file?(path) })
          end
      end

      # @return [Integer, nil] the user whose files are trusted besides this user's, as at run time
      def owner
        @configuration.image_dir && !root ? nil : location.owner
      end

      # @return [String, nil] the path of the user's secret, if the image needs it at run time: see Location#secret
      def secret
        @configuration.image_dir ? nil : location.secret
      end

      # @return [String, nil] see Location#runs
      def runs
        @configuration.image_dir && !root ? nil : location.runs
      end

      # @return [Hash] for Image::Inspector: whose images are believed, and for which application
      def trust = { owner: owner, root: root, secret: secret, runs: runs }

      # @return [String, nil] the application's Gemfile, or the one that the environment names
      def gemfile
        given = FileNames.text(ENV["BUNDLE_GEMFILE"])
        return FileNames.expand(given) if given && !given.empty?

        root && Location::GEMFILES.map { |name| File.join(root, name) }.find { |path| File.file?(path) }
      end

      # @return [String] the text of the lockfile; "" if there is none
      def lockfile_text
        @lockfile_text ||=
          begin
            path = gemfile && Location.lockfile(gemfile)
            path && File.file?(path) ? File.binread(path) : ""
          end
      rescue SystemCallError => error
        raise Error, "cannot read #{path}: #{CLI.reason(error)}"
      end

      # Prepares Native for this image.
      def prepare(directory = self.directory, key: Image::Key.text)
        Native.prepare(directory, key, Location.library_extension, owner, secret)
      end

      private

      def found_directory
        location.directory or
          raise Error, "there is no folder for the image: #{Location.no_folder}; set WARMSTART_CACHE_DIR"
      end

      def given_root
        raise Error, "#{@root} is not a folder; --root names the application's folder" unless File.directory?(@root)

        FileNames.text(File.realpath(@root))
      end

      # (No file is run here. So the user who runs the command, or root, must own the folders.)
      def nearest
        found = Location.climb(FileNames.text(File.realpath(Dir.pwd)), Location.owners)
        return found&.first unless found && found.size > 1

        @passed_over = found
        nil
      end

      def program_path
        require_relative "../ruby_options"
        RubyOptions.candidates(@program).find { |path| File.file?(path) } or
          raise Error.new("there is no program #{@program}#{place_of_program}", status: 127)
      end

      # A name is looked for as the shell does: not in the current folder.
      def place_of_program
        return if @program.include?("/")

        File.file?(@program) ? "; give its path, ./#{@program}" : "; give its path"
      end
    end
  end
end
