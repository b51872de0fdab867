/* The files that Ruby is compiling at this moment, and whose code is to be kept. */
#include "ruby/recorder/recorder_internal.h"

#include <stdlib.h>

static void
mark_compilations(void *nothing)
{
    for (ws_compilation *each = ws_the_recorder.compilations; each; each = each->next) {
        rb_gc_mark(each->fiber);
        rb_gc_mark(each->path);
    }
}

static const rb_data_type_t compilations_type = { .wrap_struct_name = "warmstart compilations",
                                                  .function = { .dmark = mark_compilations } };

static void
remove_from(ws_compilation **place)
{
    ws_compilation *gone = *place;
    *place = gone->next;
    free(gone);
}

ws_compilation *
ws_compilation_current(void)
{
    if (!ws_the_recorder.compilations) return NULL;
    VALUE fiber = rb_fiber_current();
    for (ws_compilation *each = ws_the_recorder.compilations; each; each = each->next)
        if (each->fiber == fiber) return each;
    return NULL;
}

void
ws_compilation_end(ws_compilation *compilation)
{
    for (ws_compilation **place = &ws_the_recorder.compilations; *place; place = &(*place)->next)
        if (*place == compilation) {
            remove_from(place);
            return;
        }
}

void
ws_compilations_end_dead(void)
{
    ws_compilation **place = &ws_the_recorder.compilations;
    while (*place) {
        if (!RTEST(rb_fiber_alive_p((*place)->fiber))) remove_from(place);
        else place = &(*place)->next;
    }
}

void
ws_compilations_end_all(void)
{
    while (ws_the_recorder.compilations) remove_from(&ws_the_recorder.compilations);
}

void
ws_compilation_begin(VALUE path, const ws_stat *stat, uint32_t flags)
{
    VALUE fiber = rb_fiber_current();
    ws_compilations_end_dead();
    ws_compilation_end(ws_compilation_current());
    ws_compilation *begun = malloc(sizeof *begun);
    if (!begun) return;
    *begun = (ws_compilation){ ws_the_recorder.compilations, fiber, path, *stat, flags, false };
    ws_the_recorder.compilations = begun;
}

bool
ws_compilations_any(void)
{
    return ws_the_recorder.compilations != NULL;
}

void
ws_init_compilations(void)
{
    rb_gc_register_mark_object(rb_data_typed_object_wrap(0, &ws_the_recorder, &compilations_type));
}
