/* The direct way: the iseq from the map is evaluated without a frame of its own and the file provided, with no system call.
 * What Ruby's require_internal and load_lock (load.c) do for a file, this does in their place: one thread loads, others
 * wait, a failure lets the next one try, an error leaves no trace in $LOADED_FEATURES.
 *
 * Whether a file may go this way is way.c's to say; every doubt is settled there before. */
#include "loading.h"

#include <pthread.h>
#include <stdlib.h>

#include "private_api.h"

bool ws_loading_used;

static ws_loading *innermost;        /* the loads in progress, and failed ones that somebody waits for */
static unsigned early_count;
static uint64_t last_serial;
static VALUE features;               /* $LOADED_FEATURES */
static VALUE provided_strings;       /* the Strings that we put in there (see provide) */
static bool abandoned;               /* in a child: there are files provided early whose thread is gone */

/* Of each segment, which entries were loaded directly. */
static uint8_t *direct_entries[WS_SEGMENTS_MAXIMUM];

bool
ws_direct_way_exists(void)
{
#ifdef WS_HAVE_DIRECT_WAY
    return true;
#else
    return false;
#endif
}

/* ---- which entries were loaded directly ---- */

static uint8_t **
marks_of(const ws_segment *segment)
{
    for (uint32_t i = 0; i < ws_the_boot.image.manifest.segment_count; i++)
        if (&ws_the_boot.image.segments[i] == segment) return &direct_entries[i];
    return NULL;
}

bool
ws_loading_was_direct(ws_found found)
{
    uint8_t **marks = ws_loading_used && found.entry ? marks_of(found.segment) : NULL;
    return marks && *marks && (*marks)[found.entry - found.segment->entries];
}

static void
mark_direct(ws_found found)
{
    ws_loading_used = true;
    uint8_t **marks = marks_of(found.segment);
    if (!marks) return;
    if (!*marks) *marks = calloc(found.segment->entry_count, 1);
    if (*marks) (*marks)[found.entry - found.segment->entries] = 1;
}

void
ws_loading_forget_image(void)
{
    for (uint32_t i = 0; i < WS_SEGMENTS_MAXIMUM; i++) {
        free(direct_entries[i]);
        direct_entries[i] = NULL;
    }
}

/* ---- $LOADED_FEATURES ---- */

/* Ruby has not heard the realpaths of what we provided; once the Array has changed it asks for all of them
 * (get_loaded_features_index). */
void
ws_loading_leave_to_ruby(void)
{
    if (!ws_loading_used || OBJ_FROZEN(features)) return;
    rb_ary_push(features, Qnil);
    rb_ary_pop(features);
}

bool
ws_is_provided(const char *feature, bool *loading)
{
    const char *path = NULL;
    bool provided = rb_feature_provided(feature, &path);
    *loading = provided && path;
    return provided && !path;
}

static bool
is_path(VALUE feature, const char *path, size_t size)
{
    return RB_TYPE_P(feature, T_STRING) && (size_t)RSTRING_LEN(feature) == size && memcmp(RSTRING_PTR(feature), path, size) == 0;
}

static bool
is_last_feature(const char *path)
{
    long count = RARRAY_LEN(features);
    return count > 0 && is_path(RARRAY_AREF(features, count - 1), path, strlen(path));
}

void
ws_remove_feature(const char *path)
{
    for (long i = RARRAY_LEN(features) - 1; i >= 0; i--) {
        if (!is_path(RARRAY_AREF(features, i), path, strlen(path))) continue;
        rb_ary_delete_at(features, i);
        return;
    }
}

/* rb_provide makes a US-ASCII String; Ruby's own is in the file system's encoding. The text is the same, and Ruby's index
 * holds positions, so the right String can take the other's place; it lives for ever, because the Array may share its
 * elements with Ruby's snapshot of them, which no write barrier would tell of it. */
static void
provide(const char *path)
{
    VALUE string = rb_enc_interned_str(path, (long)strlen(path), rb_filesystem_encoding());
    rb_ary_push(provided_strings, string);
    rb_provide(path);
    if (is_last_feature(path)) RARRAY_ASET(features, RARRAY_LEN(features) - 1, string);
}

/* ---- the table ---- */

static void
mark_loading(void *nothing)
{
    for (ws_loading *loading = innermost; loading; loading = loading->next) {
        rb_gc_mark(loading->mutex);
        rb_gc_mark(loading->fiber);      /* (a fiber that is dropped in the middle stays: as in Ruby's own table) */
        rb_gc_mark(loading->thread);
    }
}

static const rb_data_type_t table_type = { .wrap_struct_name = "warmstart/loading", .function = { .dmark = mark_loading } };

ws_loading *
ws_loading_find(ws_found found)
{
    for (ws_loading *loading = innermost; loading; loading = loading->next)
        if (loading->found.entry == found.entry && !loading->finished) return loading;
    return NULL;
}

ws_loading *
ws_loading_find_early(const char *feature, size_t size)
{
    for (ws_loading *loading = early_count ? innermost : NULL; loading; loading = loading->next)
        if (loading->early && !loading->finished && ws_feature_name_may_mean(feature, size, loading->path, strlen(loading->path))) return loading;
    return NULL;
}

static bool
is_on_load_path(const char *folder, size_t size)
{
    VALUE load_path = rb_gv_get("$LOAD_PATH");
    for (long i = 0; i < RARRAY_LEN(load_path); i++)
        if (is_path(RARRAY_AREF(load_path, i), folder, size)) return true;
    return false;
}

/* As search_required asks rb_feature_p, before it looks for a file. */
ws_loading *
ws_loading_find_named(VALUE feature)
{
    ws_loading *found = NULL;
    const char *name = RSTRING_PTR(feature);
    size_t size = (size_t)RSTRING_LEN(feature);
    if (*name == '/' || size <= 3 || memcmp(name + size - 3, ".rb", 3) != 0) return NULL;
    for (ws_loading *loading = innermost; loading; loading = loading->next) {
        size_t path_size = strlen(loading->path);
        if (loading->finished || path_size < size + 2 || memcmp(loading->path + path_size - size, name, size) != 0) continue;
        size_t folder_size = path_size - size - 1;
        if (loading->path[folder_size] == '/' && is_on_load_path(loading->path, folder_size)) found = loading;
    }
    return found;
}

bool
ws_loading_is_ours(const ws_loading *loading)
{
    return loading->fiber == rb_fiber_current();
}

static void
drop(ws_loading *loading)
{
    for (ws_loading **place = &innermost; *place; place = &(*place)->next) {
        if (*place != loading) continue;
        *place = loading->next;
        break;
    }
    free(loading);
}

static ws_loading *
begin(ws_found found)
{
    VALUE mutex = rb_mutex_new(), fiber = rb_fiber_current();
    rb_mutex_lock(mutex);                /* (nobody else knows it: no switch; in a signal's handler it raises, as in load_lock) */
    ws_loading *loading = calloc(1, sizeof *loading);
    if (!loading) rb_memerror();
    loading->found = found;
    loading->path = ws_segment_string(found.segment, found.entry->path_offset, found.entry->path_size);
    loading->mutex = mutex;
    loading->fiber = fiber;
    loading->thread = rb_thread_current();
    loading->serial = ++last_serial;
    loading->next = innermost;
    innermost = loading;
    return loading;
}

static void
end(ws_loading *loading, bool succeeded)
{
    VALUE mutex = loading->mutex;
    if (loading->early) early_count--;
    loading->early = false;
    loading->finished = true;
    loading->succeeded = succeeded;
    if (loading->waiters == 0) drop(loading);
    rb_mutex_unlock(mutex);
    RB_GC_GUARD(mutex);
}

/* The thread ended while a fiber of it was in the middle of the file: Ruby opened its locks, and who waited gets the next try. */
static void
abandon(ws_loading *loading)
{
    loading->finished = true;
    if (!loading->early) return;
    loading->early = false;
    early_count--;
    ws_remove_feature(loading->path);
}

static VALUE
wait_for_lock(VALUE argument)
{
    ws_loading *loading = (ws_loading *)argument;
#if RUBY_API_VERSION_MAJOR == 3 && RUBY_API_VERSION_MINOR < 2
    ws_loading_warn_circular(loading->path);     /* (load_lock warned whoever waits, not only who waits for himself) */
#endif
    return rb_mutex_lock(loading->mutex);
}

bool
ws_loading_wait(ws_loading *loading)
{
    VALUE mutex = loading->mutex;
    int state = 0;
    loading->waiters++;                  /* (from here on it is not freed, whatever a Warning.warn does) */
    rb_protect(wait_for_lock, (VALUE)loading, &state);
    bool succeeded = loading->succeeded;
    loading->waiters--;
    if (!state && !loading->finished) abandon(loading);
    if (loading->finished && loading->waiters == 0) drop(loading);
    if (state) rb_jump_tag(state);
    rb_mutex_unlock(mutex);
    RB_GC_GUARD(mutex);
    return succeeded;
}

/* ---- the load ---- */

typedef struct ws_run {
    ws_found found;
    ws_loading *loading;
    uint64_t serial;
    const char *path, *reason;
    ws_verdict verdict;
    bool early, refused;
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
    mark_direct(run->found);
    if (run->early) {
        run->loading->early = true;
        early_count++;
        provide(run->loading->path);
    }
    rb_iseq_eval(rb_iseqw_to_iseq(iseq));
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

/* Ruby's states of a jump (vm_core.h, enum ruby_tag_type) that a file can end with. */
enum { STATE_RETURN = 1, STATE_BREAK, STATE_NEXT, STATE_RETRY, STATE_REDO, STATE_RAISE };

/* rb_vm_make_jump_tag_but_local_jump: what leaves a file by a block's return or break is an error there, with no backtrace. */
static void
become_local_jump_error(int state)
{
    static const char *const messages[] = { NULL, "unexpected return", "unexpected break", "unexpected next",
                                            "retry outside of rescue clause", "unexpected redo" };
    static const char *const reasons[] = { NULL, "return", "break", "next", "retry", "redo" };
    VALUE error = rb_exc_new_cstr(rb_eLocalJumpError, messages[state]);
    rb_iv_set(error, "@exit_value", Qnil);
    rb_iv_set(error, "@reason", ID2SYM(rb_intern(reasons[state])));
    rb_set_errinfo(error);
}

/* The last of the features must be the file, as if it had been provided now. */
static void
provide_now(const char *path, bool early, bool provided_natively)
{
    if (early && is_last_feature(path)) return;
    if (early || provided_natively) ws_remove_feature(path);
    provide(path);
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

static bool
is_in_progress(const ws_run *run)
{
    for (ws_loading *loading = innermost; loading; loading = loading->next)
        if (loading->serial == run->serial) return true;
    return false;
}

/* A continuation (callcc) went back into a file that had ended: Ruby's load_unlock finds nothing to unlock, and the file is
 * provided once more. */
static VALUE
settle_again(const ws_run *run, int state)
{
    if (state) go_on_unwinding(state);
    VALUE error = rb_errinfo();
    if (!NIL_P(error)) rb_exc_raise(error);
    provide(run->path);
    return Qtrue;
}

static VALUE
load_and_settle(VALUE argument)
{
    ws_run *run = (ws_run *)argument;
    const char *path = run->path;
    int state = 0;
    rb_protect(evaluate, argument, &state);
    if (!is_in_progress(run)) return settle_again(run, state);
    bool early = run->loading->early, provided_natively = run->loading->provided_natively;
    if (run->refused) {
        end(run->loading, false);
        return Qundef;
    }
    if (state) {
        if (early || provided_natively) ws_remove_feature(path);
        end(run->loading, false);
        go_on_unwinding(state);
    }
    VALUE error = rb_errinfo();
    if (!NIL_P(error)) {                 /* (require_internal: an error that was left behind) */
        if (early || provided_natively) ws_remove_feature(path);
        end(run->loading, true);
        rb_exc_raise(error);
    }
    end(run->loading, true);             /* (first, as in Ruby: providing may raise) */
    provide_now(path, early, provided_natively);
    return Qtrue;
}

static VALUE
nothing(VALUE argument)
{
    return Qnil;
}

VALUE
ws_loading_run(ws_found found, bool early, ws_verdict verdict, const char **reason)
{
    ws_run run = { .found = found, .early = early, .verdict = verdict, .reason = *reason };
    run.loading = begin(found);
    run.serial = run.loading->serial;
    run.path = run.loading->path;
    /* rb_ensure keeps $! for us over the second function, whatever it is (a throw in progress, too). */
    rb_ensure(nothing, Qnil, load_and_settle, (VALUE)&run);
    if (!run.refused) return Qtrue;
    *reason = run.reason ? run.reason : "refused";
    return Qundef;
}

void
ws_loading_autoload_registered(const char *feature, size_t size)
{
    for (ws_loading *loading = innermost; loading; loading = loading->next) {
        if (loading->early || loading->finished || !ws_feature_name_may_mean(feature, size, loading->path, strlen(loading->path))) continue;
        loading->early = true;
        early_count++;
        provide(loading->path);
    }
}

/* ---- the warning of load_lock ---- */

#if RUBY_API_VERSION_MAJOR == 3 && RUBY_API_VERSION_MINOR < 4
#define OPENING_QUOTE "`"
#else
#define OPENING_QUOTE "'"
#endif

static bool
is_label(VALUE label, const char *text)
{
    return RB_TYPE_P(label, T_STRING) && strcmp(StringValueCStr(label), text) == 0;
}

/* The frame of an evaluated String, which Prism calls so whatever it stands in; Location#label says that. */
static bool
is_evaluated(VALUE frame, VALUE outer)
{
#if RUBY_API_VERSION_MAJOR == 3 && RUBY_API_VERSION_MINOR < 4
    return false;
#else
    if (NIL_P(outer) || !NIL_P(rb_funcall(frame, rb_intern("absolute_path"), 0))) return false;
    VALUE caller = rb_funcall(outer, rb_intern("base_label"), 0);
    return is_label(caller, "eval") || is_label(caller, "instance_eval") || is_label(caller, "class_eval") || is_label(caller, "module_eval");
#endif
}

/* rb_backtrace_each's line for a frame: two blanks, and the label without the class that 3.4 puts before a method's name. */
static void
append_frame(VALUE message, VALUE frame, VALUE outer)
{
    VALUE label = rb_funcall(frame, rb_intern("label"), 0), name = rb_funcall(frame, rb_intern("base_label"), 0);
    const char *text = StringValueCStr(label), *in = NULL;
    if (is_label(name, "load_iseq")) return;
    for (const char *at = text; (at = strstr(at, " in ")) != NULL; at += 4) in = at + 4;
    if (is_evaluated(frame, outer)) {
        name = rb_str_new_cstr("<compiled>");
        in = NULL;
    }
    rb_str_catf(message, "\tfrom %" PRIsVALUE ":%d:in  " OPENING_QUOTE "%.*s%" PRIsVALUE "'\n", rb_funcall(frame, rb_intern("path"), 0),
                NUM2INT(rb_funcall(frame, rb_intern("lineno"), 0)), in ? (int)(in - text) : 0, text, name);
}

void
ws_loading_warn_circular(const char *path)
{
    if (!RTEST(ruby_verbose)) return;
    VALUE frames = rb_funcall(rb_mKernel, rb_intern("caller_locations"), 1, INT2FIX(0));
    const char *file = rb_sourcefile();
    VALUE message = file ? rb_sprintf("%s:%d: warning: ", file, rb_sourceline()) : rb_str_new_cstr("warning: ");
    rb_str_catf(message, "loading in progress, circular require considered harmful - %s\n", path);
    for (long i = RARRAY_LEN(frames) - 1; i >= 0; i--)           /* outermost first */
        append_frame(message, RARRAY_AREF(frames, i), rb_ary_entry(frames, i + 1));
    rb_warning("%" PRIsVALUE, message);
}

/* ---- fork ---- */

/* In the child the other threads are gone: what they were loading is nobody's now, and is loaded anew by who asks. */
static void
after_fork_in_child(void)
{
    VALUE thread = rb_thread_current();
    for (ws_loading **place = &innermost; *place;) {
        ws_loading *loading = *place;
        if (loading->thread == thread) {
            place = &loading->next;
            continue;
        }
        if (loading->early && !loading->finished) {
            loading->finished = abandoned = true;
            place = &loading->next;
            continue;
        }
        *place = loading->next;          /* (not freed: this is no place to call an allocator) */
    }
}

void
ws_loading_settle_abandoned(void)
{
    if (!abandoned) return;
    abandoned = false;
    for (ws_loading **place = &innermost; *place;) {
        ws_loading *loading = *place;
        if (!loading->early || !loading->finished) {
            place = &loading->next;
            continue;
        }
        *place = loading->next;
        early_count--;
        ws_remove_feature(loading->path);
        free(loading);
    }
}

/* ---- Native ---- */

/* call-seq: Native.direct_way? -> true or false: does this Ruby have what the direct way needs? */
static VALUE
has_direct_way(VALUE self)
{
    return ws_direct_way_exists() ? Qtrue : Qfalse;
}

void
ws_init_loading(VALUE native)
{
    features = rb_gv_get("$LOADED_FEATURES");
    rb_gc_register_mark_object(features);
    provided_strings = rb_ary_new();
    rb_gc_register_mark_object(provided_strings);
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &table_type, &innermost));
    pthread_atfork(NULL, NULL, after_fork_in_child);
    rb_define_singleton_method(native, "direct_way?", has_direct_way, 0);
}
