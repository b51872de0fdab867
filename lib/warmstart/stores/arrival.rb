# frozen_string_literal: true

require "fileutils"

require_relative "store"
require_relative "pieces"
require_relative "../boot/adoption"
require_relative "../image/inspector"
require_relative "../image/temporary_folder"

module Warmstart
  module Stores
    # Makes an image that was fetched the application's own.
    #
    # In a folder that the environment names, the files are put as they are, if they are of an application at this path:
    # the first boot compares each file's contents. Otherwise the entries are taken over one by one, as `warmstart adopt`
    # does: at another path the code has to be changed, and in an application's folder an image needs the check by the
    # user's secret.
    # @api private
    class Arrival
      # Seconds that another process may hold the folder's lock.
      PATIENCE = 10

      # @param target [CLI::Target]
      # @param key [String] the hash of the image's key
      def initialize(target, key)
        @target = target
        @key = key
        @folder = target.directory
      end

      # @return [Symbol, nil] why the image that is here stays: :same, :newer; nil: it does not, or there is none
      def here(list)
        return if own.problem

        ids = own.segments.map { |segment| "#{@key}-#{segment.fetch(:id)}.segment" }
        return :same if (list.segments - ids).empty?

        :newer if File.mtime(manifest) >= list.pushed
      rescue SystemCallError
        nil
      end

      # @return [Hash{String => String}] the pieces of the image that is here
      def pieces
        own.problem ? {} : Pieces.new(Pieces.read(@folder, @key)).pieces
      rescue Trouble
        {}
      end

      # Yields a folder for the files, and takes them when the block is done.
      # @return [Symbol] :placed or :adopted
      def take(list)
        folder = Image::TemporaryFolder.make(File.dirname(@folder), false)
        arrived = File.join(folder, "image")
        Dir.mkdir(arrived, 0o700)
        yield arrived
        image = inspect_arrived(arrived)
        as_it_is?(list) ? place(arrived, list, image.manifest.fetch(:sealed)) : adopt(arrived, image)
      rescue Image::TemporaryFolder::Failed => error
        raise Trouble, error.message
      rescue SystemCallError => error
        raise Trouble, "cannot write the image: #{Stores.reason(error)}"
      ensure
        FileUtils.rm_rf(folder) if folder
      end

      private

      def own = @own ||= Image::Inspector.new(@folder, **@target.trust, key_hash: @key)

      def manifest = File.join(@folder, "#{@key}.manifest")

      def as_it_is?(list) = @target.secret.nil? && ["", @target.root.to_s].include?(list.root)

      # (It is opened as a boot would open it. A sealed image must be for this application in this state.)
      def inspect_arrived(folder)
        root = @target.root
        Image::Inspector
          .new(folder, key_hash: @key, root: root)
          .tap { |image| raise Trouble, "the image cannot be used here: #{image.message}" if image.problem }
      end

      def adopt(folder, image)
        if image.manifest.fetch(:sealed)
          raise Trouble, "the image is sealed for #{image.manifest[:root]}, and of no use here"
        end

        @target.prepare
        adoption = Adoption.new(@target.location, @key)
        adoption.take_over(Adoption::Other.new(folder), @target.configuration.maximum_size) or
          raise Trouble, "none of the image's files is the same here"
        :adopted
      end

      # The manifest comes last, as in any publication. What the old one named stays for readers, and is swept later. The
      # manifest's time tells the next pull how old the image is.
      def place(folder, list, sealed)
        _, message = Native.make_folder(@folder, sealed)
        raise Trouble, message if message

        File.chmod(0o755, @folder) if sealed
        raise Trouble, "#{@folder} belongs to another user" unless File.stat(@folder).owned?

        time = [list.pushed, Time.now].min
        File.utime(time, time, File.join(folder, File.basename(manifest)))
        locked do
          names = list.files.keys.sort_by { |name| name.end_with?(".manifest") ? 1 : 0 }
          names.each do |name|
            File.chmod(0o644, File.join(folder, name)) if sealed
            File.rename(File.join(folder, name), File.join(@folder, name))
          end
        end
        :placed
      end

      def locked
        deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE
        path = File.join(@folder, "lock")
        flags = File::RDWR | File::CREAT | (defined?(File::NOFOLLOW) ? File::NOFOLLOW : 0)
        loop do
          File.open(path, flags, 0o600) do |lock|
            # (`clear` removes the file of the lock that it holds)
            return yield if lock.flock(File::LOCK_EX | File::LOCK_NB) && File.identical?(lock, path)
          end
          if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
            raise Trouble, "another process is writing the image"
          end

          sleep 0.05
        end
      end
    end
  end
end
