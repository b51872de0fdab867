/* One operation on the file system: it reads a folder, a tree of folders or a list of paths, with metadata, and uses as
 * many threads as are worthwhile.
 *
 * ruby/file_system/listing_scan.c (Warmstart::FileSystem) calls it without Ruby's lock. An operation can be cancelled
 * at any time and continued where it stopped. Its results are the rows of one listing per folder. ws_walk_finish puts
 * them into an order that does not depend on the threads: the root's rows in the system's order, then the rows of the
 * root's folders in this order, and so on. */
#ifndef WARMSTART_CORE_FILE_SYSTEM_WALK_H
#define WARMSTART_CORE_FILE_SYSTEM_WALK_H

#include "core/system/thread.h"

#include "core/file_system/file_system.h"

enum { WS_WALK_THREADS_MAXIMUM = 64 };

typedef struct ws_walk_options {
    uint32_t fields;    /* WS_FIELD_* */
    uint32_t threads;   /* 0: as many as the duration of the first calls suggests */
    bool recursive;     /* enters each folder, but never a link; otherwise ws_walk_enter says which folders to enter */
    bool follow;        /* for lists of paths: metadata of the targets of links */
    bool keep_errors;   /* keeps an error in its row or folder; otherwise the first error ends the operation */
    bool keep_vanished; /* keeps names that are gone when their metadata is asked for, with ENOENT */
} ws_walk_options;

typedef struct ws_walk_folder {
    char *path; /* relative to the root; the root's own is "" */
    size_t path_size;
    ws_listing listing;
    ws_folder opened;
    uint32_t claimed;     /* the first so many rows are claimed: a thread makes or has made their metadata calls */
    uint32_t pending;     /* claims in progress */
    int error_number;     /* why it could not be opened or read; 0 otherwise */
    bool listed, entered; /* entered: its sub-folders have been queued */
    bool complete;        /* the thread that listed it has also asked for all that its rows lacked */
    bool rows_queued;
} ws_walk_folder;

/* How long one call took, in nanoseconds, in the last unit of work and in the one before. */
typedef struct ws_pace {
    uint64_t units;
    int64_t before, last;
} ws_pace;

typedef struct ws_walk_place {
    uint32_t folder, row;
} ws_walk_place;

typedef struct ws_walk {
    ws_walk_options options;
    char *root; /* NULL for a list of paths */
    ws_folder root_folder;
    ws_walk_folder **folders;
    uint32_t folder_count;
    size_t folder_capacity;
    uint32_t next_folder; /* all folders before this one are listed, or being listed */
    uint32_t *row_queue;  /* numbers of the folders whose rows lack metadata */
    uint32_t row_queue_first, row_queue_count;
    size_t row_queue_capacity;
    bool cancelled; /* set by ws_walk_cancel without the lock, so no other flag shares its memory location */
    ws_mutex lock;
    ws_condition changed;       /* signals that there is more to do, or that nothing is left */
    uint32_t active;            /* threads that have a unit of work in hand */
    uint32_t thread_count;      /* the largest number of threads that worked at once, including this one */
    bool out_of_memory, failed; /* failed: an error, which is in failed_at, ended the operation */
    ws_walk_place failed_at;    /* row UINT32_MAX means the folder itself */
    ws_pace pace;
    ws_walk_place *places; /* the rows in order, after ws_walk_finish */
    uint32_t place_count;
} ws_walk;

/* An operation on a folder. Returns 0 or errno. */
int ws_walk_init(ws_walk *walk, const char *root, const ws_walk_options *options);
/* An operation on a list of paths. Asks about each different path once. `rows`, which has a number for each path,
 * receives the row of each. Returns 0 or errno. */
int ws_walk_init_paths(ws_walk *walk, const char *const *paths, const size_t *sizes, uint32_t count,
                       const ws_walk_options *options, uint32_t *rows);
void ws_walk_free(ws_walk *walk);

/* Works until nothing is left to do or an error ends the operation (walk->failed), and then returns 0. Returns EINTR if
 * it was cancelled, and may then be called again. Returns ENOMEM without memory. Creates threads and joins them. */
int ws_walk_run(ws_walk *walk);
/* May be called from any thread, and from a signal handler. */
void ws_walk_cancel(ws_walk *walk);
/* Withdraws a cancellation, so that the next run works. ws_walk_run does not do this itself, because it may have been
 * cancelled before it began. */
void ws_walk_continue(ws_walk *walk);
/* Makes the next run list the folder in this row. Call it between two runs. false without memory. */
bool ws_walk_enter(ws_walk *walk, uint32_t folder, uint32_t row);
/* Closes what is open. The operation cannot be continued afterwards. */
void ws_walk_close(ws_walk *walk);
/* Closes what is open and puts the rows in order. false without memory. */
bool ws_walk_finish(ws_walk *walk);

/* root + the folder's path + the row's name (UINT32_MAX: the folder itself), allocated by malloc. NULL without memory.
 * It does not read walk->folders, so threads that do not hold the lock may call it. */
char *ws_walk_path(const ws_walk *walk, const ws_walk_folder *folder, uint32_t row);

/* Does this error number mean that a name has vanished, or has become something else, since it was listed? */
bool ws_walk_is_vanished(int error_number);

/* How many threads are worthwhile for so many calls, if they take as long as the last ones. 1 means only the calling
 * thread. Pure. */
uint32_t ws_walk_threads_for(ws_pace pace, uint64_t calls_left, uint32_t processors);

#endif
