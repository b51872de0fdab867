/* Condenses a record at the end of a boot; see ws_record_condense. A boot asks for most files several times, searches
 * for many in vain, and looks for links in each part of a path. All of that is compared before each command, so there
 * is one entry for each thing that has to be true, and no more. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record.h"

/* A list of entries. Those that are made here have memory of their own, which lasts as long as the process. */
typedef struct ws_entries {
    ws_asked **at;
    size_t count, room;
    bool failed;
} ws_entries;

static void
add(ws_entries *entries, ws_asked *entry)
{
    if (entries->count == entries->room) {
        size_t room = entries->room ? 2 * entries->room : 1024;
        ws_asked **grown = realloc(entries->at, room * sizeof *grown);
        if (!grown) {
            entries->failed = true;
            return;
        }
        entries->at = grown;
        entries->room = room;
    }
    entries->at[entries->count++] = entry;
}

static ws_asked *
make(ws_entries *entries, ws_asked model, const char *name, size_t name_size)
{
    size_t size = (sizeof model + name_size + 2 + 7) & ~(size_t)7;
    ws_asked *entry = calloc(1, size);
    if (!entry) {
        entries->failed = true;
        return NULL;
    }
    *entry = model;
    entry->size = (uint32_t)size;
    entry->name_size = (uint32_t)name_size;
    entry->answer_size = 0;
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
    for (size_t size = 1; path[size - 1];) {
        size += strcspn(path + size, "/");
        ws_asked *entry = make(entries, model, path, size);
        if (entry) add(entries, entry);
        if (path[size]) size++;
        else break;
    }
    return true;
}

/* ---- what stands twice ---- */

/* By path, then by what was asked, then by time. */
static int
compare(const void *one, const void *other)
{
    const ws_asked *a = *(ws_asked *const *)one, *b = *(ws_asked *const *)other;
    int order = strcmp(a->texts, b->texts);
    if (order) return order;
    if (a->what != b->what) return a->what < b->what ? -1 : 1;
    if (a->mode != b->mode && a->what == WS_ASKED_ACCESS) return a->mode < b->mode ? -1 : 1;
    return a->asked < b->asked ? -1 : a->asked > b->asked;
}

static bool
is_same(const ws_asked *a, const ws_asked *b)
{
    return a->what == b->what && a->error == b->error && a->mode == b->mode && a->owner == b->owner &&
           a->group == b->group && a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
           a->modified == b->modified && a->changed == b->changed && a->answer_size == b->answer_size &&
           strcmp(a->texts, b->texts) == 0 && memcmp(ws_asked_answer(a), ws_asked_answer(b), a->answer_size) == 0;
}

/* If the answers are the same, the first one stays: whether a file was changed just before it was asked for is decided
 * by the first time. If they differ, both stay, and the record is never true: the file has changed meanwhile. */
static void
drop_repeated(ws_entries *entries)
{
    size_t kept = 0;
    qsort(entries->at, entries->count, sizeof *entries->at, compare);
    for (size_t i = 0; i < entries->count; i++)
        if (kept == 0 || !is_same(entries->at[kept - 1], entries->at[i])) entries->at[kept++] = entries->at[i];
    entries->count = kept;
}

/* ---- what another entry says as well ---- */

static bool
has_same_metadata(const ws_asked *a, const ws_asked *b)
{
    return !a->error && !b->error && a->mode == b->mode && a->owner == b->owner && a->group == b->group &&
           a->device == b->device && a->inode == b->inode && a->bytes == b->bytes && a->modified == b->modified &&
           a->changed == b->changed;
}

/* The entry of these, all of one path, that says everything that the given one says. What a path itself is, if that is
 * no link, is also what it leads to (path_resolution(7)), and readlink(2) of it is EINVAL. */
static ws_asked *
find_stronger(ws_asked *const *of_path, size_t count, const ws_asked *entry)
{
    for (size_t i = 0; i < count; i++) {
        ws_asked *other = of_path[i];
        if (!other || other == entry) continue;
        bool itself = other->what == WS_ASKED_LSTAT && !other->error && !S_ISLNK(other->mode);
        bool metadata = entry->what == WS_ASKED_STAT || entry->what == WS_ASKED_OPEN;
        if (itself && entry->what == WS_ASKED_READLINK && entry->error == EINVAL) return other;
        if (!metadata || !has_same_metadata(entry, other)) continue;
        if (itself || (entry->what == WS_ASKED_STAT && (other->what == WS_ASKED_OPEN || other->what == WS_ASKED_LIST)))
            return other;
    }
    return NULL;
}

/* (What stays is as old as the oldest question that it answers.) */
static void
drop_implied(ws_entries *entries)
{
    size_t kept = 0;
    for (size_t i = 0, next; i < entries->count; i = next) {
        for (next = i + 1; next < entries->count && strcmp(entries->at[next]->texts, entries->at[i]->texts) == 0;)
            next++;
        for (size_t j = i; j < next; j++) {
            ws_asked *entry = entries->at[j], *stronger = find_stronger(entries->at + i, next - i, entry);
            if (stronger && entry->asked < stronger->asked) stronger->asked = entry->asked;
            if (stronger) entries->at[j] = NULL;
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
nearest_folder(const char *path, ws_asked *folder)
{
    char text[PATH_MAX];
    size_t size = strlen(path);
    if (size >= sizeof text) return 0;
    memcpy(text, path, size + 1);
    for (;;) {
        char *end = strrchr(text, '/');
        if (!end || end == text) return 0;
        *end = 0;
        *folder = (ws_asked){ .what = WS_ASKED_ABSENT };
        ws_asked_fill(folder, AT_FDCWD, text, 0);
        if (!folder->error) {
            *end = '/';
            ws_asked below = { .what = WS_ASKED_LSTAT };
            ws_asked_fill(&below, AT_FDCWD, text, AT_SYMLINK_NOFOLLOW);
            return below.error ? (size_t)(end - text) : 0;
        }
    }
}

typedef struct ws_absence {
    ws_asked *entry;
    size_t folder; /* size of the folder's name, which the entry's name begins with */
} ws_absence;

static int
by_folder(const void *one, const void *other)
{
    const ws_absence *a = one, *b = other;
    size_t size = a->folder < b->folder ? a->folder : b->folder;
    int order = memcmp(a->entry->texts, b->entry->texts, size);
    if (order) return order;
    if (a->folder != b->folder) return a->folder < b->folder ? -1 : 1;
    return strcmp(a->entry->texts, b->entry->texts);
}

/* Entries of one folder. A folder that has changed since the first of them was asked for tells nothing. */
static void
add_group(ws_entries *entries, const ws_absence *group, size_t count)
{
    ws_asked folder = { .what = WS_ASKED_ABSENT };
    char name[PATH_MAX];
    uint64_t size = 0;
    int64_t first = INT64_MAX;
    memcpy(name, group->entry->texts, group->folder);
    name[group->folder] = 0;
    ws_asked_fill(&folder, AT_FDCWD, name, 0);
    for (size_t i = 0; i < count; i++) {
        size += group[i].entry->size;
        if (group[i].entry->asked < first) first = group[i].entry->asked;
    }
    bool settled = !folder.error && folder.changed < first - WS_TICK && folder.modified < first - WS_TICK;
    if (settled && group->folder > 0 && count >= ABSENT_MINIMUM) {
        folder.bytes = size;
        ws_asked *entry = make(entries, folder, name, group->folder);
        if (entry) add(entries, entry);
    }
    for (size_t i = 0; i < count; i++) add(entries, group[i].entry);
}

static void
group_absent(ws_entries *entries, ws_absence *absent, size_t count)
{
    qsort(absent, count, sizeof *absent, by_folder);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && absent[next].folder == absent[i].folder &&
                           memcmp(absent[next].entry->texts, absent[i].entry->texts, absent[i].folder) == 0;)
            next++;
        add_group(entries, absent + i, next - i);
    }
}

/* ---- the whole ---- */

bool
ws_record_condense(ws_record_header *header, const char *own_folder)
{
    ws_entries entries = { 0 }, kept = { 0 };
    ws_asked *last = NULL;
    for (ws_asked *entry = NULL; (entry = ws_asked_next(header, entry)); last = entry) {
        if (entry->own && is_below(entry->texts, own_folder)) continue;
        entry->own = 0;
        if (entry->what != WS_ASKED_REALPATH || !add_parts(&entries, entry)) add(&entries, entry);
    }
    if (!ws_asked_is_last(header, last)) return false; /* another thread is about to write one */
    drop_repeated(&entries);
    drop_implied(&entries);
    ws_absence *absent = malloc((entries.count + 1) * sizeof *absent);
    size_t absences = 0, size = 0;
    for (size_t i = 0; absent && i < entries.count; i++) {
        ws_asked folder;
        if (entries.at[i]->error == ENOENT)
            absent[absences++] = (ws_absence){ entries.at[i], nearest_folder(entries.at[i]->texts, &folder) };
        else add(&kept, entries.at[i]);
    }
    if (absent) group_absent(&kept, absent, absences);
    char *text = malloc(WS_RECORD_ROOM);
    bool whole = absent && text && !entries.failed && !kept.failed;
    for (size_t i = 0; whole && i < kept.count; i++) {
        whole = size + kept.at[i]->size <= WS_RECORD_ROOM - sizeof *header;
        if (whole) memcpy(text + size, kept.at[i], kept.at[i]->size);
        if (whole) size += kept.at[i]->size;
    }
    if (whole) memcpy(header + 1, text, size);
    if (whole) header->used = sizeof *header + size;
    free(absent);
    free(text);
    free(entries.at);
    free(kept.at);
    return whole;
}
