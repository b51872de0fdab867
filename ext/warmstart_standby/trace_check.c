/* Compares a trace with what is true now, by asking the same again in this process. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static __thread char difference[PATH_MAX + 256];

static const char *
say(const char *name, const char *what)
{
    snprintf(difference, sizeof difference, "%s: %s", name, what);
    return difference;
}

/* The kernel makes the contents of these up when they are read, and their times with them. (Some links in /proc lead to
 * ordinary files.) */
static bool
is_made_up(const char *path)
{
    return (strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0) && !ws_folder_times_tell(path);
}

/* Whether it is about the process that asks, and about no descriptor of it, which the client has as well. */
static bool
is_of_process(const char *path)
{
    static const char SELF[] = "/proc/self/";
    return strncmp(path, SELF, sizeof SELF - 1) == 0 && strncmp(path + sizeof SELF - 1, "fd/", 3) != 0;
}

static const char *
check_metadata(const ws_asked *asked)
{
    ws_asked now = { .what = asked->what };
    ws_asked_fill(&now, AT_FDCWD, asked->texts, asked->what == WS_ASKED_LSTAT ? AT_SYMLINK_NOFOLLOW : 0);
    if (now.error != asked->error && asked->what == WS_ASKED_OPEN && !now.error) {
        int fd = open(asked->texts, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0) close(fd);
        else now.error = (uint16_t)errno;
    }
    if (now.error != asked->error)
        return say(asked->texts, !now.error ? "is there now" : !asked->error ? strerror(now.error) : "another error");
    if (asked->error) return NULL;
    if ((now.mode & S_IFMT) != (asked->mode & S_IFMT)) return say(asked->texts, "is of another type");
    if (is_made_up(asked->texts)) return NULL;
    if (now.mode != asked->mode || now.owner != asked->owner || now.group != asked->group)
        return say(asked->texts, "has another mode or owner");
    if (now.device != asked->device || now.inode != asked->inode) return say(asked->texts, "is another file");
    if (asked->what == WS_ASKED_SAME) return NULL;
    /* (Nothing in the folder was asked for. That it was asked for its times cannot be told from whether it is there.)
     */
    bool folder = S_ISDIR(asked->mode);
    if (folder && asked->what != WS_ASKED_LIST) return NULL;
    if (!folder && !S_ISREG(asked->mode) && !S_ISLNK(asked->mode)) return NULL; /* a terminal, /dev/null, a socket */
    if ((!folder && now.bytes != asked->bytes) || now.modified != asked->modified || now.changed != asked->changed)
        return say(asked->texts, "has changed");
    if (asked->answer_size > 0) { /* (the folder's times tell nothing) */
        uint64_t names = ws_digest_names(asked->texts);
        if (memcmp(ws_asked_answer(asked), &names, sizeof names) != 0) return say(asked->texts, "has changed");
    }
    else if (!ws_is_settled(asked->changed, asked->asked))
        return say(asked->texts, "was changed just before it was read");
    return NULL;
}

static const char *
check_path(const ws_asked *asked)
{
    char answer[PATH_MAX];
    int error = 0;
    ssize_t size = 0;
    if (asked->what == WS_ASKED_ACCESS) error = access(asked->texts, (int)asked->mode) ? errno : 0;
    else if (asked->what == WS_ASKED_REALPATH) {
        if (realpath(asked->texts, answer)) size = (ssize_t)strlen(answer);
        else error = errno;
    }
    else {
        size = readlink(asked->texts, answer, sizeof answer);
        if (size < 0) error = errno;
    }
    if (error != asked->error) return say(asked->texts, error ? strerror(error) : "is there now");
    if (!error && asked->what != WS_ASKED_ACCESS && !is_made_up(asked->texts) &&
        ((size_t)size != asked->answer_size || memcmp(answer, ws_asked_answer(asked), asked->answer_size) != 0))
        return say(asked->texts, "leads elsewhere");
    return NULL;
}

/* A name that comes or goes changes its folder's times. */
static bool
is_same_folder(const ws_asked *asked)
{
    ws_asked now = { .what = asked->what };
    ws_asked_fill(&now, AT_FDCWD, asked->texts, 0);
    return !now.error && now.mode == asked->mode && now.device == asked->device && now.inode == asked->inode &&
           now.modified == asked->modified && now.changed == asked->changed;
}

/* ---- parts: an entry, or a folder with the entries after it that it stands for ---- */

static ws_asked *
end_of(ws_asked *asked)
{
    char *end = (char *)asked + asked->size;
    return (ws_asked *)(asked->what == WS_ASKED_ABSENT ? end + asked->bytes : end);
}

static const char *
check_part(ws_asked *part)
{
    const ws_asked *end = end_of(part);
    if (part->what == WS_ASKED_ABSENT && is_same_folder(part)) return NULL;
    for (ws_asked *asked = part; asked < end; asked = (ws_asked *)((char *)asked + asked->size)) {
        const char *found = NULL;
        if (asked->what == WS_ASKED_ABSENT || is_of_process(asked->texts)) continue;
        if (asked->what <= WS_ASKED_LIST || asked->what == WS_ASKED_SAME) found = check_metadata(asked);
        else found = check_path(asked);
        if (found) return found;
    }
    return NULL;
}

/* Returns the number of parts, or 0 if the trace is damaged. */
static size_t
count_parts(ws_trace_header *header)
{
    size_t count = 0;
    ws_asked *last = NULL, *end = (ws_asked *)(header + 1);
    for (ws_asked *asked = NULL; (asked = ws_asked_next(header, asked)); last = asked) {
        if (asked < end) continue; /* it belongs to the folder before it */
        if (asked != end || (asked->what == WS_ASKED_ABSENT && asked->bytes > header->used)) return 0;
        end = end_of(asked);
        count++;
    }
    bool whole = ws_asked_is_last(header, last) && (char *)end == (char *)header + header->used;
    return whole ? count : 0;
}

/* What several threads compare. Each takes the next parts until there are none, or until something differs. */
typedef struct ws_checking {
    _Atomic(ws_asked *) next, differing; /* differing: the first part known to differ, or end */
    ws_asked *end;
} ws_checking;

enum { PARTS_AT_ONCE = 64, THREADS_MAXIMUM = 4, PARTS_FOR_A_THREAD = 1024 };

static void *
check_parts(void *data)
{
    ws_checking *checking = data;
    for (ws_asked *at = checking->next; at < checking->differing; at = checking->next) {
        ws_asked *end = at;
        for (int i = 0; i < PARTS_AT_ONCE && end < checking->end; i++) end = end_of(end);
        if (!atomic_compare_exchange_strong(&checking->next, &at, end)) continue;
        while (at < end && !check_part(at)) at = end_of(at);
        ws_asked *known = checking->differing;
        while (at < end && at < known && !atomic_compare_exchange_weak(&checking->differing, &known, at)) continue;
    }
    return NULL;
}

/* Every signal is the first thread's, which passes it on to the command. */
static void
check_in_threads(ws_checking *checking, size_t count)
{
    pthread_t threads[THREADS_MAXIMUM];
    int started = 0;
    cpu_set_t processors;
    sigset_t all, before;
    int more = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) - 1 : 0;
    if (more > THREADS_MAXIMUM) more = THREADS_MAXIMUM;
    if (more > (int)(count / PARTS_FOR_A_THREAD)) more = (int)(count / PARTS_FOR_A_THREAD);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < more && pthread_create(&threads[started], NULL, check_parts, checking) == 0) started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    check_parts(checking);
    while (started > 0) pthread_join(threads[--started], NULL);
}

const char *
ws_trace_check(ws_trace_header *header)
{
    if (header->overflow || __atomic_load_n(&header->state, __ATOMIC_ACQUIRE) == WS_TRACE_BOOTING)
        return "it is not complete";
    size_t count = count_parts(header);
    if (count == 0) return "its trace is damaged";
    ws_asked *end = (ws_asked *)((char *)header + header->used);
    ws_checking checking = { .next = (ws_asked *)(header + 1), .differing = end, .end = end };
    check_in_threads(&checking, count);
    if (checking.differing == end) return NULL;
    const char *found = check_part(checking.differing);
    return found ? found : "something changed while it was looked at";
}
