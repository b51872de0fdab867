# frozen_string_literal: true

# Reads C sources and finds what the garbage collector could free or move without the extension's knowledge: VALUEs that
# live longer than a call (at file scope or on the heap) and are not marked; and texts in such places, because they may
# be the bytes of a String.
#
# Ruby itself scans the machine's stack and the arguments of methods, so a VALUE that is only there needs no mark.
class MarkedValues
  # kind: :value or :text; name: "variable" or "type.member".
  Finding = Struct.new(:path, :kind, :name)

  # A struct type with its members.
  Type = Struct.new(:path, :name, :body, :values, :texts)

  # What is between a type's braces: on one line, or up to the brace in the first column, with structs of its own.
  BODY = /([^\n{}]*|(?:(?!^\}).)*^)/m

  # @param sources [Hash{String => String}] path => C
  def initialize(sources)
    @sources = sources.transform_values { |text| text.gsub(%r{/\*.*?\*/}m, " ").gsub(/^\s*#.*$/, "") }
    @all = @sources.values.join("\n")
    @types = @sources.flat_map { |path, text| types_in(path, text) }
  end

  # @return [Array<Finding>] long-lived VALUEs that are not marked
  def unmarked
    variables =
      @sources.flat_map do |path, text|
        names(text, "VALUE")
          .reject { |name| marked_variable?(text, name) }
          .map { |name| Finding.new(path, :value, name) }
      end
    members =
      long_lived.flat_map do |type|
        type
          .values
          .reject { |name| marked_member?(type, name) }
          .map { |name| Finding.new(type.path, :value, "#{type.name}.#{name}") }
      end
    variables + members
  end

  # @return [Array<Finding>] long-lived texts
  def texts
    variables =
      @sources.flat_map do |path, text|
        names(text, "(?:const )?char \\*(?!const)").map { |name| Finding.new(path, :text, name) }
      end
    variables +
      long_lived.flat_map { |type| type.texts.map { |name| Finding.new(type.path, :text, "#{type.name}.#{name}") } }
  end

  private

  # Variables of that type at file scope. (A function's name is in the first column of the next line, so it does not
  # match.)
  def names(text, type)
    text
      .scan(/^(?:static )?(?:volatile )?#{type} ?(\**\w+[^;(]*);/)
      .flat_map { |(list)| list.gsub(/\{[^}]*\}/, "").split(",").map { |item| item[/\w+/] } }
  end

  def marked_variable?(text, name)
    return true if text.match?(/rb_gc_(?:register_address\(&|register_mark_object\(|mark\()#{name}\b/)
    return true if text.include?("rb_gc_mark_movable(#{name})") && text.include?("#{name} = rb_gc_location(#{name})")

    permanent?(text, name)
  end

  # (If a header defines the type, any file may mark its members.)
  def marked_member?(type, name)
    text = scope(type)
    text.match?(
      /rb_gc_(?:mark|register_mark_object|register_address)\(&?(?:[^;]*(?:->|\.))?#{name}(?:\[\w+\])?(?:\)| = )/
    ) || moved_member?(text, name) || permanent?(text, name)
  end

  def moved_member?(text, name)
    text.match?(/rb_gc_mark_movable\((?:[^;]*(?:->|\.))#{name}\)/) && text.match?(/\.#{name} = rb_gc_location\(/)
  end

  # A Symbol whose name is in the source lives for ever.
  def permanent?(text, name)
    given = text.scan(/\b#{name}(?:\[[^\]]*\])? = ([^;]+);/).flatten
    given.any? && given.all? { |value| value.match?(/\AID2SYM\(rb_intern\((?:"|\w+\[)/) }
  end

  def types_in(path, text)
    named = text.scan(/^typedef struct \w* ?\{#{BODY}\} (\w+);/m)
    variables = text.scan(/^static struct \w* ?\{#{BODY}\} \*?(\w+)[^;]*;/m)
    (named + variables).map do |body, name|
      Type.new(path, name, body, members(body, "VALUE"), members(body, "(?:const )?char \\*"))
    end
  end

  def members(body, type) =
    body.scan(/(?:^|[;{ ])#{type} ?([\w\[\], *]+);/).flat_map { |(list)| list.split(",").map { |item| item[/\w+/] } }

  # Types that are at file scope, part of such a type, behind a Ruby object, or on the heap.
  def long_lived
    @long_lived ||=
      begin
        found = @types.select { |type| kept?(type) }
        loop do
          parts =
            @types.select do |type|
              !found.include?(type) && found.any? { |outer| outer.body.match?(/\b#{type.name} \*?\w+/) }
            end
          break found if parts.empty?

          found.concat(parts)
        end
      end
  end

  def kept?(type)
    name, text = type.name, scope(type)
    text.match?(/^(?:static |extern )?#{name} \**\w+(?:\[[^\]]*\])?(?: =|;|,)/) ||
      text.match?(/^static struct \w* ?\{#{BODY}\} \*?#{name}\b/m) || text.match?(/TypedData_\w+\([^;]*\b#{name}\b/) ||
      text.match?(/\b#{name} \*\w+ = (?:malloc|calloc|ZALLOC|ALLOC)/) ||
      text.match?(/\b(?:sizeof\(|ZALLOC\(|ALLOC\()#{name}\)/)
  end

  # The sources that know a type: all for one of a header, else its own file (two files may have types of the same
  # name).
  def scope(type) = type.path.end_with?(".h") ? @all : @sources[type.path]
end
