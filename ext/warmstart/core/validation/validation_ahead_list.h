/* The list of calls to be made ahead of time, which the files of validation ahead of use share (validation_ahead.h).
 *
 * It is a table of jobs. Each job is taken by one thread and used once. Its state goes from WAITING to WORK to DONE. A
 * caller that needs a path that is not done makes the call itself and marks the job USED, so that nobody waits for
 * anybody. Threads touch only the list, and the last of its owners frees it. */
#ifndef WARMSTART_CORE_VALIDATION_AHEAD_LIST_H
#define WARMSTART_CORE_VALIDATION_AHEAD_LIST_H

#include "core/validation/listing_costs.h"
#include "core/bytes/table.h"
#include "core/system/thread.h"
#include "core/validation/validation_ahead.h"

enum { WAITING, WORK, DONE, USED };

typedef struct ahead_job {
    uint32_t path_offset;
    uint32_t folder; /* for a WS_AHEAD_FILE the number of its folder; else WS_NO_NUMBER */
    int32_t error_number;
    uint8_t state, kind;
    ws_stat stat;
} ahead_job;

typedef struct ahead_folder {
    uint64_t hash;  /* hash of its path */
    uint32_t left;  /* jobs that no thread has taken */
    bool is_listed; /* a thread lists it, or has listed it */
} ahead_folder;

struct ws_ahead_list {
    char *paths;
    size_t paths_size, paths_capacity;
    ahead_job *jobs;
    uint32_t count, next;
    size_t capacity;
    ws_table numbers; /* numbers of the jobs */
    ahead_folder *folders;
    uint32_t folder_count;
    size_t folder_capacity;
    uint32_t last_folder; /* files of one folder mostly follow one another */
    uint32_t limit;       /* threads stop at this job */
    uint32_t owners, threads;
    bool ended, is_trying; /* is_trying: the first listing is in progress */
    uint32_t listings;
    ws_listing_costs costs; /* needs the lock */
    ws_mutex lock;
    ws_condition changed; /* limit or ended has changed */
};

/* The number of the job, or WS_NO_NUMBER. */
uint32_t ws_ahead_find(const ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size);
/* The size of the path's folder without its separator, or 0 if there is no folder. */
size_t ws_ahead_folder_size(const char *path, size_t size);
bool ws_ahead_change(ahead_job *job, uint8_t from, uint8_t to);
/* Releases an owner's reference. */
void ws_ahead_release(ws_ahead_list *list);

/* Returns false if the path was asked about before in this process, or if there is no memory to note it. */
bool ws_ahead_note_asked(const char *path, size_t size);

/* Makes one call now. */
int ws_ahead_call(const char *path, ws_ahead_kind kind, ws_stat *stat);
/* The work of one thread on the list, until the list has ended. Takes over an owner's reference. */
void *ws_ahead_work(void *list);

#endif
