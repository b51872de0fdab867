# frozen_string_literal: true

require "warmstart/path"

# Which file of a folder a request means, and none outside of it: a worked example for Warmstart::Path (docs/files.md).
#
#   files = FileServer.new("public", hidden: %w[.ht* *.erb])
#   files.find("/docs/a%20b.txt?page=1")   # => "/srv/app/public/docs/a b.txt", or the status of the answer: 400, 403, 404
#
# Text tells what a request cannot mean; only the system tells what a name does mean. So a request goes through both: names that are
# ambiguous on any system are refused as text, and what is left is asked for its canonical name, which must lie in the root's.
class FileServer
  Path = Warmstart::Path

  attr_reader :root

  # @param root [String] the folder
  # @param hidden [Array<String>] patterns of names (File.fnmatch) that are not served, files and folders
  # @raise [SystemCallError] there is no such folder
  def initialize(root, hidden: [".*"])
    @root = Path.canonical(root)
    @hidden = hidden
  end

  # @param target [String] as it stands in the request: "/a/b%20c?d=e"
  # @return [String, Integer] the file's canonical name, or the status of the refusal
  def find(target)
    names = names_of(target) or return 400
    path = Path.canonical(Path.join(root, *names))
    return 404 unless Path.within?(path, root) && !hidden?(path)

    File.file?(path) ? path : 404
  rescue Errno::EACCES, Errno::EPERM
    403
  rescue SystemCallError
    404
  end

  private

  # The request's path as names, or nil where some system would read it as anything but names.
  def names_of(target)
    text = decode(target.b[/\A[^?#]*/]) or return
    return unless text.start_with?("/")

    names = text.split("/").reject(&:empty?)
    names if names.all? { |name| plain?(name) }
  end

  # Percent signs are decoded once, and what comes out is UTF-8. (An overlong "/", C0 AF, is not.)
  def decode(text)
    return if text.match?(/%(?!\h\h)/) || !text.ascii_only?

    text = text.gsub(/%(\h\h)/) { [Regexp.last_match(1)].pack("H2") }.force_encoding(Encoding::UTF_8)
    text if text.valid_encoding? && !text.match?(/[\u0000-\u001F\u007F]/)
  end

  # A name that Windows stores as it is written: no dots alone, no trailing dot or space, no stream, no drive, no device, no backslash.
  # Other systems could have such files; that they are not served here is the price of one rule for all.
  def plain?(name)
    !name.match?(/[\\:*?"<>|]/) && Path::Windows.absolute(name, "C:/") == "C:/#{name}"
  end

  # Of the canonical name: neither a short name nor another case nor a link shows what is hidden.
  def hidden?(path)
    names = path.delete_prefix(root).split("/").reject(&:empty?)
    names.any? { |name| @hidden.any? { |pattern| File.fnmatch(pattern, name, File::FNM_DOTMATCH | File::FNM_CASEFOLD) } }
  end
end
