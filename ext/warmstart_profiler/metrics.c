/* Clocks and counters; see metrics.h. Figures about GC are Ruby's own (GC.total_time is always measured), because a
 * program or the accelerator could notice a hook. Windows needs a hook all the same, from the start of the recording
 * on: Ruby's figure takes units of 100 nanoseconds for nanoseconds there, and has steps of 16 ms (current_process_time
 * in Ruby's gc.c). The hook reads the clock at the begin and end of each collection. */
#include <ruby.h>
#include <ruby/debug.h>

#include "metrics.h"

#include <string.h>

/* Reading the resident memory costs about 2 us, reading GC's time 0.2 us, so both are read no more often than this. */
#define MEMORY_EVERY_NS 1000000
#define GC_EVERY_NS 20000

static struct {
    ws_calls_function *calls_function;
    VALUE sym_objects, sym_malloc, sym_major;
    ID id_total_time;
    uint64_t major_count;
    int64_t malloc_before, malloc_last;
#ifdef _WIN32
    int64_t gc_began, gc_ns;
    bool gc_hooked;
#endif
} metrics;

const uint64_t *
ws_calls(void)
{
    return metrics.calls_function ? metrics.calls_function() : NULL;
}

#ifdef _WIN32
/* This runs inside a collection, so it must not call anything of Ruby's. */
static void
on_gc(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE class)
{
    if (event == RUBY_INTERNAL_EVENT_GC_ENTER) metrics.gc_began = ws_now();
    else metrics.gc_ns += ws_now() - metrics.gc_began;
}

static void
measure_gc(void)
{
    if (!metrics.gc_hooked) rb_add_event_hook(on_gc, RUBY_INTERNAL_EVENT_GC_ENTER | RUBY_INTERNAL_EVENT_GC_EXIT, Qnil);
    metrics.gc_hooked = true;
}

static int64_t
gc_time(void)
{
    return metrics.gc_ns;
}
#else
static void
measure_gc(void)
{
}

static int64_t
gc_time(void)
{
    return (int64_t)NUM2ULL(rb_funcallv(rb_mGC, metrics.id_total_time, 0, NULL));
}
#endif

void
ws_metrics_begin(void)
{
    metrics.calls_function = ws_calls_counter();
    measure_gc();
}

void
ws_read_moment(ws_moment *moment)
{
    const uint64_t *calls = ws_calls();
    moment->wall = ws_now();
    moment->cpu = ws_thread_cpu();
    if (calls) memcpy(moment->calls, calls, sizeof moment->calls);
    else memset(moment->calls, 0, sizeof moment->calls);
}

/* How much malloc was asked for since the start. Ruby counts only since the last major collection. */
static int64_t
malloc_bytes(void)
{
    uint64_t count = rb_gc_stat(metrics.sym_major);
    int64_t now = (int64_t)rb_gc_stat(metrics.sym_malloc);
    if (count != metrics.major_count) metrics.malloc_before += metrics.malloc_last;
    else if (now < metrics.malloc_last) metrics.malloc_before += metrics.malloc_last - now; /* memory was freed */
    metrics.major_count = count;
    metrics.malloc_last = now;
    return metrics.malloc_before + now;
}

void
ws_read_commons(ws_commons *commons, const ws_commons *last, int64_t now, bool *memory_read)
{
    *commons = *last;
    commons->gc_count = (int64_t)rb_gc_count();
    if (commons->gc_count != last->gc_count || now - last->gc_read_at > GC_EVERY_NS) {
        commons->gc_ns = gc_time();
        commons->gc_read_at = now;
    }
    *memory_read = now - last->memory_read_at > MEMORY_EVERY_NS;
    if (*memory_read) {
        commons->memory = ws_resident_memory();
        commons->memory_read_at = now;
    }
    commons->malloc_bytes = malloc_bytes();
    commons->objects = (int64_t)rb_gc_stat(metrics.sym_objects);
}

void
ws_metrics_init(void)
{
    metrics.sym_objects = ID2SYM(rb_intern("total_allocated_objects"));
    metrics.sym_malloc = ID2SYM(rb_intern("oldmalloc_increase_bytes"));
    metrics.sym_major = ID2SYM(rb_intern("major_gc_count"));
    metrics.id_total_time = rb_intern("total_time");
    ws_system_init();
}
