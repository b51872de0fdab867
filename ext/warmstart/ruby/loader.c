/* The loader's native way. Kernel#require is a C function at the bottom of all decorators: it asks the index where the
 * feature lies and calls Ruby's own require with that path, so that nothing is searched; the load_iseq hook hands Ruby the
 * iseq from the map, so that nothing is parsed. Ruby does the rest, hence order, locks, errors and frames are Ruby's.
 *
 * The reasons for which a file is left to Ruby are what `warmstart status` counts. */
#include "bindings.h"
#include "private_api.h"

#include <limits.h>
#include <stdlib.h>

#include <ruby/debug.h>

static VALUE iseq_class;
static ID id_load_from_binary, id_keep_script_lines, id_script_lines, id_translate;
static bool has_keep_script_lines;
static bool hook_enabled, search_enabled, compile_option_changed;
static bool revalidation_enabled = true;

/* The metadata call made when a feature was resolved serves the hook that follows for the same path. */
static struct { bool valid; char path[PATH_MAX]; size_t size; ws_stat stat; } resolved;

static void
remember_stat(VALUE path, const ws_stat *stat)
{
    size_t size = (size_t)RSTRING_LEN(path);
    resolved.valid = size < sizeof resolved.path;
    if (!resolved.valid) return;
    memcpy(resolved.path, RSTRING_PTR(path), size);
    resolved.path[size] = 0;
    resolved.size = size;
    resolved.stat = *stat;
}

static int
stat_of(VALUE path, ws_stat *stat)
{
    bool known = resolved.valid && resolved.size == (size_t)RSTRING_LEN(path) && memcmp(resolved.path, RSTRING_PTR(path), resolved.size) == 0;
    resolved.valid = false;
    if (known) *stat = resolved.stat;
    return known ? 0 : ws_file_stat(RSTRING_PTR(path), stat);
}

/* ---- Kernel#require ---- */

static VALUE
require_resolved(VALUE self, VALUE feature)
{
    ws_stat stat;
    bool have_stat = false;
    VALUE path = search_enabled ? ws_load_path_resolve(feature, &stat, &have_stat) : Qnil;
    if (NIL_P(path)) return rb_f_require(self, feature);
    if (path == Qfalse) return Qfalse;
    if (have_stat) remember_stat(path, &stat);
    return rb_f_require(self, path);
}

/* Kernel#require and Kernel.require. rb_f_require is called as a C function: it makes no frame of its own. */
static VALUE
kernel_require(VALUE self, VALUE feature)
{
    if (!ws_main_ractor()) return rb_f_require(self, feature);
    if (ws_recorder_active()) return ws_recorder_call(require_resolved, self, feature);
    return require_resolved(self, feature);
}

/* ---- RubyVM::InstructionSequence.load_iseq ---- */

/* What makes an iseq from the image differ from what Ruby would compile now. NULL: nothing. */
static const char *
compiling_differs(void)
{
    if (compile_option_changed) return "compile_option";
#ifdef HAVE_RB_GET_COVERAGES
    if (RTEST(rb_get_coverages())) return "coverage";
#endif
    if (rb_const_defined_at(rb_cObject, id_script_lines)) return "script_lines";
    if (rb_respond_to(iseq_class, id_translate)) return "translate";     /* the program's own: sees what Ruby compiles */
    if (has_keep_script_lines && RTEST(rb_funcallv(rb_const_get(rb_cObject, rb_intern("RubyVM")), id_keep_script_lines, 0, NULL))) return "script_lines";
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
    VALUE binary = rb_str_new_static((const char *)payload, (long)size);
    VALUE iseq = rb_protect(load_from_binary, binary, &state);
    RB_GC_GUARD(binary);
    if (!state) return iseq;
    rb_set_errinfo(saved);
    return Qnil;
}

/* A path that leads through a symlink says another __dir__ when the link was pointed elsewhere. */
static bool
same_realpath(const ws_found *found, const char *path)
{
    const char *recorded = ws_segment_string(found->segment, found->entry->realpath_offset, found->entry->realpath_size);
    if (!recorded) return false;
    if (found->entry->realpath_size == found->entry->path_size && strcmp(recorded, path) == 0) return true;
    char now[PATH_MAX];
    return realpath(path, now) && strcmp(now, recorded) == 0;
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

typedef enum ws_verdict { VERDICT_HIT, VERDICT_REVALIDATED, VERDICT_MISS, VERDICT_STALE, VERDICT_GONE } ws_verdict;

/* Is the entry what Ruby would compile now? *reason says why not (or what differed). frozen: with frozen string literals. */
static ws_verdict
judge(const ws_found *found, VALUE path, bool frozen, bool believe, ws_stat *stat, const char **reason)
{
    *reason = NULL;
    if (!believe && stat_of(path, stat) != 0) { *reason = "gone"; return VERDICT_GONE; }
    if (!found->entry) { *reason = "not_recorded"; return VERDICT_MISS; }
    if (frozen != ((found->entry->flags & WS_ENTRY_FROZEN_LITERALS) != 0)) { *reason = "literals"; return VERDICT_MISS; }
    if (!ws_warning_level_covers(found->entry->warning_level, ws_current_warning_level())) { *reason = "warnings"; return VERDICT_MISS; }
    if (believe) return VERDICT_HIT;

    ws_freshness freshness = ws_entry_freshness(found->entry, ws_the_boot.portable, stat, reason);
    if (freshness == WS_STALE_SIZE || freshness == WS_STALE_TYPE) return VERDICT_STALE;
    if (freshness == WS_CHECK_CONTENT && revalidate(found, RSTRING_PTR(path), stat, *reason)) return VERDICT_STALE;
    if (!same_realpath(found, RSTRING_PTR(path))) { *reason = "realpath"; return VERDICT_STALE; }
    return freshness == WS_FRESH ? VERDICT_HIT : VERDICT_REVALIDATED;
}

/* Was the hook called by Kernel#load? What is loaded that way may have been written a moment ago, sealed or not. */
static bool
called_by_load(void)
{
    VALUE frames[2];
    int lines[2];
    if (rb_profile_frames(0, 2, frames, lines) < 2) return true;
    VALUE name = rb_profile_frame_method_name(frames[1]);
    return !RB_TYPE_P(name, T_STRING) || strcmp(StringValueCStr(name), "load") == 0;
}

static VALUE
payload_iseq(const ws_found *found, VALUE path, const char **reason)
{
    const uint8_t *payload;
    ws_error error;
    if (ws_image_payload(&ws_the_boot.image, *found, &payload, &error) != WS_OK) {
        *reason = ws_error_name(error.code);
        ws_complain("the boot image is damaged (%s) at %s; its file is compiled as usual", *reason, RSTRING_PTR(path));
        return Qnil;
    }
    VALUE iseq = iseq_of(payload, found->entry->payload_size);
    if (NIL_P(iseq)) *reason = "refused";
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

/* Returns the iseq for Ruby to evaluate, or nil: compile it. Called by rb_iseq_load_iseq for each required or loaded file. */
static VALUE
load_iseq(VALUE self, VALUE path)
{
    if (!ws_main_ractor() || !RB_TYPE_P(path, T_STRING)) return Qnil;
    bool frozen = ws_frozen_literals_wanted(path);
    if (!hook_enabled) return frozen ? compile_frozen(path, NULL) : Qnil;
    const char *reason = compiling_differs();
    if (reason) {
        ws_event_report(WS_EVENT_MISS, reason, path);
        return frozen ? compile_frozen(path, reason) : Qnil;
    }

    ws_found found = { NULL, NULL };
    ws_stat stat;
    VALUE iseq = Qnil;
    if (ws_the_boot.image_open) found = ws_image_find(&ws_the_boot.image, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    bool believe = ws_the_boot.sealed && found.entry && !called_by_load();
    ws_verdict verdict = judge(&found, path, frozen, believe, &stat, &reason);
    if (verdict == VERDICT_HIT || verdict == VERDICT_REVALIDATED) {
        iseq = payload_iseq(&found, path, &reason);
        if (NIL_P(iseq)) verdict = VERDICT_STALE;
    }
    static const ws_event events[] = { WS_EVENT_HIT, WS_EVENT_REVALIDATED, WS_EVENT_MISS, WS_EVENT_STALE, WS_EVENT_MISS };
    ws_event_report(events[verdict], reason, path);
    if (NIL_P(iseq) && verdict != VERDICT_GONE && !believe) ws_recorder_expect(path, &stat, frozen ? WS_ENTRY_FROZEN_LITERALS : 0);
    if (NIL_P(iseq) && frozen) iseq = compile_frozen(path, NULL);
    RB_GC_GUARD(path);
    return iseq;
}

/* ---- what invalidates all entries at once ---- */

static VALUE original_compile_option_setter;

/* RubyVM::InstructionSequence.compile_option=: from then on Ruby compiles otherwise than the image's key says. */
static VALUE
set_compile_option(VALUE self, VALUE option)
{
    compile_option_changed = true;
    return rb_method_call(1, &option, original_compile_option_setter);
}

/* ---- Native: for lib/warmstart/core_ext, which knows when and where ---- */

static VALUE
define_require(VALUE self, VALUE module)
{
    rb_define_private_method(module, "require", kernel_require, 1);
    return Qnil;
}

static VALUE
define_singleton_require(VALUE self, VALUE module)
{
    rb_define_singleton_method(module, "require", kernel_require, 1);
    return Qnil;
}

static VALUE
define_load_iseq(VALUE self)
{
    original_compile_option_setter = rb_obj_method(iseq_class, ID2SYM(rb_intern("compile_option=")));
    rb_define_singleton_method(iseq_class, "compile_option=", set_compile_option, 1);
    rb_define_singleton_method(iseq_class, "load_iseq", load_iseq, 1);
    return Qnil;
}

static VALUE
undefine_load_iseq(VALUE self)
{
    VALUE singleton = rb_singleton_class(iseq_class);
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
set_search_enabled(VALUE self, VALUE on)
{
    search_enabled = RTEST(on);
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
    id_load_from_binary = rb_intern("load_from_binary");
    id_keep_script_lines = rb_intern("keep_script_lines");
    id_script_lines = rb_intern("SCRIPT_LINES__");
    id_translate = rb_intern("translate");
    VALUE vm = rb_const_get(rb_cObject, rb_intern("RubyVM"));
    has_keep_script_lines = rb_respond_to(vm, id_keep_script_lines);
    iseq_class = rb_const_get(vm, rb_intern("InstructionSequence"));
    rb_gc_register_mark_object(iseq_class);
    rb_gc_register_address(&original_compile_option_setter);

    rb_define_singleton_method(native, "define_require", define_require, 1);
    rb_define_singleton_method(native, "define_singleton_require", define_singleton_require, 1);
    rb_define_singleton_method(native, "define_load_iseq", define_load_iseq, 0);
    rb_define_singleton_method(native, "undefine_load_iseq", undefine_load_iseq, 0);
    rb_define_singleton_method(native, "hook_enabled=", set_hook_enabled, 1);
    rb_define_singleton_method(native, "search_enabled=", set_search_enabled, 1);
    rb_define_singleton_method(native, "revalidation_enabled=", set_revalidation_enabled, 1);
}
