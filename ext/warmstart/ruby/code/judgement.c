/* Is an entry what Ruby would compile now? If so, what is its iseq? The load_iseq hook (require/hook.c), the direct way
 * and the documents have these questions in common.
 *
 * `warmstart status` counts the reasons for which a file is left to Ruby. */
#include "ruby/code/judgement.h"

#include <string.h>

#include "core/bytes/hash.h"
#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/image/segment.h"
#include "core/system/error.h"
#include "core/system/file.h"
#include "core/validation/content_ahead.h"
#include "ruby/boot/boot.h"
#include "ruby/boot/events.h"
#include "ruby/code/real_names.h"
#include "ruby/code/script_lines.h"
#include "ruby/private/c_function.h"
#include "ruby/private/iseq_symbols.h"
#include "ruby/private/jobs.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/patch.h"
#include "ruby/private/private_api.h"
#include "ruby/recorder/recorder.h"

static struct {
    bool compile_option_changed;
    ws_patch compile_option_setter;
    ws_c_function *rubys_setter;
    bool revalidation_enabled;
} judgement = { .revalidation_enabled = true };

const char *
ws_compiling_differs(void)
{
    if (judgement.compile_option_changed) return "compile_option";
    if (RTEST(ruby_debug)) return "debug"; /* as with --debug-frozen-string-literal: see literals_are_debugged */
#ifdef HAVE_RB_GET_COVERAGES
    if (RTEST(rb_get_coverages())) return "coverage";
#endif
    if (rb_const_defined_at(rb_cObject, rb_intern("SCRIPT_LINES__"))) return "script_lines";
    if (rb_respond_to(ws_iseq_class, rb_intern("translate")))
        return "translate"; /* a program's method sees what Ruby compiles */
    if (!ws_script_lines_replaced() && ws_script_lines_wanted()) return "script_lines";
    return NULL;
}

static VALUE
load_from_binary(VALUE binary)
{
    return ws_own1(WS_OWN_ISEQS_LOAD_FROM_BINARY, ws_iseq_class, binary);
}

/* Returns the iseq of a payload, or Qnil: Ruby refuses a payload that another build of Ruby has made.
 *
 * The String for it is nothing that the program may find (ObjectSpace.each_object): until the collector comes it would
 * lead into memory that is soon another's or nobody's. So it is hidden, and empty when Ruby has read it: Ruby copies
 * what it keeps (compile.c: ibf_load_object_string, ibf_load_code). */
static VALUE
iseq_of(const uint8_t *payload, size_t size)
{
    VALUE saved = rb_errinfo();
    int state = 0;
    const uint8_t *linked = ws_iseq_symbols_link(payload, &size);
    VALUE binary = rb_obj_hide(rb_str_new_static((const char *)(linked ? linked : payload), (long)size));
    ws_job_pause();
    ws_the_boot.uses++;
    VALUE iseq = rb_protect(load_from_binary, binary, &state);
    ws_the_boot.uses--;
    ws_job_resume();
    if (linked) ws_iseq_symbols_done();
    rb_str_resize(binary, 0);
    if (!state) return iseq;
    rb_set_errinfo(saved);
    return Qnil;
}

/* If a path leads through a symlink and the link was pointed elsewhere, __dir__ is another. The same happens if a
 * component of a path without links has become a link. */
static bool
same_realpath(const ws_found *found, const char *path, const ws_stat *stat)
{
    const char *recorded =
        ws_segment_string(found->segment, found->entry->realpath_offset, found->entry->realpath_size);
    if (!recorded) return false;
    if (found->entry->realpath_size == found->entry->path_size && strcmp(recorded, path) == 0)
        return ws_is_real_name(path, stat);
    char now[WS_PATH_MAXIMUM];
    return ws_real_path(path, now) && strcmp(now, recorded) == 0;
}

static bool
has_content(const char *path, ws_hash128 expected)
{
    ws_hash128 hash;
    return ws_file_hash(path, &hash, NULL, NULL) == WS_OK && hash.low == expected.low && hash.high == expected.high;
}

/* The same content under other metadata (a fresh clone, a restored cache) is the same file. Its metadata of now are
 * recorded. */
static bool
is_same_content(const ws_found *found, const char *path, const ws_stat *stat)
{
    ws_hash128 hash = { found->entry->content_low, found->entry->content_high };
    if (!judgement.revalidation_enabled) return false;
    if (!ws_content_ahead_confirms(path, stat, hash) && !has_content(path, hash)) {
        ws_content_ahead_break_row();
        return false;
    }
    ws_content_ahead_note_same(path);
    ws_recorder_revalidated(found->entry, found->segment, stat);
    return true;
}

/* Compares found->entry's realpath, too, unless it is a document. (`warmstart why` takes the same steps without a
 * program: command_line/inspector.c, image_freshness.) */
static ws_verdict
judge_content(const ws_found *found, const char *path, const ws_stat *stat, const char **reason)
{
    ws_freshness freshness = ws_entry_freshness(found->entry, ws_the_boot.portable, stat, reason);
    if (freshness == WS_STALE_SIZE || freshness == WS_STALE_TYPE) return VERDICT_STALE;
    if (!(found->entry->flags & WS_ENTRY_DOCUMENT) && !same_realpath(found, path, stat)) {
        *reason = "realpath";
        return VERDICT_STALE;
    }
    if (freshness == WS_MAY_BE_STALE) return is_same_content(found, path, stat) ? VERDICT_REVALIDATED : VERDICT_STALE;
    ws_content_ahead_break_row();
    return VERDICT_HIT;
}

uint32_t
ws_kind_of_code(rb_encoding *path_encoding, bool frozen)
{
    uint32_t literals = frozen ? WS_ENTRY_FROZEN_LITERALS : 0;
    if (rb_enc_to_index(path_encoding) == ws_the_boot.file_system_encoding) return literals;
    return path_encoding == rb_utf8_encoding() ? literals | WS_ENTRY_UTF8_PATH : WS_KIND_UNKNOWN;
}

/* What code and documents have in common. */
static ws_verdict
judge_entry(ws_found found, const char *path, const ws_stat *stat, const char **reason)
{
    *reason = found.entry ? NULL : "not_recorded";
    if (!found.entry) return VERDICT_MISS;
    return stat ? judge_content(&found, path, stat, reason) : VERDICT_HIT;
}

ws_verdict
ws_judge_document(ws_found found, const char *path, const ws_stat *stat, const char **reason)
{
    return judge_entry(found, path, stat, reason);
}

ws_verdict
ws_judge(ws_found found, const char *path, uint32_t kind, const ws_stat *stat, const char **reason)
{
    if (found.entry) {
        uint32_t differences = (found.entry->flags & WS_ENTRY_KIND) ^ kind;
        if (differences) {
            *reason = differences == WS_ENTRY_FROZEN_LITERALS ? "literals" : "path_encoding";
            return VERDICT_MISS;
        }
        if (!ws_silent_now(found.entry->warning_level)) {
            *reason = "warnings";
            return VERDICT_MISS;
        }
    }
    ws_verdict verdict = judge_entry(found, path, stat, reason);
    if (!ws_is_usable(verdict) || !(found.entry->flags & WS_ENTRY_ENCODED)) return verdict;
    *reason = "encoding";
    return VERDICT_MISS;
}

void
ws_report_verdict(ws_verdict verdict, const char *reason, const char *path, size_t path_size)
{
    static const ws_event events[] = { WS_EVENT_HIT, WS_EVENT_REVALIDATED, WS_EVENT_MISS, WS_EVENT_STALE,
                                       WS_EVENT_MISS };
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
    /* (A boot that records takes it anew, so that nobody has to do anything.) */
    (ws_recorder_active() ? ws_log : ws_complain)(
        "build the image again: it is damaged (%s) at %s, whose file is %s as usual", *reason, path ? path : "a file",
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

/* ---- what invalidates all entries at once ---- */

/* With --debug-frozen-string-literal each frozen literal is a String of its own that knows where it was made, which
 * FrozenError shows. to_binary keeps neither the String nor the place. */
static bool
literals_are_debugged(void)
{
    VALUE option = ws_own0(WS_OWN_ISEQS_COMPILE_OPTION, ws_iseq_class);
    return RB_TYPE_P(option, T_HASH) && RTEST(rb_hash_lookup(option, ID2SYM(rb_intern("debug_frozen_string_literal"))));
}

/* RubyVM::InstructionSequence.compile_option=. After the first call Ruby compiles in another way than the image's key
 * says. (Where C functions are not known, a backtrace has one more frame.) */
static VALUE
set_compile_option(VALUE self, VALUE option)
{
    judgement.compile_option_changed = true;
    ws_c_function *setter = judgement.rubys_setter;
    if (setter) return ((VALUE(*)(VALUE, VALUE))setter)(self, option);
    return ws_call_unbound(judgement.compile_option_setter.original, self, 1, &option);
}

void
ws_compile_options_watch(void)
{
    bool watched = ws_patch_install(&judgement.compile_option_setter, rb_singleton_class(ws_iseq_class),
                                    "compile_option=", (ws_method_function *)set_compile_option, 1);
    if (watched)
        ws_find_c_function(judgement.compile_option_setter.original, "compile_option=", 1,
                           (ws_c_function *)set_compile_option, &judgement.rubys_setter);
    judgement.compile_option_changed = judgement.compile_option_changed || !watched || literals_are_debugged();
}

void
ws_compile_options_leave(void)
{
    ws_patch_remove(&judgement.compile_option_setter);
}

static VALUE
set_revalidation_enabled(VALUE self, VALUE on)
{
    judgement.revalidation_enabled = RTEST(on);
    return on;
}

/* call-seq: Native.compiling_differs -> String or nil
 * Returns why no code comes from the image at present ("coverage"). */
static VALUE
compiling_differs(VALUE self)
{
    const char *reason = ws_compiling_differs();
    return reason ? rb_usascii_str_new_cstr(reason) : Qnil;
}

void
ws_init_judgement(VALUE native)
{
    rb_define_singleton_method(native, "compiling_differs", compiling_differs, 0);
    ws_boot_on_end(ws_iseq_symbols_end);
    ws_init_real_names(native);
    rb_define_singleton_method(native, "revalidation_enabled=", set_revalidation_enabled, 1);
}
