# frozen_string_literal: true

require "digest"

# The interface that an extension offers to lib/, as one number: a digest of the names and arities of its functions,
# read from its sources. Both extconf.rb compile it into their extension, and bin/setup writes it into lib/. So lib/ can
# tell whether an extension was built from sources that fit.
module Interface
  # The files in lib/ that hold a number, each with the sources that it is computed from.
  FILES = {
    "warmstart/native.rb" => %w[warmstart/ruby],
    "warmstart/profiler/native.rb" => %w[warmstart_profiler warmstart/ruby/require/relative.c]
  }.freeze
  FUNCTION = /\brb_define_(?:singleton_)?method\((?:native|image), ("[^"]+"), \w+, (-?\d+)\)/
  LINE = /^( *interface = )0x\h+$/i
  BITS = 48 # so that it is an immediate Integer and not an object

  class << self
    # @param file [String] one of FILES
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

    # @return [String] an option for the compiler
    def definition(file) = "-DWS_INTERFACE=#{number(file)}"

    # @param library [String] the folder lib/
    # @return [Array<String>] the files whose number has changed
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
