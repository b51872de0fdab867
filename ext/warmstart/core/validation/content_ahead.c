/* Reads and hashes files ahead of time: see content_ahead.h.
 *
 * The files are a table of jobs (the list) that is complete before the first thread starts. A thread takes the next job
 * and marks it DONE; nothing is ever taken back, so the caller only looks whether a job is done. The threads stay
 * within a window in front of the file that was asked for last, and leave out what the caller has passed. They touch
 * only the list, whose last owner frees it. In a fork's child every file is read by the child itself.
 *
 * Why an answer is exact. The thread took the metadata when it had opened the file, and the caller has seen the same
 * ones. Whoever changes a file changes its ctime, unless that happens within the same tick of the clock; and the file
 * was not that young when its metadata were taken (ws_stat_is_young, the rule that recordings follow). So the content
 * that the thread read belongs to the caller's metadata. The clock must be the one that the file's times come from, so
 * remote files are left out. The thread's descriptors are its own: in the program's table they would take the lowest
 * number just when the program counts on it, and a program that closes what it does not know would close them. */
#include "core/validation/content_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/table.h"
#include "core/bytes/vector.h"
#include "core/file_system/file_system.h"
#include "core/system/clock.h"
#include "core/system/thread.h"

#define SAME_IN_A_ROW 8u /* a few touched files are quicker read than a list is made */
#define OUTSIDE_IN_A_ROW 8u
#define WINDOW 128u
#define LEAD 4u /* a thread that was overtaken goes on so far ahead, so that the two do not read the same files */
#define THREADS_MAXIMUM 4u
#define STACK_SIZE 131072u
#define FILES_MAXIMUM 50000u

typedef struct content_job {
    uint32_t path_offset;
    bool portable;
    bool done;    /* set by a thread, which writes nothing here afterwards */
    ws_stat stat; /* as the image knows it; once it is done, as the thread saw it */
    ws_hash128 hash;
} content_job;

struct ws_content_list {
    char *paths;
    size_t paths_size, paths_capacity;
    content_job *jobs;
    uint32_t count;
    size_t capacity;
    ws_table numbers; /* of the jobs, by the hash of their path */
    uint32_t asked;   /* the first job that was not passed; the caller writes it, without the lock */
    uint32_t next;
    uint32_t limit; /* threads stop at this job */
    uint32_t owners;
    bool ended;
    ws_mutex lock;
    ws_condition changed; /* limit or ended has changed */
};

static struct {
    ws_content_source source; /* NULL: nothing is offered, or the threads were started before */
    ws_content_list *current; /* NULL: no threads work */
    uint32_t in_a_row, outside;
    uint32_t read, used;
} content;

/* ---- The list ---- */

/* Releases an owner's reference. */
static void
release(ws_content_list *list)
{
    if (__atomic_sub_fetch(&list->owners, 1, __ATOMIC_ACQ_REL) > 0) return;
    free(list->paths);
    free(list->jobs);
    ws_table_free(&list->numbers);
    free(list);
}

/* The number of the job, or WS_NO_NUMBER. */
static uint32_t
find(const ws_content_list *list, const char *path)
{
    uint32_t number;
    ws_probe probe = ws_table_probe(&list->numbers, ws_hash64(path, strlen(path), 0));
    while ((number = ws_table_next(&probe)) != WS_NO_NUMBER)
        if (strcmp(list->paths + list->jobs[number].path_offset, path) == 0) break;
    return number;
}

bool
ws_content_ahead_add(ws_content_list *list, const char *path, const ws_stat *known, bool portable)
{
    size_t size = strlen(path) + 1;
    if (find(list, path) != WS_NO_NUMBER) return true;
    if (list->count == FILES_MAXIMUM || !WS_RESERVE(list->jobs, list->capacity, list->count + 1) ||
        !WS_RESERVE(list->paths, list->paths_capacity, list->paths_size + size) || !ws_table_reserve(&list->numbers, 1))
        return false;
    list->jobs[list->count] =
        (content_job){ .path_offset = (uint32_t)list->paths_size, .portable = portable, .stat = *known };
    memcpy(list->paths + list->paths_size, path, size);
    list->paths_size += size;
    ws_table_add(&list->numbers, ws_hash64(path, size - 1, 0), list->count++);
    return true;
}

/* ---- A thread ---- */

/* The next job, or NULL if none is left. */
static content_job *
next_job(ws_content_list *list)
{
    content_job *job = NULL;
    ws_mutex_lock(&list->lock);
    while (!list->ended) {
        uint32_t asked = __atomic_load_n(&list->asked, __ATOMIC_RELAXED);
        if (list->next < asked) list->next = asked + LEAD;
        if (list->next >= list->count) break;
        if (list->next < list->limit) {
            job = &list->jobs[list->next++];
            break;
        }
        ws_condition_wait(&list->changed, &list->lock, UINT32_MAX);
    }
    ws_mutex_unlock(&list->lock);
    return job;
}

/* Will the caller compare the contents, as far as the image's metadata and the present ones tell? */
static bool
is_worth_reading(const content_job *job, const ws_stat *now)
{
    if (now->type != WS_TYPE_REGULAR || now->size != job->stat.size) return false;
    if (job->portable) return ws_whole_second(now->mtime) != ws_whole_second(job->stat.mtime);
    return !ws_stat_is_same(now, &job->stat);
}

/* Is the file on another machine, whose clock its times may come from? Asked once for each file system in a row. */
static bool
is_remote(const char *path, uint64_t device, uint64_t *local)
{
#ifdef __linux__
    if (*local == device) return false;
    if (ws_file_is_remote_path(path)) return true;
    *local = device;
    return false;
#else
    (void)path, (void)device, (void)local;
    return true;
#endif
}

/* The file is looked at by name first, since the open of a FIFO or a device would show. */
static void
do_job(const ws_content_list *list, content_job *job, uint64_t *local)
{
    const char *path = list->paths + job->path_offset;
    int64_t moment = ws_clock_wall();
    ws_stat named, opened;
    ws_hash128 hash;
    if (ws_folder_stat_named(WS_FOLDER_CURRENT, path, &named) != 0 || !is_worth_reading(job, &named)) return;
    if (ws_stat_is_young(&named, moment, false) || is_remote(path, named.device, local)) return;
    if (ws_file_hash(path, &hash, &opened, NULL) != WS_OK || !ws_stat_is_same(&opened, &named)) return;
    job->stat = opened;
    job->hash = hash;
    __atomic_fetch_add(&content.read, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&job->done, true, __ATOMIC_RELEASE);
}

/* The work of one thread on the list, until the list has ended. Takes over an owner's reference. */
static void *
read_some(void *argument)
{
    ws_content_list *list = argument;
    uint64_t local = UINT64_MAX; /* the file system of the last file */
    if (ws_thread_own_descriptors())
        for (content_job *job; (job = next_job(list));) do_job(list, job, &local);
    release(list);
    return NULL;
}

/* ---- Starting and ending ---- */

/* Runs in a fork's child. A thread that is missing there may have held the lock, so the list is not touched again. */
static void
forget_after_fork(void)
{
    content.current = NULL;
    content.source = NULL;
}

static void
start(const char *path)
{
    static bool told;
    ws_content_source source = content.source;
    uint32_t wanted = ws_processor_count() - 1, threads = 0;

    content.source = NULL;
    ws_content_list *list = wanted > 0 ? calloc(1, sizeof *list) : NULL;
    if (!list) return;
    if (!told) ws_thread_after_fork(forget_after_fork);
    told = true;
    list->owners = 1;
    ws_mutex_init(&list->lock);
    ws_condition_init(&list->changed);
    source(list);
    uint32_t number = find(list, path);
    list->asked = number == WS_NO_NUMBER ? 0 : number + 1;
    list->limit = list->asked + WINDOW;
    if (wanted > THREADS_MAXIMUM) wanted = THREADS_MAXIMUM;
    while (threads < wanted && list->asked < list->count) {
        __atomic_add_fetch(&list->owners, 1, __ATOMIC_RELAXED);
        if (!ws_thread_start(NULL, read_some, list, STACK_SIZE)) {
            release(list);
            break;
        }
        threads++;
    }
    if (threads > 0) content.current = list;
    else release(list);
}

void
ws_content_ahead_offer(ws_content_source source)
{
    ws_content_ahead_end();
    if (WS_THREADS_OWN_DESCRIPTORS) content.source = source;
    content.in_a_row = content.outside = 0;
}

void
ws_content_ahead_end(void)
{
    ws_content_list *list = content.current;

    content.source = NULL;
    content.current = NULL;
    if (!list) return;
    ws_mutex_lock(&list->lock);
    list->ended = true;
    ws_condition_broadcast(&list->changed);
    ws_mutex_unlock(&list->lock);
    release(list);
}

/* ---- Asking ---- */

/* Moves the window when a job is asked for, by a quarter of its size or more: each time a thread may have to wake up. A
 * job behind the window says little about where the boot is, unless several follow one another. */
static void
move_window(ws_content_list *list, uint32_t number)
{
    if (number >= list->limit && ++content.outside < OUTSIDE_IN_A_ROW) return;
    content.outside = 0;
    if (number >= list->asked) __atomic_store_n(&list->asked, number + 1, __ATOMIC_RELAXED);
    if (list->asked + WINDOW < list->limit + WINDOW / 4) return;
    ws_mutex_lock(&list->lock);
    list->limit = list->asked + WINDOW;
    ws_condition_broadcast(&list->changed);
    ws_mutex_unlock(&list->lock);
}

bool
ws_content_ahead_confirms(const char *path, const ws_stat *stat, ws_hash128 hash)
{
    if (!content.current) return false;
    uint32_t number = find(content.current, path);
    if (number == WS_NO_NUMBER) return false;
    move_window(content.current, number);
    const content_job *job = &content.current->jobs[number];
    if (!__atomic_load_n(&job->done, __ATOMIC_ACQUIRE) || !ws_stat_is_same(stat, &job->stat)) return false;
    if (hash.low != job->hash.low || hash.high != job->hash.high) return false;
    content.used++;
    return true;
}

void
ws_content_ahead_note_same(const char *path)
{
    if (content.source && ++content.in_a_row == SAME_IN_A_ROW) start(path);
}

void
ws_content_ahead_note_other(void)
{
    content.in_a_row = 0;
}

ws_content_counts
ws_content_ahead_counts(void)
{
    return (ws_content_counts){ __atomic_load_n(&content.read, __ATOMIC_RELAXED), content.used };
}
