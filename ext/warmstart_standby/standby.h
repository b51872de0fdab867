/* A standby is an ordinary start of a command that stops where its boot is complete (its point), and waits there. Each
 * client that comes gets a child of it, which goes on from there as the command.
 *
 * Until then nobody may notice that it runs. What would be noticed (output, a file written, a process started, a
 * connection) is an effect. Before the first effect the process ends, and leaves the reason for the client to show. */
#ifndef WARMSTART_STANDBY_H
#define WARMSTART_STANDBY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the interposer offers to Warmstart's extension, which finds it by the function warmstart_standby. */
typedef struct ws_standby {
    uint32_t version;
    /* Set by the extension: tells which line of Ruby runs now, "file:line", or NULL. */
    const char *(*place)(void);
    /* Set by the extension: whether Kernel#exec runs now. */
    bool (*execs)(void);
    /* Ends the process, which is of no use as a standby. fd: a descriptor that the boot leaves open, or -1 */
    void (*give_up)(const char *why, int fd) __attribute__((noreturn));
    /* The program passes a place at which it could wait. Returns whether it is to wait here. */
    bool (*pass)(const char *point);
    /* Ends the boot: from now on nothing is recorded. cache: Warmstart's own folder, whose files do not count. The
     * process ends if it cannot wait. */
    void (*seal)(const char *cache);
    /* Waits for a client. Returns when a child is to be made; it does not return otherwise. child: the last one; 0 if
     * there was none, -1 if it could not be made */
    void (*wait)(pid_t child);
    /* In the child, which has taken over the client's descriptors and environment in fork: lets signals through. Then
     * nothing of the standby is left. */
    void (*become)(void);
    /* In the child, when its exit handlers and finalizers have run: from now on no memory is freed. */
    void (*leave)(void);
} ws_standby;

enum { WS_STANDBY_INTERFACE = 5 };

/* The environment variable that names the trace of the standby that a process is to become. The interposer takes it
 * away. Who finds it set runs without the interposer, as what would be the command once more, in the background; so it
 * ends. (The dynamic linker only warns where it could not load what is in LD_PRELOAD: do_preload in elf/rtld.c.) */
#define WS_STANDBY_VARIABLE "WARMSTART_STANDBY_TRACE"

/* Whether this process is a standby that boots. The interposer's functions look here before an effect. */
extern bool ws_standby_booting;

/* Whether this process is a command that has ended, but for Ruby's own clearing up. */
extern bool ws_standby_leaving;

/* Each is called before the real function, while the standby boots. It returns if the call has no effect. */
void ws_standby_effect(const char *function);
void ws_standby_effect_if_there(const char *function, int folder, const char *path);
void ws_standby_effect_unless_there(const char *function, int folder, const char *path);
void ws_standby_open(int folder, const char *path, int flags);
/* Returns whether the process keeps what it writes. Each of its children writes it first of all. */
bool ws_standby_keeps(const char *function, int fd, const void *data, size_t size);
void ws_standby_read(const char *function, int fd);
/* How a descriptor is open is asked. */
void ws_standby_ask_mode(int fd);
/* A descriptor is not open here. The client may have one of that number, which is the command's then. */
void ws_standby_miss(const char *function, int fd, const void *caller);
/* What a stream prints, it may keep, and a child would print it again. fd: -1 if the stream is no file */
void ws_standby_print(const char *function, int fd);
/* A process could not be forked. */
void ws_standby_not_forked(void);
/* A system call that passes by the functions of the library. caller: the code that makes it */
void ws_standby_call(long number, const void *caller);
/* A descriptor was made that a process cannot share with others. It is noted by which line. */
void ws_standby_made(int fd);
/* A call of which nothing is known, unless it is Warmstart's or this library's. */
void ws_standby_refuse(const char *function, const void *caller);
/* Before fd becomes another file, or is closed. */
void ws_standby_replace(const char *function, int fd);
/* caller: the code that locks a file. A child would not have the lock. */
void ws_standby_lock(int operation, const void *caller);
/* A file that is mapped to be written, or memory that processes share. */
void ws_standby_map(int protection, int flags, int fd);
/* Ruby itself looks at the standard descriptors when it starts; afterwards a program that asks more of them than
 * whether they are terminals could notice that they are a standby's. */
void ws_standby_ask(const char *function, int fd);
/* A position in a file: of one that the boot appends to it is another than after the command's own writing. */
void ws_standby_seek(int fd);
/* Whether that code is of this library, or of the interpreter itself. */
bool ws_standby_is_own(const void *caller);
bool ws_standby_is_rubys(const void *caller);
/* caller: the code that makes the thread. Ruby's own threads are looked at when the boot is complete. */
void ws_standby_thread(const void *caller);
/* The environment with which a standby may become that program. */
char **ws_standby_exec(const char *name, char *const *environment);

#endif
