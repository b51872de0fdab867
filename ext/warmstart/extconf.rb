# frozen_string_literal: true

# Makes the Makefile of the C extension, one shared object of core/ (plain C) and ruby/ (bindings). On a Ruby without
# the C API or without RubyVM::InstructionSequence it makes an empty Makefile. The gem can then be installed and loaded,
# and does nothing (lib/warmstart/native.rb).

unless RUBY_ENGINE == "ruby" && defined?(RubyVM::InstructionSequence)
  File.write("Makefile", "all install clean:\n\t@true\n")
  exit
end

require "mkmf"
require_relative "../interface"
require_relative "../probes"

rooms = Dir[File.join(__dir__, "{core,ruby}/*/")].map { |path| path.delete_prefix("#{__dir__}/").chomp("/") }.sort
$srcs = [
  "warmstart.c",
  *rooms.flat_map { |room| Dir[File.join(__dir__, room, "*.c")] }.map { |path| File.basename(path) }.sort
]
$VPATH.concat(rooms.map { |room| "$(srcdir)/#{room}" })
$INCFLAGS << " -I$(srcdir)"
append_cflags(%w[-std=gnu99 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -O3 -fvisibility=hidden])
# Warnings about ruby.h itself, which is not ours to change.
append_cflags(%w[-Wno-unused-parameter -Wno-declaration-after-statement -Wno-long-long -Wno-cast-function-type])

$defs << Interface.definition("warmstart/native.rb")

if enable_config("debug", false)
  # Files are copied to memory of their exact size instead of mapped, and assertions are on, so that a read beyond the
  # end is caught.
  $defs << "-DWS_DEBUG"
  append_cflags(%w[-O0 -g])
end
append_cflags("-Werror") if enable_config("werror", false)

# Public functions that not every Ruby has.
have_func("rb_ext_ractor_safe", "ruby.h")
have_func("rb_interned_str", "ruby.h")
have_const("RB_WARN_CATEGORY_PERFORMANCE", "ruby.h")
have_func("rb_postponed_job_preregister", "ruby/debug.h")
have_func("rb_hash_new_capa", "ruby.h")
have_func("rb_debug_inspector_current_depth", "ruby/debug.h")
# Functions that are exported but not declared. Only ruby/private/private_api.h uses them, and explains them.
have_func("mallinfo2", "malloc.h")
have_func("malloc_trim", "malloc.h")
# Ruby's own symbols: is this one there, and is it there for extensions?
def seek_exported(symbol)
  given = CROSS_COMPILING || RbConfig::CONFIG["ENABLE_SHARED"] == "yes"
  found = checking_for(symbol) { yield && (given || Probes.exported?(symbol)) }
  $defs << "-DHAVE_#{symbol.upcase}" if found
  found
end
def seek_exported_function(name) = seek_exported(name) { try_func(name, $libs) }

seek_exported_function("rb_get_coverages")
seek_exported_function("rb_objspace_reachable_objects_from") &&
  seek_exported_function("rb_objspace_reachable_objects_from_root")
seek_exported_function("rb_objspace_each_objects")
seek_exported("ruby_single_main_ractor") do
  try_link("extern void *ruby_single_main_ractor;\nint main(void) { return ruby_single_main_ractor == 0; }")
end
seek_exported("ruby_vm_event_flags") do
  try_link("extern unsigned int ruby_vm_event_flags;\nint main(void) { return (int)ruby_vm_event_flags; }")
end

# The probes were tried on these versions. Where nothing can be tried out, as when building for another system, they are
# taken to hold on these versions.
version = RbConfig::CONFIG.values_at("MAJOR", "MINOR").map(&:to_i)
tried = (version <=> [4, 0]) <= 0

# Each of these is on only if a probe has seen it work; ruby/private/needs.c says what is off otherwise. The probe of
# the direct way: called as ruby/private/private_api.h declares it, does rb_iseq_eval evaluate what a
# RubyVM::InstructionSequence holds?
direct = seek_exported_function("rb_iseq_eval") && seek_exported_function("rb_iseqw_to_iseq")
seen = Probes.in_c(direct: direct, tried: tried) { |source| try_run(source) unless CROSS_COMPILING }
known = {
  WS_HAVE_DIRECT_WAY: ["the direct way", seen.include?(:direct)],
  WS_KNOWN_JUMPS: ["numbers of jumps", seen.include?(:jumps)],
  WS_KNOWN_FRAMES: ["order of frames", seen.include?(:frames)],
  WS_KNOWN_CLOSING: [
    "how files are closed",
    seen.include?(:mesg) && (CROSS_COMPILING ? tried : Probes.files_close_as_known?)
  ]
}
# Which of the forms that are known; the code of another system's Ruby has that of its version.
forms = {
  WS_KNOWN_CIRCULAR: ["text of the circular warning", -> { Probes.circular_form }, [3, 4]],
  WS_KNOWN_EVALUATED: ["name of evaluated text", -> { Probes.evaluated_form }, [3, 3]]
}
forms.each do |name, (what, probe, since)|
  form = CROSS_COMPILING ? (tried && ((version <=> since) < 0 ? 1 : 2)) : probe.call
  $defs << "-D#{name}=#{form}" if checking_for(what) { form }
end
known.each { |name, (what, holds)| $defs << "-D#{name}" if checking_for(what) { holds } }

$defs << "-DWS_FILES_KEEP_LINES" if checking_for("lines of files that are kept") { Probes.files_keep_lines? }

# Whether compiled code may hold symbols by value. The code of another system's Ruby cannot be tried out here.
binary_version = CROSS_COMPILING ? (tried && version) : Probes.symbols_by_value
if checking_for("symbols by value") { binary_version }
  $defs << "-DWS_BINARY_MAJOR=#{binary_version[0]}" << "-DWS_BINARY_MINOR=#{binary_version[1]}"
end

if RUBY_PLATFORM.match?(/mingw/)
  # The library must need no other libraries than the system's and Ruby's.
  $LDFLAGS << " -static-libgcc#{" -s" unless enable_config("debug", false)}"
  $libs << " -Wl,-Bstatic -lwinpthread -Wl,-Bdynamic -lntdll -ladvapi32 -lpsapi"
elsif RUBY_PLATFORM.include?("mswin")
  abort "warmstart: build with MinGW's compiler (RubyInstaller's); this one's is not supported"
else
  have_library("pthread")
end
create_makefile("warmstart/warmstart")

# When RubyGems installs the gem, the code of the files that each start loads is written beside the extension. bin/setup
# does this by itself. When building for another system this is not possible, since its Ruby cannot run here.
File.write("Makefile", <<~MAKE, mode: "a") unless CROSS_COMPILING

    install-so: $(RUBYARCHDIR)/library.compiled

    $(RUBYARCHDIR)/library.compiled: $(DLLIB) $(TIMESTAMP_DIR)/.sitearchdir.-.warmstart.time
    \t$(Q) $(RUBY) $(srcdir)/../compile_library.rb $@
  MAKE
