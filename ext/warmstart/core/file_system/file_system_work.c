/* The work of an operation. Units of work are taken from a queue, by one thread where calls are quick, and by many
 * threads where calls wait.
 *
 * There are two kinds of units: to list one folder, and to make the metadata calls for some rows of a folder that is
 * still open (its names are looked up relative to its descriptor). Rows go first, so that few folders are open at a
 * time. The cost of a call is measured rather than guessed from the name of the file system: the first thread does the
 * first units alone, and gets helpers as soon as two units were slow, since a single slow one may just have met a cold
 * cache. Where calls are quick, there are at most as many threads as processors, and only for large folders. */
#include "core/file_system/file_system_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/vector.h"
#include "core/system/thread.h"
#include "core/system/clock.h"

#define MICROSECOND INT64_C(1000)
/* A call slower than this waits for something other than this machine's processors. A call to a warm local file system
 * takes 1 us. */
#define SLOW_CALL (50 * MICROSECOND)
/* So much waiting makes a thread worthwhile; starting one takes a tenth of it. */
#define WORTH_A_THREAD (300 * MICROSECOND)
/* Waiting threads cost nothing but memory, but a server answers only so many calls at once. */
#define THREADS_BY_THEMSELVES 32u
#define FIRST_CALLS 4u /* the number of calls in each of the first units */
/* A second processor is worthwhile from so many quick calls on, and at most so many processors are used. */
#define QUICK_CALLS_FOR_A_THREAD 1000u
#define QUICK_THREADS 4u
#define ROWS_AT_ONCE 64u
#define STACK_SIZE 262144u
/* Where calls are quick, the thread that lists a folder also makes the calls for so many of its rows, so that threads
 * hardly ever contend for the lock. */
#define ROWS_WITH_THEIR_FOLDER 256u

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint32_t
ws_walk_threads_for(ws_pace pace, uint64_t calls_left, uint32_t processors)
{
    if (pace.units < 2 || calls_left < 2) return 1;
    int64_t call = pace.last < pace.before ? pace.last : pace.before;
    if (call < SLOW_CALL)
        return (uint32_t)least(least(processors, QUICK_THREADS), 1 + calls_left / QUICK_CALLS_FOR_A_THREAD);
    return (uint32_t)least(least(calls_left, THREADS_BY_THEMSELVES), 1 + calls_left * (uint64_t)call / WORTH_A_THREAD);
}

/* ---- The queue; called with the lock ---- */

static uint64_t
calls_left(const ws_walk *walk)
{
    uint64_t calls = (uint64_t)(walk->folder_count - walk->next_folder) * WS_CALLS_OF_A_LISTING;

    for (uint32_t i = walk->row_queue_first; i < walk->row_queue_count; i++) {
        const ws_walk_folder *folder = walk->folders[walk->row_queue[i]];
        calls += folder->listing.count - folder->claimed;
    }
    return calls;
}

static bool
queue_rows(ws_walk *walk, uint32_t number)
{
    if (walk->row_queue_first == walk->row_queue_count) walk->row_queue_first = walk->row_queue_count = 0;
    if (!WS_RESERVE(walk->row_queue, walk->row_queue_capacity, walk->row_queue_count + 1)) return false;
    walk->row_queue[walk->row_queue_count++] = number;
    walk->folders[number]->rows_queued = true;
    return true;
}

/* How many rows to claim together: few while nothing is known yet, or where many threads share them. */
static uint32_t
claim_size(const ws_walk *walk, uint32_t left)
{
    uint32_t share = left / (walk->thread_count * 4) + 1;
    if (walk->thread_count == 1) return walk->pace.units < 3 ? FIRST_CALLS : ROWS_AT_ONCE;
    return share < ROWS_AT_ONCE ? share : ROWS_AT_ONCE;
}

static bool
claim_rows(ws_walk *walk, uint32_t *number, uint32_t *from, uint32_t *to)
{
    if (walk->row_queue_first == walk->row_queue_count) return false;
    *number = walk->row_queue[walk->row_queue_first];
    ws_walk_folder *folder = walk->folders[*number];
    uint32_t left = folder->listing.count - folder->claimed, size = claim_size(walk, left);

    *from = folder->claimed;
    *to = folder->claimed + (size < left ? size : left);
    folder->claimed = *to;
    folder->pending++;
    if (folder->claimed == folder->listing.count) {
        walk->row_queue_first++;
        folder->rows_queued = false;
    }
    return true;
}

static bool
claim_folder(ws_walk *walk, uint32_t *number)
{
    while (walk->next_folder < walk->folder_count && walk->folders[walk->next_folder]->listed) walk->next_folder++;
    if (walk->next_folder == walk->folder_count) return false;
    *number = walk->next_folder++;
    return true;
}

static void
fail(ws_walk *walk, uint32_t folder, uint32_t row)
{
    if (!walk->failed) walk->failed_at = (ws_walk_place){ folder, row };
    walk->failed = true;
}

/* If every row has what was asked for, closes the folder and queues its sub-folders. The root stays open, because all
 * other folders are opened relative to its descriptor. */
static void
settle(ws_walk *walk, uint32_t number)
{
    ws_walk_folder *folder = walk->folders[number];

    if (folder->pending > 0 || folder->rows_queued || ws_is_set(&walk->cancelled)) return;
    if (number != 0) {
        ws_folder_close(folder->opened);
        folder->opened = WS_FOLDER_NONE;
    }
    if (folder->entered || !walk->options.recursive) return;
    folder->entered = true;
    for (uint32_t row = 0; row < folder->listing.count; row++) {
        if (folder->listing.rows[row].type != WS_LISTED_DIRECTORY || folder->listing.rows[row].error_number != 0)
            continue;
        if (!ws_walk_enter(walk, number, row)) walk->out_of_memory = true;
    }
}

/* ---- The units; called without the lock ----
 *
 * They receive a pointer to their folder, because the array of folders moves when another thread adds one. */

static bool
lacks_rows(const ws_listing *listing)
{
    for (uint32_t row = 0; row < listing->count; row++) {
        if (ws_row_lacks(listing, &listing->rows[row]) || listing->accesses) return true;
    }
    return false;
}

/* Sets the folder's error_number. EINTR means that the folder must be listed again from the beginning. *block is the
 * thread's buffer for listings. */
static void
open_and_list(const ws_walk *walk, ws_walk_folder *folder, void **block)
{
    bool is_root = folder->path_size == 0;
    int error_number = ws_folder_open(is_root ? WS_FOLDER_CURRENT : walk->root_folder,
                                      is_root ? walk->root : folder->path, is_root, &folder->opened);

    folder->listing.block = *block;
    if (error_number == 0) error_number = ws_folder_list(folder->opened, &folder->listing);
    *block = folder->listing.block;
    folder->listing.block = NULL;
    if (error_number != 0) {
        ws_folder_close(folder->opened);
        folder->opened = WS_FOLDER_NONE;
        ws_listing_truncate(&folder->listing, 0);
    }
    folder->error_number = error_number;
}

static void
access_of_row(const ws_walk *walk, ws_walk_folder *folder, uint32_t row)
{
    ws_listing *listing = &folder->listing;
    char *path = ws_walk_path(walk, folder, row);
    int error_number =
        path ? ws_access_get(path, walk->options.follow, listing->fields, &listing->accesses[row]) : ENOMEM;

    free(path);
    listing->rows[row].known |= WS_FIELD_ACL;
    if (error_number != 0) listing->rows[row].error_number = error_number;
}

/* Returns the number of calls made. */
static uint32_t
ask_rows(const ws_walk *walk, ws_walk_folder *folder, uint32_t from, uint32_t to)
{
    ws_listing *listing = &folder->listing;
    uint32_t calls = 0;

    for (uint32_t row = from; row < to && !ws_is_set(&walk->cancelled); row++) {
        ws_row *entry = &listing->rows[row];
        if (entry->error_number != 0) continue;
        if (ws_row_lacks(listing, entry)) {
            ws_stat stat;
            uint32_t fields =
                (listing->stats ? listing->fields : listing->fields & ~entry->known) & ~(uint32_t)WS_FIELD_ACL;
            entry->error_number =
                ws_folder_stat_name(folder->opened, ws_listing_name(listing, row), walk->options.follow, fields, &stat);
            if (entry->error_number == 0) ws_listing_fill(listing, row, &stat, fields);
            calls++;
        }
        if (listing->accesses && entry->error_number == 0 && !(entry->known & WS_FIELD_ACL))
            access_of_row(walk, folder, row);
    }
    return calls;
}

/* Also closes the folder when nothing is left to ask for, because settle would do so while it holds the lock. Returns
 * the number of calls made. */
static uint32_t
list_folder(const ws_walk *walk, ws_walk_folder *folder, bool with_rows, void **block)
{
    uint32_t calls = WS_CALLS_OF_A_LISTING;

    open_and_list(walk, folder, block);
    if (folder->error_number != 0) return calls;
    if (with_rows) {
        folder->claimed =
            folder->listing.count < ROWS_WITH_THEIR_FOLDER ? folder->listing.count : ROWS_WITH_THEIR_FOLDER;
        calls += ask_rows(walk, folder, 0, folder->claimed);
    }
    folder->complete = folder->claimed == folder->listing.count || !lacks_rows(&folder->listing);
    if (folder->complete && folder->path_size > 0 && !ws_is_set(&walk->cancelled)) {
        ws_folder_close(folder->opened);
        folder->opened = WS_FOLDER_NONE;
    }
    return calls;
}

/* ---- One thread ---- */

/* In a list of paths ENOTDIR, too, means that the name does not exist: what should be its folder is a file. */
static bool
is_vanished(const ws_walk *walk, int error_number)
{
    return error_number == ENOENT || (error_number == ENOTDIR && !walk->root);
}

static void
check_rows(ws_walk *walk, uint32_t number, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; row < to && !walk->options.keep_errors && !walk->failed; row++) {
        int error_number = walk->folders[number]->listing.rows[row].error_number;
        if (error_number != 0 && !is_vanished(walk, error_number)) fail(walk, number, row);
    }
}

static void
after_listing(ws_walk *walk, uint32_t number)
{
    ws_walk_folder *folder = walk->folders[number];
    int error_number = folder->error_number;

    if (error_number == EINTR) {
        folder->error_number = 0;
        if (number < walk->next_folder) walk->next_folder = number;
        return;
    }
    folder->listed = true;
    if (error_number == ENOMEM) walk->out_of_memory = true;
    else if (error_number != 0 && (number == 0 || (!ws_walk_is_vanished(error_number) && !walk->options.keep_errors)))
        fail(walk, number, UINT32_MAX);
    if (number == 0 && error_number == 0) walk->root_folder = folder->opened;
    check_rows(walk, number, 0, folder->claimed);
    if (error_number == 0 && !folder->complete && !queue_rows(walk, number)) walk->out_of_memory = true;
    settle(walk, number);
}

static void
after_rows(ws_walk *walk, uint32_t number, uint32_t from, uint32_t to)
{
    ws_walk_folder *folder = walk->folders[number];

    folder->pending--;
    check_rows(walk, number, from, to);
    settle(walk, number);
}

static bool
is_over(const ws_walk *walk)
{
    return ws_is_set(&walk->cancelled) || walk->out_of_memory || walk->failed;
}

/* Does one unit of work. Returns false if there is none now. Called with the lock, and returns with it. */
static bool
work_once(ws_walk *walk, void **block)
{
    uint32_t number, from = 0, to = 0, calls;
    bool quick = walk->pace.units >= 2 && walk->pace.last < SLOW_CALL;
    bool rows = claim_rows(walk, &number, &from, &to);

    if (!rows && !claim_folder(walk, &number)) return false;
    ws_walk_folder *folder = walk->folders[number];
    walk->active++;
    ws_mutex_unlock(&walk->lock);
    int64_t start = ws_clock_now();
    if (rows) calls = ask_rows(walk, folder, from, to);
    else calls = list_folder(walk, folder, quick, block);
    int64_t took = ws_clock_now() - start;
    ws_stat_count(calls);
    ws_mutex_lock(&walk->lock);
    walk->active--;
    if (calls > 0) walk->pace = (ws_pace){ walk->pace.units + 1, walk->pace.last, took / (int64_t)calls };
    if (rows) after_rows(walk, number, from, to);
    else after_listing(walk, number);
    if (walk->thread_count > 1) ws_condition_broadcast(&walk->changed);
    return true;
}

static void work(ws_walk *walk, bool leads);

static void *
help(void *walk)
{
    work(walk, false);
    return NULL;
}

/* Starts as many helpers as are worthwhile and available. It is called again after each unit of the leading thread,
 * because the size of a tree shows only gradually. Returns the new number of helpers. */
static uint32_t
get_helpers(ws_walk *walk, ws_thread *helpers, uint32_t count)
{
    uint64_t left = calls_left(walk);
    uint32_t wanted = walk->options.threads;

    if (wanted == 0)
        wanted = ws_walk_threads_for(walk->pace, left, left < QUICK_CALLS_FOR_A_THREAD ? 1 : ws_processor_count());
    wanted = (uint32_t)least(wanted, WS_WALK_THREADS_MAXIMUM);
    while (count + 1 < wanted && ws_thread_start(&helpers[count], help, walk, STACK_SIZE)) count++;
    if (count + 1 > walk->thread_count) walk->thread_count = count + 1;
    return count;
}

/* The work of one thread: it takes units from the queue until none is left. */
static void
work(ws_walk *walk, bool leads)
{
    ws_thread helpers[WS_WALK_THREADS_MAXIMUM];
    uint32_t helper_count = 0;
    void *block = NULL;

    ws_mutex_lock(&walk->lock);
    while (!is_over(walk)) {
        if (leads) helper_count = get_helpers(walk, helpers, helper_count);
        if (work_once(walk, &block)) continue;
        if (walk->active == 0) break;
        ws_condition_wait(&walk->changed, &walk->lock, UINT32_MAX);
    }
    ws_condition_broadcast(&walk->changed);
    ws_mutex_unlock(&walk->lock);
    free(block);
    for (uint32_t i = 0; i < helper_count; i++) ws_thread_join(helpers[i]);
}

/* After a cancellation claims are void. Each row shows by itself what it still lacks. */
static bool
queue_unfinished(ws_walk *walk)
{
    walk->row_queue_first = walk->row_queue_count = 0;
    for (uint32_t number = 0; number < walk->folder_count; number++) {
        ws_walk_folder *folder = walk->folders[number];
        if (!folder->listed) continue;
        folder->rows_queued = false;
        folder->claimed = 0;
        /* a closed folder can only lack what is below it */
        if (folder->opened == WS_FOLDER_NONE || !lacks_rows(&folder->listing)) settle(walk, number);
        else if (!queue_rows(walk, number)) return false;
    }
    return true;
}

int
ws_walk_run(ws_walk *walk)
{
    walk->active = 0;
    walk->thread_count = 1;
    if (!queue_unfinished(walk)) return ENOMEM;
    work(walk, true);
    if (walk->out_of_memory) return ENOMEM;
    return ws_is_set(&walk->cancelled) && !walk->failed ? EINTR : 0;
}
