# frozen_string_literal: true

# Makes the Makefile of the boot profiler's two libraries and of the standby's client. profiler.so is an extension that
# only a profiled program loads. interposer.so is plain C, and is preloaded into that program to count file system
# calls, and into a standby. standby is a program in plain C.

unless RUBY_ENGINE == "ruby" && defined?(RubyVM::InstructionSequence)
  File.write("Makefile", "all install clean:\n\t@true\n")
  exit
end

require "mkmf"
require_relative "../interface"
require_relative "../probes"

accelerator = File.expand_path("../warmstart", __dir__)
own = Dir.children(__dir__).select { |name| name.end_with?(".c") } - ["interposer.c"]
shared = %w[c_function exec_patch library needs own_methods patch relative ruby_require] # (the accelerator's, too)
$srcs = [*own.sort, *shared.map { |name| "#{name}.c" }]
$VPATH.concat(%w[private recorder require].map { |room| "#{accelerator}/ruby/#{room}" })
$INCFLAGS << " -I$(srcdir) -I#{accelerator}"
append_cflags(%w[-std=gnu99 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -O3 -fvisibility=hidden])
append_cflags(%w[-Wno-unused-parameter -Wno-declaration-after-statement -Wno-long-long -Wno-cast-function-type])
$defs << Interface.definition("warmstart/profiler/native.rb")
append_cflags(%w[-O0 -g]) if enable_config("debug", false)
append_cflags("-Werror") if enable_config("werror", false)
have_func("rb_ext_ractor_safe", "ruby.h")
have_func("rb_debug_inspector_current_depth", "ruby/debug.h")
# (as in ../warmstart/extconf.rb)
version = RbConfig::CONFIG.values_at("MAJOR", "MINOR").map(&:to_i)
form = CROSS_COMPILING ? ((version <=> [3, 3]) < 0 ? 1 : 2) : Probes.evaluated_form
$defs << "-DWS_KNOWN_EVALUATED=#{form}" if form
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

# The interposer and the client are not linked to Ruby: the dynamic linker loads the one before any program, also into
# the shell that starts Ruby, and the other one is there so that no Ruby need start.
if RUBY_PLATFORM.match?(/linux|darwin/)
  standby = File.expand_path("../warmstart_standby", __dir__)
  linux = RUBY_PLATFORM.include?("linux")
  both =
    (
      if linux
        %w[
          child.c
          effects.c
          identity.c
          program.c
          refused.c
          standby.c
          trace_end.c
          trace_entry.c
          trace_writer.c
          waiting.c
        ]
      else
        []
      end
    )
  client =
    (
      if linux
        %w[
          client.c
          command.c
          identity.c
          key.c
          making.c
          program.c
          signals.c
          store.c
          telling.c
          trace_check.c
          trace_entry.c
        ]
      else
        []
      end
    )
  paths = ->(names) { names.map { |name| "#{standby}/#{name}" }.join(" ") }
  options = "-std=gnu99 -D_GNU_SOURCE -O2 -Wall -Wextra -Wno-unused-parameter"
  options += " -Werror" if $CFLAGS.include?("-Werror")
  File.write("Makefile", <<~MAKE, mode: "a")

    INTERPOSER = interposer.#{RbConfig::CONFIG.fetch("DLEXT")}
    CLIENT = #{"standby" if linux}
    HEADERS = $(srcdir)/calls.h #{Dir["#{standby}/*.h"].join(" ")}

    all: $(INTERPOSER) $(CLIENT)

    $(INTERPOSER): $(srcdir)/interposer.c #{paths.call(both)} $(HEADERS)
    \t$(Q) $(CC) -I$(srcdir) #{options} -fPIC -fvisibility=hidden -shared -o $@ $(srcdir)/interposer.c #{paths.call(both)} -ldl -lpthread

    install-so: $(RUBYARCHDIR)/$(INTERPOSER)

    $(RUBYARCHDIR)/$(INTERPOSER): $(INTERPOSER) $(TIMESTAMP_DIR)/.sitearchdir.-.warmstart.time
    \t$(INSTALL_PROG) $(INTERPOSER) $(RUBYARCHDIR)
  MAKE
  File.write("Makefile", <<~MAKE, mode: "a") if linux

    $(CLIENT): #{paths.call(client)} $(HEADERS)
    \t$(Q) $(CC) #{options} -o $@ #{paths.call(client)} -lpthread

    install-so: $(RUBYARCHDIR)/$(CLIENT)

    $(RUBYARCHDIR)/$(CLIENT): $(CLIENT) $(TIMESTAMP_DIR)/.sitearchdir.-.warmstart.time
    \t$(INSTALL_PROG) $(CLIENT) $(RUBYARCHDIR)
  MAKE
end
