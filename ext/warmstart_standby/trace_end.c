/* Condenses a trace at the end of a boot; see ws_trace_condense. A boot asks for most files several times, searches
 * for many in vain, and looks for links in each part of a path. All of that is compared before each command, so there
 * is one entry for each thing that has to be true, and no more. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace.h"

/* A list of entries. Those that are made here have memory of their own, which lasts as long as the process. */
typedef struct ws_entries {
    ws_asked **at;
    size_t count, room;
    bool failed;
} ws_entries;

/* Takes NULL for what there was no memory for. */
static void
add(ws_entries *entries, ws_asked *entry)
{
    if (entries->count == entries->room) {
        size_t room = entries->room ? 2 * entries->room : 1024;
        ws_asked **grown = realloc(entries->at, room * sizeof *grown);
        if (grown) entries->room = room;
        if (grown) entries->at = grown;
    }
    if (!entry || entries->count == entries->room) entries->failed = true;
    else entries->at[entries->count++] = entry;
}

static ws_asked *
make(ws_asked model, const char *name, size_t name_size)
{
    size_t size = (sizeof model + name_size + 2 + 7) & ~(size_t)7;
    ws_asked *entry = calloc(1, size);
    if (!entry) return NULL;
    *entry = model;
    entry->size = (uint32_t)size;
    entry->name_size = (uint32_t)name_size;
    memcpy(entry->texts, name, name_size);
    return entry;
}

static bool
is_below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    return size > 0 && strncmp(path, folder, size) == 0 && (path[size] == '/' || !path[size]);
}

/* ---- real paths ---- */

/* A path that is its own real path has no link in it: each folder of it is none. (Folders that paths share then have
 * one entry.) */
static bool
add_parts(ws_entries *entries, const ws_asked *asked)
{
    const char *path = asked->texts;
    if (asked->error || *path != '/' || !path[1] || strcmp(path, ws_asked_answer(asked)) != 0) return false;
    ws_asked model = { .what = WS_ASKED_READLINK, .error = EINVAL, .asked = asked->asked };
    for (size_t size = 1; path[size - 1]; size++) {
        size += strcspn(path + size, "/");
        add(entries, make(model, path, size));
    }
    return true;
}

/* ---- what another entry says as well ---- */

static int
by_path(const void *one, const void *other)
{
    return strcmp((*(ws_asked *const *)one)->texts, (*(ws_asked *const *)other)->texts);
}

static bool
has_same_metadata(const ws_asked *a, const ws_asked *b)
{
    return a->mode == b->mode && a->owner == b->owner && a->group == b->group && a->device == b->device &&
           a->inode == b->inode && a->bytes == b->bytes && a->modified == b->modified && a->changed == b->changed;
}

/* Whether an entry of the same path says everything that this one says. What a path itself is, if that is no link, is
 * also what it leads to (path_resolution(7)), and readlink(2) of it is EINVAL. */
static bool
says_all(const ws_asked *other, const ws_asked *entry)
{
    bool same_answer = other->error == entry->error && other->answer_size == entry->answer_size &&
                       memcmp(ws_asked_answer(other), ws_asked_answer(entry), entry->answer_size) == 0;
    if (other->what == entry->what && has_same_metadata(other, entry) && same_answer) return true;
    bool itself = other->what == WS_ASKED_LSTAT && !other->error && !S_ISLNK(other->mode);
    if (itself && entry->what == WS_ASKED_READLINK && entry->error == EINVAL) return true;
    if (other->error || entry->error || !has_same_metadata(other, entry)) return false;
    if (entry->what == WS_ASKED_OPEN) return itself;
    return entry->what == WS_ASKED_STAT && (itself || other->what == WS_ASKED_OPEN || other->what == WS_ASKED_LIST);
}

/* What stays is as old as the oldest question that it answers: whether a file was changed just before it was asked for
 * is decided by the first time. If answers differ, both stay, and the trace is never true: the file has changed
 * meanwhile. */
static void
drop_needless(ws_entries *entries)
{
    size_t kept = 0;
    qsort(entries->at, entries->count, sizeof *entries->at, by_path);
    for (size_t i = 0, next; i < entries->count; i = next) {
        for (next = i + 1; next < entries->count && by_path(&entries->at[next], &entries->at[i]) == 0;) next++;
        for (size_t j = i; j < next; j++) {
            ws_asked *entry = entries->at[j], *other = NULL;
            for (size_t k = next; k-- > i && !other;)
                if (k != j && entries->at[k] && says_all(entries->at[k], entry)) other = entries->at[k];
            if (other && entry->asked < other->asked) other->asked = entry->asked;
            if (other) entries->at[j] = NULL;
        }
        for (size_t j = i; j < next; j++)
            if (entries->at[j]) entries->at[kept++] = entries->at[j];
    }
    entries->count = kept;
}

/* ---- files that were not there ---- */

enum { ABSENT_MINIMUM = 3 };

/* The size of the nearest folder above that is there, as part of the path. 0: there is none that a new file would
 * change, for the root tells nothing, and behind a link that leads nowhere the file would come elsewhere. */
static size_t
nearest_folder(const char *path)
{
    char text[PATH_MAX];
    if (snprintf(text, sizeof text, "%s", path) >= PATH_MAX) return 0;
    for (char *end = strrchr(text, '/'); end && end != text; end = strrchr(text, '/')) {
        ws_asked folder = { 0 }, below = { 0 };
        *end = 0;
        ws_asked_fill(&folder, AT_FDCWD, text, 0);
        if (folder.error) continue;
        *end = '/';
        ws_asked_fill(&below, AT_FDCWD, text, AT_SYMLINK_NOFOLLOW);
        return below.error ? (size_t)(end - text) : 0;
    }
    return 0;
}

/* (bytes of what was not there: the size of its folder's name) */
static int
by_folder(const void *one, const void *other)
{
    const ws_asked *a = *(ws_asked *const *)one, *b = *(ws_asked *const *)other;
    int order = memcmp(a->texts, b->texts, a->bytes < b->bytes ? a->bytes : b->bytes);
    if (order) return order;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* Entries of one folder. A folder that has changed since the first of them was asked for tells nothing. */
static void
add_group(ws_entries *entries, ws_asked *const *group, size_t count)
{
    ws_asked folder = { .what = WS_ASKED_ABSENT };
    char name[PATH_MAX];
    uint64_t size = 0, name_size = (*group)->bytes;
    int64_t first = INT64_MAX;
    snprintf(name, sizeof name, "%.*s", (int)name_size, (*group)->texts);
    ws_asked_fill(&folder, AT_FDCWD, name, 0);
    for (size_t i = 0; i < count; i++) {
        size += group[i]->size;
        if (group[i]->asked < first) first = group[i]->asked;
    }
    bool settled = !folder.error && ws_is_settled(folder.changed, first) && ws_is_settled(folder.modified, first) &&
                   ws_folder_times_tell(name);
    if (settled && name_size > 0 && count >= ABSENT_MINIMUM) {
        folder.bytes = size;
        add(entries, make(folder, name, name_size));
    }
    for (size_t i = 0; i < count; i++) add(entries, group[i]);
}

static void
add_absent(ws_entries *entries, ws_entries *absent)
{
    for (size_t i = 0; i < absent->count; i++) absent->at[i]->bytes = nearest_folder(absent->at[i]->texts);
    qsort(absent->at, absent->count, sizeof *absent->at, by_folder);
    for (size_t i = 0, next; i < absent->count; i = next) {
        for (next = i + 1; next < absent->count && by_folder(&absent->at[next], &absent->at[i]) == 0;) next++;
        add_group(entries, absent->at + i, next - i);
    }
}

/* ---- the whole ---- */

static bool
write_entries(ws_trace_header *header, const ws_entries *entries)
{
    size_t size = 0;
    for (size_t i = 0; i < entries->count; i++) size += entries->at[i]->size;
    char *text = size <= WS_TRACE_ROOM - sizeof *header ? malloc(size) : NULL, *end = text;
    if (!text) return false;
    for (size_t i = 0; i < entries->count; i++) {
        memcpy(end, entries->at[i], entries->at[i]->size);
        end += entries->at[i]->size;
    }
    memcpy(header + 1, text, size);
    header->used = sizeof *header + size;
    free(text);
    return true;
}

bool
ws_trace_condense(ws_trace_header *header, const char *own_folder)
{
    ws_entries entries = { 0 }, absent = { 0 }, kept = { 0 };
    ws_asked *last = NULL;
    for (ws_asked *entry = NULL; (entry = ws_asked_next(header, entry)); last = entry) {
        if (entry->own && is_below(entry->texts, own_folder)) continue;
        entry->own = 0;
        if (entry->what != WS_ASKED_REALPATH || !add_parts(&entries, entry)) add(&entries, entry);
    }
    if (!ws_asked_is_last(header, last)) return false; /* another thread is about to write one */
    drop_needless(&entries);
    for (size_t i = 0; i < entries.count; i++) add(entries.at[i]->error == ENOENT ? &absent : &kept, entries.at[i]);
    add_absent(&kept, &absent);
    bool whole = !entries.failed && !absent.failed && !kept.failed && write_entries(header, &kept);
    free(entries.at);
    free(absent.at);
    free(kept.at);
    return whole;
}
