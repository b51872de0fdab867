/* The direct way's own table of files that are being loaded, in place of Ruby's (load_lock, load_unlock in load.c). One
 * thread loads a file, and others wait for it. If the load fails, the next one tries. */
#include "ruby/require/require.h"

#include <stdlib.h>
#include <string.h>

#include "core/image/segment.h"
#include "core/index/feature_names.h"
#include "core/system/thread.h"
#include "ruby/boot/boot.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/private_api.h"

bool ws_direct_used;

static struct {
    ws_loading *innermost; /* the loads in progress, and failed ones that somebody waits for */
    uint64_t last_serial;
    volatile bool forked; /* this is a child process, and the list is still the parent's */
} loads;

static void
mark_loading(void *nothing)
{
    for (ws_loading *loading = loads.innermost; loading; loading = loading->next) {
        rb_gc_mark(loading->mutex);
        rb_gc_mark(loading->fiber); /* a fiber that is dropped in the middle stays, as in Ruby's own table */
        rb_gc_mark(loading->thread);
    }
}

static const rb_data_type_t table_type = { .wrap_struct_name = "warmstart/loading",
                                           .function = { .dmark = mark_loading } };

/* ---- fork ---- */

/* Only sets a flag, because a native thread may have forked, and then there is no Ruby in the child. */
static void
after_fork_in_child(void)
{
    loads.forked = true;
}

static void
forget(ws_loading *loading)
{
    bool provided = loading->provided;
    const char *path = loading->path;
    free(loading);
    if (provided) ws_remove_feature(path);
}

/* In the child of a fork the other threads are gone. Nobody continues what they were loading, so whoever asks for it
 * loads it anew. The thread that is left is Ruby's main thread now, or, if C code has forked without telling Ruby, the
 * current thread. A load that somebody waits for (because a signal's handler has forked) is dropped when the wait ends;
 * it does end, since Ruby has opened the lock. */
void
ws_loading_settle_fork(void)
{
    if (!loads.forked) return;
    loads.forked = false;
    VALUE left = rb_thread_main(), current = rb_thread_current();
    for (ws_loading **place = &loads.innermost; *place;) {
        ws_loading *loading = *place;
        if (loading->thread == left || loading->thread == current || loading->waiters > 0) {
            place = &loading->next;
            continue;
        }
        *place = loading->next;
        forget(loading);
    }
}

ws_loading *
ws_loading_find(ws_found found)
{
    ws_loading_settle_fork();
    for (ws_loading *loading = loads.innermost; loading; loading = loading->next)
        if (loading->found.entry == found.entry && !loading->finished) return loading;
    return NULL;
}

/* Ruby compares with the load path as it has expanded it: with absolute and real folders
 * (rb_construct_expanded_load_path). */
static bool
means_folder(VALUE element, const char *folder, size_t size)
{
    char real[WS_PATH_MAXIMUM];
    if (!RB_TYPE_P(element, T_STRING)) return false;
    VALUE expanded = rb_file_expand_path(element, Qnil);
    return ws_real_path(StringValueCStr(expanded), real) && strlen(real) == size && memcmp(real, folder, size) == 0;
}

static bool
is_on_load_path(const char *folder, size_t size)
{
    VALUE load_path = rb_gv_get("$LOAD_PATH");
    for (long i = 0; i < RARRAY_LEN(load_path); i++)
        if (ws_is_path(RARRAY_AREF(load_path, i), folder, size)) return true;
    for (long i = 0; i < RARRAY_LEN(load_path); i++)
        if (means_folder(RARRAY_AREF(load_path, i), folder, size)) return true;
    return false;
}

/* Answers what search_required asks rb_feature_p before it looks for a file. */
ws_loading *
ws_loading_find_named(VALUE feature)
{
    ws_loading *found = NULL;
    const char *name = RSTRING_PTR(feature);
    size_t size = (size_t)RSTRING_LEN(feature);
    if (ws_is_absolute(name, size) || !ws_path_ends_in_rb(name, size)) return NULL;
    for (ws_loading *loading = loads.innermost; loading; loading = loading->next) {
        size_t path_size = strlen(loading->path);
        if (loading->finished || path_size < size + 2 || memcmp(loading->path + path_size - size, name, size) != 0)
            continue;
        size_t folder_size = path_size - size - 1;
        if (loading->path[folder_size] == '/' && is_on_load_path(loading->path, folder_size)) found = loading;
    }
    return found;
}

/* Returns the last part of a path, without .rb. */
static const char *
stem(const char *path, size_t *size)
{
    size_t end = *size, start = end;
    if (ws_path_ends_in_rb(path, end)) end -= 3;
    while (start > 0 && path[start - 1] != '/') start--;
    *size = end > start ? end - start : 0;
    return path + start;
}

/* Is any file in progress that could have this name? */
static bool
is_called_so(const char *name, size_t size)
{
    const char *word = stem(name, &size);
    for (ws_loading *loading = loads.innermost; loading; loading = loading->next) {
        size_t other_size = strlen(loading->path);
        const char *other = stem(loading->path, &other_size);
        if (!loading->finished && other_size == size && memcmp(other, word, size) == 0) return true;
    }
    return false;
}

/* search_required looks for the file, and load_lock then knows it by its path, whatever its name was in the require. If
 * we left this to Ruby, two threads could wait for each other: the hook would wait for the other thread while Ruby's
 * own table says that this one is loading the file. The other thread, when it asks for the file that it is loading,
 * would then wait for us. */
ws_loading *
ws_loading_find_searched(VALUE feature)
{
    const char *name = RSTRING_PTR(feature);
    size_t size = (size_t)RSTRING_LEN(feature);
    if (!loads.innermost || memchr(name, 0, size) || !is_called_so(name, size)) return NULL;
    VALUE found = feature;
    if (ws_path_ends_in_rb(name, size)) found = rb_find_file(feature);
    else if (rb_find_file_ext(&found, (const char *const[]){ ".rb", DLEXT, NULL }) != 1) return NULL;
    if (!RB_TYPE_P(found, T_STRING)) return NULL;
    for (ws_loading *loading = loads.innermost; loading; loading = loading->next)
        if (!loading->finished && ws_is_path(found, loading->path, strlen(loading->path))) return loading;
    return NULL;
}

bool
ws_loading_any(void)
{
    return loads.innermost != NULL;
}

bool
ws_loading_any_provided(void)
{
    for (ws_loading *loading = loads.innermost; loading; loading = loading->next)
        if (loading->provided && !loading->finished) return true;
    return false;
}

bool
ws_loading_is_ours(const ws_loading *loading)
{
    return loading->fiber == rb_fiber_current();
}

static void
drop(ws_loading *loading)
{
    for (ws_loading **place = &loads.innermost; *place; place = &(*place)->next) {
        if (*place != loading) continue;
        *place = loading->next;
        break;
    }
    free(loading);
}

ws_loading *
ws_loading_begin(ws_found found)
{
    /* (Ruby hides this one, too, from ObjectSpace.each_object: thread_sync.c, thread_shield_alloc.) */
    VALUE mutex = rb_obj_hide(rb_mutex_new()), fiber = rb_fiber_current();
    /* Nobody else knows this mutex, so no other thread runs here. In a signal's handler this raises, as in
     * load_lock. */
    rb_mutex_lock(mutex);
    ws_loading *loading = calloc(1, sizeof *loading);
    if (!loading) {
        rb_mutex_unlock(mutex);
        return NULL;
    }
    loading->found = found;
    loading->path = ws_segment_string(found.segment, found.entry->path_offset, found.entry->path_size);
    loading->mutex = mutex;
    loading->fiber = fiber;
    loading->thread = rb_thread_current();
    loading->serial = ++loads.last_serial;
    loading->next = loads.innermost;
    loads.innermost = loading;
    return loading;
}

void
ws_loading_end(ws_loading *loading, bool succeeded)
{
    VALUE mutex = loading->mutex;
    loading->finished = true;
    loading->succeeded = succeeded;
    if (loading->waiters == 0) drop(loading);
    rb_mutex_unlock(mutex);
    RB_GC_GUARD(mutex);
}

/* ---- Ruby's warning about a circular require (load_lock, rb_backtrace_each) ----
 *
 * While warnings are on, files do not go the direct way (way.c). So this is for a program that switches warnings on
 * while a file is being loaded. */

/* The forms of ext/probes.rb. If Ruby has another one, files do not go the direct way (needs.c). */
#if !defined(WS_KNOWN_CIRCULAR) || WS_KNOWN_CIRCULAR == 1
#define OPENING_QUOTE "`"
#else
#define OPENING_QUOTE "'"
#endif

static bool
is_label(VALUE label, const char *text)
{
    return RB_TYPE_P(label, T_STRING) && strcmp(StringValueCStr(label), text) == 0;
}

/* Is this the frame of an evaluated String? Prism calls such a frame <compiled>, whatever surrounds it, but
 * Location#label names what surrounds it. */
static bool
is_evaluated(VALUE frame, VALUE outer)
{
#if !defined(WS_KNOWN_CIRCULAR) || WS_KNOWN_CIRCULAR == 1
    return false;
#else
    if (NIL_P(outer) || !NIL_P(ws_own0(WS_OWN_LOCATION_ABSOLUTE_PATH, frame))) return false;
    VALUE caller = ws_own0(WS_OWN_LOCATION_BASE_LABEL, outer);
    return is_label(caller, "eval") || is_label(caller, "instance_eval") || is_label(caller, "class_eval") ||
           is_label(caller, "module_eval");
#endif
}

/* Appends the line that rb_backtrace_each prints for a frame. It has two blanks after "in", and the label lacks the
 * class that 3.4 puts before a method's name. */
static void
append_frame(VALUE message, VALUE frame, VALUE outer)
{
    VALUE label = ws_own0(WS_OWN_LOCATION_LABEL, frame), name = ws_own0(WS_OWN_LOCATION_BASE_LABEL, frame);
    const char *text = StringValueCStr(label), *in = NULL;
    if (is_label(name, "load_iseq")) return;
    for (const char *at = text; (at = strstr(at, " in ")) != NULL; at += 4) in = at + 4;
    if (is_evaluated(frame, outer)) {
        name = rb_str_new_cstr("<compiled>");
        in = NULL;
    }
    rb_str_catf(message, "\tfrom %" PRIsVALUE ":%d:in  " OPENING_QUOTE "%.*s%" PRIsVALUE "'\n",
                ws_own0(WS_OWN_LOCATION_PATH, frame), NUM2INT(ws_own0(WS_OWN_LOCATION_LINENO, frame)),
                in ? (int)(in - text) : 0, text, name);
}

void
ws_warn_circular(const char *path)
{
    if (!RTEST(ruby_verbose)) return;
    VALUE frames = rb_funcall(rb_mKernel, rb_intern("caller_locations"), 1, INT2FIX(0));
    const char *file = rb_sourcefile();
    VALUE message = file ? rb_sprintf("%s:%d: warning: ", file, rb_sourceline()) : rb_str_new_cstr("warning: ");
    rb_str_catf(message, "loading in progress, circular require considered harmful - %s\n", path);
    for (long i = RARRAY_LEN(frames) - 1; i >= 0; i--) /* outermost first */
        append_frame(message, RARRAY_AREF(frames, i), rb_ary_entry(frames, i + 1));
    rb_warning("%" PRIsVALUE, message);
}

/* ---- waiting ---- */

static VALUE
wait_for_lock(VALUE argument)
{
    ws_loading *loading = (ws_loading *)argument;
#if RUBY_API_VERSION_CODE < 30200
    /* Here load_lock warned everybody who waits, not only who waits for himself. */
    ws_warn_circular(loading->path);
#endif
    return rb_mutex_lock(loading->mutex);
}

bool
ws_loading_wait(ws_loading *loading)
{
    VALUE mutex = loading->mutex;
    int state = 0;
    /* From here on the load is not freed, whatever a Warning.warn does. */
    loading->waiters++;
    rb_protect(wait_for_lock, (VALUE)loading, &state);
    bool succeeded = loading->succeeded;
    loading->waiters--;
    /* The thread ended while one of its fibers was in the middle of the file. Ruby has opened the thread's locks, and
     * whoever waited gets the next try. */
    if (!state && !loading->finished) {
        loading->finished = true;
        if (loading->provided) ws_remove_feature(loading->path);
    }
    if (loading->finished && loading->waiters == 0) drop(loading);
    if (state) rb_jump_tag(state);
    rb_mutex_unlock(mutex);
    RB_GC_GUARD(mutex);
    return succeeded;
}

bool
ws_loading_in_progress(uint64_t serial)
{
    for (ws_loading *loading = loads.innermost; loading; loading = loading->next)
        if (loading->serial == serial) return true;
    return false;
}

void
ws_loading_autoload_registered(const char *feature, size_t size)
{
    ws_loading_settle_fork();
    for (ws_loading *loading = loads.innermost; loading; loading = loading->next) {
        if (loading->provided || loading->finished ||
            !ws_feature_name_may_mean(feature, size, loading->path, strlen(loading->path)))
            continue;
        loading->provided = true;
        ws_provide(loading->path);
    }
}

void
ws_init_loading(void)
{
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &table_type, &loads.innermost));
    ws_thread_after_fork(after_fork_in_child);
}
