/* Facts about a process that are no files, as texts: who it is, what it may use, and where it runs. A standby inherits
 * them from the client that has it made, so they are part of the key by which another client finds it. */
#include "facts.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

typedef struct ws_telling {
    void (*tell)(void *data, const char *name, const char *text);
    void *data;
} ws_telling;

/* System calls are made directly here, because the library's functions are the interposer's in a recorded process. */
static size_t
read_whole(const char *path, char *text, size_t room)
{
    size_t size = 0;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), got = 0;
    if (fd >= 0) {
        while (size < room - 1 && (got = syscall(SYS_read, (int)fd, text + size, room - 1 - size)) > 0)
            size += (size_t)got;
        syscall(SYS_close, (int)fd);
    }
    text[size] = 0;
    return size;
}

static void
tell_file(const ws_telling *telling, const char *name, const char *path)
{
    char text[4096];
    read_whole(path, text, sizeof text);
    telling->tell(telling->data, name, text);
}

static void
tell_link(const ws_telling *telling, const char *path)
{
    char target[PATH_MAX];
    long size = syscall(SYS_readlinkat, AT_FDCWD, path, target, sizeof target - 1);
    target[size > 0 ? size : 0] = 0;
    telling->tell(telling->data, path, target);
}

static void
tell_folder(const ws_telling *telling, const char *path)
{
    struct statx data = { 0 };
    char text[64];
    syscall(SYS_statx, AT_FDCWD, path, 0, STATX_INO, &data);
    snprintf(text, sizeof text, "%u:%u %llu", data.stx_dev_major, data.stx_dev_minor, (unsigned long long)data.stx_ino);
    telling->tell(telling->data, path, text);
}

/* Users, groups, umask, capabilities, signals and the like, as the kernel prints them. */
static void
tell_status(const ws_telling *telling)
{
    static const char *const WANTED[] = { "Umask:",      "Uid:",     "Gid:",    "Groups:", "SigBlk:",
                                          "CapEff:",     "CapPrm:",  "CapInh:", "CapBnd:", "CapAmb:",
                                          "NoNewPrivs:", "Seccomp:", "SigIgn:" };
    char text[8192];
    read_whole("/proc/self/status", text, sizeof text);
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        for (size_t i = 0; i < sizeof WANTED / sizeof *WANTED; i++)
            if (strncmp(line, WANTED[i], strlen(WANTED[i])) == 0)
                telling->tell(telling->data, WANTED[i], line + strlen(WANTED[i]));
}

static void
tell_limits(const ws_telling *telling)
{
    for (int number = 0; number < RLIM_NLIMITS; number++) {
        struct rlimit limit;
        char name[32], text[64];
        if (syscall(SYS_prlimit64, 0, number, NULL, &limit) != 0) continue;
        snprintf(name, sizeof name, "rlimit %d", number);
        snprintf(text, sizeof text, "%llu %llu", (unsigned long long)limit.rlim_cur,
                 (unsigned long long)limit.rlim_max);
        telling->tell(telling->data, name, text);
    }
}

/* What the control group allows: version 2's files, from the process's own group up to the root. */
static void
tell_control_group(const ws_telling *telling)
{
    static const char *const LIMITS[] = { "memory.max", "memory.high", "cpu.max", "pids.max" };
    char text[4096], path[sizeof text + 64];
    read_whole("/proc/self/cgroup", text, sizeof text);
    telling->tell(telling->data, "cgroup", text);
    char *group = strstr(text, "0::/");
    if (!group) return;
    group += strlen("0::");
    group[strcspn(group, "\n")] = 0;
    for (;;) {
        for (size_t i = 0; i < sizeof LIMITS / sizeof *LIMITS; i++) {
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", strcmp(group, "/") == 0 ? "" : group, LIMITS[i]);
            tell_file(telling, path, path);
        }
        char *end = strrchr(group, '/');
        if (!end || strcmp(group, "/") == 0) return;
        if (end == group) end++;
        *end = 0;
    }
}

void
ws_each_fact(void (*tell)(void *data, const char *name, const char *text), void *data)
{
    ws_telling telling = { tell, data };
    char text[PATH_MAX];
    long size = syscall(SYS_getcwd, text, sizeof text);
    tell(data, "working directory", size > 0 ? text : "");
    tell_folder(&telling, "."); /* another one may have come under the same name */
    tell_folder(&telling, "/");
    tell_status(&telling);
    tell_limits(&telling);
    tell_control_group(&telling);
    static const char *const NAMESPACES[] = { "mnt", "pid", "net", "user", "ipc", "uts", "time" };
    for (size_t i = 0; i < sizeof NAMESPACES / sizeof *NAMESPACES; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/ns/%s", NAMESPACES[i]);
        tell_link(&telling, path);
    }
    cpu_set_t processors;
    CPU_ZERO(&processors);
    char *at = text;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        for (int i = 0; i < CPU_SETSIZE && at < text + sizeof text - 8; i++)
            if (CPU_ISSET(i, &processors)) at += snprintf(at, 8, "%d ", i);
    *at = 0;
    tell(data, "processors", text);
    struct utsname system;
    if (uname(&system) == 0) {
        tell(data, "host", system.nodename);
        tell(data, "kernel", system.release);
    }
    tell_file(&telling, "personality", "/proc/self/personality");
    tell_file(&telling, "oom_score_adj", "/proc/self/oom_score_adj");
    tell_file(&telling, "label", "/proc/self/attr/current");
    snprintf(text, sizeof text, "%d %d %ld", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0),
             syscall(SYS_ioprio_get, 1, 0));
    tell(data, "priorities", text);
}
