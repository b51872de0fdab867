# frozen_string_literal: true

require "warmstart/path"

# Finds the file of a folder that a request means, and never one outside of the folder. A worked example for
# Warmstart::Path (docs/windows_and_files.md).
#
#   files = FileServer.new("public", hidden: %w[.ht* *.erb])
#   files.find("/docs/a%20b.txt?page=1")   # => "/srv/app/public/docs/a b.txt", or the status of the answer: 400, 403, 404
#
# The text of a request shows what it cannot mean; only the system knows what a name does mean. So a request is checked
# twice: names that are ambiguous on any system are refused by their text, and for the others the system is asked for
# the canonical name, which must lie in the folder's.
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

  # Splits the request's path into names; nil if some system would read it as anything but names.
  def names_of(target)
    text = decode(target.b[/\A[^?#]*/]) or return
    return unless text.start_with?("/")

    names = text.split("/").reject(&:empty?)
    names if names.all? { |name| plain?(name) }
  end

  # Percent signs are decoded once, and the result must be UTF-8. An overlong "/" (C0 AF) is not.
  def decode(text)
    return if text.match?(/%(?!\h\h)/) || !text.ascii_only?

    text = text.gsub(/%(\h\h)/) { [Regexp.last_match(1)].pack("H2") }.force_encoding(Encoding::UTF_8)
    text if text.valid_encoding? && !text.match?(/[\u0000-\u001F\u007F]/)
  end

  # Does Windows store the name as it is written? It has no dots alone, no trailing dot or space, no stream, no drive,
  # no device and no backslash. Other systems could have such files, but one rule for all is worth not serving them.
  def plain?(name)
    !name.match?(/[\\:*?"<>|]/) && Path::Windows.absolute(name, "C:/") == "C:/#{name}"
  end

  # Looks at the canonical name, so that no short name, other case or link shows what is hidden.
  def hidden?(path)
    names = path.delete_prefix(root).split("/").reject(&:empty?)
    names.any? { |name| @hidden.any? { |pattern| File.fnmatch(pattern, name, File::FNM_DOTMATCH | File::FNM_CASEFOLD) } }
  end
end
