# frozen_string_literal: true

# Compiles the files of lib/ that each start of Warmstart loads, so that warmstart/native.rb need not have Ruby parse
# and compile them every time: `ruby ext/compile_library.rb FILE`, after the extension, by the Ruby it was built for.
# FILE lies beside the extension and is trusted as it is. It holds, by Marshal, [which Ruby and which folder, [[file,
# size, mtime (s), mtime (ns), code], ...]], in the order in which the files are run. Another Ruby or parser, another
# folder, or a file that has changed: Ruby compiles all of them, as usual.
module CompiledLibrary
  LIBRARY = File.realpath("../lib", __dir__)
  FOLDER = File.join(LIBRARY, "warmstart")

  # A file requires those before it at most. (test/start_cost_test.rb compares this with what a start loads.)
  FILES = %w[
    api
    configuration
    location
    image/key
    core_ext/c_method
    core_ext/autoload
    core_ext/collector
    core_ext/exec
    core_ext/file_open
    core_ext/kernel_require
    core_ext/load_iseq
    core_ext/script_lines
    core_ext
    boot/sizes
    boot/memory_limits
    boot/gc_governor
    boot/moments
    boot/session
  ].freeze

  # Seconds for which a file has to have been left alone: a clock of files may be as coarse as that, and a later change
  # would not be seen.
  SETTLED = 2

  class << self
    # @param path [String] where to write
    def write(path)
      beside = "#{path}.new"
      File.binwrite(beside, Marshal.dump([identity, FILES.map { |name| entry(File.join(FOLDER, "#{name}.rb")) }]))
      File.rename(beside, path)
    end

    private

    # As warmstart/native.rb has it. (The parser too: Ruby 3.3 crashes where its experimental Prism meets code that the
    # usual parser compiled.)
    def identity =
      [RUBY_ENGINE, RUBY_VERSION, RUBY_PATCHLEVEL, RUBY_REVISION, RUBY_PLATFORM, RUBY_DESCRIPTION[/\+PRISM/], FOLDER]

    def entry(path)
      status = File.stat(path)
      young = SETTLED - (Time.now - status.mtime)
      return sleep(young) && entry(path) if young.positive? && young <= SETTLED

      [
        path,
        status.size,
        status.mtime.to_i,
        status.mtime.nsec,
        RubyVM::InstructionSequence.compile_file(path).to_binary
      ]
    end
  end
end

CompiledLibrary.write(File.expand_path(ARGV.fetch(0))) if $PROGRAM_NAME == __FILE__
