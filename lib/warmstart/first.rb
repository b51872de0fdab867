# frozen_string_literal: true

# Runs warmstart/native from the code that was compiled beside the extension. Ruby would need a tenth of Warmstart's
# start to compile that file, so this one is short: it finds out nothing and tells nothing. Where it does not work
# (there is no extension, or one of another version; a file has changed), Ruby loads warmstart/native as usual, which
# does both. (What is rescued and what is deferred: see Failsafe there.)
unless defined?(Warmstart::FOLDER) || defined?(Ruby::Box) # (another copy came first; see ruby/private/box.c)
  was_off = true
  over = false
  begin
    Thread.handle_interrupt(Object => :never) do
      was_off = GC.disable
      build = "#{__dir__}/native/#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}"
      folder = [build, __dir__].find { |each| File.file?("#{each}/library.compiled") }
      # (warmstart/native prefers what stands in `build`, and two extensions must not be loaded.)
      if folder && (folder == build || !File.directory?(build))
        require_relative File.join(folder, "warmstart.so") # (Ruby knows its extensions by this name on every system)
        path, code = Warmstart::Native.compiled("#{folder}/library.compiled", __dir__)&.shift
        Warmstart::Native.provide(path) if path # (before it runs, so that no part of it runs twice)
        code&.eval
      end
    rescue StandardError, ScriptError, NoMemoryError, SystemStackError
      nil
    ensure
      over = true
    end
  rescue StandardError, ScriptError, NoMemoryError, SystemStackError
    raise if over
  ensure
    begin
      GC.enable unless was_off
    rescue StandardError, ScriptError, NoMemoryError, SystemStackError
      GC.enable
    end
  end
end
require_relative "native"
