/* Metadata calls made before their turn: see validation_ahead.h.
 *
 * Threads stay a window of calls in front of those that were asked for last: what was found out too early is lost at a pause.
 *
 * The list is a table of jobs, each taken by one thread and used once: WAITING, in WORK, DONE; whoever needs a path that is
 * not done makes its own call and marks the job USED, so nobody waits for anybody. Threads touch only the list, which is freed
 * by the last of its owners. In a fork's child every call is the child's own. */
#include "validation_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "file_system_walk.h"
#include "hash.h"
#include "listing_validation.h"
#include "thread.h"

#define SLOW_CALL INT64_C(50000)         /* nanoseconds; as in file_system_work.c */
#define SLOW_IN_A_ROW 4u                 /* one may be a cold cache or another process's turn */
#define CALLS_WATCHED 512u               /* a file system that was quick so often is quick */
#define PATHS_MAXIMUM 50000u             /* in a list */
#define ALL_PATHS_MAXIMUM 60000u         /* in all lists of a process: one that pauses often must not ask a server for the same ever again */
#define THREADS_MAXIMUM 32u
#define STACK_SIZE 131072u
#define WINDOW 1024u

enum { WAITING, WORK, DONE, USED };

typedef struct ahead_job {
    uint32_t path_offset;
    int32_t error_number;
    uint8_t state, kind;
    ws_stat stat;
} ahead_job;

struct ws_ahead_list {
    char *paths;               size_t paths_size, paths_capacity;
    ahead_job *jobs;           uint32_t count, capacity, next;
    uint32_t *slots;           uint32_t slot_mask;     /* numbers of jobs plus one */
    uint32_t limit;            /* threads go so far */
    uint32_t owners, threads;
    bool ended;
    ws_mutex lock;
    ws_condition changed;    /* limit or ended */
};

/* OFF: nothing is offered. QUICK: there is nothing to be won (any more). DUE: calls are slow, the next one begins. */
static enum { OFF, WATCHING, QUICK, DUE, RUNNING } phase;
static ws_ahead_source source;
static void *source_data;
static ws_ahead_list *current;
static uint32_t watched, slow_in_a_row;
static int64_t quickest_slow;
static ws_ahead_counts counts;

static void release(ws_ahead_list *list)
{
    if (__atomic_sub_fetch(&list->owners, 1, __ATOMIC_ACQ_REL) > 0) return;
    free(list->paths);
    free(list->jobs);
    free(list->slots);
    free(list);
}

/* ---- The list ---- */

static uint32_t *find_slot(const ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size)
{
    for (uint64_t at = ws_hash64(path, size, kind);; at++) {
        uint32_t *slot = &list->slots[at & list->slot_mask];
        if (*slot == 0) return slot;
        const ahead_job *job = &list->jobs[*slot - 1];
        if (job->kind == kind && strncmp(list->paths + job->path_offset, path, size) == 0 && list->paths[job->path_offset + size] == '\0') return slot;
    }
}

static bool grow_slots(ws_ahead_list *list)
{
    uint32_t mask = list->slot_mask * 2 + 1, *old = list->slots;

    if (mask < 1023) mask = 1023;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots);
    if (!slots) return false;
    list->slots = slots;
    list->slot_mask = mask;
    for (uint32_t i = 0; i < list->count; i++) {
        const char *path = list->paths + list->jobs[i].path_offset;
        *find_slot(list, list->jobs[i].kind, path, strlen(path)) = i + 1;
    }
    free(old);
    return true;
}

static bool reserve(ws_ahead_list *list, size_t size)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity * 2 + 256;
        ahead_job *jobs = realloc(list->jobs, capacity * sizeof *jobs);
        if (!jobs) return false;
        list->jobs = jobs;
        list->capacity = capacity;
    }
    if (list->paths_capacity - list->paths_size < size + 1) {
        size_t capacity = list->paths_capacity * 2 + size + 4096;
        char *paths = realloc(list->paths, capacity);
        if (!paths) return false;
        list->paths = paths;
        list->paths_capacity = capacity;
    }
    return (list->slots && list->count * 2 < list->slot_mask) || grow_slots(list);
}

/* ---- What somebody has asked about: by hashes, for a clash costs no more than a call of one's own ---- */

static struct { uint64_t *hashes; uint32_t count, mask; } asked;

static uint64_t *find_hash(uint64_t hash)
{
    uint64_t at = hash;
    while (asked.hashes[at & asked.mask] != 0 && asked.hashes[at & asked.mask] != hash) at++;
    return &asked.hashes[at & asked.mask];
}

static bool was_asked(const char *path, size_t size)
{
    return asked.hashes && *find_hash(ws_hash64(path, size, 0) | 1) != 0;
}

/* False: it was asked about before, or there is no memory to note it. */
static bool note_asked(const char *path, size_t size)
{
    if (!asked.hashes || asked.count * 2 > asked.mask) {
        uint64_t *old = asked.hashes;
        uint32_t old_mask = asked.mask, mask = old ? old_mask * 2 + 1 : 1023;
        uint64_t *hashes = calloc((size_t)mask + 1, sizeof *hashes);
        if (!hashes) return false;
        asked.hashes = hashes;
        asked.mask = mask;
        for (uint32_t i = 0; old && i <= old_mask; i++) if (old[i] != 0) *find_hash(old[i]) = old[i];
        free(old);
    }
    uint64_t hash = ws_hash64(path, size, 0) | 1, *place = find_hash(hash);
    if (*place != 0) return false;
    *place = hash;
    asked.count++;
    return true;
}

bool ws_ahead_add(ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size)
{
    if (list->count == PATHS_MAXIMUM || !reserve(list, size)) return false;
    if (kind != WS_AHEAD_LINK && was_asked(path, size)) return true;
    uint32_t *slot = find_slot(list, kind, path, size);
    if (*slot != 0) return true;
    list->jobs[list->count] = (ahead_job){ .path_offset = (uint32_t)list->paths_size, .kind = (uint8_t)kind, .state = WAITING };
    memcpy(list->paths + list->paths_size, path, size);
    list->paths[list->paths_size + size] = '\0';
    list->paths_size += size + 1;
    *slot = ++list->count;
    return true;
}

/* ---- The threads ---- */

static bool change(ahead_job *job, uint8_t from, uint8_t to)
{
    return __atomic_compare_exchange_n(&job->state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static int own_call(const char *path, ws_ahead_kind kind, ws_stat *stat)
{
    if (kind != WS_AHEAD_LINK) return ws_file_stat(path, stat);
    ws_stat_count(1);
    return ws_folder_stat_name(WS_FOLDER_CURRENT, path, false, WS_FIELD_TYPE | WS_FIELD_MTIME | WS_FIELD_CTIME | WS_FIELD_INODE | WS_FIELD_DEVICE, stat);
}

/* The next job's number, or the count when there is none any more. */
static uint32_t next_job(ws_ahead_list *list)
{
    ws_mutex_lock(&list->lock);
    while (!list->ended && list->next < list->count && list->next >= list->limit) ws_condition_wait(&list->changed, &list->lock, UINT32_MAX);
    uint32_t number = list->ended ? list->count : list->next;
    if (number < list->count) list->next++;
    ws_mutex_unlock(&list->lock);
    return number;
}

static void *work(void *argument)
{
    ws_ahead_list *list = argument;

    for (uint32_t number; (number = next_job(list)) < list->count;) {
        ahead_job *job = &list->jobs[number];
        if (!change(job, WAITING, WORK)) continue;
        job->error_number = own_call(list->paths + job->path_offset, job->kind, &job->stat);
        change(job, WORK, DONE);
    }
    release(list);
    return NULL;
}

/* A job was asked for: the window moves, a quarter of itself at a time. One far in front of it says little about where the boot is. */
static void move_window(ws_ahead_list *list, uint32_t number)
{
    uint32_t limit = number < list->limit ? number + WINDOW : list->limit + WINDOW / 8;

    if (number < list->limit && limit < list->limit + WINDOW / 4) return;
    ws_mutex_lock(&list->lock);
    list->limit = limit;
    ws_condition_broadcast(&list->changed);
    ws_mutex_unlock(&list->lock);
}

/* In a fork's child: a thread that is missing may have held the lock, so nothing of the list is touched again. */
static void forget_after_fork(void)
{
    current = NULL;
    phase = OFF;
    ws_listings_end();
}

static void start(void)
{
    static bool told;

    ws_ahead_list *list = calloc(1, sizeof *list);

    phase = QUICK;
    if (!list) return;
    if (!told) ws_thread_after_fork(forget_after_fork);
    told = true;
    list->owners = 1;
    ws_mutex_init(&list->lock);
    ws_condition_init(&list->changed);
    source(source_data, list);
    while (list->limit < list->count && list->jobs[list->limit].kind == WS_AHEAD_LINK) list->limit++;
    list->limit += WINDOW;
    uint32_t wanted = ws_walk_threads_for((ws_pace){ SLOW_IN_A_ROW, quickest_slow, quickest_slow }, list->count, 1), threads = 0;
    if (wanted > THREADS_MAXIMUM) wanted = THREADS_MAXIMUM;
    while (threads < wanted && list->count > 1) {
        __atomic_add_fetch(&list->owners, 1, __ATOMIC_RELAXED);
        if (!ws_thread_start(NULL, work, list, STACK_SIZE)) {
            release(list);
            break;
        }
        threads++;
    }
    counts.threads += list->threads = threads;
    if (threads == 0) {
        release(list);
        return;
    }
    current = list;
    phase = RUNNING;
}

/* ---- Asking ---- */

void ws_ahead_offer(ws_ahead_source new_source, void *data)
{
    ws_ahead_end();
    source = new_source;
    source_data = data;
    watched = slow_in_a_row = 0;
    phase = WATCHING;
}

static void drop_list(void)
{
    ws_ahead_list *list = current;

    current = NULL;
    if (!list) return;
    ws_mutex_lock(&list->lock);
    list->ended = true;
    counts.paths += list->next;
    ws_condition_broadcast(&list->changed);
    ws_mutex_unlock(&list->lock);
    release(list);
}

void ws_ahead_forget(void)
{
    drop_list();
    ws_listings_forget();
    if (phase == RUNNING) phase = counts.paths < ALL_PATHS_MAXIMUM ? DUE : QUICK;
}

void ws_ahead_end(void)
{
    drop_list();
    ws_listings_end();
    phase = OFF;
}

static int timed_call(const char *path, ws_ahead_kind kind, ws_stat *stat, int64_t *took)
{
    int64_t before = ws_clock_now();
    int error_number = own_call(path, kind, stat);

    *took = ws_clock_now() - before;
    if (kind == WS_AHEAD_FILE) ws_listings_note_call(*took);
    return error_number;
}

/* A call of our own, with its time taken. */
static int watch(const char *path, ws_ahead_kind kind, ws_stat *stat)
{
    int64_t took;
    int error_number = timed_call(path, kind, stat, &took);

    /* (On Windows the name itself is looked at through a handle: that takes longer than 50 us though nobody waits.) */
    if (kind == WS_AHEAD_LINK && ws_listings_tell_metadata) return error_number;
    if (took < SLOW_CALL) slow_in_a_row = 0;
    else if (slow_in_a_row++ == 0 || took < quickest_slow) quickest_slow = took;
    if (slow_in_a_row == SLOW_IN_A_ROW) start();
    else if (++watched == CALLS_WATCHED) phase = QUICK;
    return error_number;
}

/* What a thread has found out. False: nothing, or somebody had it. */
static bool take_job(const char *path, ws_ahead_kind kind, ws_stat *stat, int *error_number)
{
    uint32_t slot = *find_slot(current, kind, path, strlen(path));
    if (slot == 0) return false;
    ahead_job *job = &current->jobs[slot - 1];
    move_window(current, slot - 1);
    if (!change(job, DONE, USED)) {
        __atomic_store_n(&job->state, USED, __ATOMIC_RELEASE);
        return false;
    }
    counts.used++;
    if (job->error_number == 0) *stat = job->stat;
    *error_number = job->error_number;
    return true;
}

int ws_ahead_stat(const char *path, ws_ahead_kind kind, ws_stat *stat)
{
    bool listed = kind == WS_AHEAD_FILE && ws_listings_are_offered();
    int error_number;
    int64_t took;

    if (phase == OFF || (phase == QUICK && !listed)) return own_call(path, kind, stat);
    if (phase == DUE) start();
    bool first = kind == WS_AHEAD_LINK || note_asked(path, strlen(path));
    if (phase == RUNNING && first && take_job(path, kind, stat, &error_number)) return error_number;
    if (listed && first && ws_listings_answer(path, phase == RUNNING ? current->threads : 1, stat)) return 0;
    if (phase == WATCHING) return watch(path, kind, stat);
    return listed ? timed_call(path, kind, stat, &took) : own_call(path, kind, stat);
}

ws_ahead_counts ws_ahead_counts_get(void)
{
    return counts;
}
