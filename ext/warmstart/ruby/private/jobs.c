/* A postponed job that is requested by a thread which is not Ruby's.
 *
 * Before 3.3 only a thread of Ruby's that has the GVL may request one. There a place in the list is first taken and
 * then filled, so that a thread which fills or runs the list meanwhile mixes two jobs up. And a thread that is not
 * Ruby's uses the context that ran last, which may be gone (vm_trace.c: postponed_job_register, get_valid_ec; both were
 * made anew for 3.3). So on these Rubies the request is only noted. The next thread that makes an object learns of it,
 * in a hook that Ruby calls with the GVL (gc.c: newobj_slowpath), and requests the job as Ruby's own code does. A
 * program that makes no objects makes no garbage either.
 *
 * No thread of another Ractor may begin while there is such a hook: Ruby calls the hook before that thread has a frame,
 * but reads the frame (gc.c: gc_event_hook_body). So the hook is removed as soon as the main Ractor makes the object of
 * the first other Ractor. */
#include "ruby/private/jobs.h"

#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/ractor.h>

#include "ruby/private/private_api.h"

static struct {
    bool listening;
#ifdef HAVE_RB_POSTPONED_JOB_PREREGISTER
    rb_postponed_job_handle_t handle;
#else
    volatile bool wanted;
    void (*job)(void *), (*leave)(void);
#endif
} jobs;

#ifdef HAVE_RB_POSTPONED_JOB_PREREGISTER

void
ws_job_init(void (*function)(void *), void (*ractor)(void))
{
    jobs.handle = rb_postponed_job_preregister(0, function, NULL);
}

void
ws_job_ask(void)
{
    rb_postponed_job_trigger(jobs.handle);
}

void
ws_job_forget(void)
{
}

static void
add_hook(void)
{
}

static void
remove_hook(void)
{
}

int
ws_job_hooks(void)
{
    return 0;
}

#else

static bool
is_ractor(VALUE object)
{
    if (RB_BUILTIN_TYPE(object) != T_DATA) return false;
    VALUE class = RBASIC_CLASS(object);
    return class && RTEST(rb_class_inherited_p(class, rb_cRactor));
}

static void
hear(VALUE nothing, rb_trace_arg_t *argument)
{
    if (is_ractor(rb_tracearg_object(argument))) {
        jobs.leave();
        ws_job_stop();
    }
    else if (jobs.wanted) {
        jobs.wanted = false;
        rb_postponed_job_register_one(0, jobs.job, NULL);
    }
}

static void
add_hook(void)
{
    rb_add_event_hook2((rb_event_hook_func_t)(void (*)(void))hear, RUBY_INTERNAL_EVENT_NEWOBJ, Qnil,
                       RUBY_EVENT_HOOK_FLAG_SAFE | RUBY_EVENT_HOOK_FLAG_RAW_ARG);
}

static void
remove_hook(void)
{
    rb_remove_event_hook((rb_event_hook_func_t)(void (*)(void))hear);
}

void
ws_job_init(void (*function)(void *), void (*ractor)(void))
{
    jobs.job = function;
    jobs.leave = ractor;
}

void
ws_job_ask(void)
{
    jobs.wanted = true;
}

void
ws_job_forget(void)
{
    jobs.wanted = false;
}

int
ws_job_hooks(void)
{
    return jobs.listening ? 1 : 0;
}

#endif

bool
ws_job_listen(void)
{
#if defined HAVE_RUBY_SINGLE_MAIN_RACTOR && !defined HAVE_RB_POSTPONED_JOB_PREREGISTER
    if (!ruby_single_main_ractor) return false;
#endif
    if (!jobs.listening) add_hook();
    return jobs.listening = true;
}

void
ws_job_stop(void)
{
    ws_job_forget();
    if (jobs.listening) remove_hook();
    jobs.listening = false;
}

void
ws_job_pause(void)
{
    if (jobs.listening) remove_hook();
}

void
ws_job_resume(void)
{
    if (jobs.listening) add_hook();
}
