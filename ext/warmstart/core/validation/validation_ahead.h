/* Validation ahead of use. Where metadata calls wait (a network file system, a virus scanner, a cold disk), several
 * threads make the calls that a boot is going to need before the boot needs them.
 *
 * The bindings offer a list of paths (ruby/boot/ahead.c). Code that validates a file or a folder calls ws_ahead_stat in
 * place of ws_file_stat_named. Nothing happens until the boot's own calls have proved slow. Whoever offers the list
 * decides which paths may be on it, and when it ends (docs/loading.md). There is one offer at a time, and only one
 * thread calls these functions. */
#ifndef WARMSTART_CORE_VALIDATION_AHEAD_H
#define WARMSTART_CORE_VALIDATION_AHEAD_H

#include "core/system/file.h"

typedef struct ws_ahead_list ws_ahead_list;
typedef enum ws_ahead_kind {
    WS_AHEAD_FILE,   /* a file to be loaded: once in a process's life, since it may be written between two loads */
    WS_AHEAD_FOLDER, /* a folder: also once, since few are looked at again after ws_ahead_forget */
    WS_AHEAD_LINK    /* the name itself, without following a link: once, and once more after each ws_ahead_forget */
} ws_ahead_kind;
/* Adds a path to the list. Paths must be added in the order in which they will be needed. A path that is there already
 * is not added, nor is a file or folder that was asked about before. Returns false without memory, or if the list is
 * full; then more need not be offered. */
bool ws_ahead_add(ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size);

/* Fills the list once calls have proved slow. */
typedef void (*ws_ahead_source)(ws_ahead_list *list);

/* Watches calls from now on, and ends what was offered before. */
void ws_ahead_offer(ws_ahead_source source);
/* Forgets what was found out and not used. The threads end after their current call. If calls had proved slow, the next
 * call starts again with a new list. */
void ws_ahead_forget(void);
/* The same, but for good: the caller makes every later call itself. */
void ws_ahead_end(void);

/* Like ws_file_stat_named, or for a WS_AHEAD_LINK like ws_file_stat_at without following. Returns what a thread has
 * found out, if it has and nobody has taken it yet; otherwise makes the call. Returns 0 or errno. */
int ws_ahead_stat(const char *path, ws_ahead_kind kind, ws_stat *stat);

/* What was done in this process. */
typedef struct ws_ahead_counts {
    uint64_t paths, threads, used, listings;
} ws_ahead_counts;
ws_ahead_counts ws_ahead_counts_get(void); /* listings: only those of lists that have ended */

#endif
