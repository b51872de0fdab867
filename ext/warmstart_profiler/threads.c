/* Each thread has its own root, clocks and counters. Ruby tells when a thread begins to run and when it ends: on 3.1
 * through the events of a hook, later through internal thread events, which TracePoint.stat does not count. */
#include "tree_internal.h"

#include <ruby/debug.h>
#include <ruby/version.h>
#if !defined _WIN32 && RUBY_API_VERSION_CODE >= 30200 /* On Windows Ruby never calls the hook. */
#include <ruby/thread.h>
#define WS_HAVE_THREAD_EVENTS 1
#endif

static struct {
    ws_thread *all, *main;
    uint32_t next; /* the next thread's number */
    bool hooked;   /* Ruby tells when threads begin and end */
} threads;

static ws_thread *
new_thread(VALUE ruby, ws_kind kind, const char *name)
{
    ws_thread *thread = calloc(1, sizeof *thread);
    if (!thread) return NULL;
    ws_read_moment(&thread->last);
    thread->root = thread->current = ws_new_frame(thread, kind, name, strlen(name));
    if (!thread->root) {
        free(thread);
        return NULL;
    }
    thread->ruby = ruby;
    thread->native = ws_native_thread_here();
    /* Threads of other Ractors may be added at the same time. Their records are made at the end. */
    thread->id = __atomic_fetch_add(&threads.next, 1, __ATOMIC_RELAXED);
    thread->next = __atomic_load_n(&threads.all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&threads.all, &thread->next, thread, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        continue;
    return thread;
}

static void
record_thread(ws_thread *thread)
{
    ws_node *root = thread->record ? NULL : ws_keep(thread->root);
    thread->record = root ? ws_arena_add(WS_RECORD_THREAD, sizeof *thread->record) : thread->record;
    if (root && thread->record) *thread->record = (ws_thread_record){ thread->id, root->id, root->name, 0 };
}

ws_thread *
ws_first_thread(const char *name, int64_t started)
{
    threads.all = NULL; /* The old ones are never freed, because other native threads may still point to theirs. */
    threads.next = 0;
    threads.main = new_thread(rb_thread_current(), WS_PROGRAM, name);
    ws_set_native_local(threads.main);
    if (!threads.main) return NULL;
    threads.main->named = true;
    threads.main->root->start = started;
    record_thread(threads.main);
    return threads.main;
}

ws_thread *
ws_main_thread(void)
{
    return threads.main;
}

ws_thread *
ws_known_thread(void)
{
    return ws_native_local();
}

/* Does `known`, which this native thread remembers, belong to this recording and to this Ruby thread? A native thread
 * may serve several Ruby threads, one after the other. */
static bool
is_known(const ws_thread *known, VALUE ruby)
{
    if (!known || known->gone || (known->ruby && known->ruby != ruby)) return false;
    for (ws_thread *thread = threads.all; thread; thread = thread->next)
        if (thread == known) return true;
    return false;
}

static ws_thread *
begin_thread(VALUE ruby)
{
    ws_thread *thread = new_thread(ruby, WS_THREAD, "thread");
    ws_set_native_local(thread);
    return thread;
}

/* Gives the thread's node its name, or the place where it was created, taken from "#<Thread:0x... /app/worker.rb:12
 * run>". */
static void
name_thread(ws_thread *thread, VALUE ruby)
{
    VALUE name = rb_funcall(ruby, rb_intern("name"), 0);
    thread->named = RB_TYPE_P(name, T_STRING);
    if (!thread->named && thread->located) return;
    thread->located = true;
    if (!thread->named) name = rb_funcall(ruby, rb_intern("inspect"), 0);
    const char *text = RSTRING_PTR(name), *begin = thread->named ? text : memchr(text, ' ', (size_t)RSTRING_LEN(name));
    const char *end = thread->named ? text + RSTRING_LEN(name) : ws_last(text, ' ', (size_t)RSTRING_LEN(name));
    if (!thread->named && begin) begin++;
    if (!begin || !end || end <= begin || !thread->record) return;
    thread->record->name = thread->root->node->name = ws_arena_text(begin, (size_t)(end - begin));
}

ws_thread *
ws_current_thread(void)
{
    VALUE ruby = rb_thread_current();
    ws_thread *thread = ws_known_thread();
    if (thread && thread == threads.main && thread->ruby == ruby) return thread;
    if (!is_known(thread, ruby) && !(thread = begin_thread(ruby))) return NULL;
    thread->ruby = ruby;
    record_thread(thread);
    if (!thread->named) name_thread(thread, ruby); /* A program may name a thread at any time. */
    return thread;
}

/* ---- begin and end ---- */

static void
thread_over(void)
{
    ws_thread *thread = ws_known_thread();
    if (!thread || thread == threads.main || thread->gone || !ws_active) return;
    ws_moment now;
    ws_read_moment(&now);
    thread->current = thread->root;
    ws_account_moment(thread, &now);
    thread->gone = true;
    ws_native_thread_forget(thread->native);
    ws_set_native_local(NULL);
}

void
ws_end_threads(int64_t now)
{
    for (ws_thread *thread = threads.all; thread; thread = thread->next) {
        int64_t end = thread->gone ? thread->last.wall : now;
        record_thread(thread);
        if (thread->root->node) thread->root->node->end = end;
        if (thread->gone) continue;
        int64_t cpu;
        if (thread == ws_known_thread() || !ws_native_thread_cpu(thread->native, &cpu)) continue;
        if (cpu > thread->last.cpu) thread->current->self[WS_CPU] += cpu - thread->last.cpu;
        if (now > thread->last.wall) thread->current->self[WS_WALL] += now - thread->last.wall;
    }
}

#ifdef WS_HAVE_THREAD_EVENTS
/* RESUMED comes while the thread holds the GVL. */
static void
on_thread_event(rb_event_flag_t event, const rb_internal_thread_event_data_t *data, void *nothing)
{
    if (!ws_active) return;
    if (event == (RUBY_INTERNAL_THREAD_EVENT_EXITED)) thread_over();
    else if (!ws_known_thread() || ws_known_thread()->gone) begin_thread(0);
}

void
ws_hook_threads(void)
{
    if (!threads.hooked)
        rb_internal_thread_add_event_hook(
            on_thread_event, (RUBY_INTERNAL_THREAD_EVENT_RESUMED) | (RUBY_INTERNAL_THREAD_EVENT_EXITED), NULL);
    threads.hooked = true;
}
#else
static void
on_thread_event(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE class)
{
    if (!ws_active) return;
    if (event == RUBY_EVENT_THREAD_END) thread_over();
    else ws_current_thread();
}

void
ws_hook_threads(void)
{
    if (!threads.hooked) rb_add_event_hook(on_thread_event, RUBY_EVENT_THREAD_BEGIN | RUBY_EVENT_THREAD_END, Qnil);
    threads.hooked = true;
}
#endif
