/* Kernel#require, Kernel.require and require_relative: C functions below all decorators, which are the methods that
 * other libraries have put around Ruby's. (relative.c makes methods of them: Native.define_require, for
 * lib/warmstart/core_ext.rb.) way.c chooses the way of a require, and this file takes it. Begin with kernel_require and
 * go; what they call stands above.
 *
 * For the native ways we call Ruby's own require as a C function. It makes no frame of its own, so order, locks, errors
 * and backtraces are Ruby's. The load_iseq hook (hook.c) then hands Ruby the iseq from the map.
 *
 * The direct way evaluates the iseq from the map without a frame of its own and provides the file, without a system
 * call. It does for a file what Ruby's require_internal (load.c) does. loading.c has the locks. way.c has settled every
 * doubt before. */
#include "ruby/require/require.h"

#include <stdlib.h>

#include <ruby/debug.h>
#include <ruby/encoding.h>

#include "core/index/feature_names.h"
#include "ruby/collector/governor.h"
#include "ruby/private/box.h"
#include "ruby/private/features_copies.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/private_api.h"
#include "ruby/private/ractor.h"
#include "ruby/private/ruby_require.h"
#include "ruby/recorder/recorder.h"

/* ---- Ruby's own require, which may find that the direct way has the file already ---- */

/* A native require in progress. The hook leaves it by a throw if Ruby is about to load what the direct way has loaded
 * or is loading. It is on the heap, and stays there for ever if a fiber is dropped in the middle. */
typedef struct ws_native_call {
    struct ws_native_call *outer;
    VALUE fiber, self, feature;
    bool used; /* the hook was called: further calls come from inside the file */
} ws_native_call;

static ws_native_call *innermost;

static void
mark_calls(void *nothing)
{
    for (ws_native_call *call = innermost; call; call = call->outer) {
        rb_gc_mark(call->fiber);
        rb_gc_mark(call->self);
        /* The hook reads the feature when Ruby may already have made a copy of its own, so it is marked here. */
        rb_gc_mark(call->feature);
    }
}

static const rb_data_type_t calls_type = { .wrap_struct_name = "warmstart/native_calls",
                                           .function = { .dmark = mark_calls } };

static VALUE
ruby_require(VALUE self, VALUE feature)
{
    VALUE loaded = ws_ruby_require(self, feature);
    ws_free_features_copy();
    return loaded;
}

static VALUE
call_require(VALUE argument)
{
    const ws_native_call *call = (const ws_native_call *)argument;
    return ruby_require(call->self, call->feature);
}

static VALUE
forget_call(VALUE argument)
{
    for (ws_native_call **place = &innermost; *place; place = &(*place)->outer) {
        if (*place != (ws_native_call *)argument) continue;
        *place = (*place)->outer;
        free((void *)argument);
        break;
    }
    return Qnil;
}

static VALUE
require_natively(VALUE self, VALUE feature)
{
    if (!ws_direct_used) return ruby_require(self, feature);
    VALUE fiber = rb_fiber_current();
    ws_native_call *call = malloc(sizeof *call);
    if (!call) return ruby_require(self, feature);
    *call = (ws_native_call){ innermost, fiber, self, feature, false };
    innermost = call;
    return rb_ensure(call_require, (VALUE)call, forget_call, (VALUE)call);
}

/* Does the call mean that file, and not one that a library's Init asks for? A feature that Ruby first converts to the
 * file system's encoding (rb_file_path_convert) is not written as the path is, so it counts as meant. */
static bool
is_for(const ws_native_call *call, const char *path, size_t size)
{
    if (!RB_TYPE_P(call->feature, T_STRING)) return true;
    if (rb_enc_get(call->feature) != rb_filesystem_encoding() && !rb_enc_str_asciionly_p(call->feature)) return true;
    return ws_feature_name_may_mean(RSTRING_PTR(call->feature), (size_t)RSTRING_LEN(call->feature), path, size);
}

bool
ws_native_require_begins(const char *path, size_t size)
{
    VALUE fiber = innermost ? rb_fiber_current() : Qnil;
    for (ws_native_call *call = innermost; call; call = call->outer) {
        if (call->fiber != fiber) continue;
        bool first = !call->used && is_for(call, path, size);
        call->used = true;
        return first;
    }
    return false;
}

/* ---- the direct way ---- */

typedef struct ws_run {
    ws_found found;
    ws_loading *loading;
    uint64_t serial;
    const char *path, *reason;
    ws_verdict verdict;
    bool refused;
} ws_run;

#ifdef WS_HAVE_DIRECT_WAY
static VALUE
evaluate(VALUE argument)
{
    ws_run *run = (ws_run *)argument;
    rb_set_errinfo(Qnil);
    const char *reason = NULL;
    VALUE iseq = ws_payload_iseq(run->found, &reason);
    run->refused = NIL_P(iseq);
    if (run->refused) {
        run->reason = reason;
        return Qnil;
    }
    ws_report_verdict(run->verdict, run->reason, run->loading->path, run->found.entry->path_size);
    ws_direct_used = true;
    ws_realpath_note_asked(run->loading->path);
    rb_iseq_eval(rb_iseqw_to_iseq(iseq), ws_box());
    RB_GC_GUARD(iseq);
    return Qnil;
}
#else
static VALUE
evaluate(VALUE argument)
{
    ((ws_run *)argument)->refused = true;
    return Qnil;
}
#endif

/* Ruby's states of a jump with which a file can end (vm_core.h, enum ruby_tag_type). */
enum { STATE_RETURN = 1, STATE_BREAK, STATE_NEXT, STATE_RETRY, STATE_REDO, STATE_RAISE };

/* Does what rb_vm_make_jump_tag_but_local_jump does: if a block's return or break leaves the file, that is an error
 * there, without a backtrace. */
static void
become_local_jump_error(int state)
{
    static const char *const messages[] = { NULL,
                                            "unexpected return",
                                            "unexpected break",
                                            "unexpected next",
                                            "retry outside of rescue clause",
                                            "unexpected redo" };
    static const char *const reasons[] = { NULL, "return", "break", "next", "retry", "redo" };
    VALUE error = rb_exc_new_cstr(rb_eLocalJumpError, messages[state]);
    rb_iv_set(error, "@exit_value", Qnil);
    rb_iv_set(error, "@reason", ID2SYM(rb_intern(reasons[state])));
    rb_set_errinfo(error);
}

/* Makes the file the last feature, as if it had been provided now. */
static void
provide_now(const char *path, bool provided)
{
    if (provided && ws_is_last_feature(path)) return;
    if (provided) ws_remove_feature(path);
    ws_provide(path);
}

static void
go_on_unwinding(int state)
{
    if (state >= STATE_RETURN && state <= STATE_REDO) {
        become_local_jump_error(state);
        state = STATE_RAISE;
    }
    rb_jump_tag(state);
}

/* A continuation (callcc) went back into a file that had ended. Ruby's load_unlock finds nothing to unlock in this
 * case, and the file is provided once more, so we do the same. */
static VALUE
settle_again(const ws_run *run, int state)
{
    if (state) go_on_unwinding(state);
    VALUE error = rb_errinfo();
    if (!NIL_P(error)) rb_exc_raise(error);
    ws_provide(run->path);
    ws_realpath_note_loaded(run->path);
    return Qtrue;
}

static VALUE
load_and_settle(VALUE argument)
{
    ws_run *run = (ws_run *)argument;
    const char *path = run->path;
    int state = 0;
    rb_protect(evaluate, argument, &state);
    if (!ws_loading_in_progress(run->serial)) return settle_again(run, state);
    bool refused = run->refused, provided = run->loading->provided;
    /* As in require_internal, an error that the file left behind is raised. */
    VALUE error = state || refused ? Qnil : rb_errinfo();
    if ((state || !NIL_P(error)) && provided) ws_remove_feature(path);
    /* The load ends first, as in Ruby, because providing may raise. */
    ws_loading_end(run->loading, !state && !refused);
    if (refused) return Qundef;
    if (state) go_on_unwinding(state);
    if (!NIL_P(error)) rb_exc_raise(error);
    provide_now(path, provided);
    ws_realpath_note_loaded(path);
    return Qtrue;
}

static VALUE
nothing(VALUE argument)
{
    return Qnil;
}

/* Loads the file of an entry that was judged to be fresh: evaluates its iseq and then provides the file. verdict and
 * *reason are reported in the event.
 *
 * Returns Qtrue. If the payload could not be used, nothing has been done: returns Qundef and sets *reason. Raises what
 * the file raises. */
static VALUE
load_directly(ws_found found, ws_verdict verdict, const char **reason)
{
    ws_run run = { .found = found, .verdict = verdict, .reason = *reason };
    run.loading = ws_loading_begin(found);
    if (!run.loading) return *reason = "refused", Qundef; /* no memory: Ruby's own way */
    run.serial = run.loading->serial;
    run.path = run.loading->path;
    /* rb_ensure keeps $! for us while its second function runs, whatever $! is, even a throw in progress. */
    rb_ensure(nothing, Qnil, load_and_settle, (VALUE)&run);
    if (!run.refused) return Qtrue;
    *reason = run.reason ? run.reason : "refused";
    return Qundef;
}

/* ---- the ways ---- */

/* Raises the error that load_failed, rb_load_fail and raise_loaderror make. */
static void
fail(VALUE feature)
{
    VALUE message = rb_str_buf_new_cstr("cannot load such file");
#if RUBY_API_VERSION_CODE >= 30300
    feature = rb_get_path(feature); /* frozen, as FilePathValue in rb_require_string makes it */
#endif
    rb_str_cat_cstr(message, " -- ");
    rb_str_append(message, feature);
    VALUE error = rb_exc_new_str(rb_eLoadError, message);
    rb_ivar_set(error, rb_intern("@path"), feature);
    rb_exc_raise(error);
}

/* call-seq: Native.find(name) -> [:rb or :so, path], or nil
 * What Ruby's own $LOAD_PATH.resolve_feature_path answers, whatever method of that name the program may have put there.
 */
static VALUE
ruby_finds(VALUE self, VALUE name)
{
    return ws_own1(WS_OWN_LOAD_PATH_RESOLVE_FEATURE_PATH, rb_gv_get("$LOAD_PATH"), name);
}

/* Before Ruby 3.3 the error for a name that is an object is made of the object itself (rb_str_append: a TypeError if it
 * is no text). Once we have asked the object for its path, Ruby no longer knows about the object. So we ask Ruby
 * whether it would fail, and raise the error ourselves. */
static void
fail_of_object(VALUE object, VALUE path)
{
#if RUBY_API_VERSION_CODE < 30300
    if (object != path && NIL_P(ruby_finds(Qnil, path))) fail(object);
#endif
}

static VALUE
go(VALUE self, VALUE feature)
{
    VALUE given = feature;
    /* We have to know which file an object means before Ruby is asked, and its to_path may be called only once. So it
     * is called here. rb_require_string begins with the same call. */
    if (!RB_TYPE_P(feature, T_STRING) && ws_loading_any()) feature = rb_get_path(feature);
    for (;;) {
        ws_choice choice = ws_choose_way(feature);
        switch (choice.way) {
            case WS_WAY_DIRECT: {
                if (load_directly(choice.found, choice.verdict, &choice.reason) == Qtrue) return Qtrue;
                ws_choose_path_instead(&choice);
                return require_natively(self, choice.way == WS_WAY_PATH ? choice.path : feature);
            }
            case WS_WAY_PATH: {
                VALUE result = require_natively(self, choice.path);
                /* Ruby may have found that there is nothing to load. Then the hook has not used the metadata. */
                ws_hook_forget_remembered();
                return result;
            }
            case WS_WAY_PROVIDED: return Qfalse;
            case WS_WAY_MISSING: fail(feature); return Qnil;
            case WS_WAY_CIRCULAR: ws_warn_circular(choice.loading->path); return Qfalse;
            case WS_WAY_WAIT:
                if (ws_loading_wait(choice.loading)) return Qfalse;
                continue; /* it failed, so this fiber may load the file now */
            default: fail_of_object(given, feature); return require_natively(self, feature);
        }
    }
}

/* While a boot is recorded, the recorder is told where each require begins and ends. */
static VALUE
go_recorded(VALUE self, VALUE feature)
{
    return ws_recorder_active() ? ws_recorder_call(go, self, feature) : go(self, feature);
}

static VALUE
kernel_require(VALUE self, VALUE feature)
{
    if (!ws_main_ractor()) return rb_f_require(self, feature);
    if (ws_governor_listens()) ws_governor_note_require();
    return ws_landmark_count > 0 ? ws_landmark_require(go_recorded, self, feature) : go_recorded(self, feature);
}

/* ---- require_relative ---- */

static VALUE
go_unfrozen(VALUE self, VALUE path)
{
    return ws_require_unfrozen(go, self, path);
}

static VALUE
go_unfrozen_recorded(VALUE self, VALUE path)
{
    return ws_recorder_active() ? ws_recorder_call(go_unfrozen, self, path) : go_unfrozen(self, path);
}

static VALUE
kernel_require_relative(VALUE self, VALUE feature)
{
    VALUE folder = ws_caller_folder();
    if (NIL_P(folder)) rb_loaderror("cannot infer basepath");
    VALUE path = rb_file_absolute_path(feature, folder);
    if (!ws_main_ractor()) return rb_f_require(self, path);
    if (ws_governor_listens()) ws_governor_note_require();
    return ws_landmark_count > 0 ? ws_landmark_require(go_unfrozen_recorded, self, path)
                                 : go_unfrozen_recorded(self, path);
}

/* call-seq: Native.require_own(name) -> true or false
 * Requires a file of Warmstart's own, below lib/warmstart, that is needed after setup. Kernel#require_relative is not
 * used, because the program may have put its own method over it. */
static VALUE
require_own(VALUE self, VALUE name)
{
    VALUE folder = rb_const_get(rb_path2class("Warmstart"), rb_intern("FOLDER"));
    return go_recorded(self, rb_sprintf("%" PRIsVALUE "/%" PRIsVALUE ".rb", folder, name));
}

/* call-seq: Native.require_functions -> [require, require_relative]
 * Returns the addresses of our C functions. The profiler puts its methods over ours, and calls ours without a frame. */
static VALUE
require_functions(VALUE self)
{
    return rb_ary_new_from_args(2, ULL2NUM((uintptr_t)kernel_require), ULL2NUM((uintptr_t)kernel_require_relative));
}

void
ws_init_require(VALUE native)
{
    ws_init_ruby_require();
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &calls_type, &innermost));
    rb_define_singleton_method(native, "find", ruby_finds, 1);
    rb_define_singleton_method(native, "require_own", require_own, 1);
    rb_define_singleton_method(native, "require_functions", require_functions, 0);
    ws_init_require_methods(native, kernel_require, kernel_require_relative);
}
