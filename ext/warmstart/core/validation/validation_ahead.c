/* Makes metadata calls ahead of time: see validation_ahead.h.
 *
 * The threads stay within a window in front of the calls that were asked for last, because a pause discards what was
 * found out too early. The list is in validation_ahead_list.c, the threads' work in validation_ahead_work.c. In a
 * fork's child every call is made by the child itself. */
#include "core/validation/validation_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "core/file_system/file_system_walk.h"
#include "core/validation/listing_validation.h"
#include "core/system/thread.h"
#include "core/validation/validation_ahead_list.h"
#include "core/system/clock.h"

#define SLOW_CALL INT64_C(50000) /* nanoseconds, as in file_system_work.c */
#define SLOW_IN_A_ROW 4u         /* a single slow call may be due to a cold cache or to another process */
#define CALLS_WATCHED 512u       /* a file system that was quick so often is considered quick */
#define ALL_PATHS_MAXIMUM \
    60000u /* of all lists of a process: one that pauses often must not ask a server for the same again and again */
#define THREADS_MAXIMUM 32u
#define STACK_SIZE 131072u
#define WINDOW 1024u

/* OFF: nothing is offered. WATCHING: the time of each call is measured. QUICK: there is nothing (more) to gain. DUE:
 * calls are slow, and the next one starts the threads. RUNNING: the threads work. */
typedef enum ahead_phase { OFF, WATCHING, QUICK, DUE, RUNNING } ahead_phase;

static struct {
    ahead_phase phase;
    ws_ahead_source source; /* names the calls, with source_data */
    void *source_data;
    ws_ahead_list *current; /* NULL: no threads work */
    uint32_t watched, slow_in_a_row;
    int64_t quickest_slow; /* of the slow calls in a row */
    ws_ahead_counts counts;
} ahead;

/* Moves the window when a job is asked for, by a quarter of its size or more. A job beyond the window says little about
 * where the boot is, so it moves the window by only an eighth. */
static void
move_window(ws_ahead_list *list, uint32_t number)
{
    uint32_t limit = number < list->limit ? number + WINDOW : list->limit + WINDOW / 8;

    if (number < list->limit && limit < list->limit + WINDOW / 4) return;
    ws_mutex_lock(&list->lock);
    list->limit = limit;
    ws_condition_broadcast(&list->changed);
    ws_mutex_unlock(&list->lock);
}

/* Runs in a fork's child. A thread that is missing there may have held the lock, and if a native thread forked, Ruby's
 * thread may have been in the middle of anything. So nothing of either list is touched again. */
static void
forget_after_fork(void)
{
    ahead.current = NULL;
    ahead.phase = OFF;
    ws_listings_abandon_after_fork();
}

static void
start(void)
{
    static bool told;

    ws_ahead_list *list = calloc(1, sizeof *list);

    ahead.phase = QUICK;
    if (!list) return;
    if (!told) ws_thread_after_fork(forget_after_fork);
    told = true;
    list->owners = 1;
    ws_mutex_init(&list->lock);
    ws_condition_init(&list->changed);
    ahead.source(ahead.source_data, list);
    while (list->limit < list->count && list->jobs[list->limit].kind == WS_AHEAD_LINK) list->limit++;
    list->limit += WINDOW;
    uint32_t wanted = ws_walk_threads_for((ws_pace){ SLOW_IN_A_ROW, ahead.quickest_slow, ahead.quickest_slow },
                                          list->count, 1),
             threads = 0;
    if (wanted > THREADS_MAXIMUM) wanted = THREADS_MAXIMUM;
    while (threads < wanted && list->count > 1) {
        __atomic_add_fetch(&list->owners, 1, __ATOMIC_RELAXED);
        if (!ws_thread_start(NULL, ws_ahead_work, list, STACK_SIZE)) {
            ws_ahead_release(list);
            break;
        }
        threads++;
    }
    ahead.counts.threads += list->threads = threads;
    if (threads == 0) {
        ws_ahead_release(list);
        return;
    }
    ahead.current = list;
    ahead.phase = RUNNING;
}

/* ---- Asking ---- */

void
ws_ahead_offer(ws_ahead_source new_source, void *data)
{
    ws_ahead_end();
    ahead.source = new_source;
    ahead.source_data = data;
    ahead.watched = ahead.slow_in_a_row = 0;
    ahead.phase = WATCHING;
}

static void
drop_list(void)
{
    ws_ahead_list *list = ahead.current;

    ahead.current = NULL;
    if (!list) return;
    ws_mutex_lock(&list->lock);
    list->ended = true;
    ahead.counts.paths += list->next;
    ahead.counts.listings += list->listings;
    ws_condition_broadcast(&list->changed);
    ws_mutex_unlock(&list->lock);
    ws_ahead_release(list);
}

void
ws_ahead_forget(void)
{
    drop_list();
    ws_listings_forget();
    if (ahead.phase == RUNNING) ahead.phase = ahead.counts.paths < ALL_PATHS_MAXIMUM ? DUE : QUICK;
}

void
ws_ahead_end(void)
{
    drop_list();
    ws_listings_end();
    ahead.phase = OFF;
}

static int
timed_call(const char *path, ws_ahead_kind kind, ws_stat *stat, int64_t *took)
{
    int64_t before = ws_clock_now();
    int error_number = ws_ahead_call(path, kind, stat);

    *took = ws_clock_now() - before;
    if (kind == WS_AHEAD_FILE) ws_listings_note_call(*took);
    return error_number;
}

/* Makes the call here and measures its time. */
static int
watch(const char *path, ws_ahead_kind kind, ws_stat *stat)
{
    int64_t took;
    int error_number = timed_call(path, kind, stat, &took);

    /* On Windows looking at the name itself needs a handle, which takes longer than 50 us even where nothing waits. */
    if (kind == WS_AHEAD_LINK && ws_listings_tell_metadata) return error_number;
    if (took < SLOW_CALL) ahead.slow_in_a_row = 0;
    else if (ahead.slow_in_a_row++ == 0 || took < ahead.quickest_slow) ahead.quickest_slow = took;
    if (ahead.slow_in_a_row == SLOW_IN_A_ROW) start();
    else if (++ahead.watched == CALLS_WATCHED) ahead.phase = QUICK;
    return error_number;
}

/* Takes what a thread has found out. Returns false if there is nothing, or if somebody has already taken it. */
static bool
take_job(const char *path, ws_ahead_kind kind, ws_stat *stat, int *error_number)
{
    uint32_t number = ws_ahead_find(ahead.current, kind, path, strlen(path));
    if (number == WS_NO_NUMBER) return false;
    ahead_job *job = &ahead.current->jobs[number];
    move_window(ahead.current, number);
    if (!ws_ahead_change(job, DONE, USED)) {
        __atomic_store_n(&job->state, USED, __ATOMIC_RELEASE);
        return false;
    }
    ahead.counts.used++;
    if (job->error_number == 0) *stat = job->stat;
    *error_number = job->error_number;
    return true;
}

int
ws_ahead_stat(const char *path, ws_ahead_kind kind, ws_stat *stat)
{
    bool listed = kind == WS_AHEAD_FILE && ws_listings_are_offered();
    int error_number;
    int64_t took;

    if (ahead.phase == OFF || (ahead.phase == QUICK && !listed)) return ws_ahead_call(path, kind, stat);
    if (ahead.phase == DUE) start();
    bool first = kind == WS_AHEAD_LINK || ws_ahead_note_asked(path, strlen(path));
    if (ahead.phase == RUNNING && first && take_job(path, kind, stat, &error_number)) return error_number;
    if (listed && first && ws_listings_answer(path, ahead.phase == RUNNING ? ahead.current->threads : 1, stat))
        return 0;
    if (ahead.phase == WATCHING) return watch(path, kind, stat);
    return listed ? timed_call(path, kind, stat, &took) : ws_ahead_call(path, kind, stat);
}

ws_ahead_counts
ws_ahead_counts_get(void)
{
    return ahead.counts;
}
