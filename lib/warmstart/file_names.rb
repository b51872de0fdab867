# frozen_string_literal: true

module Warmstart
  # A file's name is bytes. Ruby gives them an encoding: that of the locale (ENV, ARGV), that of the file system, or none
  # (File.realpath, where they are no text in the latter). Two names can be put together only if both are in one of
  # them. So all names that Warmstart holds are in the file system's, whether they are text in it or not. Where that is
  # US-ASCII they are in UTF-8, as is what File.join makes of them and a name in this code. On Windows a name is
  # characters, which the locale's code page writes with other bytes than the file system (UTF-8).
  # @api private
  module FileNames
    class << self
      # @param bytes [String, nil]
      def text(bytes)
        encoding = Encoding.find("filesystem") || Encoding::UTF_8
        encoding = Encoding::UTF_8 if encoding == Encoding::US_ASCII
        return bytes if bytes.nil? || bytes.encoding == encoding

        # As Ruby does it before it asks Windows (file.c, rb_str_encode_ospath): bytes without an encoding are a name
        # already, and what cannot be converted stays as it is. (A conversion may load a library of Ruby's.)
        begin
          other = File::ALT_SEPARATOR && !bytes.ascii_only? && bytes.encoding != Encoding::BINARY
          bytes = bytes.encode(encoding) if other
        rescue EncodingError
          nil
        end
        bytes.dup.force_encoding(encoding)
      end

      # As File.expand_path, which raises where the name and the folder are in two encodings.
      def expand(name, folder = nil)
        name = text(name).b
        return text(File.expand_path(name)) if File.absolute_path?(name) || name.start_with?("~")

        text(File.expand_path(name, (folder || Dir.pwd).b))
      end

      # As String#delete_prefix, which leaves a name as it is where the folder's is no text.
      def below(folder, name) = text(text(name).b.delete_prefix("#{folder}/".b))
    end
  end
end
