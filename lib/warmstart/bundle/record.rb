# frozen_string_literal: true

module Warmstart
  module Bundle
    # What Bundler found out in one situation, and on what that depends. Kept as Marshal of plain objects (Strings, Arrays,
    # Hashes, Symbols, Integers, true, false, nil) in the image's folder, under the rules of docs/security.md.
    class Record
      # Another number: records of other versions of this code are not read.
      FORMAT = 1

      # A gem. kind: :stub or :full (which class it has in Bundler); executables, bindir: nil where not known.
      Specification = Struct.new(:kind, :name, :version, :platform, :full_name, :full_gem_path, :load_paths, :loaded_from,
                                 :default_gem, :gem_dir, :executables, :bindir)
      # A line of the Gemfile.
      Dependency = Struct.new(:name, :groups, :autorequire, :included)

      class << self
        # @param situation [Situation]
        # @return [Record, String] or why there is none
        def read(situation)
          bytes = Native.read_record(situation.id)
          return explain(bytes) unless bytes.is_a?(String)
          return "nothing was recorded yet" if bytes.empty?

          content = Marshal.load(bytes)
          return "nothing was recorded in this situation" unless content.is_a?(Hash) && content[:format] == FORMAT && content[:situation] == situation.text

          new(content)
        rescue TypeError, ArgumentError => error
          "the record cannot be read: #{error.message}"
        end

        # @param value [String, nil] a variable's, which may be a password
        # @return [String, nil]
        def digest(value) = value && Situation.digest(value)

        # The rarer questions about a file, asked again in the same words.
        # @return [Object] true, false, nil, a String, an Integer, or the class of the error
        def ask(method, path)
          File.public_send(method, path)
        rescue SystemCallError => error
          error.class.name
        end

        private

        def explain(failure)
          reason, message = failure
          return "nothing was recorded in this situation" if reason == :missing

          Native.complain("#{message}; Bundler starts as usual")
          message
        end
      end

      # specifications: names in the bundle, in Bundler's order; known: all that RubyGems is told of, by name, default gems included;
      # features: files that the Gemfile or gemspecs required.
      attr_reader :content

      def initialize(content)
        @content = content
      end

      # @return [Integer, Array(Symbol, String)] as Native.write_record
      def write(situation)
        Native.write_record(situation.id, Marshal.dump(@content.merge(format: FORMAT, situation: situation.text)))
      end

      # Has anything changed on which the record depends?
      # @return [String, nil] what has
      def problem
        changed_variable || changed_file || changed_answer
      end

      def specifications = @specifications ||= @content.fetch(:known).map { |values| Specification.new(*values) }
      def bundled = @content.fetch(:bundled)
      def dependencies = @dependencies ||= @content.fetch(:dependencies).map { |values| Dependency.new(*values) }
      def features = @content.fetch(:features)

      private

      def changed_variable
        name, = @content.fetch(:variables).find { |variable, digest| Record.digest(ENV[variable]) != digest }
        name && "the variable #{name} changed, which the Gemfile reads"
      end

      def changed_file
        path = Native.first_changed(@content.fetch(:files), @content.fetch(:fingerprints)) ||
               Native.first_other_type(@content.fetch(:presences), @content.fetch(:types))
        path && "#{path} changed"
      end

      def changed_answer
        method, path, = @content.fetch(:answers).find { |name, file, answer| Record.ask(name, file) != answer }
        method && "File.#{method} answers otherwise for #{path}"
      end
    end
  end
end
