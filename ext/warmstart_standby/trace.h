/* A trace holds what one process has asked of the outside, with the answers: a file that several mappings share. The
 * interposer appends to it while the process runs, and the client reads it later and asks the same again.
 *
 * The file begins with a header. Entries follow without gaps, each at a multiple of 8. All numbers are in the machine's
 * byte order, because a trace never leaves the machine. */
#ifndef WARMSTART_TRACE_H
#define WARMSTART_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_TRACE_MAGIC UINT64_C(0x3144434552535721)
enum { WS_TRACE_VERSION = 4 }; /* another one for each other layout */

/* The file is as large as this from the start, but its unwritten part takes no room on the disk. A process that asks
 * more has no complete trace (overflow). */
#define WS_TRACE_ROOM ((size_t)64 << 20)

/* What was asked. Numbers are part of the format. */
enum {
    WS_ASKED_STAT,     /* metadata of what a path leads to: mode, owner, device, inode, size, times */
    WS_ASKED_LSTAT,    /* the same of the path itself, which may be a link */
    WS_ASKED_OPEN,     /* a file opened for reading: its metadata when it was opened */
    WS_ASKED_LIST,     /* a folder opened for listing: its metadata, times included */
    WS_ASKED_ACCESS,   /* access(2): mode is the access that was asked for */
    WS_ASKED_READLINK, /* answer: the target */
    WS_ASKED_REALPATH, /* answer: the real path */
    WS_ASKED_SAME,     /* that it is this file, of this mode and owner, whatever it holds */
    WS_ASKED_ABSENT,   /* a folder as it was before the entries that follow, for so many bytes: none of them was there.
                          If the folder is the same, none is now. */
    WS_ASKED_COUNT
};

/* What the process is: it boots, it waits for clients (the trace is complete), or it is of no use as a standby. */
enum { WS_TRACE_BOOTING, WS_TRACE_WAITING, WS_TRACE_UNFIT };

/* Of the name that the kernel gives to a run of the machine, with a NUL. */
enum { WS_RUN_SIZE = 40 };

typedef struct ws_trace_header {
    uint64_t magic;
    uint32_t version, pid; /* only that process writes; identity.c tells whether it is still the same */
    uint64_t used;         /* bytes, with this header */
    uint32_t overflow;     /* not everything is here */
    uint32_t state;
    uint32_t hits, padding; /* commands that were begun from it */
    int64_t waiting_since;  /* seconds since 1970 */
    uint64_t inode;         /* of this file: another standby's trace may come under the same name */
    uint64_t began;         /* when the process began */
    char run[WS_RUN_SIZE];  /* of the machine, in which it began */
    char point[128];        /* where it is to wait; "": it finds out */
    char passed[128];       /* the last place that it passed where it could have waited */
    char why[512];          /* why it is unfit */
    char command[2048];     /* what was typed, for people to read */
} ws_trace_header;

typedef struct ws_asked {
    uint32_t size; /* of the entry with its texts, a multiple of 8. It is written last: 0 means unfinished. */
    uint16_t what;
    uint16_t error; /* errno, or 0 */
    uint32_t mode, owner, group;
    uint32_t own; /* asked by Warmstart's own library */
    uint64_t device, inode, bytes;
    int64_t modified, changed, asked; /* nanoseconds since 1970; asked: when the answer came */
    uint32_t name_size, answer_size;
    char texts[]; /* the name and the answer, each with a NUL that its size does not count */
} ws_asked;

_Static_assert(sizeof(ws_trace_header) == 2920 && sizeof(ws_asked) == 80,
               "another layout has another WS_TRACE_VERSION");

static inline const char *
ws_asked_answer(const ws_asked *asked)
{
    return asked->texts + asked->name_size + 1;
}

/* The entry after this one, or the first if entry is NULL. NULL: there is none, or it is unfinished, or it makes no
 * sense. */
static inline ws_asked *
ws_asked_next(ws_trace_header *header, ws_asked *entry)
{
    char *at = entry ? (char *)entry + entry->size : (char *)(header + 1);
    char *end = (char *)header + (header->used < WS_TRACE_ROOM ? header->used : WS_TRACE_ROOM);
    ws_asked *next = (ws_asked *)at;
    if (at > end || (size_t)(end - at) < sizeof *next) return NULL;
    uint64_t texts = (uint64_t)next->name_size + next->answer_size + 2;
    if (next->size > (size_t)(end - at) || next->size % 8 != 0 || next->size < sizeof *next + texts) return NULL;
    if (next->texts[next->name_size] || next->texts[texts - 1]) return NULL;
    return next;
}

/* Whether that was the last entry (NULL: there is none at all), and the trace ends there. */
static inline bool
ws_asked_is_last(const ws_trace_header *header, const ws_asked *entry)
{
    const char *end = entry ? (const char *)entry + entry->size : (const char *)(header + 1);
    return end == (const char *)header + header->used;
}

/* A file system stamps changes with the time of the kernel's last tick, up to 10 ms ago. What was changed so shortly
 * before somebody looked could be changed again, and have the same times. Some file systems keep whole seconds only, or
 * every other one (FAT, ext4 with small inodes); their times are multiples of 10 ms, as one in a million of the others'
 * is. In nanoseconds. */
static inline bool
ws_is_settled(int64_t changed, int64_t asked)
{
    return changed < asked - (changed % 10000000 == 0 ? INT64_C(2020000000) : INT64_C(20000000));
}

/* ---- trace_end.c ---- */

/* Writes the entries again, so that they are compared with as few calls as possible: none twice, links in paths once
 * for each folder, and files that were not there by their folder. Returns false if there is no memory.
 * own_folder: Warmstart's own questions about files below it do not count. */
bool ws_trace_condense(ws_trace_header *header, const char *own_folder);

/* ---- trace_writer.c ---- */

/* Whether this process records. A process that does not, because it is only profiled, loses one branch a call. */
extern bool ws_tracing;

/* Begins to record if the environment asks for it. Returns the trace's path, or NULL. */
const char *ws_trace_begin(void);
/* Ends the trace. Returns false if it is not complete. The caller sets the header's state.
 * own_folder: Warmstart's own questions about files below it do not count. */
bool ws_trace_end(const char *own_folder);
/* Of this file, to which the process appends, size and times do not count. (Every command makes it longer.) */
void ws_trace_appended(uint64_t device, uint64_t inode);
ws_trace_header *ws_trace(void);

/* Whether this code is the library's of Warmstart. */
bool ws_is_warmstart(const void *caller);
void ws_trace_path(unsigned what, int folder, const char *path, int error, const void *caller);
void ws_trace_open(int folder, const char *path, int flags, int fd, const void *caller);
void ws_trace_list(const char *path, int fd, int error, const void *caller);
void ws_trace_answer(unsigned what, int folder, const char *path, const char *answer, size_t size, int error);
/* A library that the dynamic linker is about to look for, by a path or in all of its folders. name: may be NULL */
void ws_trace_wanted_library(const char *name);
/* All libraries that are loaded. */
void ws_trace_libraries(void);
void ws_trace_access(int folder, const char *path, int mode, int error);
/* The time zone's files. They are another one's as soon as the variable TZ is another. */
void ws_trace_zone(void);
/* The environment for a program that this process becomes (exec): it goes on with the trace. */
char **ws_trace_environment(char *const *environment);

/* ---- trace_entry.c ---- */

/* Fills in the metadata of a path or descriptor, or the error (linux/statx). errno stays what it was. */
void ws_asked_fill(ws_asked *asked, int folder, const char *path, int flags);
/* Whether a folder's times change when a name in it comes or goes. A file system in user space may do as it likes. */
bool ws_folder_times_tell(const char *path);
/* A digest of the names in a folder, in their order. Returns 0 if it cannot be listed. */
uint64_t ws_digest_names(const char *path);
/* Adds an entry to the trace. It may be called in signal handlers. */
void ws_asked_append(ws_trace_header *header, ws_asked asked, const char *name, const char *answer, size_t answer_size);
/* Puts what a relative path is relative to in front of it, and replaces what leads through a process (/proc/self/cwd,
 * root) by where that is. Returns false if the whole is too long, or what it is relative to has gone. */
bool ws_path_whole(int folder, const char *path, char whole[PATH_MAX]);
/* Reads a file of /proc or /sys. Returns the text's size: 0 if there is none. */
size_t ws_read_text(const char *path, char *text, size_t room);

/* ---- identity.c ---- */

/* A process, as proc(5) tells of it. */
typedef struct ws_process_times {
    char state;         /* R, S, D, T ...; 0 if it is not there */
    unsigned long used; /* processor time, in the kernel's ticks */
    uint64_t began;     /* in ticks since the machine's start */
} ws_process_times;

ws_process_times ws_process_look(uint32_t pid);
/* Notes that the trace is this process's. */
void ws_trace_sign(ws_trace_header *header);
/* Returns a descriptor of the trace's process (a pidfd), or -1 if that is there no more (or no descriptor can be had).
 * It may have ended, and nobody has waited for it yet. */
int ws_trace_process(const ws_trace_header *header);

/* ---- trace_check.c ---- */

/* Asks everything in a trace that has ended again, in this process. Returns NULL if each answer is the same; otherwise
 * what differs, as a text that the next call overwrites. */
const char *ws_trace_check(ws_trace_header *header);

#endif
