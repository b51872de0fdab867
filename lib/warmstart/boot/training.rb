# frozen_string_literal: true

module Warmstart
  # While `warmstart build` trains, each process that the command starts tells in which folder its image would lie
  # without training. build puts the image there. So the rule for that place is only in Location.
  # @api private
  module Training
    # The variable that holds the path of the file in which the processes tell it.
    VARIABLE = "WARMSTART_PLACES"

    # asked: whether the application's own code asked; root: the application (or lone script), "" if there is none.
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
          io.syswrite(fields.map { |field| "#{field}\0".b }.join)
        end
      end

      # @return [Array<Place>] those of the applications whose own code asked; if there are none, those of all processes
      def places(file)
        return [] unless File.exist?(file)

        fields = File.binread(file).split("\0", -1).map { |field| FileNames.text(field) }
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
