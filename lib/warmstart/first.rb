# frozen_string_literal: true

# Runs warmstart/native from the code that was compiled beside the extension. Ruby would need a tenth of Warmstart's
# start to compile that file, so this one is short: it finds out nothing and tells nothing. Where it does not work
# (there is no extension, or one of another version; a file has changed), Ruby loads warmstart/native as usual, which
# does both.
unless defined?(Warmstart::FOLDER) || defined?(Ruby::Box) # (another copy came first; see ruby/private/box.c)
  begin
    was_off = GC.disable # (see warmstart/native)
    build = "#{__dir__}/native/#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}"
    folder = [build, __dir__].find { |each| File.file?("#{each}/library.compiled") }
    # (warmstart/native prefers what stands in `build`, and two extensions must not be loaded.)
    if folder && (folder == build || !File.directory?(build))
      require_relative File.join(folder, "warmstart.so") # (on every system Ruby knows its extensions by this name, too)
      path, code = Warmstart::Native.compiled("#{folder}/library.compiled", __dir__)&.shift
      code&.eval
      Warmstart::Native.provide(path) if path
    end
  rescue StandardError, ScriptError, NoMemoryError, SystemStackError
    nil
  ensure
    GC.enable unless was_off
  end
end
require_relative "native"
