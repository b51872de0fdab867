/* A list of jobs that threads work through in front of a boot, which uses their results: files to be read and hashed
 * (content_ahead.c), metadata calls to be made (validation_ahead.c). Both begin their own list with this one.
 *
 * The list is complete before the first thread starts. The threads stay within a window in front of the job that was
 * asked for last. They touch only the list, and the last of its owners frees it. */
#ifndef WARMSTART_CORE_JOB_LIST_H
#define WARMSTART_CORE_JOB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes/string_pool.h"
#include "core/system/thread.h"

typedef struct ws_job_list {
    ws_string_pool names; /* a job's number is that of its name */
    uint32_t next;        /* the job that a thread takes next */
    uint32_t limit;       /* threads stop at this job; the caller alone changes it */
    uint32_t owners;
    bool ended;
    void (*free_rest)(struct ws_job_list *list); /* frees the list itself and all but the names */
    ws_mutex lock;                               /* of next, limit and ended */
    ws_condition changed;                        /* limit or ended has changed */
} ws_job_list;

/* The list is all zeroes before; the caller is its owner afterwards. */
void ws_job_list_begin(ws_job_list *list, void (*free_rest)(ws_job_list *list));
/* Starts at most so many threads. Each takes over an owner's reference; function() gets the list. Returns how many. */
uint32_t ws_job_list_start(ws_job_list *list, uint32_t wanted, void *(*function)(void *), size_t stack_size);
void ws_job_list_move_limit(ws_job_list *list, uint32_t limit);
/* The threads end after their current job. Releases the caller's reference. */
void ws_job_list_end(ws_job_list *list);
void ws_job_list_release(ws_job_list *list);

#endif
