# frozen_string_literal: true

# The rooms of the C code (ext/warmstart/core/*, ext/warmstart/ruby/*), and which room uses which. It reads every
# #include, and every name of Warmstart's that is defined in a .c file of one room and used in another room. And which
# files of a room call one another.
class Rooms
  DEFINED =
    /^(?!static|typedef|extern|return|#|\s)(?:[\w \t*]+?[ \t*\n])\**(ws_\w+)\s*(?:\([^;{}]*\)\s*\{|(?:\[[^\]]*\])*\s*(?:=[^=]|;))/m

  FUNCTION = /^(?!static|typedef|extern|return|#|\s)(?:[\w \t*]+?[ \t*\n])\**(ws_\w+)\s*\([^;{}]*\)\s*\{/m

  # @param arrows [Hash{String => Enumerable<String>}] what each node leads to
  # @return [Array<String>, nil] nodes each of which leads to the next one, and the last to the first; nil if there is no
  #   circle
  def self.circle(arrows)
    finished = {}
    visit =
      lambda do |node, way|
        return way.drop(way.index(node)) if way.include?(node)
        next if finished[node]

        (arrows[node] || []).each { |other| found = visit.(other, way + [node]) and return found }
        finished[node] = true
        nil
      end
    arrows.each_key { |node| found = visit.(node, []) and return found }
    nil
  end

  # @param root [String] ext/warmstart, or another folder of C files
  # @param files [String] a pattern below it
  def initialize(root, files = "{core,ruby}/*/*.{c,h}")
    @texts = Dir[files, base: root].sort.to_h { |path| [path, without_comments(File.read(File.join(root, path)))] }
    @defined = {}
    @texts.each { |path, text| text.scan(DEFINED) { |(name)| @defined[name] ||= path } if path.end_with?(".c") }
  end

  # @return [Array<String>] "core/bytes", ...
  def names = @texts.keys.map { |path| File.dirname(path) }.uniq

  # @return [Hash{String => Hash{String => Array<String>}}] room => {a room that it uses => ["core/image/image.c:
  #   ws_hash64", ...]}
  def arrows
    @arrows ||=
      names
        .to_h { |room| [room, {}] }
        .tap do |arrows|
          @texts.each do |path, text|
            uses(text).each do |used, word|
              from, to = File.dirname(path), File.dirname(used)
              (arrows[from][to] ||= []) << "#{path}: #{word}" unless from == to
            end
          end
        end
  end

  # @return [Array<String>, nil] rooms that use one another in a circle
  def circle = Rooms.circle(arrows.transform_values(&:keys))

  # What all files of a room share is not seen: the room's state (ws_the_boot), and types.
  # @return [Array<String>, nil] files of one room whose functions call one another in a circle
  def circle_of_files
    functions = Hash.new { |hash, name| hash[name] = [] }
    sources = @texts.select { |path, _| path.end_with?(".c") }
    sources.each { |path, text| text.scan(FUNCTION) { |(name)| functions[name] |= [path] } }
    calls =
      sources.to_h do |path, text|
        named = text.gsub(/"(?:\\.|[^"\\])*"/, '""').scan(/\bws_\w+/).uniq.map { |name| functions.fetch(name, []) }
        called = named.reject { |definers| definers.include?(path) }.flatten.uniq
        [path, called.select { |other| File.dirname(other) == File.dirname(path) && !rivals?(path, other) }]
      end
    Rooms.circle(calls)
  end

  private

  # Is only one of the two compiled on each system?
  def rivals?(*paths)
    paths.any? { |path| path.include?("_windows") } && paths.any? { |path| path.match?(/_(?:posix|linux|macos)/) }
  end

  def without_comments(text) = text.gsub(%r{/\*.*?\*/}m, " ")

  # [[file, word], ...]
  def uses(text)
    included = text.scan(/^\s*#\s*include\s+"([^"]+)"/).flatten.select { |path| @texts.key?(path) }
    named = text.gsub(/"(?:\\.|[^"\\])*"/, '""').scan(/\bws_\w+/).uniq.select { |name| @defined.key?(name) }
    included.map { |path| [path, path] } + named.map { |name| [@defined.fetch(name), name] }
  end
end
