# frozen_string_literal: true

# Questions for path rules, by a seed: [method, encoding, *arguments], with pieces that have caused trouble somewhere.
# Runs on every system and asks nothing of it (CRuby for Windows has to make the same ones).
class PathQuestions
  DRIVES = [
    "C:",
    "c:",
    "D:",
    "z:",
    "1:",
    "\u00E9:",
    "C::",
    "//h/s",
    "\\\\Host\\Share\\",
    "//h",
    "//",
    "\\\\?\\C:",
    "//./",
    "\\\\.\\D:",
    "//?",
    "/\\h//s"
  ].freeze
  PIECES = [
    "",
    "",
    ".",
    ".",
    "..",
    "..",
    "..",
    "...",
    "....",
    "a",
    "a",
    "b.rb",
    "B.RB",
    "a.",
    "a..",
    "a ",
    "a. ",
    " a",
    " ",
    ". .",
    ".. ",
    ".x",
    "..x",
    "x..",
    "x.y.z",
    "a b",
    "-",
    "~",
    "~me",
    "a~",
    "PROGRA~1",
    "LONGNA~1.TXT",
    "n:s",
    "n::$DATA",
    "n:s:$data",
    ":$DATA",
    "::$DATA",
    "n:",
    ":",
    "\u00E9",
    "\u65E5\u672C",
    "\u{1F600}.rb",
    "e\u0301",
    "a_rather_long_name_that_no_8_3_name_has.ext",
    "x" * 120,
    "$",
    "%2e%2e"
  ].freeze
  WINDOWS_PIECES = [
    "NUL",
    "nul.txt",
    "con",
    "Con .x",
    "AUX:y",
    "COM1",
    "com0",
    "LPT9.",
    "PRN ",
    "CONIN$",
    "conout$.x",
    "a*",
    "b?",
    "a|b",
    "<>",
    "\t"
  ].freeze
  BROKEN = [
    "\xFF",
    "a\xE3\x81",
    "\xC0\xAF",
    "\xED\xA0\x80",
    "\xE0\x80\xAF",
    "\xF0\x9F\x98",
    "\xF4\x90\x80\x80",
    "\xF0\x80\x80\xAF",
    "\x80x"
  ].freeze
  ENCODED = {
    "Windows-31J" => ["\x83\x5C", "\x95\x5Ca", "\x82\xA0"],
    "Windows-1252" => ["\xE9", "\x80x"],
    "US-ASCII" => ["\xE9", "\x81"],
    "ASCII-8BIT" => ["\xE9", "\xC3\xA9"],
    "GBK" => ["\x81\x5C", "\xB0\xA1"]
  }.freeze
  SUFFIXES = [nil, nil, ".rb", ".*", ".RB", "*", "", "b", "x*", "\u00E9", ".$data"].freeze

  def initialize(seed, windows:)
    @random = Random.new(seed)
    @windows = windows
    @pieces = windows ? PIECES + PIECES + WINDOWS_PIECES : PIECES
    @separators = windows ? ["/", "/", "/", "\\", "\\", "//", "\\/"] : ["/", "/", "/", "/", "\\", "//", "///"]
  end

  # @return [Array] the next one
  def take
    @encoding, @extra = "UTF-8", []
    @encoding, @extra = ENCODED.to_a[@random.rand(ENCODED.size)] if @random.rand(40).zero?
    @extra = BROKEN if @random.rand(40).zero? && @encoding == "UTF-8"
    method = %w[expand expand expand absolute basename dirname extname join split absolute?][@random.rand(10)]
    [method, @encoding, *send(:"for_#{method.sub("?", "_p")}")].map do |part|
      part.is_a?(String) ? part.dup.force_encoding(@encoding) : part
    end
  end

  private

  def pick(list) = list[@random.rand(list.size)]

  def piece
    chosen = @extra.any? && @random.rand(3).zero? ? pick(@extra) : pick(@pieces)
    @encoding == "UTF-8" || @extra.include?(chosen) || chosen.ascii_only? ? chosen : "x"
  end

  def name(rooted: @random.rand(4).zero?)
    text = (rooted ? pick(@separators) : "").b
    @random.rand(6).times { |index| text << (index.zero? ? "" : pick(@separators)) << piece.b }
    text << pick(@separators) if @random.rand(6).zero?
    text
  end

  def path
    return name unless @windows && @random.rand(3).zero?

    drive = pick(DRIVES)
    drive = "C:" unless drive.ascii_only? || @encoding == "UTF-8"
    text = drive.b << name(rooted: @random.rand(2).zero?)
    text.empty? ? +"C:/" : text
  end

  # Half of the bases are absolute, as in life.
  def base
    return path if @random.rand(2).zero?

    (@windows ? pick(["C:/", "c:\\q", "D:/w/", "//h/s/d", "//h/s"]) : "/").b << name(rooted: false)
  end

  def for_expand
    return [tame(path)] if @random.rand(3).zero?

    question, from = path, base
    [rooted?(question) || rooted?(from) ? tame(question) : question, tame(from)]
  end

  alias for_absolute for_expand

  # Wine takes a name with one "/" in front for a name of the Unix that it runs on, and asks its disk. Windows does not,
  # so neither do we.
  def tame(text)
    rooted?(text) && @windows ? text.sub(%r{\A/}n, "\\") : text
  end

  def rooted?(text) = text.match?(%r{\A/(?![/\\])}n)

  def for_basename
    suffix = pick(SUFFIXES)
    suffix && (suffix.ascii_only? || @encoding == "UTF-8") ? [path, suffix.b] : [path]
  end

  def for_dirname = @random.rand(2).zero? ? [path] : [path, @random.rand(4)]
  def for_extname = [path]
  def for_split = [path]
  def for_absolute_p = [path]
  def for_join = Array.new(@random.rand(1..4)) { path }
end
