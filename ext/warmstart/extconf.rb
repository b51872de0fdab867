# frozen_string_literal: true

# Makes the Makefile of the C extension: core/ (plain C) and ruby/ (bindings), one shared object.
# On a Ruby without the C API or without RubyVM::InstructionSequence it makes an empty Makefile: the gem then installs,
# loads and does nothing (lib/warmstart/native.rb).

unless RUBY_ENGINE == "ruby" && defined?(RubyVM::InstructionSequence)
  File.write("Makefile", "all install clean:\n\t@true\n")
  exit
end

require "fileutils"
require "mkmf"
require_relative "../interface"

$srcs = %w[. core ruby].flat_map { |folder| Dir[File.join(__dir__, folder, "*.c")] }.map { |path| File.basename(path) }.sort
$VPATH << "$(srcdir)/core" << "$(srcdir)/ruby"
$INCFLAGS << " -I$(srcdir)"
append_cflags(%w[-std=gnu99 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -O3 -fvisibility=hidden])
# What ruby.h itself would have the compiler complain about is not ours to mend.
append_cflags(%w[-Wno-unused-parameter -Wno-declaration-after-statement -Wno-long-long -Wno-cast-function-type])

$defs << Interface.definition("warmstart/native.rb")

if enable_config("debug", false)
  # Exact-size copies in place of mappings, assertions on: an over-read traps.
  $defs << "-DWS_DEBUG"
  append_cflags(%w[-O0 -g])
end
append_cflags("-Werror") if enable_config("werror", false)

# The public API that not every Ruby has.
have_func("rb_ext_ractor_safe", "ruby.h")
have_func("rb_interned_str", "ruby.h")
have_const("RB_WARN_CATEGORY_PERFORMANCE", "ruby.h")
have_func("rb_postponed_job_preregister", "ruby/debug.h")
have_func("rb_hash_new_capa", "ruby.h")
# Exported and undeclared: see ruby/private_api.h, the one place that uses them.
have_func("mallinfo2", "malloc.h")
have_func("rb_get_coverages")
have_func("rb_iseq_eval")
have_func("rb_iseqw_to_iseq")
if checking_for("ruby_vm_event_flags") { try_link("extern unsigned int ruby_vm_event_flags;\nint main(void) { return (int)ruby_vm_event_flags; }") }
  $defs << "-DHAVE_RUBY_VM_EVENT_FLAGS"
end

# Does RubyVM.keep_script_lines keep the lines of files, or (Ruby 3.3) of evaluated strings only?
keeps_lines = lambda do
  next false unless RubyVM.respond_to?(:keep_script_lines=)

  before = RubyVM.keep_script_lines
  RubyVM.keep_script_lines = true
  File.write("conftest_lines.rb", "$lines = -> {}\n")
  load "./conftest_lines.rb"
  !RubyVM::InstructionSequence.of($lines).script_lines.nil?
ensure
  RubyVM.keep_script_lines = before unless before.nil?
  FileUtils.rm_f("conftest_lines.rb")
end
$defs << "-DWS_FILES_KEEP_LINES" if checking_for("lines of files that are kept") { keeps_lines.call }

if RUBY_PLATFORM.match?(/mingw/)
  # A library that needs nothing beside it but the system and Ruby.
  $LDFLAGS << " -static-libgcc#{" -s" unless enable_config("debug", false)}"
  $libs << " -Wl,-Bstatic -lwinpthread -Wl,-Bdynamic -lntdll -ladvapi32 -lpsapi"
elsif RUBY_PLATFORM.include?("mswin")
  abort "warmstart: build with MinGW's compiler (RubyInstaller's); this one's is not supported"
else
  have_library("pthread")
end
create_makefile("warmstart/warmstart")
