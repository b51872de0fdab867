/* The exit handler: calls Session#finish.
 *
 * Up to Ruby 3.1 a thread that waits for another's autoload is in a list that lies on both threads' stacks, and stays
 * there when an exception ends its wait (autoload_sleep_done takes out only who is killed): a deadlock that is
 * reported, an interrupt. When that ends the program, the other thread is killed and reads the list (autoload_reset),
 * from a part of the main thread's stack that nobody uses any more, and that plain Ruby has not used again so soon. So
 * there our handler begins below all that, and calls nothing before (whose address the system's loader would have to
 * look for, on the stack). */
#include <ruby.h>
#include <ruby/version.h>

#include "ruby/boot/boot.h"

#if RUBY_API_VERSION_CODE < 30200 && !defined(_WIN32)
#include <sys/resource.h>

#define RESERVED (256u << 10) /* bytes: some hundred frames of the interpreter's */

/* A stack that has not so much to spare has no such depth either. */
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
        __asm__ volatile("" : : "r"(reserved)); /* (so that the compiler keeps it; never written) */
        finish(session);
        return;
    }
#endif
    finish(session);
}

/* call-seq: Native.finish_at_end(session) -> nil
 * Session#finish is called when the program ends, as by at_exit. */
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
