/* Preloaded (LD_PRELOAD) into a Ruby program by test/support/clock.rb: the time that warmstart.so sees stands still
 * until a test says that it passes, so no result depends on how fast the machine is. A call for metadata takes as long
 * as the test says. Ruby's own clocks and waits are not touched: what counts is where a call returns to.
 *
 * TEST_CLOCK names a file that the program, its children and the test share. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define BEGINNING (1000 * SECOND) /* for warmstart.so 0 is no time */
#define TICK_NANOSECONDS 5000000  /* a sleep of the governor's thread is not longer */
#define SHORT_NANOSECONDS 200000  /* and lasts this long here, so that a test need not wait long for the next look */

/* All in nanoseconds, but for the last one. As clock.rb packs it. */
typedef struct test_clock {
    _Atomic int64_t passed, worked; /* since the beginning; CPU time */
    _Atomic int64_t stat_cost;      /* what a call for metadata takes by this clock */
    _Atomic int64_t stat_delay;     /* and how much longer than without us it really takes */
    _Atomic int64_t sleeps;         /* how many sleeps of the governor's thread have begun */
} test_clock;

static test_clock *shared;
static uintptr_t from, to; /* the code of warmstart.so */
/* What this thread's own calls have cost. It is not the other threads', so that what one of them measures does not
 * depend on what the others do meanwhile. */
static _Thread_local int64_t own;

__attribute__((constructor)) static void
start(void)
{
    const char *path = getenv("TEST_CLOCK");
    if (path == NULL) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return; /* (a program that runs as another user, or in another root folder) */
    void *memory = mmap(NULL, sizeof(test_clock), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED) shared = memory;
}

#define NEXT(name)                                                                         \
    ({                                                                                     \
        static __typeof__(&name) next_##name;                                              \
        if (next_##name == NULL) next_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
        if (next_##name == NULL) abort();                                                  \
        next_##name;                                                                       \
    })

static int
look(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size, (void)data;
    const char *name = strrchr(object->dlpi_name, '/');
    if (name == NULL || strcmp(name, "/warmstart.so") != 0) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X) {
            from = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
            to = from + object->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

void *
dlopen(const char *path, int flags)
{
    void *library = NEXT(dlopen)(path, flags);
    if (library != NULL && path != NULL && strstr(path, "/warmstart.so") != NULL) dl_iterate_phdr(look, NULL);
    return library;
}

#define IS_OURS() (shared != NULL && is_ours(__builtin_return_address(0)))

static bool
is_ours(const void *caller)
{
    return (uintptr_t)caller >= from && (uintptr_t)caller < to;
}

int
clock_gettime(clockid_t id, struct timespec *time)
{
    int64_t now;

    if (!IS_OURS()) return NEXT(clock_gettime)(id, time);
    if (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE || id == CLOCK_MONOTONIC_RAW)
        now = BEGINNING + shared->passed + own;
    else if (id == CLOCK_PROCESS_CPUTIME_ID) now = shared->worked;
    else return NEXT(clock_gettime)(id, time);
    *time = (struct timespec){ now / SECOND, now % SECOND };
    return 0;
}

int
nanosleep(const struct timespec *asked, struct timespec *left)
{
    if (!IS_OURS() || asked->tv_sec > 0 || asked->tv_nsec > TICK_NANOSECONDS) return NEXT(nanosleep)(asked, left);
    shared->sleeps++;
    return NEXT(nanosleep)(&(struct timespec){ 0, SHORT_NANOSECONDS }, left);
}

static void
take_time(void)
{
    int64_t delay = shared->stat_delay;
    own += shared->stat_cost;
    if (delay > 0) NEXT(nanosleep)(&(struct timespec){ delay / SECOND, delay % SECOND }, NULL);
}

#define CALL(name, parameters, arguments) \
    int name parameters                   \
    {                                     \
        if (IS_OURS()) take_time();       \
        return NEXT(name) arguments;      \
    }
CALL(stat, (const char *path, struct stat *into), (path, into))
CALL(lstat, (const char *path, struct stat *into), (path, into))
CALL(fstatat, (int folder, const char *path, struct stat *into, int flags), (folder, path, into, flags))
CALL(statx, (int folder, const char *path, int flags, unsigned mask, struct statx *into),
     (folder, path, flags, mask, into))
