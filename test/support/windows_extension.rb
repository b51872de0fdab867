# frozen_string_literal: true

require "open3"
require_relative "windows"

# Builds Warmstart::FileSystem for Windows by a cross compiler, as an extension of its own, and runs it with a Ruby for
# Windows under Wine. The machine needs both: `ruby-windows` runs it, and x86_64-w64-mingw32-gcc-posix compiles it.
class WindowsExtension
  COMPILER = "x86_64-w64-mingw32-gcc-posix"
  RUBY = "ruby-windows"
  ROOT = File.expand_path("../..", __dir__)
  SOURCES =
    Dir[
      File.join(ROOT, "ext/warmstart/core/{bytes,system,file_system,path}/*.c"),
      File.join(ROOT, "ext/warmstart/ruby/file_system/listing*.c")
    ].sort.freeze

  INIT = <<~C
    #include "ruby/file_system/listing.h"
    __declspec(dllexport) void Init_warmstart_files(void) { ws_init_file_system(rb_define_module("Warmstart")); }
  C

  def self.available?
    [COMPILER, RUBY].all? do |command|
      ENV.fetch("PATH").split(":").any? { |folder| File.executable?(File.join(folder, command)) }
    end
  end

  def initialize(folder)
    @folder = folder
    build
  end

  # The compiler's output; empty if there are no warnings and errors.
  attr_reader :complaints

  # Runs a script that can use Warmstart::FileSystem, with the folder as its argument, and returns its stdout.
  # @raise [RuntimeError] the script failed
  def run(script)
    path = File.join(@folder, "script.rb")
    library = File.read(File.join(ROOT, "lib/warmstart/file_system.rb")).sub(/^require_relative.*$/, "")
    File.write(
      path,
      "require #{windows(File.join(@folder, "warmstart_files")).dump}\neval(DATA.read)\n#{script}\n__END__\n#{library}"
    )
    # (With --disable-gems this Ruby's File.lstat returns whole seconds.)
    output, error, status = Open3.capture3(WindowsTests::ENVIRONMENT, RUBY, windows(path), windows(@folder))
    raise "#{RUBY} failed: #{error}\n#{output}" unless status.success?

    output.delete("\r")
  end

  private

  # Wine's drive Z: is the root folder.
  def windows(path) = "Z:#{path}"

  def build
    headers, architecture, libraries, library = settings
    init = File.join(@folder, "init.c")
    File.write(init, INIT)
    warnings = %w[-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes]
    core, ruby = SOURCES.partition { |path| path.include?("/core/") }
    objects =
      core.map { |path| compile(path, *warnings) } +
        [init, *ruby].map { |path| compile(path, "-isystem", headers, "-isystem", architecture) }
    system(
      COMPILER,
      "-shared",
      "-o",
      File.join(@folder, "warmstart_files.so"),
      *objects,
      "-L#{libraries}",
      "-l#{library}",
      "-lntdll",
      "-ladvapi32",
      exception: true
    )
  end

  def compile(source, *options)
    object = File.join(@folder, "#{File.basename(source)}.o")
    output, status =
      Open3.capture2e(
        COMPILER,
        "-std=gnu99",
        "-O2",
        *options,
        "-I#{File.join(ROOT, "ext/warmstart")}",
        "-c",
        source,
        "-o",
        object
      )
    (@complaints ||= +"") << output
    raise output unless status.success?

    object
  end

  def settings
    script = "puts RbConfig::CONFIG.values_at('rubyhdrdir', 'rubyarchhdrdir', 'libdir', 'LIBRUBYARG_SHARED')"
    output, = Open3.capture2(WindowsTests::ENVIRONMENT, RUBY, "-rrbconfig", "--disable-gems", "-e", script)
    output.delete("\r").lines(chomp: true).map { |line| line.delete_prefix("Z:").delete_prefix("-l") }
  end
end
