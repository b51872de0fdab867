/* The native way: the load_iseq hook hands Ruby the iseq from the map, so that nothing is parsed. Ruby does everything
 * else, so the order of loads, locks, errors and frames are Ruby's. Ruby calls the hook for the requires that require.c
 * leaves to it, and for load, C extensions (rb_require), -r and the like. */
#include "ruby/require/require.h"

#include <string.h>

#include <ruby/debug.h>

#include "core/image/image_format.h"
#include "ruby/boot/boot.h"
#include "ruby/boot/events.h"
#include "ruby/code/frozen_literals.h"
#include "ruby/code/real_names.h"
#include "ruby/private/c_function.h"
#include "ruby/private/frames.h"
#include "ruby/private/library.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/patch.h"
#include "ruby/private/ractor.h"
#include "ruby/private/ruby_require.h"
#include "ruby/recorder/recorder.h"

/* ---- who has called the hook ---- */

#ifdef WS_KNOWN_FRAMES
/* Is this the frame of the C function that is Kernel's method of that name? Kernel's singleton method is the same
 * function. An extension may have defined another function under the same name, so it must lie in Ruby or be ours. */
static bool
is_kernels(VALUE frame, const char *name)
{
    VALUE method = rb_profile_frame_method_name(frame);
    if (!ws_is_c_frame(frame) || !RB_TYPE_P(method, T_STRING) || strcmp(StringValueCStr(method), name) != 0)
        return false;
    VALUE owner_path = rb_profile_frame_classpath(frame);
    if (!RB_TYPE_P(owner_path, T_STRING) || strcmp(StringValueCStr(owner_path), "Kernel") != 0) return false;
    ws_c_function *function = ws_c_function_of_frame(frame);
    const void *library = function ? ws_library_of((const void *)(uintptr_t)function) : NULL;
    return library && (library == ws_rubys_library() || library == ws_our_library());
}
#endif

/* Was the hook called for Kernel#load, or for rb_load from C? Such a file may have been written a moment ago, even if
 * the image is sealed, and it must run even if the direct way has loaded it already.
 *
 * If rb_f_load or rb_f_require loads the file, rb_iseq_load_iseq calls us from that frame, which tells the two apart.
 * Our require calls Ruby's without a frame. Behind any other frame (of an extension's method, whatever its name is),
 * Ruby's own table tells: a require has entered the file there (load_lock), and a load has not (rb_load_internal). Only
 * one case cannot be told: an extension calls rb_load for a file that somebody is requiring at that moment by Ruby's
 * own require. That load gets the code that the require has got. */
static bool
is_called_by_load(const char *path)
{
#ifdef WS_KNOWN_FRAMES
    VALUE frames[2];
    int lines[2];
    if (rb_profile_frames(0, 2, frames, lines) == 2) {
        if (is_kernels(frames[1], "load")) return true;
        if (is_kernels(frames[1], "require") || is_kernels(frames[1], "require_relative")) return false;
    }
#endif
    bool loading;
    ws_is_provided(path, &loading);
    return !loading;
}

/* ---- RubyVM::InstructionSequence.load_iseq ---- */

/* Compiles a file of the application that is not in the image, with frozen string literals. compile_file makes code
 * that Coverage cannot count, so under Coverage Ruby's loader compiles the file as it is. reason: what
 * ws_compiling_differs returned. */
static VALUE
compile_frozen(VALUE path, const char *reason)
{
    if (!reason || strcmp(reason, "coverage") != 0) {
        VALUE iseq = ws_frozen_literals_compile(path);
        if (NIL_P(iseq)) ws_recorder_expect_nothing();
        return iseq;
    }
    ws_complain("put '# frozen_string_literal: true' into %s: Coverage is on, so its string literals are not frozen",
                RSTRING_PTR(path));
    return Qnil;
}

/* ---- where the direct way was first ---- */

/* Ruby is about to evaluate a file that the direct way has loaded under another name, or is loading at the moment (and
 * that was asked for by C code, by "./x" ...). If the require is one of ours, it ends here, as Ruby's own would.
 * Otherwise Ruby gets an empty file. */
static VALUE
nothing_to_do(VALUE path, bool ours)
{
    if (ours) ws_ruby_require_answer(Qfalse);
    VALUE arguments[3] = { rb_str_new_cstr(""), path, path };
    return ws_own(WS_OWN_ISEQS_COMPILE, ws_iseq_class, 3, arguments);
}

static VALUE
wait_for(VALUE argument)
{
    return ws_loading_wait((ws_loading *)argument) ? Qtrue : Qfalse;
}

/* Waits for the load. If an error interrupts the wait (ThreadError: a fiber waits for its own thread; fatal: a
 * deadlock), takes this hook's frame out of the error's backtrace, because plain Ruby has no such frame. */
static bool
wait_without_frame(ws_loading *loading)
{
    int state = 0;
    VALUE succeeded = rb_protect(wait_for, (VALUE)loading, &state);
    if (!state) return succeeded == Qtrue;
    VALUE error = rb_errinfo();
    if (RB_TYPE_P(error, T_OBJECT) &&
        (rb_obj_is_kind_of(error, rb_eThreadError) == Qtrue || rb_obj_is_kind_of(error, rb_eFatal) == Qtrue)) {
        VALUE backtrace = rb_funcall(error, rb_intern("backtrace"), 0);
        if (RB_TYPE_P(backtrace, T_ARRAY) && RARRAY_LEN(backtrace) > 1)
            rb_funcall(error, rb_intern("set_backtrace"), 1, rb_ary_subseq(backtrace, 1, RARRAY_LEN(backtrace) - 1));
    }
    rb_jump_tag(state);
}

/* Returns the iseq to use instead, or nil if the hook is to go on. */
static VALUE
meet_direct_way(VALUE path, ws_found found, bool ours)
{
    ws_loading *loading = found.entry ? ws_loading_find(found) : NULL;
    if (loading && ws_loading_is_ours(loading)) {
        ws_warn_circular(loading->path);
        if (!ours) loading->provided = true;
        return nothing_to_do(path, ours);
    }
    if (loading && wait_without_frame(loading)) {
        if (!ours) ws_remove_feature(StringValueCStr(path)); /* Ruby is about to provide it */
        return nothing_to_do(path, ours);
    }
    return Qnil;
}

/* ---- the hook ---- */

/* Returns the iseq from the image. If it returns nil, Ruby compiles the file, and the result is recorded. */
static VALUE
iseq_from_image(VALUE path, ws_found found, uint32_t kind, bool by_load)
{
    const char *name = StringValueCStr(path), *reason = NULL;
    ws_stat stat;
    VALUE iseq = Qnil;
    /* What is remembered is of a require that did not come to the hook. The file may be another by now. */
    if (by_load) ws_hook_forget_remembered();
    bool believe = ws_the_boot.sealed && found.entry && !by_load;
    ws_verdict verdict = VERDICT_GONE;
    if (believe || ws_hook_stat(path, &stat) == 0)
        verdict = ws_judge(found, name, kind, believe ? NULL : &stat, &reason);
    else reason = "gone";
    if (ws_is_usable(verdict)) {
        iseq = ws_payload_iseq(found, &reason);
        if (NIL_P(iseq)) verdict = VERDICT_STALE;
    }
    ws_report_verdict(verdict, reason, name, (size_t)RSTRING_LEN(path));
    /* Two cases are never recorded: the image keeps no code of an unknown kind, and for "encoding" it knows already
     * that Ruby compiles the file each time. */
    bool never = kind == WS_KIND_UNKNOWN || (reason && strcmp(reason, "encoding") == 0);
    if (NIL_P(iseq) && verdict != VERDICT_GONE && !believe && !never) ws_recorder_expect(path, &stat, kind);
    return iseq;
}

/* Returns the iseq for Ruby to evaluate, or nil if Ruby is to compile the file. rb_iseq_load_iseq calls it for each
 * required or loaded file. */
static VALUE
load_iseq(VALUE self, VALUE path)
{
    if (!ws_main_ractor() || !RB_TYPE_P(path, T_STRING)) return Qnil;
    bool frozen = ws_frozen_literals_wanted(RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    if (!ws_hook_enabled()) return frozen ? compile_frozen(path, NULL) : Qnil;
    ws_found found = { NULL, NULL };
    if (ws_the_boot.image_open) found = ws_image_find(&ws_the_boot.image, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    /* A load is recognised first. During a require of ours the program's to_path may run, and that may load what it
     * likes. */
    bool by_load = is_called_by_load(StringValueCStr(path)),
         ours = !by_load && ws_native_require_begins(RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    if (!by_load && ws_direct_used) {
        VALUE instead = meet_direct_way(path, found, ours);
        if (!NIL_P(instead)) return instead;
    }
    const char *reason = ws_compiling_differs();
    if (reason) {
        ws_event_report(WS_EVENT_MISS, reason, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
        return frozen ? compile_frozen(path, reason) : Qnil;
    }
    VALUE iseq = iseq_from_image(path, found, ws_kind_of_code(rb_enc_get(path), frozen), by_load);
    if (NIL_P(iseq) && frozen) iseq = compile_frozen(path, NULL);
    RB_GC_GUARD(path);
    return iseq;
}

/* ---- Native: for lib/warmstart/core_ext.rb, which knows when and where ---- */

static VALUE
define_load_iseq(VALUE self)
{
    ws_compile_options_watch();
    rb_define_singleton_method(ws_iseq_class, "load_iseq", load_iseq, 1);
    ws_hook_note_defined(true);
    ws_watch_names();
    return Qnil;
}

static VALUE
undefine_load_iseq(VALUE self)
{
    ws_hook_note_defined(false);
    ws_stop_watching_names();
    if (ws_is_hooked(rb_singleton_class(ws_iseq_class))) return Qnil; /* (From now on it answers nil.) */
    rb_remove_method(rb_singleton_class(ws_iseq_class), "load_iseq");
    ws_compile_options_leave();
    return Qnil;
}

void
ws_init_hook(VALUE native)
{
    rb_define_singleton_method(native, "define_load_iseq", define_load_iseq, 0);
    rb_define_singleton_method(native, "undefine_load_iseq", undefine_load_iseq, 0);
}
