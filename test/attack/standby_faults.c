/* Preloaded (LD_PRELOAD) into a standby's client by test/attack/standby_interposer.rb, and so into all that comes of
 * it: the process that makes the standby, the standby, and its children. The calls that these make for each other are
 * counted, and one of them fails, is cut short, comes late, or ends or stops a process. Ruby's own calls pass by: what
 * counts is where a call returns to.
 *
 * ATTACK_STANDBY names a file that is shared with whoever started the client. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A function's number is its place here; standby_interposer.rb reads this list. Each has what it returns if it fails.
 * In `syscall` only pidfd_open counts. */
/* clang-format off */
#define FUNCTIONS(X) \
    X(syscall, -1) X(malloc, 0) X(calloc, 0) COMMON_FUNCTIONS(X)
#define COMMON_FUNCTIONS(X) \
    X(socket, -1) X(connect, -1) X(bind, -1) X(listen, -1) X(accept4, -1) X(setsockopt, -1) X(getsockopt, -1) X(send, -1) X(sendmsg, -1) \
    X(recv, -1) X(recvmsg, -1) X(shutdown, -1) X(poll, -1) X(fork, -1) X(open, -1) X(opendir, 0) X(mmap, -1) \
    X(ftruncate, -1) X(rename, -1) X(unlink, -1) X(flock, -1) X(kill, -1) X(setpgid, -1) X(dup2, -1) X(fcntl, -1) X(waitpid, -1) \
    X(mkdir, -1) X(utimensat, -1) X(write, -1) X(read, -1) X(execvp, -1) X(close, -1)
/* clang-format on */

enum {
#define X(name, failed) FUNCTION_##name,
    FUNCTIONS(X)
#undef X
        FUNCTION_COUNT
};

enum { CLIENT, MAKER, STANDBY, CHILD, ROLE_COUNT };
enum { NOTHING, FAIL, SHORT, DELAY, KILL, KILL_AFTER, TERM, STOP, KILL_CLIENT, KILL_STANDBY, KILL_CHILD };
enum { LOG_SIZE = 1 << 14 };

/* As standby_interposer.rb packs it. */
typedef struct faults {
    uint32_t at; /* the call that is met, from 1, of this role's and function's calls; 0: none */
    uint32_t role, function, action, error_number;
    uint32_t lasting; /* whether all later ones fail, too */
    _Atomic uint32_t hits, hit_pid;
    _Atomic uint32_t pids[ROLE_COUNT];
    _Atomic uint32_t counts[ROLE_COUNT][FUNCTION_COUNT];
    _Atomic uint32_t log_size;
    uint16_t log[LOG_SIZE]; /* role and function of each call */
} faults;

static faults *shared;
static uintptr_t from, to; /* the code whose calls count */
static pid_t first;        /* the process that this program began in; its forks have another role */
static bool is_client;

#define SIX long a, long b, long c, long d, long e, long f

static void *
next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

static long
system_call(long number, long a, long b, long c, long d, long e, long f)
{
    static long (*real)(long, ...);
    if (!real) *(void **)&real = next("syscall");
    return real(number, a, b, c, d, e, f);
}

static int
look(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size, (void)data;
    const char *name = strrchr(object->dlpi_name, '/');
    bool ours = is_client ? !*object->dlpi_name : name && strcmp(name, "/interposer.so") == 0;
    for (int i = 0; ours && i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X) {
            from = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
            to = from + object->dlpi_phdr[i].p_memsz;
        }
    return ours;
}

/* (Calls by number, because the interposer of a standby would note the others, or refuse them.) */
__attribute__((constructor)) static void
begin(void)
{
    char program[4096];
    const char *path = getenv("ATTACK_STANDBY");
    if (!path) return;
    long size = system_call(SYS_readlink, (long)"/proc/self/exe", (long)program, sizeof program - 1, 0, 0, 0);
    program[size > 0 ? size : 0] = 0;
    const char *name = strrchr(program, '/');
    is_client = name && strcmp(name, "/standby") == 0;
    dl_iterate_phdr(look, NULL);
    if (!to) return;
    long file = system_call(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0);
    if (file < 0) return;
    long memory = system_call(SYS_mmap, 0, sizeof(faults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    system_call(SYS_close, file, 0, 0, 0, 0, 0);
    if (memory == -1) return;
    first = getpid();
    shared = (faults *)memory;
    shared->pids[is_client ? CLIENT : STANDBY] = (uint32_t)first;
}

static unsigned
own_role(void)
{
    bool forked = getpid() != first;
    return is_client ? (forked ? MAKER : CLIENT) : forked ? CHILD : STANDBY;
}

static void
signal_to(unsigned role, int number)
{
    pid_t pid = (pid_t)shared->pids[role];
    if (pid > 0) system_call(SYS_kill, pid, number, 0, 0, 0, 0);
}

static void
die(void)
{
    system_call(SYS_kill, getpid(), SIGKILL, 0, 0, 0, 0);
    for (;;) pause();
}

/* What is to become of this call? errno is set for FAIL. */
static unsigned
meet(unsigned function, const void *caller)
{
    if (!shared || ((uintptr_t)caller < from && function != FUNCTION_fork)) return NOTHING;
    if ((uintptr_t)caller >= to && function != FUNCTION_fork) return NOTHING;
    unsigned role = own_role();
    if (role == CHILD) shared->pids[CHILD] = (uint32_t)getpid();
    uint32_t number = atomic_fetch_add(&shared->counts[role][function], 1) + 1;
    uint32_t place = atomic_fetch_add(&shared->log_size, 1);
    if (place < LOG_SIZE) shared->log[place] = (uint16_t)(role << 8 | function);
    if (shared->at == 0 || shared->role != role || shared->function != function || number < shared->at) return NOTHING;
    if (number > shared->at && !shared->lasting) return NOTHING;
    shared->hit_pid = (uint32_t)getpid();
    shared->hits++;
    struct timespec time = { 0, 30000000 };
    switch (shared->action) {
        case DELAY: system_call(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0); return NOTHING;
        case KILL: die();
        /* fall through */
        case TERM: system_call(SYS_kill, getpid(), SIGTERM, 0, 0, 0, 0); return NOTHING;
        case STOP: system_call(SYS_kill, getpid(), SIGSTOP, 0, 0, 0, 0); return NOTHING;
        case KILL_CLIENT: signal_to(CLIENT, SIGKILL); return NOTHING;
        case KILL_STANDBY: signal_to(STANDBY, SIGKILL); return NOTHING;
        case KILL_CHILD: signal_to(CHILD, SIGKILL); return NOTHING;
        case FAIL: errno = (int)shared->error_number;
    }
    return shared->action;
}

/* The third word of what is cut short is a size. */
#define MEET(name, failed)                                                    \
    long met_##name(SIX) __asm__(#name);                                      \
    long met_##name(SIX)                                                      \
    {                                                                         \
        static long (*real)(SIX);                                             \
        if (!real) *(void **)&real = next(#name);                             \
        unsigned action = meet(FUNCTION_##name, __builtin_return_address(0)); \
        if (action == FAIL) return failed;                                    \
        if (action == SHORT && c > 1) c /= 2;                                 \
        long result = real(a, b, c, d, e, f);                                 \
        if (action == KILL_AFTER) die();                                      \
        return result;                                                        \
    }
COMMON_FUNCTIONS(MEET)

long met_syscall(long number, SIX) __asm__("syscall");
long
met_syscall(long number, SIX)
{
    unsigned action = number == SYS_pidfd_open ? meet(FUNCTION_syscall, __builtin_return_address(0)) : NOTHING;
    if (action == FAIL) return -1;
    long result = system_call(number, a, b, c, d, e, f);
    if (action == KILL_AFTER) die();
    return result;
}

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
void *
malloc(size_t size)
{
    return meet(FUNCTION_malloc, __builtin_return_address(0)) == FAIL ? NULL : __libc_malloc(size);
}
void *
calloc(size_t count, size_t size)
{
    return meet(FUNCTION_calloc, __builtin_return_address(0)) == FAIL ? NULL : __libc_calloc(count, size);
}
