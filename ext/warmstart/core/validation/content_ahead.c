/* Reads and hashes files ahead of time: see content_ahead.h.
 *
 * The files are a list of jobs (job_list.h). A thread takes the next job and marks it DONE; nothing is ever taken back,
 * so the caller only looks whether a job is done. The threads leave out what the caller has passed. In a fork's child
 * every file is read by the child itself.
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

#include "core/bytes/vector.h"
#include "core/file_system/file_system.h"
#include "core/system/clock.h"
#include "core/system/thread.h"
#include "core/validation/job_list.h"

#define SAME_IN_A_ROW 8u /* a few touched files are quicker read than a list is made */
#define OUTSIDE_IN_A_ROW 8u
#define WINDOW 128u
#define LEAD 4u /* a thread that was overtaken goes on so far ahead, so that the two do not read the same files */
#define THREADS_MAXIMUM 4u
#define STACK_SIZE 131072u
#define FILES_MAXIMUM 50000u

typedef struct content_job {
    bool portable;
    bool done;    /* set by a thread, which writes nothing here afterwards */
    ws_stat stat; /* as the image knows it; once it is done, as the thread saw it */
    ws_hash128 hash;
} content_job;

struct ws_content_list {
    ws_job_list base; /* a job's name is the file's path */
    content_job *jobs;
    size_t capacity;
    uint32_t asked; /* the first job that was not passed; the caller writes it, without the lock */
};

static struct {
    ws_content_source source; /* NULL: nothing is offered, or the threads were started before */
    ws_content_list *current; /* NULL: no threads work */
    bool hears_forks;
    uint32_t in_a_row, outside;
    uint32_t read, used;
} content;

/* ---- The list ---- */

static void
free_jobs(ws_job_list *base)
{
    ws_content_list *list = (ws_content_list *)base;
    free(list->jobs);
    free(list);
}

/* The number of the job, or WS_NO_NUMBER. */
static uint32_t
find(const ws_content_list *list, const char *path)
{
    return ws_string_pool_find(&list->base.names, path, strlen(path));
}

bool
ws_content_ahead_add(ws_content_list *list, const char *path, const ws_stat *known, bool portable)
{
    uint32_t number = list->base.names.count;
    if (find(list, path) != WS_NO_NUMBER) return true;
    if (number == FILES_MAXIMUM || !WS_RESERVE(list->jobs, list->capacity, number + 1) ||
        ws_string_pool_intern(&list->base.names, path, strlen(path)) == WS_NO_NUMBER)
        return false;
    list->jobs[number] = (content_job){ .portable = portable, .stat = *known };
    return true;
}

/* ---- A thread ---- */

/* The number of the next job, or WS_NO_NUMBER if none is left. */
static uint32_t
next_job(ws_content_list *list)
{
    ws_job_list *base = &list->base;
    uint32_t number = WS_NO_NUMBER;
    ws_mutex_lock(&base->lock);
    while (!base->ended) {
        uint32_t asked = __atomic_load_n(&list->asked, __ATOMIC_RELAXED);
        if (base->next < asked) base->next = asked + LEAD;
        if (base->next >= base->names.count) break;
        if (base->next < base->limit) {
            number = base->next++;
            break;
        }
        ws_condition_wait(&base->changed, &base->lock, UINT32_MAX);
    }
    ws_mutex_unlock(&base->lock);
    return number;
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
do_job(ws_content_list *list, uint32_t number, uint64_t *local)
{
    const char *path = ws_string_pool_get(&list->base.names, number);
    content_job *job = &list->jobs[number];
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
        for (uint32_t number; (number = next_job(list)) != WS_NO_NUMBER;) do_job(list, number, &local);
    ws_job_list_release(&list->base);
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
    ws_content_source source = content.source;
    uint32_t wanted = ws_processor_count() - 1;

    content.source = NULL;
    ws_content_list *list = wanted > 0 ? calloc(1, sizeof *list) : NULL;
    if (!list) return;
    if (!content.hears_forks) ws_thread_after_fork(forget_after_fork);
    content.hears_forks = true;
    ws_job_list_begin(&list->base, free_jobs);
    source(list);
    uint32_t number = find(list, path);
    list->asked = number == WS_NO_NUMBER ? 0 : number + 1;
    list->base.limit = list->asked + WINDOW;
    if (wanted > THREADS_MAXIMUM) wanted = THREADS_MAXIMUM;
    if (list->asked >= list->base.names.count) wanted = 0;
    if (ws_job_list_start(&list->base, wanted, read_some, STACK_SIZE) > 0) content.current = list;
    else ws_job_list_release(&list->base);
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
    if (list) ws_job_list_end(&list->base);
}

/* ---- Asking ---- */

/* Moves the window when a job is asked for, by a quarter of its size or more: each time a thread may have to wake up. A
 * job behind the window says little about where the boot is, unless several follow one another. */
static void
move_window(ws_content_list *list, uint32_t number)
{
    if (number >= list->base.limit && ++content.outside < OUTSIDE_IN_A_ROW) return;
    content.outside = 0;
    if (number >= list->asked) __atomic_store_n(&list->asked, number + 1, __ATOMIC_RELAXED);
    uint32_t limit = list->asked + WINDOW;
    if (limit >= list->base.limit + WINDOW / 4) ws_job_list_move_limit(&list->base, limit);
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
ws_content_ahead_break_row(void)
{
    content.in_a_row = 0;
}

ws_content_counts
ws_content_ahead_counts(void)
{
    return (ws_content_counts){ __atomic_load_n(&content.read, __ATOMIC_RELAXED), content.used };
}
