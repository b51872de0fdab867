/* The loader's native way: the load_iseq hook hands Ruby the iseq from the map, so that nothing is parsed. Ruby does the
 * rest, hence order, locks, errors and frames are Ruby's. Ruby gets here by what require.c leaves to it, and by load, C
 * extensions (rb_require), -r and the like.
 *
 * The reasons for which a file is left to Ruby are what `warmstart status` counts. */
#include "ruby/code/loader.h"

#include "ruby/require/circular.h"
#include "ruby/require/direct.h"
#include "ruby/require/features.h"
#include "ruby/require/hook_owner.h"
#include "ruby/code/iseq_symbols.h"
#include "ruby/private/jobs.h"
#include "ruby/require/loading.h"
#include "ruby/private/private_api.h"
#include "ruby/code/real_names.h"
#include "ruby/require/require.h"
#include "ruby/code/script_lines.h"
#include "ruby/require/way.h"

#include <limits.h>
#include <stdlib.h>

#include <ruby/debug.h>

static VALUE iseq_class;
static ID id_load_from_binary, id_script_lines, id_translate;
static bool hook_enabled, compile_option_changed;
static bool revalidation_enabled = true;

/* The metadata call made when a feature was resolved serves the hook that follows for the same path. */
static struct { bool valid; char path[WS_PATH_MAXIMUM]; size_t size; ws_stat stat; } resolved;

void
ws_loader_remember(VALUE path, const ws_stat *stat)
{
    size_t size = (size_t)RSTRING_LEN(path);
    resolved.valid = size < sizeof resolved.path;
    if (!resolved.valid) return;
    memcpy(resolved.path, RSTRING_PTR(path), size);
    resolved.path[size] = 0;
    resolved.size = size;
    resolved.stat = *stat;
}

void
ws_loader_forget_remembered(void)
{
    resolved.valid = false;
}

static int
stat_of(VALUE path, ws_stat *stat)
{
    bool known = resolved.valid && resolved.size == (size_t)RSTRING_LEN(path) && memcmp(resolved.path, RSTRING_PTR(path), resolved.size) == 0;
    resolved.valid = false;
    if (known) *stat = resolved.stat;
    return known ? 0 : ws_file_stat_named(RSTRING_PTR(path), stat);
}

/* ---- RubyVM::InstructionSequence.load_iseq ---- */

/* What makes an iseq from the image differ from what Ruby would compile now. NULL: nothing. */
const char *
ws_compiling_differs(void)
{
    if (compile_option_changed) return "compile_option";
    if (RTEST(ruby_debug)) return "debug";           /* (as with --debug-frozen-string-literal: literals_are_debugged) */
#ifdef HAVE_RB_GET_COVERAGES
    if (RTEST(rb_get_coverages())) return "coverage";
#endif
    if (rb_const_defined_at(rb_cObject, id_script_lines)) return "script_lines";
    if (rb_respond_to(iseq_class, id_translate)) return "translate";     /* the program's own: sees what Ruby compiles */
    if (!ws_script_lines_replaced() && ws_script_lines_wanted()) return "script_lines";
    return NULL;
}

static VALUE
load_from_binary(VALUE binary)
{
    return rb_funcallv(iseq_class, id_load_from_binary, 1, &binary);
}

/* The iseq of a payload, or Qnil: Ruby refuses the payload of another build of itself. */
static VALUE
iseq_of(const uint8_t *payload, size_t size)
{
    VALUE saved = rb_errinfo();
    int state = 0;
    VALUE linked = ws_iseq_symbols_link(payload, size);
    VALUE binary = linked == Qundef ? rb_str_new_static((const char *)payload, (long)size) : linked;
    ws_job_pause();
    VALUE iseq = rb_protect(load_from_binary, binary, &state);
    ws_job_resume();
    if (linked != Qundef) ws_iseq_symbols_done();
    RB_GC_GUARD(binary);
    if (!state) return iseq;
    rb_set_errinfo(saved);
    return Qnil;
}

/* A path that leads through a symlink says another __dir__ when the link was pointed elsewhere; and so does one that did not, when a component of it has
 * become a link. */
static bool
same_realpath(const ws_found *found, const char *path, const ws_stat *stat)
{
    const char *recorded = ws_segment_string(found->segment, found->entry->realpath_offset, found->entry->realpath_size);
    if (!recorded) return false;
    if (found->entry->realpath_size == found->entry->path_size && strcmp(recorded, path) == 0) return ws_is_real_name(path, stat);
    char now[WS_PATH_MAXIMUM];
    return ws_real_path(path, now) && strcmp(now, recorded) == 0;
}

/* The same content under other metadata (a fresh clone, a restored cache) is the same file. */
static const char *
revalidate(const ws_found *found, const char *path, const ws_stat *stat, const char *reason)
{
    ws_hash128 hash;
    ws_stat read;
    if (!revalidation_enabled) return reason;
    if (ws_file_hash(path, &hash, &read, NULL) != WS_OK) return reason;
    if (hash.low != found->entry->content_low || hash.high != found->entry->content_high) return reason;
    ws_recorder_revalidated(found->entry, found->segment, stat);
    return NULL;
}

bool
ws_loader_enabled(void)
{
    return hook_enabled;
}

void
ws_loader_step_back(void)
{
    hook_enabled = false;
    ws_complain("bootsnap was set up later and answers RubyVM::InstructionSequence.load_iseq; its code cache is used from here on, not ours (take one of the two out)");
}

/* found->entry's realpath is compared, too, unless it is a document. */
static ws_verdict
judge_content(const ws_found *found, const char *path, const ws_stat *stat, const char **reason)
{
    ws_freshness freshness = ws_entry_freshness(found->entry, ws_the_boot.portable, stat, reason);
    if (freshness == WS_STALE_SIZE || freshness == WS_STALE_TYPE) return VERDICT_STALE;
    if (!(found->entry->flags & WS_ENTRY_DOCUMENT) && !same_realpath(found, path, stat)) {
        *reason = "realpath";
        return VERDICT_STALE;
    }
    if (freshness == WS_CHECK_CONTENT && revalidate(found, path, stat, *reason)) return VERDICT_STALE;
    return freshness == WS_FRESH ? VERDICT_HIT : VERDICT_REVALIDATED;
}

ws_verdict
ws_judge(ws_found found, const char *path, bool frozen, const ws_stat *stat, const char **reason)
{
    *reason = NULL;
    if (!found.entry) { *reason = "not_recorded"; return VERDICT_MISS; }
    if (frozen != ((found.entry->flags & WS_ENTRY_FROZEN_LITERALS) != 0)) { *reason = "literals"; return VERDICT_MISS; }
    if (!ws_silent_now(found.entry->warning_level)) { *reason = "warnings"; return VERDICT_MISS; }
    if (!stat) return VERDICT_HIT;
    return judge_content(&found, path, stat, reason);
}

ws_verdict
ws_judge_document(ws_found found, const char *path, const ws_stat *stat, const char **reason)
{
    *reason = NULL;
    if (!found.entry) { *reason = "not_recorded"; return VERDICT_MISS; }
    return stat ? judge_content(&found, path, stat, reason) : VERDICT_HIT;
}

void
ws_report_verdict(ws_verdict verdict, const char *reason, const char *path, size_t path_size)
{
    static const ws_event events[] = { WS_EVENT_HIT, WS_EVENT_REVALIDATED, WS_EVENT_MISS, WS_EVENT_STALE, WS_EVENT_MISS };
    ws_event_report(events[verdict], reason, path, path_size);
}

const uint8_t *
ws_payload(ws_found found, const char **reason)
{
    const uint8_t *payload;
    ws_error error;
    if (ws_image_payload(&ws_the_boot.image, found, &payload, &error) == WS_OK) return payload;
    const char *path = ws_segment_string(found.segment, found.entry->path_offset, found.entry->path_size);
    *reason = ws_error_name(error.code);
    ws_recorder_take_place_of(found);
    ws_complain("the boot image is damaged (%s) at %s; its file is %s as usual", *reason, path ? path : "a file",
                found.entry->flags & WS_ENTRY_DOCUMENT ? "parsed" : "compiled");
    return NULL;
}

VALUE
ws_payload_iseq(ws_found found, const char **reason)
{
    const uint8_t *payload = ws_payload(found, reason);
    if (!payload) return Qnil;
    VALUE iseq = iseq_of(payload, found.entry->payload_size);
    if (NIL_P(iseq)) {
        *reason = "refused";
        ws_recorder_take_place_of(found);
    }
    else if (ws_script_lines_wanted()) ws_script_lines_note(found);
    return iseq;
}

/* An application's file whose string literals are to be frozen and that is not in the image. compile_file makes code that
 * Coverage cannot count, so there Ruby's loader has it, as it is. reason: of compiling_differs. */
static VALUE
compile_frozen(VALUE path, const char *reason)
{
    if (!reason || strcmp(reason, "coverage") != 0) {
        VALUE iseq = ws_frozen_literals_compile(path);
        if (NIL_P(iseq)) ws_recorder_expect_nothing();
        return iseq;
    }
    ws_complain("Coverage is on, so the string literals of %s are not frozen; put the magic comment into the file", RSTRING_PTR(path));
    return Qnil;
}

/* ---- where the direct way was first ---- */

/* Ruby is about to evaluate what the direct way has loaded (under another name) or is loading (asked for by C code, by "./x" ...).
 * Where the require was one of ours it ends here, as Ruby's own would; else Ruby gets an empty file. */
static VALUE
nothing_to_do(VALUE path, bool ours)
{
    if (ours) ws_native_require_answer_false();
    VALUE arguments[3] = { rb_str_new_cstr(""), path, path };
    return rb_funcallv(iseq_class, rb_intern("compile"), 3, arguments);
}

static VALUE
wait_for(VALUE argument)
{
    return ws_loading_wait((ws_loading *)argument) ? Qtrue : Qfalse;
}

/* What interrupts the wait (ThreadError: a fiber that waits for its own thread; fatal: a deadlock) was raised without this hook's frame. */
static bool
wait_without_frame(ws_loading *loading)
{
    int state = 0;
    VALUE succeeded = rb_protect(wait_for, (VALUE)loading, &state);
    if (!state) return succeeded == Qtrue;
    VALUE error = rb_errinfo();
    if (RB_TYPE_P(error, T_OBJECT) && (rb_obj_is_kind_of(error, rb_eThreadError) == Qtrue || rb_obj_is_kind_of(error, rb_eFatal) == Qtrue)) {
        VALUE backtrace = rb_funcall(error, rb_intern("backtrace"), 0);
        if (RB_TYPE_P(backtrace, T_ARRAY) && RARRAY_LEN(backtrace) > 1)
            rb_funcall(error, rb_intern("set_backtrace"), 1, rb_ary_subseq(backtrace, 1, RARRAY_LEN(backtrace) - 1));
    }
    rb_jump_tag(state);
}

/* The iseq to use instead, or nil: go on. */
static VALUE
meet_direct_way(VALUE path, ws_found found, bool ours)
{
    ws_loading *loading = found.entry ? ws_loading_find(found) : NULL;
    if (loading && ws_loading_is_ours(loading)) {
        ws_warn_circular(loading->path);
        loading->provided_natively = !ours;
        return nothing_to_do(path, ours);
    }
    if (loading && wait_without_frame(loading)) {
        if (!ours) ws_remove_feature(StringValueCStr(path));       /* (Ruby is about to provide it) */
        return nothing_to_do(path, ours);
    }
    return Qnil;
}

/* ---- the hook ---- */

/* The iseq from the image, or nil: Ruby compiles, and what comes out is recorded. frozen: with frozen string literals. */
static VALUE
iseq_from_image(VALUE path, ws_found found, bool frozen, bool by_load)
{
    const char *name = StringValueCStr(path), *reason = NULL;
    ws_stat stat;
    VALUE iseq = Qnil;
    if (by_load) ws_loader_forget_remembered();          /* (of a require that did not come to the hook; the file may be another by now) */
    bool believe = ws_the_boot.sealed && found.entry && !by_load;
    ws_verdict verdict = VERDICT_GONE;
    if (believe || stat_of(path, &stat) == 0) verdict = ws_judge(found, name, frozen, believe ? NULL : &stat, &reason);
    else reason = "gone";
    if (verdict <= VERDICT_REVALIDATED) {
        iseq = ws_payload_iseq(found, &reason);
        if (NIL_P(iseq)) verdict = VERDICT_STALE;
    }
    ws_report_verdict(verdict, reason, name, (size_t)RSTRING_LEN(path));
    if (NIL_P(iseq) && verdict != VERDICT_GONE && !believe) ws_recorder_expect(path, &stat, frozen ? WS_ENTRY_FROZEN_LITERALS : 0);
    return iseq;
}

/* Returns the iseq for Ruby to evaluate, or nil: compile it. Called by rb_iseq_load_iseq for each required or loaded file. */
static VALUE
load_iseq(VALUE self, VALUE path)
{
    if (!ws_main_ractor() || !RB_TYPE_P(path, T_STRING)) return Qnil;
    bool frozen = ws_frozen_literals_wanted(RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    if (!hook_enabled) return frozen ? compile_frozen(path, NULL) : Qnil;
    ws_found found = { NULL, NULL };
    if (ws_the_boot.image_open) found = ws_image_find(&ws_the_boot.image, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    /* (First: a require of ours may call the program, for a to_path, and that may load what it likes.) */
    bool by_load = ws_hook_called_by_load(StringValueCStr(path)), ours = !by_load && ws_native_require_begins(RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    if (!by_load && ws_direct_used) {
        VALUE instead = meet_direct_way(path, found, ours);
        if (!NIL_P(instead)) return instead;
    }
    const char *reason = ws_compiling_differs();
    if (reason) {
        ws_event_report(WS_EVENT_MISS, reason, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
        return frozen ? compile_frozen(path, reason) : Qnil;
    }
    VALUE iseq = iseq_from_image(path, found, frozen, by_load);
    if (NIL_P(iseq) && frozen) iseq = compile_frozen(path, NULL);
    RB_GC_GUARD(path);
    return iseq;
}

/* ---- what invalidates all entries at once ---- */

static VALUE original_compile_option_setter;

/* With --debug-frozen-string-literal each frozen literal is a String of its own that knows where it stands (FrozenError says so), and to_binary keeps
 * neither. */
static bool
literals_are_debugged(void)
{
    VALUE option = rb_funcall(iseq_class, rb_intern("compile_option"), 0);
    return RB_TYPE_P(option, T_HASH) && RTEST(rb_hash_lookup(option, ID2SYM(rb_intern("debug_frozen_string_literal"))));
}

/* RubyVM::InstructionSequence.compile_option=: from then on Ruby compiles otherwise than the image's key says. */
static VALUE
set_compile_option(VALUE self, VALUE option)
{
    compile_option_changed = true;
    return rb_method_call_with_block(1, &option, original_compile_option_setter, Qnil);
}

/* ---- Native: for lib/warmstart/core_ext, which knows when and where ---- */

static VALUE
define_load_iseq(VALUE self)
{
    compile_option_changed = compile_option_changed || literals_are_debugged();
    original_compile_option_setter = rb_obj_method(iseq_class, ID2SYM(rb_intern("compile_option=")));
    rb_define_singleton_method(iseq_class, "compile_option=", set_compile_option, 1);
    rb_define_singleton_method(iseq_class, "load_iseq", load_iseq, 1);
    ws_hook_is_ours_now(iseq_class);
    ws_watch_names();
    return Qnil;
}

static VALUE
undefine_load_iseq(VALUE self)
{
    VALUE singleton = rb_singleton_class(iseq_class);
    ws_hook_is_nobodys_now();
    ws_stop_watching_names();
    rb_remove_method(singleton, "load_iseq");
    VALUE unbound = rb_funcall(original_compile_option_setter, rb_intern("unbind"), 0);
    rb_funcall(singleton, rb_intern("define_method"), 2, ID2SYM(rb_intern("compile_option=")), unbound);
    return Qnil;
}

static VALUE
set_hook_enabled(VALUE self, VALUE on)
{
    hook_enabled = RTEST(on);
    return on;
}

static VALUE
set_revalidation_enabled(VALUE self, VALUE on)
{
    revalidation_enabled = RTEST(on);
    return on;
}

void
ws_init_loader(VALUE native)
{
    ws_init_hook_owner();
    ws_init_real_names();
    id_load_from_binary = rb_intern("load_from_binary");
    id_script_lines = rb_intern("SCRIPT_LINES__");
    id_translate = rb_intern("translate");
    VALUE vm = rb_const_get(rb_cObject, rb_intern("RubyVM"));
    iseq_class = rb_const_get(vm, rb_intern("InstructionSequence"));
    rb_gc_register_mark_object(iseq_class);
    rb_gc_register_address(&original_compile_option_setter);

    rb_define_singleton_method(native, "define_load_iseq", define_load_iseq, 0);
    rb_define_singleton_method(native, "undefine_load_iseq", undefine_load_iseq, 0);
    rb_define_singleton_method(native, "hook_enabled=", set_hook_enabled, 1);
    rb_define_singleton_method(native, "revalidation_enabled=", set_revalidation_enabled, 1);
}
