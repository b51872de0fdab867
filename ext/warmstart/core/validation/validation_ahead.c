/* Makes metadata calls ahead of time: see validation_ahead.h.
 *
 * The calls are a list of jobs (job_list.h). Each job is taken by one thread and used once. Its state goes from WAITING
 * to WORK to DONE. A caller that needs a path that is not done makes the call itself and marks the job USED, so that
 * nobody waits for anybody. The threads stay in front of the calls that were asked for last, because a pause discards
 * what was found out too early. In a fork's child every call is made by the child itself.
 *
 * A thread makes the next call of the list, or it lists a folder and makes the calls for the folder's files relative to
 * the open folder. On some file systems (NFS, FUSE) a listing also fetches the metadata of its names, and calls by name
 * in one folder wait for one another. The threads measure which is quicker, where it matters: a call by name while all
 * of them work, against a listing with its calls. The first listing is a trial. On other file systems it costs its own
 * extra calls, and no second one follows. */
#include "core/validation/validation_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "core/bytes/table.h"
#include "core/bytes/vector.h"
#include "core/file_system/file_system_walk.h"
#include "core/system/clock.h"
#include "core/system/thread.h"
#include "core/validation/folder_watch.h"
#include "core/validation/job_list.h"
#include "core/validation/listing_costs.h"
#include "core/validation/listing_validation.h"

#define SLOW_CALL INT64_C(50000) /* nanoseconds, as in file_system_work.c */
#define SLOW_IN_A_ROW 4u         /* a single slow call may be due to a cold cache or to another process */
#define CALLS_WATCHED 512u       /* a file system that was quick so often is considered quick */
#define ALL_PATHS_MAXIMUM \
    60000u /* of all lists of a process: one that pauses often must not ask a server for the same again and again */
#define THREADS_MAXIMUM 32u
#define STACK_SIZE 131072u
#define WINDOW 1024u
#define PATHS_MAXIMUM 50000u
#define PATH_MAXIMUM 4096u
/* A listing must be so many times quicker: one thread works through a folder's files one after the other, while the
 * boot already asks for the first of them. */
#define CLEARLY 3u
#define FOR_A_TRIAL 2u
#define TRIAL_CALLS 8u /* calls by name to measure before the first listing */

enum { WAITING, WORK, DONE, USED };

typedef struct ahead_job {
    uint32_t folder; /* for a WS_AHEAD_FILE the number of its folder; else WS_NO_NUMBER */
    int32_t error_number;
    uint8_t state, kind;
    ws_stat stat;
} ahead_job;

typedef struct ahead_folder {
    uint32_t left;  /* jobs that no thread has taken */
    bool is_listed; /* a thread lists it, or has listed it */
} ahead_folder;

struct ws_ahead_list {
    ws_job_list base; /* a job's name is its kind, one byte, and its path */
    ahead_job *jobs;
    size_t capacity;
    ahead_folder *folders;
    uint32_t folder_count;
    size_t folder_capacity;
    ws_table folder_numbers; /* numbers of the folders by the hash of their path */
    uint32_t threads;
    bool is_trying; /* the first listing is in progress */
    uint32_t listings;
    ws_listing_costs costs; /* needs the lock */
};

/* OFF: nothing is offered. WATCHING: the time of each call is measured. QUICK: there is nothing (more) to gain. DUE:
 * calls are slow, and the next one starts the threads. RUNNING: the threads work. */
typedef enum ahead_phase { OFF, WATCHING, QUICK, DUE, RUNNING } ahead_phase;

static struct {
    ahead_phase phase;
    ws_ahead_source source; /* names the calls */
    ws_ahead_list *current; /* NULL: no threads work */
    bool hears_forks;
    ws_table asked; /* paths that were asked about, as hashes: a clash only costs the caller a call of its own */
    uint32_t watched, slow_in_a_row;
    int64_t quickest_slow; /* of the slow calls in a row */
    ws_ahead_counts counts;
} ahead;

/* ---- The list ---- */

static void
free_jobs(ws_job_list *base)
{
    ws_ahead_list *list = (ws_ahead_list *)base;
    free(list->jobs);
    free(list->folders);
    ws_table_free(&list->folder_numbers);
    free(list);
}

static bool
change(ahead_job *job, uint8_t from, uint8_t to)
{
    return __atomic_compare_exchange_n(&job->state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static const char *
path_of(const ws_ahead_list *list, uint32_t number)
{
    return ws_string_pool_get(&list->base.names, number) + 1;
}

/* Makes the name of a job. Returns its size, or 0 if the path is too long. */
static size_t
make_name(char name[PATH_MAXIMUM + 1], ws_ahead_kind kind, const char *path, size_t size)
{
    if (size > PATH_MAXIMUM) return 0;
    name[0] = (char)kind;
    memcpy(name + 1, path, size);
    return size + 1;
}

/* The number of the job, or WS_NO_NUMBER. */
static uint32_t
find(const ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size)
{
    char name[PATH_MAXIMUM + 1];
    size_t name_size = make_name(name, kind, path, size);
    return name_size == 0 ? WS_NO_NUMBER : ws_string_pool_find(&list->base.names, name, name_size);
}

static bool
was_asked(uint64_t hash)
{
    ws_probe probe = ws_table_probe(&ahead.asked, hash);
    return ws_table_next(&probe) != WS_NO_NUMBER;
}

/* Returns false if the path was asked about before in this process, or if there is no memory to note it. */
static bool
note_asked(const char *path, size_t size)
{
    uint64_t hash = ws_hash64(path, size, 0);
    if (was_asked(hash) || !ws_table_reserve(&ahead.asked, 1)) return false;
    ws_table_add(&ahead.asked, hash, 0);
    return true;
}

/* Counts one more file of a folder. Returns the folder's number, or WS_NO_NUMBER if the file is to be looked at alone.
 * Two folders whose paths have the same hash are taken for one, which only costs calls. */
static uint32_t
add_to_folder(ws_ahead_list *list, const char *path, size_t size)
{
    size_t folder_size = ws_folder_size_of(path, size);
    if (folder_size == 0) return WS_NO_NUMBER;
    uint64_t hash = ws_hash64(path, folder_size, 0);
    ws_probe probe = ws_table_probe(&list->folder_numbers, hash);
    uint32_t number = ws_table_next(&probe);
    if (number == WS_NO_NUMBER) {
        if (!WS_RESERVE(list->folders, list->folder_capacity, list->folder_count + 1) ||
            !ws_table_reserve(&list->folder_numbers, 1))
            return WS_NO_NUMBER;
        number = list->folder_count++;
        list->folders[number] = (ahead_folder){ .left = 0 };
        ws_table_add(&list->folder_numbers, hash, number);
    }
    list->folders[number].left++;
    return number;
}

bool
ws_ahead_add(ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size)
{
    uint32_t number = list->base.names.count;
    char name[PATH_MAXIMUM + 1];
    size_t name_size = make_name(name, kind, path, size);
    if (number == PATHS_MAXIMUM || !WS_RESERVE(list->jobs, list->capacity, number + 1)) return false;
    if (name_size == 0 || (kind != WS_AHEAD_LINK && was_asked(ws_hash64(path, size, 0)))) return true;
    uint32_t known = ws_string_pool_intern(&list->base.names, name, name_size);
    if (known != number) return known != WS_NO_NUMBER;
    uint32_t folder = kind == WS_AHEAD_FILE ? add_to_folder(list, path, size) : WS_NO_NUMBER;
    list->jobs[number] = (ahead_job){ .folder = folder, .kind = (uint8_t)kind, .state = WAITING };
    return true;
}

/* ---- A thread ---- */

static int
call(const char *path, ws_ahead_kind kind, ws_stat *stat)
{
    if (kind != WS_AHEAD_LINK) return ws_file_stat_named(path, stat);
    ws_stat_count(1);
    return ws_folder_stat_name(WS_FOLDER_CURRENT, path, false,
                               WS_FIELD_TYPE | WS_FIELD_MTIME | WS_FIELD_CTIME | WS_FIELD_INODE | WS_FIELD_DEVICE,
                               stat);
}

/* Called with the lock when a file of the folder is taken: should this thread list the folder instead? */
static bool
claim_listing(ws_ahead_list *list, uint32_t number)
{
    if (number == WS_NO_NUMBER) return false;
    ahead_folder *folder = &list->folders[number];
    uint32_t left = folder->left--;
    if (folder->is_listed || list->is_trying || list->costs.calls < TRIAL_CALLS) return false;
    if (ws_listing_costs_decide(&list->costs, left, list->costs.listings == 0 ? FOR_A_TRIAL : CLEARLY) == 0)
        return false;
    __atomic_store_n(&folder->is_listed, true, __ATOMIC_RELAXED);
    list->is_trying = list->costs.listings == 0;
    return true;
}

typedef struct ahead_task {
    uint32_t job;
    bool lists;
} ahead_task;

/* Takes the next job, and decides whether to list its folder. Returns false if no job is left. */
static bool
next_task(ws_ahead_list *list, ahead_task *task)
{
    ws_job_list *base = &list->base;
    ws_mutex_lock(&base->lock);
    while (!base->ended && base->next < base->names.count && base->next >= base->limit)
        ws_condition_wait(&base->changed, &base->lock, UINT32_MAX);
    bool found = !base->ended && base->next < base->names.count;
    if (found) {
        task->job = base->next++;
        task->lists = claim_listing(list, list->jobs[task->job].folder);
    }
    ws_mutex_unlock(&base->lock);
    return found;
}

/* Does another thread list the job's folder? */
static bool
is_being_listed(ws_ahead_list *list, const ahead_job *job)
{
    return job->folder != WS_NO_NUMBER && __atomic_load_n(&list->folders[job->folder].is_listed, __ATOMIC_RELAXED);
}

/* Makes the job's call by name. */
static void
do_job(ws_ahead_list *list, uint32_t number)
{
    ahead_job *job = &list->jobs[number];
    const char *path = path_of(list, number);
    if (!change(job, WAITING, WORK)) return;
    int64_t before = ws_clock_now();
    if (job->kind != WS_AHEAD_FILE) ws_watch_ahead(path);
    job->error_number = call(path, job->kind, &job->stat);
    int64_t took = ws_clock_now() - before;
    change(job, WORK, DONE);
    if (job->kind != WS_AHEAD_FILE) return;
    ws_mutex_lock(&list->base.lock);
    ws_listing_costs_note_call(&list->costs, took);
    ws_mutex_unlock(&list->base.lock);
}

/* Makes the calls for those names of a folder that are on the list. Returns how many. */
static uint32_t
do_rows(ws_ahead_list *list, ws_folder opened, const ws_listing *listing, char *path, size_t folder_size)
{
    uint32_t calls = 0;

    for (uint32_t row = 0; row < listing->count && !ws_is_set(&list->base.ended); row++) {
        size_t size = folder_size + 1 + listing->rows[row].name_size;
        if (size >= PATH_MAXIMUM) continue;
        memcpy(path + folder_size + 1, ws_listing_name(listing, row), listing->rows[row].name_size + 1);
        uint32_t number = find(list, WS_AHEAD_FILE, path, size);
        ahead_job *job = number == WS_NO_NUMBER ? NULL : &list->jobs[number];
        if (!job || !change(job, WAITING, WORK)) continue;
        job->error_number = ws_folder_stat_named(opened, ws_listing_name(listing, row), &job->stat);
        change(job, WORK, DONE);
        calls++;
    }
    return calls;
}

/* Lists the folder of the file of this name. A file that the listing lacks, or whose listing fails, gets a call by
 * name, in its turn or by whoever needs it. */
static void
list_folder(ws_ahead_list *list, const char *name)
{
    size_t folder_size = ws_folder_size_of(name, strlen(name));
    ws_listing listing = { .fields = WS_FIELD_TYPE };
    char path[PATH_MAXIMUM];
    ws_folder opened;
    uint32_t calls = 0;

    if (folder_size + 1 >= sizeof path) return;
    memcpy(path, name, folder_size);
    path[folder_size] = '\0';
    int64_t before = ws_clock_now();
    if (ws_folder_open(WS_FOLDER_CURRENT, path, true, &opened) == 0) {
        path[folder_size] = '/';
        if (ws_folder_list(opened, &listing) == 0) calls = do_rows(list, opened, &listing, path, folder_size);
        ws_folder_close(opened);
    }
    int64_t took = ws_clock_now() - before;
    ws_listing_free(&listing);
    ws_stat_count(WS_CALLS_OF_A_LISTING + calls);
    ws_mutex_lock(&list->base.lock);
    /* The whole time is divided among our files. If there are many other names in between, this cost rises
     * accordingly. */
    if (calls > 0) ws_listing_costs_note(&list->costs, calls, calls, took);
    list->is_trying = false;
    list->listings++;
    ws_mutex_unlock(&list->base.lock);
}

/* The work of one thread on the list, until the list has ended. Takes over an owner's reference. */
static void *
work(void *argument)
{
    ws_ahead_list *list = argument;

    for (ahead_task task; next_task(list, &task);) {
        if (task.lists) list_folder(list, path_of(list, task.job));
        if (task.lists || !is_being_listed(list, &list->jobs[task.job])) do_job(list, task.job);
    }
    ws_job_list_release(&list->base);
    return NULL;
}

/* ---- Starting ---- */

/* Moves the window when a job is asked for, by a quarter of its size or more. A job beyond the window says little about
 * where the boot is, so it moves the window by only an eighth. */
static void
move_window(ws_job_list *base, uint32_t number)
{
    uint32_t limit = number < base->limit ? number + WINDOW : base->limit + WINDOW / 8;
    if (number >= base->limit || limit >= base->limit + WINDOW / 4) ws_job_list_move_limit(base, limit);
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
    ws_ahead_list *list = calloc(1, sizeof *list);

    ahead.phase = QUICK;
    if (!list) return;
    if (!ahead.hears_forks) ws_thread_after_fork(forget_after_fork);
    ahead.hears_forks = true;
    ws_job_list *base = &list->base;
    ws_job_list_begin(base, free_jobs);
    ahead.source(list);
    uint32_t count = base->names.count;
    while (base->limit < count && list->jobs[base->limit].kind == WS_AHEAD_LINK) base->limit++;
    base->limit += WINDOW;
    uint32_t wanted =
        ws_walk_threads_for((ws_pace){ SLOW_IN_A_ROW, ahead.quickest_slow, ahead.quickest_slow }, count, 1);
    if (wanted > THREADS_MAXIMUM) wanted = THREADS_MAXIMUM;
    uint32_t threads = ws_job_list_start(base, count > 1 ? wanted : 0, work, STACK_SIZE);
    ahead.counts.threads += list->threads = threads;
    if (threads == 0) {
        ws_job_list_release(base);
        return;
    }
    ahead.current = list;
    ahead.phase = RUNNING;
}

/* ---- Asking ---- */

void
ws_ahead_offer(ws_ahead_source source)
{
    ws_ahead_end();
    ahead.source = source;
    ahead.watched = ahead.slow_in_a_row = 0;
    ahead.phase = WATCHING;
}

static void
drop_list(void)
{
    ws_ahead_list *list = ahead.current;

    ahead.current = NULL;
    if (!list) return;
    ws_mutex_lock(&list->base.lock);
    ahead.counts.paths += list->base.next;
    ahead.counts.listings += list->listings;
    ws_mutex_unlock(&list->base.lock);
    ws_job_list_end(&list->base);
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
    int error_number = call(path, kind, stat);

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
    uint32_t number = find(ahead.current, kind, path, strlen(path));
    if (number == WS_NO_NUMBER) return false;
    ahead_job *job = &ahead.current->jobs[number];
    move_window(&ahead.current->base, number);
    if (!change(job, DONE, USED)) {
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

    if (ahead.phase == OFF || (ahead.phase == QUICK && !listed)) return call(path, kind, stat);
    if (ahead.phase == DUE) start();
    bool first = kind == WS_AHEAD_LINK || note_asked(path, strlen(path));
    if (ahead.phase == RUNNING && first && take_job(path, kind, stat, &error_number)) return error_number;
    if (listed && first && ws_listings_answer(path, ahead.phase == RUNNING ? ahead.current->threads : 1, stat))
        return 0;
    if (ahead.phase == WATCHING) return watch(path, kind, stat);
    return listed ? timed_call(path, kind, stat, &took) : call(path, kind, stat);
}

ws_ahead_counts
ws_ahead_counts_get(void)
{
    return ahead.counts;
}
