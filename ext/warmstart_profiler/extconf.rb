# frozen_string_literal: true

# Makes the Makefile of the boot profiler's two libraries. profiler.so is an extension that only a profiled program
# loads. interposer.so is plain C, and is preloaded into that program to count file system calls.

unless RUBY_ENGINE == "ruby" && defined?(RubyVM::InstructionSequence)
  File.write("Makefile", "all install clean:\n\t@true\n")
  exit
end

require "mkmf"
require_relative "../interface"

# The last four sources belong to the accelerator, too.
accelerator = File.expand_path("../warmstart", __dir__)
$srcs = %w[
  arena.c
  arena_space_posix.c
  arena_space_windows.c
  callers.c
  calls_windows.c
  evals.c
  exec.c
  metrics.c
  methods.c
  profiler.c
  requires.c
  system_posix.c
  system_windows.c
  threads.c
  tree.c
  whole.c
  exec_patch.c
  patch.c
  relative.c
  require_methods.c
]
$VPATH.concat(%w[private recorder require].map { |room| "#{accelerator}/ruby/#{room}" })
$INCFLAGS << " -I$(srcdir) -I#{accelerator}"
append_cflags(%w[-std=gnu99 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -O3 -fvisibility=hidden])
append_cflags(%w[-Wno-unused-parameter -Wno-declaration-after-statement -Wno-long-long -Wno-cast-function-type])
$defs << Interface.definition("warmstart/profiler/native.rb")
append_cflags(%w[-O0 -g]) if enable_config("debug", false)
append_cflags("-Werror") if enable_config("werror", false)
have_func("rb_ext_ractor_safe", "ruby.h")
have_func("rb_debug_inspector_current_depth", "ruby/debug.h")
if RUBY_PLATFORM.match?(/mingw/)
  # The same options as for the accelerator.
  $LDFLAGS << " -static-libgcc#{" -s" unless enable_config("debug", false)}"
  $libs << " -Wl,-Bstatic -lwinpthread -Wl,-Bdynamic -lpsapi"
elsif RUBY_PLATFORM.include?("mswin")
  abort "warmstart: build with MinGW's compiler (RubyInstaller's); this one's is not supported"
else
  have_library("dl")
  have_library("pthread")
end
create_makefile("warmstart/profiler")

# The interposer is not linked to Ruby, because the dynamic linker loads it before any program, also into the shell that
# starts Ruby.
File.write("Makefile", <<~MAKE, mode: "a") if RUBY_PLATFORM.match?(/linux|darwin/)

    INTERPOSER = interposer.#{RbConfig::CONFIG.fetch("DLEXT")}

    all: $(INTERPOSER)

    $(INTERPOSER): $(srcdir)/interposer.c $(srcdir)/calls.h
    \t$(Q) $(CC) -I$(srcdir) -std=gnu99 -O2 -fPIC -Wall -Wextra -fvisibility=hidden -shared -o $@ $(srcdir)/interposer.c -ldl -lpthread

    install-so: $(RUBYARCHDIR)/$(INTERPOSER)

    $(RUBYARCHDIR)/$(INTERPOSER): $(INTERPOSER) $(TIMESTAMP_DIR)/.sitearchdir.-.warmstart.time
    \t$(INSTALL_PROG) $(INTERPOSER) $(RUBYARCHDIR)
  MAKE
