/* System calls of the command line that Ruby has no method for: fixed addresses for the processes that `build
 * --reproducible` starts, and what one child process has used, for `bench`. */
#ifndef _WIN32
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "ruby/command_line/command_line.h"

#ifdef __linux__
#include <sys/personality.h>
#endif

#include <ruby.h>
#include <ruby/thread.h>

/* call-seq: Native.fix_addresses -> true or false
 *
 * From the next exec on, the kernel gives this process and its children the same addresses every time, because
 * RubyVM::InstructionSequence#to_binary varies with them for a few files. false: the system cannot do that, or forbids
 * it (containers often do). */
static VALUE
fix_addresses(VALUE self)
{
#ifdef __linux__
    int present = personality(0xffffffff);
    if (present < 0) return Qfalse;
    return personality((unsigned long)present | ADDR_NO_RANDOMIZE) >= 0 ? Qtrue : Qfalse;
#else
    return Qfalse;
#endif
}

typedef struct ws_wait {
    pid_t pid, waited;
    int status, error_number;
    struct rusage usage;
} ws_wait;

static void *
wait_without_gvl(void *argument)
{
    ws_wait *waiting = argument;
    waiting->waited = wait4(waiting->pid, &waiting->status, 0, &waiting->usage);
    waiting->error_number = waiting->waited < 0 ? errno : 0;
    return NULL;
}

static VALUE
seconds(struct timeval time)
{
    return DBL2NUM((double)time.tv_sec + (double)time.tv_usec / 1e6);
}

/* call-seq: Native.wait_with_usage(pid) -> [exit status or nil, signal or nil, user, system, memory]
 *
 * Waits for one child. The times are in seconds, of the child and of the children that it waited for. The memory is the
 * peak of the largest of them in bytes. Raises SystemCallError. */
static VALUE
wait_with_usage(VALUE self, VALUE pid)
{
    ws_wait waiting = { .pid = NUM2PIDT(pid) };
    do {
        rb_thread_call_without_gvl(wait_without_gvl, &waiting, RUBY_UBF_PROCESS, NULL);
        if (waiting.waited >= 0) break;
        if (waiting.error_number != EINTR) rb_syserr_fail(waiting.error_number, "wait4");
        rb_thread_check_ints();
    } while (true);
#ifdef __APPLE__
    uint64_t memory = (uint64_t)waiting.usage.ru_maxrss;
#else
    uint64_t memory = (uint64_t)waiting.usage.ru_maxrss * 1024;
#endif
    return rb_ary_new_from_args(5, WIFEXITED(waiting.status) ? INT2NUM(WEXITSTATUS(waiting.status)) : Qnil,
                                WIFSIGNALED(waiting.status) ? INT2NUM(WTERMSIG(waiting.status)) : Qnil,
                                seconds(waiting.usage.ru_utime), seconds(waiting.usage.ru_stime), ULL2NUM(memory));
}

void
ws_init_process(VALUE native)
{
    rb_define_singleton_method(native, "fix_addresses", fix_addresses, 0);
    rb_define_singleton_method(native, "wait_with_usage", wait_with_usage, 1);
}
#endif
