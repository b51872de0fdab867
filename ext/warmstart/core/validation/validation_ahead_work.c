/* What a thread of validation ahead of use does. It makes the next call of the list, or it lists a folder and makes the
 * calls for the folder's files relative to the open folder.
 *
 * On some file systems (NFS, FUSE) a listing also fetches the metadata of its names, and calls by name in one folder
 * wait for one another. The threads measure which is quicker, where it matters: a call by name while all of them work,
 * against a listing with its calls. The first listing is a trial. On other file systems it costs its own extra calls,
 * and no second one follows. */
#include "core/validation/validation_ahead_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/file_system/file_system.h"
#include "core/system/clock.h"
#include "core/validation/folder_watch.h"

#define PATH_MAXIMUM 4096u
/* A listing must be so many times quicker: one thread works through a folder's files one after the other, while the
 * boot already asks for the first of them. */
#define CLEARLY 3u
#define FOR_A_TRIAL 2u
#define TRIAL_CALLS 8u /* calls by name to measure before the first listing */

int
ws_ahead_call(const char *path, ws_ahead_kind kind, ws_stat *stat)
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
    ws_mutex_lock(&list->lock);
    while (!list->ended && list->next < list->count && list->next >= list->limit)
        ws_condition_wait(&list->changed, &list->lock, UINT32_MAX);
    bool found = !list->ended && list->next < list->count;
    if (found) {
        task->job = list->next++;
        task->lists = claim_listing(list, list->jobs[task->job].folder);
    }
    ws_mutex_unlock(&list->lock);
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
do_job(ws_ahead_list *list, ahead_job *job)
{
    if (!ws_ahead_change(job, WAITING, WORK)) return;
    int64_t before = ws_clock_now();
    if (job->kind != WS_AHEAD_FILE) ws_watch_ahead(list->paths + job->path_offset);
    job->error_number = ws_ahead_call(list->paths + job->path_offset, job->kind, &job->stat);
    int64_t took = ws_clock_now() - before;
    ws_ahead_change(job, WORK, DONE);
    if (job->kind != WS_AHEAD_FILE) return;
    ws_mutex_lock(&list->lock);
    ws_listing_costs_note_call(&list->costs, took);
    ws_mutex_unlock(&list->lock);
}

/* Makes the calls for those names of a folder that are on the list. Returns how many. */
static uint32_t
do_rows(ws_ahead_list *list, ws_folder opened, const ws_listing *listing, char *path, size_t folder_size)
{
    uint32_t calls = 0;

    for (uint32_t row = 0; row < listing->count && !ws_is_set(&list->ended); row++) {
        size_t size = folder_size + 1 + listing->rows[row].name_size;
        if (size >= PATH_MAXIMUM) continue;
        memcpy(path + folder_size + 1, ws_listing_name(listing, row), listing->rows[row].name_size + 1);
        uint32_t number = ws_ahead_find(list, WS_AHEAD_FILE, path, size);
        ahead_job *job = number == WS_NO_NUMBER ? NULL : &list->jobs[number];
        if (!job || !ws_ahead_change(job, WAITING, WORK)) continue;
        job->error_number = ws_folder_stat_named(opened, ws_listing_name(listing, row), &job->stat);
        ws_ahead_change(job, WORK, DONE);
        calls++;
    }
    return calls;
}

/* A file that the listing lacks, or whose listing fails, gets a call by name, in its turn or by whoever needs it. */
static void
list_folder(ws_ahead_list *list, const ahead_job *job)
{
    const char *name = list->paths + job->path_offset;
    size_t folder_size = ws_ahead_folder_size(name, strlen(name));
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
    ws_mutex_lock(&list->lock);
    /* The whole time is divided among our files. If there are many other names in between, this cost rises
     * accordingly. */
    if (calls > 0) ws_listing_costs_note(&list->costs, calls, calls, took);
    list->is_trying = false;
    list->listings++;
    ws_mutex_unlock(&list->lock);
}

void *
ws_ahead_work(void *argument)
{
    ws_ahead_list *list = argument;

    for (ahead_task task; next_task(list, &task);) {
        ahead_job *job = &list->jobs[task.job];
        if (task.lists) list_folder(list, job);
        if (task.lists || !is_being_listed(list, job)) do_job(list, job);
    }
    ws_ahead_release(list);
    return NULL;
}
