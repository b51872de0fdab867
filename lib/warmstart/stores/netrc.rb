# frozen_string_literal: true

require_relative "store"

module Warmstart
  module Stores
    # The file in which curl, ftp and others find user and password for a host: ~/.netrc, or what NETRC names.
    # @api private
    module Netrc
      # @return [Array(String, String), nil] user and password
      def self.login(host, environment)
        path = environment["NETRC"].to_s
        path = File.join(environment["HOME"].to_s, ".netrc") if path.empty?
        return unless File.file?(path)

        find(Stores.read_file(path).first.b.gsub(/^\s*#.*/, "").split, host)
      end

      # Words in pairs, but for `default`. A macro, which only ftp runs, ends what is read.
      def self.find(words, host)
        entry = nil
        until words.empty? || words.first == "macdef"
          word = words.shift
          value = word == "default" ? nil : words.shift
          if %w[machine default].include?(word)
            return login_of(entry) if complete(entry)

            entry = value.nil? || value.casecmp?(host) ? {} : nil
          elsif entry
            entry[word] = value
          end
        end
        login_of(entry) if complete(entry)
      end

      def self.complete(entry) = (entry if entry&.key?("password"))

      def self.login_of(entry) = entry.values_at("login", "password").map(&:to_s)

      private_class_method :find, :complete, :login_of
    end
  end
end
