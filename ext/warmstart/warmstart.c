/* Init only: all bindings register themselves under Warmstart::Native, each after those that it needs. */
#include "ruby/boot/boot.h"
#include "ruby/boot/events.h"
#include "ruby/code/frozen_literals.h"
#include "ruby/code/judgement.h"
#include "ruby/code/script_lines.h"
#include "ruby/collector/governor.h"
#include "ruby/command_line/command_line.h"
#include "ruby/documents/documents.h"
#include "ruby/file_system/listing.h"
#include "ruby/file_system/paths.h"
#include "ruby/load_path/load_path.h"
#include "ruby/private/box.h"
#include "ruby/private/c_function.h"
#include "ruby/private/end_of_program.h"
#include "ruby/private/features_copies.h"
#include "ruby/private/iseq_symbols.h"
#include "ruby/private/needs.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/patch.h"
#include "ruby/private/ractor.h"
#include "ruby/private/realpath_tables.h"
#include "ruby/private/traced.h"
#include "ruby/recorder/recorder.h"
#include "ruby/require/require.h"

RUBY_FUNC_EXPORTED void Init_warmstart(void);

void
Init_warmstart(void)
{
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    /* Kernel#require is our function in every Ractor. In Ractors other than the main one it goes straight to Ruby's. */
    rb_ext_ractor_safe(true);
#endif
    VALUE warmstart = rb_define_module("Warmstart");
    VALUE native = rb_define_module_under(warmstart, "Native");

    ws_init_needs(native);
    ws_init_c_function(native);
    ws_init_own_methods(native);
    ws_init_patch(native);
    ws_init_ractor();
    ws_init_box(native);
    ws_init_realpath_tables();
    ws_init_boot(native);
    ws_init_events(native);
    ws_init_load_path(native);
    ws_init_ahead(native);
    ws_init_recorder(native);
    ws_init_exec(native);
    ws_init_judgement(native);
    ws_init_hook_state(native);
    ws_init_hook(native);
    ws_init_iseq_symbols(native);
    ws_init_adopter(native);
    ws_init_frozen_literals(native);
    ws_init_features(native);
    ws_init_features_copies(native);
    ws_init_own_files(native);
    ws_init_loading();
    ws_init_autoloads(native);
    ws_init_end_of_program(native);
    ws_init_traced(native);
    ws_init_way(native);
    ws_init_require(native);
    ws_init_landmarks(native);
    ws_init_script_lines(native);
    ws_init_documents(native);
    ws_init_inspector(native);
    ws_init_builder(native);
    ws_init_governor(native);
    ws_init_governor_patches(native);
    ws_init_process(native);
    ws_init_records(native);
    ws_init_paths(native);
    ws_init_file_system(warmstart);
    ws_init_standby_waiting(native);
    /* The last, because lib/warmstart/native.rb takes it for the sign that all of this has succeeded. */
    rb_define_const(native, "INTERFACE", ULL2NUM(WS_INTERFACE));
}
