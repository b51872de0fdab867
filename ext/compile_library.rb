# frozen_string_literal: true

# Compiles the files of lib/ that each start of Warmstart loads, so that Ruby need not parse and compile them each time.
# Usage: `ruby ext/compile_library.rb FILE`, after the extension is built, by the Ruby that it was built for.
#
# FILE lies beside the extension and is trusted as it is. It holds, written by Marshal, [which Ruby and which folder,
# [[file, size, mtime (ns), size of the code], ...]], and after that the codes, in the order in which the files are run
# (warmstart/first, warmstart/native). With another Ruby, parser or folder, or if one of the files has changed, Ruby
# compiles all of them, as usual.
module CompiledLibrary
  LIBRARY = File.realpath("../lib", __dir__)
  FOLDER = File.join(LIBRARY, "warmstart")

  # A file may require only files that stand before it. test/start_cost_test.rb compares the list with what is loaded.
  FILES = %w[
    native
    failsafe
    api
    file_names
    configuration
    location
    boot/image_key
    core_ext
    boot/sizes
    boot/memory_limits
    boot/gc_governor
    boot/moments
    boot/session/installing
    boot/session/recording
    boot/session/completing
    boot/session
    ../warmstart
  ].freeze

  # A file is compiled only if it has not changed for this many seconds. A file system's clock may be that coarse, and a
  # later change within the same tick would not be seen.
  SETTLED = 2

  class << self
    # @param path [String] the file to write
    def write(path)
      beside = "#{path}.new"
      files, codes = FILES.map { |name| entry(File.expand_path("#{name}.rb", FOLDER)) }.transpose
      File.binwrite(beside, [Marshal.dump([identity, files]), *codes].map { |part| aligned(part) }.join)
      File.rename(beside, path)
    end

    private

    # As in ext/warmstart/ruby/require/own_files.c. The parser is part of it, because Ruby 3.3 crashes when its
    # experimental Prism meets code that the usual parser compiled.
    def identity =
      [RUBY_ENGINE, RUBY_VERSION, RUBY_PATCHLEVEL, RUBY_REVISION, RUBY_PLATFORM, RUBY_DESCRIPTION[/\+PRISM/], FOLDER]

    def entry(path)
      status = File.stat(path)
      young = SETTLED - (Time.now - status.mtime)
      return sleep(young) && entry(path) if young.positive? && young <= SETTLED

      code = aligned(RubyVM::InstructionSequence.compile_file(path).to_binary)
      [[path, status.size, (status.mtime.to_i * 1_000_000_000) + status.mtime.nsec, code.bytesize], code]
    end

    # (Ruby may count on an address that is a multiple of 16, as malloc returns it.)
    def aligned(bytes) = bytes.b.ljust((bytes.bytesize + 15) & ~15, "\0")
  end
end

CompiledLibrary.write(File.expand_path(ARGV.fetch(0))) if $PROGRAM_NAME == __FILE__
