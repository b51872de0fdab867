# frozen_string_literal: true

module Warmstart
  # While `warmstart build` trains, each process that the command starts says where its image lies when nobody trains:
  # build puts the image there. So both go by one rule, which is Location's.
  module Training
    # Names the file for that.
    VARIABLE = "WARMSTART_PLACES"

    # asked: does the application's own code ask? root: the application (or lone script), "" where there is none.
    Place =
      Struct.new(:asked, :directory, :root, :gemfile, :owner, :secret) do
        def asked? = asked == "asked"
        def uid = owner.empty? ? nil : Integer(owner)
        def secret_path = secret.empty? ? nil : secret
      end

    class << self
      # @param settings [Hash{Symbol => Object}] the keywords of the application that asks
      def tell(file, settings = {}, **question)
        location = Location.new(Configuration.new(settings, ENV.to_h.merge("WARMSTART_IMAGE_DIR" => nil)), **question)
        fields = [
          location.asked? ? "asked" : "",
          location.directory,
          location.root,
          location.gemfile,
          location.owner,
          location.secret
        ]
        File.open(file, File::WRONLY | File::APPEND | File::CREAT, 0o600) do |io|
          io.syswrite(fields.map { |field| "#{field}\0" }.join)
        end
      end

      # @return [Array<Place>] of the applications that asked; where none did, of all processes
      def places(file)
        return [] unless File.exist?(file)

        fields = File.binread(file).split("\0", -1).map { |field| field.force_encoding(Encoding.find("filesystem")) }
        places =
          fields
            .each_slice(Place.members.size)
            .select { |slice| slice.size == Place.members.size }
            .map { |slice| Place.new(*slice) }
            .uniq
        places = places.reject { |place| place.directory.empty? }
        places.any?(&:asked?) ? places.select(&:asked?) : places
      end
    end
  end
end
