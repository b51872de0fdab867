# frozen_string_literal: true

require "digest"

# What an extension offers to lib/, as one number: a digest of the names and arities of its functions, read from its
# sources. It is compiled in (both extconfs), and bin/setup writes it into lib/, so that an extension that was built
# from older sources is told from one that fits.
module Interface
  # The file in lib/ that has the number, and the folders of the sources.
  FILES = {
    "warmstart/native.rb" => %w[warmstart/ruby],
    "warmstart/profiler/native.rb" => %w[warmstart_profiler warmstart/ruby/require/require_methods.c]
  }.freeze
  FUNCTION = /\brb_define_(?:singleton_)?method\((?:native|image), ("[^"]+"), \w+, (-?\d+)\)/
  LINE = /^( *interface = )0x\h+$/i
  BITS = 48 # (so that it is no object)

  class << self
    # @param file [String] in lib/
    # @return [Integer]
    def number(file)
      sources =
        FILES
          .fetch(file)
          .flat_map do |name|
            Dir[File.join(__dir__, name, "**/*.c"), File.join(__dir__, name)].select { |path| path.end_with?(".c") }
          end
      functions = sources.sort.flat_map { |path| File.read(path).scan(FUNCTION) }
      Digest::SHA256.hexdigest(functions.map { |function| function.join(" ") }.sort.join("\n")).to_i(16) &
        ((1 << BITS) - 1)
    end

    # @return [String] for the compiler
    def definition(file) = "-DWS_INTERFACE=#{number(file)}"

    # @param library [String] the folder lib/
    # @return [Array<String>] files that had another number
    def write(library)
      FILES.each_key.select do |file|
        path = File.join(library, file)
        text = File.read(path)
        current = text.sub(LINE) { "#{Regexp.last_match(1)}0x#{number(file).to_s(16)}" }
        File.write(path, current) unless current == text
        current != text
      end
    end
  end
end
