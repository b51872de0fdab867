/* Validation ahead of use: where metadata calls wait (a network file system, a virus scanner, a cold disk), those that
 * a boot is going to make are made by several threads before their turn comes.
 *
 * Who calls: the bindings offer a list of paths (ruby/boot/ahead.c); whoever validates a file or a folder asks
 * ws_ahead_stat in place of ws_file_stat_named. Nothing happens until its own calls have proved slow. Which paths may
 * be on the list, and when it ends, is the offer's matter (docs/invalidation.md). One at a time, from one thread. */
#ifndef WARMSTART_CORE_VALIDATION_AHEAD_H
#define WARMSTART_CORE_VALIDATION_AHEAD_H

#include "core/system/file.h"

typedef struct ws_ahead_list ws_ahead_list;
typedef enum ws_ahead_kind {
    WS_AHEAD_FILE,   /* a file to be loaded: once in a process's life, since it may be written between two loads */
    WS_AHEAD_FOLDER, /* once, too: few of them are looked at again after ws_ahead_forget */
    WS_AHEAD_LINK    /* the name itself, not what a link leads to: once, and once more after each ws_ahead_forget */
} ws_ahead_kind;
/* Adds a path to the list, in the order in which they will be needed. One that is there already, or a file or folder
 * that was asked about before, is not added. False: no memory, or too many; more need not be offered. */
bool ws_ahead_add(ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size);

/* Fills the list, when calls have proved slow. */
typedef void (*ws_ahead_source)(void *data, ws_ahead_list *list);

/* Watches the calls from now on. Ends what was offered before. */
void ws_ahead_offer(ws_ahead_source source, void *data);
/* What was found out and not used is forgotten; threads end after the call that they are in. Where calls had proved
 * slow, it begins anew with the next one. */
void ws_ahead_forget(void);
/* ... or never: every later call is the caller's own. */
void ws_ahead_end(void);

/* As ws_file_stat_named (or, for a WS_AHEAD_LINK, ws_file_stat_at that does not follow): what a thread has found out,
 * if it has, and nobody has had it yet; else one call. 0 or errno. */
int ws_ahead_stat(const char *path, ws_ahead_kind kind, ws_stat *stat);

/* What was done in this process. */
typedef struct ws_ahead_counts {
    uint64_t paths, threads, used, listings;
} ws_ahead_counts;
ws_ahead_counts ws_ahead_counts_get(void); /* (listings: of lists that have ended) */

#endif
