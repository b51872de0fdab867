/* One operation on the file system: a folder, a tree of folders or a list of paths, with metadata, by as many threads
 * as pay.
 *
 * Who calls: ruby/file_system/listing_scan.c (Warmstart::FileSystem), without Ruby's lock. An operation can be
 * cancelled at any time and continued where it stopped. What it found stands in rows of one listing a folder;
 * ws_walk_finish puts them into one order, which is the same whatever the threads did: the root's rows as the system
 * tells them, then those of its folders in this order, and so on. */
#ifndef WARMSTART_CORE_FILE_SYSTEM_WALK_H
#define WARMSTART_CORE_FILE_SYSTEM_WALK_H

#include "core/system/thread.h"

#include "core/file_system/file_system.h"

enum { WS_WALK_THREADS_MAXIMUM = 64 };

typedef struct ws_walk_options {
    uint32_t fields;    /* WS_FIELD_* */
    uint32_t threads;   /* 0: as the first calls' times suggest */
    bool recursive;     /* enters each folder (never a link); without it ws_walk_enter says which */
    bool follow;        /* for lists of paths: metadata of what links lead to */
    bool keep_errors;   /* an error is its row's or folder's; else the first one ends the operation */
    bool keep_vanished; /* names that are gone when their metadata are asked for stay, with ENOENT */
} ws_walk_options;

typedef struct ws_walk_folder {
    char *path; /* relative to the root, whose own is "" */
    size_t path_size;
    ws_listing listing;
    ws_folder opened;
    uint32_t claimed;     /* rows whose metadata call is somebody's already */
    uint32_t pending;     /* claims that are being worked on */
    int error_number;     /* it could not be opened or read */
    bool listed, entered; /* entered: its sub-folders have been put into the queue */
    bool complete;        /* who listed it asked for all that its rows lacked */
    bool rows_queued;
} ws_walk_folder;

/* How long a call took, in nanoseconds, in the last unit of work and in the one before it. */
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
    uint32_t folder_count, folder_capacity;
    uint32_t next_folder; /* those before it are listed, or being listed */
    uint32_t *row_queue;  /* numbers of folders whose rows lack metadata */
    uint32_t row_queue_first, row_queue_count, row_queue_capacity;
    bool cancelled; /* set by ws_walk_cancel, without the lock; (no other flag lies beside it) */
    ws_mutex lock;
    ws_condition changed;       /* there is more to do, or nothing any more */
    uint32_t active;            /* threads with a unit of work in hand */
    uint32_t thread_count;      /* the most that worked at once, this one included */
    bool out_of_memory, failed; /* failed: an error ended it; it is failed_at's */
    ws_walk_place failed_at;    /* row UINT32_MAX: the folder's own */
    ws_pace pace;
    ws_walk_place *places; /* after ws_walk_finish: the rows in order */
    uint32_t place_count;
} ws_walk;

/* A folder. 0 or errno. */
int ws_walk_init(ws_walk *walk, const char *root, const ws_walk_options *options);
/* A list of paths; each is asked about once, `rows` (as many numbers as paths) says which row is whose. 0 or errno. */
int ws_walk_init_paths(ws_walk *walk, const char *const *paths, const size_t *sizes, uint32_t count,
                       const ws_walk_options *options, uint32_t *rows);
void ws_walk_free(ws_walk *walk);

/* Works until nothing is left to do: 0; or cancelled: EINTR, to be called again; or ended by an error (walk->failed):
 * 0; or ENOMEM. Makes and joins threads. */
int ws_walk_run(ws_walk *walk);
/* From any thread, also from a signal handler. */
void ws_walk_cancel(ws_walk *walk);
/* Takes a cancellation back, so that the next run works. (Not done by the run itself: it may have been cancelled before
 * it began.) */
void ws_walk_continue(ws_walk *walk);
/* Between two runs: has the next run list the folder in this row. False without memory. */
bool ws_walk_enter(ws_walk *walk, uint32_t folder, uint32_t row);
/* Closes what is open: nothing can be continued after it. */
void ws_walk_close(ws_walk *walk);
/* Closes, and puts the rows in order. False without memory. */
bool ws_walk_finish(ws_walk *walk);

/* root + folder's path + row's name (UINT32_MAX: the folder itself), made by malloc; NULL without memory. */
char *ws_walk_path(const ws_walk *walk, uint32_t folder, uint32_t row);

/* Is an error number what a name gives that went away, or became something else, after it was listed? */
bool ws_walk_is_vanished(int error_number);

/* How many threads are worth having for so many calls, if the last ones are a measure. 1: none but this. Pure. */
uint32_t ws_walk_threads_for(ws_pace pace, uint64_t calls_left, uint32_t processors);

/* ---- Between the walk's own files ---- */

/* ws_walk_path, without a look at walk->folders: for threads that do not have the lock. */
char *ws_walk_path_in(const ws_walk *walk, const ws_walk_folder *folder, uint32_t row);

/* The work of one thread, from the queue until nothing is left. */
void ws_walk_work(ws_walk *walk, bool leads);

#endif
