/* The exit handler, which calls Session#finish.
 *
 * Up to Ruby 3.1 the handler must leave a part of the main thread's stack as it is. In these versions, threads that
 * wait for another thread's autoload are in a list whose elements lie on their stacks. When an exception (a reported
 * deadlock, an interrupt) ends such a wait, the element stays in the list, because autoload_sleep_done takes out only
 * threads that are killed. If that exception ends the program, the other thread is killed and reads the list
 * (autoload_reset), with the element on a part of the main thread's stack that is free by then. Plain Ruby does not use
 * that part again so soon. So our handler begins below it, and calls nothing before that: for a function's first call
 * the system's loader looks up the address, on the same stack. */
#include "ruby/private/end_of_program.h"

#include <stdbool.h>

#include <ruby/version.h>

#if RUBY_API_VERSION_CODE < 30200 && !defined(_WIN32)
#include <sys/resource.h>

#define RESERVED (256u << 10) /* bytes: a few hundred of the interpreter's frames */

/* A smaller stack cannot spare the reserve, and the list's elements cannot lie that deep in it. */
static bool
is_stack_large(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= 8 * RESERVED;
}

static bool stack_large;
#endif

__attribute__((noinline)) static void
finish(VALUE session)
{
    rb_funcall(session, rb_intern("finish"), 0);
}

static void
finish_at_end(VALUE session)
{
#ifdef RESERVED
    if (stack_large) {
        void *reserved = __builtin_alloca(RESERVED);
        __asm__ volatile("" : : "r"(reserved)); /* keeps the compiler from dropping it; it is never written */
        finish(session);
        return;
    }
#endif
    finish(session);
}

/* call-seq: Native.finish_at_end(session) -> nil
 * Calls Session#finish when the program ends, in the order of at_exit. */
static VALUE
set_finish_at_end(VALUE self, VALUE session)
{
#ifdef RESERVED
    stack_large = is_stack_large();
#endif
    rb_set_end_proc(finish_at_end, session);
    return Qnil;
}

void
ws_init_end_of_program(VALUE native)
{
    rb_define_singleton_method(native, "finish_at_end", set_finish_at_end, 1);
}
