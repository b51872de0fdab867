/* System calls of the command line that Ruby has no method for, on Windows. process_posix.c has those for all other
 * systems. */
#ifdef _WIN32
#include "ruby/command_line/command_line.h"

#include <windows.h>
#include <psapi.h>

#include <ruby.h>
#include <ruby/thread.h>

/* call-seq: Native.fix_addresses -> false
 * Windows cannot do that. */
static VALUE
fix_addresses(VALUE self)
{
    return Qfalse;
}

static void *
wait_without_gvl(void *handle)
{
    WaitForSingleObject((HANDLE)handle, INFINITE);
    return NULL;
}

static VALUE
seconds(FILETIME time)
{
    return DBL2NUM((double)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) / 1e7);
}

/* call-seq: Native.wait_with_usage(pid) -> [exit status, nil, user, system, memory]
 *
 * Waits for one child. The times are in seconds, and the memory is the peak in bytes, all of the child alone. Raises
 * SystemCallError. */
static VALUE
wait_with_usage(VALUE self, VALUE pid)
{
    FILETIME made, ended, system, user;
    PROCESS_MEMORY_COUNTERS memory = { .cb = sizeof memory };
    DWORD code = 0;
    int status;

    HANDLE handle = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_INFORMATION, FALSE, (DWORD)NUM2PIDT(pid));
    if (!handle) rb_syserr_fail(ECHILD, "OpenProcess");
    rb_thread_call_without_gvl(wait_without_gvl, handle, RUBY_UBF_PROCESS, NULL);
    bool known = GetProcessTimes(handle, &made, &ended, &system, &user) &&
                 GetProcessMemoryInfo(handle, &memory, sizeof memory) && GetExitCodeProcess(handle, &code);
    CloseHandle(handle);
    if (rb_waitpid(NUM2PIDT(pid), &status, 0) < 0)
        rb_syserr_fail(ECHILD, "waitpid"); /* Ruby keeps its own list of children */
    if (!known) rb_syserr_fail(EINVAL, "GetProcessTimes");
    return rb_ary_new_from_args(5, UINT2NUM(code), Qnil, seconds(user), seconds(system),
                                ULL2NUM(memory.PeakWorkingSetSize));
}

void
ws_init_process(VALUE native)
{
    rb_define_singleton_method(native, "fix_addresses", fix_addresses, 0);
    rb_define_singleton_method(native, "wait_with_usage", wait_with_usage, 1);
}
#endif
