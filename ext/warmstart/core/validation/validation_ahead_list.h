/* The list of calls to be made before their turn, between the files of validation ahead of use (validation_ahead.h).
 *
 * A table of jobs, each taken by one thread and used once: WAITING, in WORK, DONE; whoever needs a path that is not
 * done makes its own call and marks the job USED, so nobody waits for anybody. Threads touch only the list, which is
 * freed by the last of its owners. */
#ifndef WARMSTART_CORE_VALIDATION_AHEAD_LIST_H
#define WARMSTART_CORE_VALIDATION_AHEAD_LIST_H

#include "core/validation/listing_costs.h"
#include "core/bytes/table.h"
#include "core/system/thread.h"
#include "core/validation/validation_ahead.h"

enum { WAITING, WORK, DONE, USED };

typedef struct ahead_job {
    uint32_t path_offset;
    uint32_t folder; /* of a WS_AHEAD_FILE: its number; else UINT32_MAX */
    int32_t error_number;
    uint8_t state, kind;
    ws_stat stat;
} ahead_job;

typedef struct ahead_folder {
    uint64_t hash;  /* of its path */
    uint32_t left;  /* jobs that no thread has taken */
    bool is_listed; /* somebody lists it, or has */
} ahead_folder;

struct ws_ahead_list {
    char *paths;
    size_t paths_size, paths_capacity;
    ahead_job *jobs;
    uint32_t count, capacity, next;
    ws_table numbers; /* of jobs */
    ahead_folder *folders;
    uint32_t folder_count, folder_capacity;
    uint32_t last_folder; /* files of a folder mostly come one after the other */
    uint32_t limit;       /* threads go so far */
    uint32_t owners, threads;
    bool ended, is_trying; /* is_trying: the first listing is on its way */
    uint32_t listings;
    ws_listing_costs costs; /* these with the lock */
    ws_mutex lock;
    ws_condition changed; /* limit or ended */
};

/* The job's number, or WS_NO_NUMBER. */
uint32_t ws_ahead_find(const ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size);
/* The size of the folder's part of a path, without its separator; 0: there is none. */
size_t ws_ahead_folder_size(const char *path, size_t size);
bool ws_ahead_change(ahead_job *job, uint8_t from, uint8_t to);
/* Gives up an owner's hold. */
void ws_ahead_release(ws_ahead_list *list);

/* False: the path was asked about before in this process, or there is no memory to note it. */
bool ws_ahead_note_asked(const char *path, size_t size);

/* One call, now. */
int ws_ahead_call(const char *path, ws_ahead_kind kind, ws_stat *stat);
/* The work of one thread on the list, until it has ended; takes over an owner's hold. */
void *ws_ahead_work(void *list);

#endif
