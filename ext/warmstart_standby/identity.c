/* Which process a trace is of. The number of a process that has ended becomes another one's, and a trace may stay when
 * its process was killed or the machine has lost its power. So a process is known by when it began, too, and in which
 * run of the machine. */
#include "trace.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ws_process_times
ws_process_look(uint32_t pid)
{
    char path[32], text[1024], state = 0;
    unsigned long user = 0, system = 0;
    unsigned long long began = 0;
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    ws_read_text(path, text, sizeof text);
    const char *name_end = strrchr(text, ')'); /* (the name may contain anything) */
    if (name_end)
        sscanf(name_end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu", &state,
               &user, &system, &began);
    return (ws_process_times){ state, user + system, began };
}

static void
read_run(char run[WS_RUN_SIZE])
{
    ws_read_text("/proc/sys/kernel/random/boot_id", run, WS_RUN_SIZE);
}

void
ws_trace_sign(ws_trace_header *header)
{
    read_run(header->run);
    header->began = ws_process_look((uint32_t)getpid()).began;
    __atomic_store_n(&header->pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
}

/* (The descriptor comes first: while it leads to a process, no other one gets its number.) */
int
ws_trace_process(const ws_trace_header *header)
{
    char run[WS_RUN_SIZE];
    uint32_t pid = __atomic_load_n(&header->pid, __ATOMIC_ACQUIRE);
    int process = pid && pid <= INT32_MAX ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (process < 0) return -1;
    read_run(run);
    if (header->began && ws_process_look(pid).began == header->began && strncmp(run, header->run, sizeof run) == 0)
        return process;
    syscall(SYS_close, process);
    return -1;
}
