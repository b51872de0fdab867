/* The direct way: evaluates the iseq from the map without a frame of its own and provides the file, without a system
 * call. It does for a file what Ruby's require_internal (load.c) does. loading.c has the locks.
 *
 * way.c decides whether a file may go this way, and settles every doubt before. */
#include "ruby/require/require.h"

#include <stdlib.h>

#include "ruby/private/box.h"
#include "ruby/private/private_api.h"

bool ws_direct_used;

/* ---- the load ---- */

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

VALUE
ws_direct_load(ws_found found, ws_verdict verdict, const char **reason)
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
