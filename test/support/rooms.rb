# frozen_string_literal: true

# The rooms of the C code (ext/warmstart/core/*, ext/warmstart/ruby/*), and which room uses which. It reads every
# #include, and every name of Warmstart's that is defined in a .c file of one room and used in another room.
class Rooms
  DEFINED =
    /^(?!static|typedef|extern|return|#|\s)(?:[\w \t*]+?[ \t*\n])\**(ws_\w+)\s*(?:\([^;{}]*\)\s*\{|(?:\[[^\]]*\])*\s*(?:=[^=]|;))/m

  # @param root [String] ext/warmstart
  def initialize(root)
    @texts =
      Dir["{core,ruby}/*/*.{c,h}", base: root].sort.to_h do |path|
        [path, without_comments(File.read(File.join(root, path)))]
      end
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

  # @return [Array<String>, nil] rooms each of which uses the next one, and the last the first; nil if there is no
  #   circle
  def circle
    arrows.each_key { |room| way = back(room, [room]) and return way }
    nil
  end

  private

  def without_comments(text) = text.gsub(%r{/\*.*?\*/}m, " ")

  # [[file, word], ...]
  def uses(text)
    included = text.scan(/^\s*#\s*include\s+"([^"]+)"/).flatten.select { |path| @texts.key?(path) }
    named = text.gsub(/"(?:\\.|[^"\\])*"/, '""').scan(/\bws_\w+/).uniq.select { |name| @defined.key?(name) }
    included.map { |path| [path, path] } + named.map { |name| [@defined.fetch(name), name] }
  end

  def back(start, way)
    arrows[way.last].each_key do |room|
      return way if room == start
      next if way.include?(room)

      found = back(start, way + [room]) and return found
    end
    nil
  end
end
