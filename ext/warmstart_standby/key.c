/* The key of a command: all that has to be the same for a standby to be its own. It has the command, the environment,
 * and facts about the process that are no files: who it is, what it may use, and where it runs. A standby inherits them
 * from the client that has it made. */
#include "client.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "program.h"

extern char **environ;

typedef struct ws_digest {
    uint64_t one, other;
} ws_digest;

/* FNV-1a, twice. Nobody but the user chooses what goes in. */
static void
add(ws_digest *digest, const char *text)
{
    do {
        digest->one = (digest->one ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
        digest->other = (digest->other ^ (unsigned char)*text ^ 0x5a) * UINT64_C(0x100000001b3);
    } while (*text++);
}

/* ---- the environment ---- */

/* A shell sets these anew for each command. What else of the environment differs makes another standby. */
static bool
is_passing(const char *entry)
{
    static const char *const NAMES[] = { "_=", "OLDPWD=", "WARMSTART_LOG=", NULL };
    for (const char *const *name = NAMES; *name; name++)
        if (strncmp(entry, *name, strlen(*name)) == 0) return true;
    return false;
}

static int
by_text(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Returns false if a variable is there twice: which of the two counts depends on who asks. */
static bool
add_environment(ws_digest *digest)
{
    size_t count = 0;
    while (environ[count]) count++;
    char **sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted) return false;
    memcpy(sorted, environ, (count + 1) * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    bool twice = false;
    for (size_t i = 0; i < count; i++) {
        size_t name = strcspn(sorted[i], "=") + 1;
        twice = twice || (i > 0 && strncmp(sorted[i - 1], sorted[i], name) == 0);
        if (!is_passing(sorted[i])) add(digest, sorted[i]);
    }
    free(sorted);
    return !twice;
}

/* ---- the process ---- */

static void
add_file(ws_digest *digest, const char *path)
{
    char text[4096];
    ws_read_text(path, text, sizeof text);
    add(digest, text);
}

static void
add_folder(ws_digest *digest, const char *path)
{
    ws_asked folder = { 0 };
    char text[64];
    ws_asked_fill(&folder, AT_FDCWD, path, 0);
    snprintf(text, sizeof text, "%llx %llu", (unsigned long long)folder.device, (unsigned long long)folder.inode);
    add(digest, text);
}

/* User, groups, umask, capabilities, signals that are ignored or blocked and the like, as the kernel prints them. */
static void
add_status(ws_digest *digest)
{
    static const char *const WANTED[] = { "Umask:",      "Uid:",     "Gid:",    "Groups:",       "SigBlk:",
                                          "CapEff:",     "CapPrm:",  "CapInh:", "CapBnd:",       "CapAmb:",
                                          "NoNewPrivs:", "Seccomp:", "SigIgn:", "Cpus_allowed:", "THP_enabled:" };
    char text[8192];
    ws_read_text("/proc/self/status", text, sizeof text);
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        for (size_t i = 0; i < sizeof WANTED / sizeof *WANTED; i++)
            if (strncmp(line, WANTED[i], strlen(WANTED[i])) == 0) add(digest, line);
}

/* What control groups allow. A line of /proc/self/cgroup has a number, names of controllers, and the process's group;
 * version 2 has one line, without names. */
typedef struct ws_limits {
    const char *controller, *folder, *files[5];
} ws_limits;
static const ws_limits LIMITS[] = {
    { "", "", { "memory.max", "memory.high", "cpu.max", "pids.max" } },
    { "memory", "/memory", { "memory.limit_in_bytes", "memory.soft_limit_in_bytes" } },
    { "cpu", "/cpu", { "cpu.cfs_quota_us", "cpu.cfs_period_us" } },
    { "pids", "/pids", { "pids.max" } },
};

/* From the group up to the root. (Inside a container the root is the container's own group.) */
static void
add_limits(ws_digest *digest, const ws_limits *limits, const char *of)
{
    char group[4096], path[sizeof group + 64];
    snprintf(group, sizeof group, "%s", of);
    for (;;) {
        char *end = strrchr(group, '/');
        if (end && !end[1]) *end = 0;
        for (const char *const *file = limits->files; *file; file++) {
            snprintf(path, sizeof path, "/sys/fs/cgroup%s%s/%s", limits->folder, group, *file);
            add_file(digest, path);
        }
        end = strrchr(group, '/');
        if (!end) return;
        *end = 0;
    }
}

static void
add_control_groups(ws_digest *digest)
{
    char text[4096], *rest = NULL, *more = NULL;
    ws_read_text("/proc/self/cgroup", text, sizeof text);
    add(digest, text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *names = strchr(line, ':'), *group = names ? strchr(++names, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        if (!*names) add_limits(digest, &LIMITS[0], group);
        for (char *name = strtok_r(names, ",", &more); name; name = strtok_r(NULL, ",", &more))
            for (size_t i = 1; i < sizeof LIMITS / sizeof *LIMITS; i++)
                if (strcmp(name, LIMITS[i].controller) == 0) add_limits(digest, &LIMITS[i], group);
    }
}

static void
add_process(ws_digest *digest)
{
    static const char *const NAMESPACES[] = { "mnt", "pid", "net", "user", "ipc", "uts", "time" };
    static const char *const FILES[] = { "/proc/self/limits", "/proc/self/personality", "/proc/self/oom_score_adj",
                                         "/proc/self/attr/current", "/proc/self/coredump_filter" };
    char text[PATH_MAX];
    add(digest, getcwd(text, sizeof text) ? text : "");
    add_folder(digest, "."); /* another one may have come under the same name */
    add_folder(digest, "/");
    add_status(digest);
    add_control_groups(digest);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) add_file(digest, FILES[i]);
    for (size_t i = 0; i < sizeof NAMESPACES / sizeof *NAMESPACES; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/ns/%s", NAMESPACES[i]);
        ssize_t size = readlink(path, text, sizeof text - 1);
        text[size > 0 ? size : 0] = 0;
        add(digest, text);
    }
    struct utsname system;
    if (uname(&system) == 0) {
        add(digest, system.nodename);
        add(digest, system.release);
    }
    struct sched_param scheduling = { 0 };
    sched_getparam(0, &scheduling);
    snprintf(text, sizeof text, "%d %d %d %ld %d %d %ld", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0),
             scheduling.sched_priority, syscall(SYS_ioprio_get, 1, 0), prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0),
             prctl(PR_GET_SECUREBITS, 0, 0, 0, 0), syscall(SYS_keyctl, 0, -3, 0)); /* (the session's keys) */
    add(digest, text);
    int policy = 0;
    unsigned long nodes[16] = { 0 };
    if (syscall(SYS_get_mempolicy, &policy, nodes, 8 * sizeof nodes, 0, 0) == 0)
        for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
            snprintf(text, sizeof text, "%d %lx", policy, nodes[i]);
            add(digest, text);
        }
}

/* ---- the whole ---- */

/* The session of the terminal that this process is controlled by, or 0. */
pid_t
ws_terminal_session(void)
{
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return 0;
    close(terminal);
    return getsid(0);
}

bool
ws_key_make(char **command)
{
    ws_digest digest = { UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4) };
    char text[64], path[PATH_MAX];
    if (ws_program_find(*command, path)) add(&digest, path);
    for (char **argument = command; *argument; argument++) add(&digest, *argument);
    add(&digest, "");
    ws_the_client.reason = "a variable is in the environment twice";
    if (!add_environment(&digest)) return false;
    add_process(&digest);
    snprintf(text, sizeof text, "%d %d %d%d%d", WS_TRACE_VERSION, (int)ws_terminal_session(), isatty(0), isatty(1),
             isatty(2));
    add(&digest, text);
    snprintf(ws_the_client.key, sizeof ws_the_client.key, "%016llx%016llx", (unsigned long long)digest.one,
             (unsigned long long)digest.other);
    ws_the_client.reason = NULL;
    return true;
}
