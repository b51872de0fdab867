/* The hints for the direct way that a recording boot notes in addition to the iseqs: UNFINISHED (the load was not seen
 * to its end) and LATE (an autoload of the file itself was registered meanwhile). They come from the requires in
 * progress, and from Module#autoload and Kernel#autoload. */
#include "ruby/recorder/recorder_internal.h"

#include <stdlib.h>

#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/index/feature_names.h"
#include "core/system/thread.h"
#include "ruby/load_path/load_path.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/patch.h"
#include "ruby/private/ractor.h"
#include "ruby/recorder/recorder.h"

/* ---- requires in progress ---- */

/* A require in progress. It is on the heap, because a fiber may be dropped in the middle and a child of fork lacks the
 * other threads: their stacks are used again. Then it is never freed. */
typedef struct ws_call {
    struct ws_call *outer;
    VALUE fiber, path;
    VALUE (*function)(VALUE, VALUE);
    VALUE self, feature;
    uint32_t number; /* the file that this require had compiled; UINT32_MAX: none */
    unsigned forks;  /* the process had forked so many times when the file was compiled */
} ws_call;

static struct {
    ws_call *innermost;
    volatile unsigned forks;
    bool counts_forks;
} calls;

static void
mark_calls(void *nothing)
{
    for (ws_call *call = calls.innermost; call; call = call->outer) {
        rb_gc_mark(call->fiber);
        rb_gc_mark(call->path);
        rb_gc_mark(call->self);
        rb_gc_mark(call->feature);
    }
}

static const rb_data_type_t calls_type = { .wrap_struct_name = "warmstart/recorded_calls",
                                           .function = { .dmark = mark_calls } };

static ws_call **
place_of(const ws_call *call)
{
    ws_call **place = &calls.innermost;
    while (*place && *place != call) place = &(*place)->outer;
    return place;
}

/* Sets and removes WS_ENTRY_* on a file that is not written yet. */
static void
hint(uint32_t number, uint32_t flags, uint32_t no_longer)
{
    if (ws_the_recorder.recording) ws_recording_hint(ws_the_recorder.recording, number, flags, no_longer);
}

/* What the file does in a child of fork is not seen here: it stays UNFINISHED. */
static VALUE
make_call(VALUE argument)
{
    ws_call *current = (ws_call *)argument;
    VALUE result = current->function(current->self, current->feature);
    if (!*place_of(current)) return result; /* a continuation has come here a second time */
    if (current->number == UINT32_MAX) return result;
    if (current->forks != calls.forks) return result;
    hint(current->number, 0, WS_ENTRY_UNFINISHED);
    return result;
}

/* If the require ends now because Ruby has found no such file, notes the name. Ruby's load_failed (rb_load_fail) gives
 * the LoadError this name as its path; if a file exists and requires a missing one, the path is another name. While
 * this runs, rb_ensure keeps what is being raised in errinfo. For a throw it is an internal object (T_IMEMO). */
static void
note_missing(VALUE feature)
{
    VALUE error = rb_errinfo();
    if (SPECIAL_CONST_P(error) || RB_BUILTIN_TYPE(error) != T_OBJECT || rb_obj_class(error) != rb_eLoadError) return;
    VALUE path = rb_attr_get(error, rb_intern("@path"));
    if (!RB_TYPE_P(path, T_STRING) || !RB_TYPE_P(feature, T_STRING) || !ws_is_plain_feature(feature)) return;
    if (ws_the_recorder.recording && rb_str_cmp(path, feature) == 0 && !ws_load_path_knows_missing(feature))
        ws_recording_missing(ws_the_recorder.recording, RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature));
}

/* Ends what this fiber has announced. It was this require's file, or an earlier one that failed without an event, or
 * one whose compilation is interrupted by this require. */
static void
end_announced(void)
{
    if (!ws_compilations_any()) return;
    ws_compilation_end(ws_compilation_current());
    ws_compilations_end_dead();
    ws_stop_listening_when_done();
}

static VALUE
end_call(VALUE argument)
{
    ws_call **place = place_of((ws_call *)argument), *ended = *place;
    if (ended) {
        if (ended->number == UINT32_MAX) note_missing(ended->feature); /* nothing was compiled in it */
        *place = ended->outer;
        free(ended);
    }
    end_announced();
    return Qnil;
}

/* rb_ensure makes no frame that a backtrace shows. */
VALUE
ws_recorder_call(VALUE (*function)(VALUE self, VALUE feature), VALUE self, VALUE feature)
{
    VALUE fiber = rb_fiber_current();
    ws_call *current = malloc(sizeof *current);
    if (!current) return function(self, feature);
    *current = (ws_call){ calls.innermost, fiber, Qnil, function, self, feature, UINT32_MAX, 0 };
    calls.innermost = current;
    return rb_ensure(make_call, (VALUE)current, end_call, (VALUE)current);
}

/* Returns this fiber's innermost require if nothing has been compiled in it yet. The first file that is compiled inside
 * a require is the required one, or a file that a `load` reads in a file from the image. A hint for the latter does no
 * harm. */
static ws_call *
call_without_file(void)
{
    VALUE fiber = rb_fiber_current();
    for (ws_call *current = calls.innermost; current; current = current->outer)
        if (current->fiber == fiber) return current->number == UINT32_MAX ? current : NULL;
    return NULL;
}

/* The file is marked as unfinished until its load has ended well, because an image may be written before that. */
uint32_t
ws_hints_at_first(void)
{
    return call_without_file() ? WS_ENTRY_UNFINISHED : 0;
}

void
ws_hints_compiled(uint32_t number, VALUE path)
{
    ws_call *current = call_without_file();
    if (!current) return;
    current->number = number;
    current->path = path;
    current->forks = calls.forks;
}

/* Any thread may fork, with or without Ruby's lock. */
static void
count_fork(void)
{
    calls.forks++;
}

/* ---- LATE ---- */

/* (The direct way asks the same while it runs a file: ws_loading_autoload_registered.) */
void
ws_hints_autoload_registered(VALUE feature)
{
    for (ws_call *current = calls.innermost; current; current = current->outer)
        if (current->number != UINT32_MAX &&
            ws_feature_name_may_mean(RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature), RSTRING_PTR(current->path),
                                     (size_t)RSTRING_LEN(current->path)))
            hint(current->number, WS_ENTRY_LATE, 0);
}

void
ws_hints_count_forks(void)
{
    if (!calls.counts_forks) ws_thread_before_fork(count_fork);
    calls.counts_forks = true;
}

void
ws_init_hints(void)
{
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &calls_type, &calls.innermost));
}
