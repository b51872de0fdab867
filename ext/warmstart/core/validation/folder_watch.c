/* Watches folders: see folder_watch.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "core/validation/folder_watch.h"

#ifdef __linux__

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/bytes/vector.h"
#include "core/system/file.h"
#include "core/system/thread.h"

/* What makes a name appear in a folder, or makes the folder another one. (rmdir tells the folder itself only when
 * nobody has it open any more, but tells its parent at once.)
 *
 * Not IN_ATTRIB. A folder's rights and times decide nothing: only the absence of names is concluded, from a listing
 * that was allowed, and no right makes a name appear; whether a file that is there may be read is asked of the file.
 * And it is an event of children, too, so the kernel goes through all that it knows of each folder's children when the
 * watch is added (fsnotify_set_children_dentry_flags), which takes thirteen times as long. */
#define NAMES (IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MOVE_SELF | IN_DELETE_SELF)
/* What makes a path lead elsewhere. */
#define PLACE (IN_MOVED_FROM | IN_DELETE | IN_MOVE_SELF | IN_DELETE_SELF)
#define GONE (IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT | IN_IGNORED | IN_Q_OVERFLOW)

#define LOWEST_DESCRIPTOR 256 /* out of the way of the program's own, whose numbers stay as they are */
#define QUEUES_LEFT 8
#define BEGINNINGS 3 /* a program in which folders keep going has all of them looked at again each time */
#define PATH_CAPACITY 4096u
#define DEVICES_MAXIMUM 16u

/* OFF: there is no queue. ALLOWED: there will be one when it is needed. OPEN. LOST: closed, and nobody was told yet. */
typedef enum watch_phase { OFF, ALLOWED, OPEN, LOST } watch_phase;

/* What is known of a watch. path: of a place, else NULL. */
typedef struct watched {
    char *path;
    bool changed;
} watched;

static struct {
    watch_phase phase;
    watched *all; /* by number */
    uint32_t count, most;
    size_t capacity;
    uint32_t again;                 /* how often it may still be opened again, after a folder has gone */
    char last_place[PATH_CAPACITY]; /* was watched last, so that what the next one has in common with it is not again */
    char events[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
    size_t event_at, event_end;
    uint64_t devices[DEVICES_MAXIMUM];
    bool remote[DEVICES_MAXIMUM];
    uint32_t device_count;
    int queue;          /* its descriptor, or -1 */
    ws_mutex lock;      /* keeps the queue open while another thread uses it */
    bool ends_in_forks; /* leave_after_fork is told of each fork */
} watch = { .queue = -1, .lock = WS_MUTEX_INITIALIZER };

/* ---- The queue ---- */

/* Folders that this process may watch: a quarter of what its user may, who has other programs. */
static uint32_t
most_watches(void)
{
    char text[32];
    long most = 0;
    int descriptor = open("/proc/sys/fs/inotify/max_user_watches", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t size = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    if (size > 0) {
        text[size] = '\0';
        most = strtol(text, NULL, 10) / 4;
    }
    return most < 0 ? 0 : most > INT32_MAX ? INT32_MAX : (uint32_t)most;
}

/* Runs in a fork's child, perhaps in the middle of anything. The queue is the parent's: who reads from it takes the
 * parent's events. */
static void
leave_after_fork(void)
{
    ws_mutex_init(&watch.lock);
    if (watch.queue >= 0) close(watch.queue);
    watch.queue = -1;
    watch.phase = watch.phase == OPEN || watch.phase == LOST ? LOST : OFF;
    watch.again = 0;
}

/* A user who has so few left may need them. */
static bool
are_queues_left(void)
{
    int others[QUEUES_LEFT], count = 0;
    while (count < QUEUES_LEFT && (others[count] = inotify_init1(IN_CLOEXEC)) >= 0) count++;
    bool enough = count == QUEUES_LEFT;
    while (count > 0) close(others[--count]);
    return enough;
}

static bool
open_queue(void)
{
    watch.phase = OFF;
    watch.most = most_watches();
    if (watch.most == 0 || !are_queues_left()) return false;
    int low = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (low < 0) return false;
    watch.queue = fcntl(low, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
    close(low);
    if (watch.queue < 0) return false;
    if (!watch.ends_in_forks) ws_thread_after_fork(leave_after_fork);
    watch.ends_in_forks = true;
    watch.count = 0; /* (what a fork's child has inherited is not released) */
    watch.last_place[0] = '\0';
    watch.event_at = watch.event_end = 0;
    watch.phase = OPEN;
    return true;
}

static void
close_queue(void)
{
    ws_mutex_lock(&watch.lock);
    if (watch.queue >= 0) close(watch.queue);
    watch.queue = -1;
    ws_mutex_unlock(&watch.lock);
}

static void
lose(void)
{
    close_queue();
    for (uint32_t i = 0; i < watch.count; i++) free(watch.all[i].path);
    free(watch.all);
    watch.all = NULL;
    watch.count = 0;
    watch.capacity = 0;
    watch.last_place[0] = '\0';
    watch.phase = LOST;
}

void
ws_watch_begin(void)
{
    if (watch.phase == OFF) watch.phase = ALLOWED;
    watch.again = BEGINNINGS - 1;
}

void
ws_watch_end(void)
{
    if (watch.phase == OPEN) lose();
    if (watch.phase == ALLOWED) watch.phase = OFF;
    watch.again = 0;
}

/* ---- Adding ---- */

/* The kernel numbers the folders from 1. */
static bool
make_room(int number)
{
    if (number < 0 || (uint32_t)number >= watch.most) return false;
    size_t needed = (size_t)number + 1;
    if (needed <= watch.count) return true;
    if (!WS_RESERVE(watch.all, watch.capacity, needed)) return false;
    memset(watch.all + watch.count, 0, (needed - watch.count) * sizeof *watch.all);
    watch.count = (uint32_t)needed;
    return true;
}

static int
add(const char *path, uint32_t events)
{
    if (watch.phase != OPEN && (watch.phase != ALLOWED || !open_queue())) return WS_NOT_WATCHED;
    int number = inotify_add_watch(watch.queue, path, events | IN_ONLYDIR | IN_MASK_ADD);
    if (number < 0) return WS_NOT_WATCHED;
    if (make_room(number)) return number;
    lose();
    return WS_NOT_WATCHED;
}

int
ws_watch_folder(const char *path, bool *changed)
{
    int number = add(path, NAMES);
    *changed = number != WS_NOT_WATCHED && watch.all[number].changed;
    return number;
}

void
ws_watch_ahead(const char *path)
{
    ws_mutex_lock(&watch.lock);
    if (watch.queue >= 0) inotify_add_watch(watch.queue, path, NAMES | IN_ONLYDIR | IN_MASK_ADD);
    ws_mutex_unlock(&watch.lock);
}

static bool
add_place(const char *path)
{
    int number = add(path, PLACE | IN_DONT_FOLLOW);
    if (number == WS_NOT_WATCHED) return false;
    if (!watch.all[number].path) watch.all[number].path = strdup(path);
    return watch.all[number].path && strcmp(watch.all[number].path, path) == 0;
}

/* How much of the path is watched already, up to a slash. */
static size_t
common_size(const char *path, size_t size)
{
    size_t common = 0;
    for (size_t i = 0; i < size && watch.last_place[i] == path[i]; i++)
        if (path[i] == '/') common = i;
    return common;
}

bool
ws_watch_place(const char *path, size_t size)
{
    char place[PATH_CAPACITY];
    if (size == 0 || size >= sizeof place) return false;
    size_t common = common_size(path, size);
    if (common == 0 && !add_place("/")) return false;
    for (size_t end = common + 1; end <= size; end++) {
        if (end < size && path[end] != '/') continue;
        memcpy(place, path, end);
        place[end] = '\0';
        if (!add_place(place)) return false;
    }
    if (watch.phase == OPEN) memcpy(watch.last_place, place, size + 1);
    return true;
}

/* ---- Events ---- */

/* Is the descriptor still ours? A program may have closed what it does not know, and have opened something else. */
static bool
is_ours(void)
{
    char name[64], target[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", watch.queue);
    ssize_t size = readlink(name, target, sizeof target);
    return size == 18 && memcmp(target, "anon_inode:inotify", 18) == 0;
}

/* Reads what the queue holds. false: there is nothing; then the watch may also be lost. */
static bool
fill(void)
{
    int bytes = 0;
    watch.event_at = watch.event_end = 0;
    if (ioctl(watch.queue, FIONREAD, &bytes) == 0 && bytes == 0) return false;
    if (!is_ours()) {
        watch.queue = -1; /* it is not ours to close */
        lose();
        return false;
    }
    ssize_t size = read(watch.queue, watch.events, sizeof watch.events);
    if (size <= 0) {
        lose();
        return false;
    }
    watch.event_end = (size_t)size;
    return true;
}

/* Is this name in that place a folder of a watched path? */
static bool
is_on_the_way(int number, const char *name)
{
    char path[PATH_CAPACITY];
    const char *parent = watch.all[number].path;
    if (!parent) return false;
    int size = snprintf(path, sizeof path, "%s/%s", parent[1] == '\0' ? "" : parent, name);
    for (uint32_t i = 0; size > 0 && i < watch.count; i++)
        if (watch.all[i].path && strcmp(watch.all[i].path, path) == 0) return true;
    return false;
}

/* What an event means. A name that has gone changes nothing, because only the absence of names is concluded. */
static ws_watch_news
judge(const struct inotify_event *event)
{
    /* (A number that is new belongs to a folder that a thread watches, and that nobody has asked for yet.) */
    if ((event->mask & GONE) || !make_room(event->wd)) return WS_WATCH_LOST;
    if ((event->mask & IN_ISDIR) && (event->mask & (IN_MOVED_FROM | IN_DELETE)) &&
        is_on_the_way(event->wd, event->name))
        return WS_WATCH_LOST;
    if (!(event->mask & (IN_CREATE | IN_MOVED_TO))) return WS_WATCH_QUIET;
    watch.all[event->wd].changed = true;
    return WS_WATCH_CHANGED;
}

ws_watch_news
ws_watch_next(int *number)
{
    while (watch.phase == OPEN && (watch.event_at < watch.event_end || fill())) {
        const struct inotify_event *event = (const struct inotify_event *)(watch.events + watch.event_at);
        watch.event_at += sizeof *event + event->len;
        *number = event->wd;
        ws_watch_news news = judge(event);
        if (news == WS_WATCH_CHANGED) return news;
        if (news == WS_WATCH_LOST) lose();
    }
    if (watch.phase != LOST) return WS_WATCH_QUIET;
    watch.phase = watch.again > 0 ? ALLOWED : OFF;
    if (watch.again > 0) watch.again--;
    return WS_WATCH_LOST;
}

bool
ws_watch_is_possible(void)
{
    return watch.phase == ALLOWED || watch.phase == OPEN;
}

bool
ws_watch_is_remote(const char *path, uint64_t device)
{
    for (uint32_t i = 0; i < watch.device_count; i++)
        if (watch.devices[i] == device) return watch.remote[i];
    bool remote = ws_file_is_remote_path(path);
    if (watch.device_count < DEVICES_MAXIMUM) {
        watch.devices[watch.device_count] = device;
        watch.remote[watch.device_count++] = remote;
    }
    return remote;
}

#else

void
ws_watch_begin(void)
{
}
void
ws_watch_end(void)
{
}
void
ws_watch_ahead(const char *path)
{
    (void)path;
}

int
ws_watch_folder(const char *path, bool *changed)
{
    (void)path;
    *changed = false;
    return WS_NOT_WATCHED;
}

bool
ws_watch_place(const char *path, size_t size)
{
    (void)path;
    (void)size;
    return false;
}

bool
ws_watch_is_possible(void)
{
    return false;
}

ws_watch_news
ws_watch_next(int *number)
{
    (void)number;
    return WS_WATCH_QUIET;
}

bool
ws_watch_is_remote(const char *path, uint64_t device)
{
    (void)path;
    (void)device;
    return true;
}

#endif
