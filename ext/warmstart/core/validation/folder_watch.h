/* Tells which folders have changed since they were looked at, without a look at each (inotify(7), Linux only).
 *
 * The kernel queues an event before the system call that has changed a folder returns, whoever made the call. So one
 * look at the queue answers for all folders: what the program or a child that it has waited for has written by now is
 * seen. A folder must be watched before it is looked at. What is not told: the changes that another machine makes to a
 * remote file system, so folders there are not watched, and a file system that is mounted over a folder.
 *
 * A user has few queues (128), and a folder that is watched costs the kernel memory. So a process has one queue, which
 * is open while it boots. It is not opened where another limit is near, and a fork's child has none. Without a queue
 * nothing counts as watched.
 *
 * Who calls: core/index/ watches; the governor begins and ends it, because it notices pauses, and the end of the boot
 * ends it, too. Called with the GVL, but for ws_watch_ahead. */
#ifndef WARMSTART_CORE_FOLDER_WATCH_H
#define WARMSTART_CORE_FOLDER_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_NOT_WATCHED (-1)

/* Allows a queue, which is opened when the first folder is watched. Whoever allows it ends it. */
void ws_watch_begin(void);
/* Closes the queue. The next ws_watch_next says WS_WATCH_LOST. */
void ws_watch_end(void);

/* Is there a queue, or will there be one? */
bool ws_watch_is_possible(void);

/* Watches the names in a folder, and that it stays where it is, but not its rights and times. Returns the watch's
 * number, the same for each name of one folder, or WS_NOT_WATCHED. *changed: an event for it has come before. */
int ws_watch_folder(const char *path, bool *changed);
/* Watches that each folder of an expanded absolute path stays where it is. false: one cannot be watched, or is a link.
 */
bool ws_watch_place(const char *path, size_t size);
/* The same as ws_watch_folder, for a thread that will look at the folder before anybody relies on the watch. */
void ws_watch_ahead(const char *path);

typedef enum ws_watch_news {
    WS_WATCH_QUIET,   /* no watched folder has changed since the last call */
    WS_WATCH_CHANGED, /* this one has; call again */
    WS_WATCH_LOST /* a folder has gone, or the queue is closed: nothing that was known by watching is known any more.
                   * A new queue may be opened */
} ws_watch_news;
ws_watch_news ws_watch_next(int *number);

/* Is the file system one whose changes the kernel may not know? Asked once for each device. */
bool ws_watch_is_remote(const char *path, uint64_t device);

#endif
