/* See threads.h. Ruby tells when a thread begins: since 3.2 by internal thread events, which TracePoint.stat does not
 * count, and which come from all Ractors; before that by the event of a TracePoint, which comes from the main Ractor.
 * (On Windows Ruby never calls the hook of these events, and nobody needs them: ws_children_waited_for.) */
#include "ruby/private/threads.h"

#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/version.h>
#if RUBY_API_VERSION_CODE >= 30200
#include <ruby/thread.h>
#define WS_HAVE_THREAD_EVENTS 1
#endif

#include "ruby/private/private_api.h"

static volatile bool many; /* also set by a thread that has not the GVL yet */

#ifdef WS_HAVE_THREAD_EVENTS

static rb_internal_thread_event_hook_t *hook;

static void
note(rb_event_flag_t event, const rb_internal_thread_event_data_t *data, void *nothing)
{
    many = true;
}

static void
add_hook(void)
{
    if (!hook) hook = rb_internal_thread_add_event_hook(note, RUBY_INTERNAL_THREAD_EVENT_STARTED, NULL);
}

static void
remove_hook(void)
{
    if (hook) rb_internal_thread_remove_event_hook(hook);
    hook = NULL;
}

#else

static bool hooked;

static void
note(rb_event_flag_t event, VALUE nothing, VALUE self, ID id, VALUE class)
{
    many = true;
}

static void
add_hook(void)
{
    if (!hooked) rb_add_event_hook(note, RUBY_EVENT_THREAD_BEGIN, Qnil);
    hooked = true;
}

static void
remove_hook(void)
{
    if (hooked) rb_remove_event_hook(note);
    hooked = false;
}

#endif

void
ws_threads_watch(void)
{
    if (!rb_thread_alone()) many = true;
    add_hook();
}

void
ws_threads_leave(void)
{
    remove_hook();
}

bool
ws_threads_were_many(void)
{
#ifdef HAVE_RUBY_SINGLE_MAIN_RACTOR
    if (!ruby_single_main_ractor) return true;
#endif
    return many;
}
