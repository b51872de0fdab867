/* Finds out which folders of the index are still as the image says. Who calls: ws_feature_index_find, through
 * ws_index_settle, before it concludes anything about a name in a folder.
 *
 * That a name is absent from a folder follows from that folder's mtime; that a whole sub-folder is absent follows from
 * its parent's mtime. So all folders from the root down to the one in question are compared, in each stable entry of
 * the present load path. An entry with a difference in one folder is believed neither there nor below. Each comparison
 * is made once and remembered (holder_checks). The entries that are not believed are kept as a list for each folder and
 * load path. Most lists are empty, and a folder inherits its parent's list without copying it.
 *
 * Words: a holder is one folder of one load-path entry. It stands if it is as the image says, and then what the index
 * says of it is believed. A folder is settled when the list of the entries that are unknown there has been made. */
#include "core/index/feature_index_internal.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/vector.h"
#include "core/index/real_folders.h"
#include "core/system/clock.h"

#define TOO_MANY (WS_FEATURE_ASK_MAXIMUM + 1)

static bool
counts_as_stable(const ws_feature_index *index, uint32_t entry)
{
    return index->sealed || (index->tables.entries[entry].flags & WS_LOAD_PATH_STABLE);
}

/* Changes in an application's own folders are normal and do not make the index outdated, unless they are many. */
static void
note_change(ws_feature_index *index, uint32_t entry)
{
    if (counts_as_stable(index, entry)) index->changed = true;
    else index->own_changes++;
}

static void
remember(ws_feature_index *index, uint32_t holder, bool same)
{
    index->holder_checks[holder] = same ? WS_CHECK_SAME : WS_CHECK_CHANGED;
    if (!same) note_change(index, index->tables.holders[holder].load_path_entry);
}

/* A folder that was not read tells nothing. If it has times, it was only too young, and another try is worthwhile. */
static void
note_unread(ws_feature_index *index, const ws_index_holder *holder)
{
    if (holder->mtime != 0 && !index->sealed) note_change(index, holder->load_path_entry);
}

/* Begins to watch the folder in index->candidate. false: what is known about it from before does not count. */
static bool
watch(ws_feature_index *index, uint32_t holder)
{
    bool changed = false;
    index->watches[holder] = index->watching ? ws_watch_folder(index->candidate, &changed) : WS_NOT_WATCHED;
    return !changed;
}

/* The kernel does not hear what other machines do in the folder in index->candidate. */
static void
unwatch_if_remote(ws_feature_index *index, uint32_t number, const ws_stat *stat)
{
    if (index->watches[number] != WS_NOT_WATCHED && ws_watch_is_remote(index->candidate, stat->device))
        index->watches[number] = WS_NOT_WATCHED;
}

/* An application's own folder is only believed while it is watched, and if no link leads to it, which could lead
 * elsewhere later. */
static bool
is_same_and_watched(const ws_feature_index *index, uint32_t number, const ws_stat *stat)
{
    const ws_index_holder *holder = &index->tables.holders[number];
    if (!counts_as_stable(index, holder->load_path_entry) &&
        (index->watches[number] == WS_NOT_WATCHED || stat->is_link))
        return false;
    return ws_index_holder_is_same(&index->tables, holder, stat);
}

/* Is the folder on disk as the index says? now: looks at it at this moment. Otherwise what validation ahead of use has
 * found out in this boot is good enough. */
static bool
stands(ws_feature_index *index, const ws_index_directory *directory, uint32_t number, bool now)
{
    const ws_index_holder *holder = &index->tables.holders[number];
    const ws_load_path_entry *entry = &index->tables.entries[holder->load_path_entry];
    const char *name = ws_segment_string(index->tables.segment, directory->name_offset, directory->name_size);
    size_t size = name ? ws_index_path(index->candidate, sizeof index->candidate,
                                       ws_index_tables_expanded(&index->tables, holder->load_path_entry),
                                       entry->expanded_size, name, directory->name_size, "", 0)
                       : 0;
    ws_stat stat;
    if (size == 0) return false;
    index->counters.folder_calls++;
    if (now)
        return ws_file_stat(index->candidate, &stat) == 0 && ws_index_holder_is_same(&index->tables, holder, &stat);
    bool exists = (watch(index, number) ? ws_ahead_stat(index->candidate, WS_AHEAD_FOLDER, &stat)
                                        : ws_file_stat_named(index->candidate, &stat)) == 0;
    ws_real_folder_note(index->candidate, size, exists && stat.type == WS_TYPE_DIRECTORY && !stat.is_link);
    if (!exists) return false;
    unwatch_if_remote(index, number, &stat);
    return is_same_and_watched(index, number, &stat);
}

static bool
is_believed(ws_feature_index *index, const ws_index_directory *directory, uint32_t number)
{
    const ws_index_holder *holder = &index->tables.holders[number];
    if (holder->flags & WS_HOLDER_UNREAD) {
        note_unread(index, holder);
        return false;
    }
    if (index->sealed) return true;
    if (index->holder_checks[number] == WS_CHECK_UNDONE)
        remember(index, number, stands(index, directory, number, false));
    return index->holder_checks[number] == WS_CHECK_SAME;
}

void
ws_index_settle_root(ws_feature_index *index, uint32_t entry, const ws_stat *stat)
{
    uint32_t number = index->root_holders[entry];
    if (number == UINT32_MAX || index->holder_checks[number] != WS_CHECK_UNDONE) return;
    const ws_index_holder *holder = &index->tables.holders[number];
    if (holder->flags & WS_HOLDER_UNREAD) return;
    /* An entry that is always asked is not believed for its folders' times either. */
    if (ws_index_is_always_asked(index, entry)) return;
    remember(index, number, ws_index_holder_is_same(&index->tables, holder, stat));
}

bool
ws_index_watch_entry(ws_feature_index *index, uint32_t entry)
{
    const char *path = ws_index_tables_expanded(&index->tables, entry);
    size_t size = index->tables.entries[entry].expanded_size;
    uint32_t number = index->root_holders[entry];

    index->kept[entry] = 0;
    if (!index->watching || number == UINT32_MAX || size >= sizeof index->candidate) return true;
    memcpy(index->candidate, path, size);
    index->candidate[size] = '\0';
    bool comparable = watch(index, number);
    if (index->watches[number] == WS_NOT_WATCHED) return true;
    index->kept[entry] = !counts_as_stable(index, entry) && !index->tables.portable && ws_watch_place(path, size);
    return comparable;
}

void
ws_index_drop_watch(ws_feature_index *index, uint32_t entry)
{
    uint32_t number = index->root_holders[entry];
    if (number != UINT32_MAX) index->watches[number] = WS_NOT_WATCHED;
    index->kept[entry] = 0;
}

/* A folder is another one than was believed. Each list of entries that are not believed is made anew. */
static void
undo(ws_feature_index *index, uint32_t holder)
{
    index->holder_checks[holder] = WS_CHECK_UNDONE;
    index->epoch++;
    index->unknown_count = 0;
}

void
ws_index_undo_watched(ws_feature_index *index, int number)
{
    for (uint32_t i = 0; i < index->tables.holder_count; i++)
        if (index->watches[i] == number) undo(index, i);
}

bool
ws_index_looks_each_time(const ws_feature_index *index)
{
#ifdef __linux__
    return !index->watching && !index->sealed && index->load_path_size <= WS_SHORT_LOAD_PATH;
#else
    (void)index;
    return false;
#endif
}

static bool
is_listed(const ws_feature_index *index, const ws_directory_state *state, uint32_t entry)
{
    for (uint32_t i = 0; i < state->unknown_count; i++) {
        if (index->unknown[state->unknown_first + i] == entry) return true;
    }
    return false;
}

static bool
add_unknown(ws_feature_index *index, uint32_t entry)
{
    if (!WS_RESERVE(index->unknown, index->unknown_capacity, index->unknown_count + 1)) return false;
    index->unknown[index->unknown_count++] = entry;
    return true;
}

/* Settles one folder, whose parent is settled. It shares the parent's list, or has a longer one of its own. */
static void
settle_one(ws_feature_index *index, uint32_t number)
{
    const ws_index_directory *directory = &index->tables.directories[number];
    ws_directory_state parent = { .unknown_count = 0 }, *state = &index->directories[number];
    uint32_t first = index->unknown_count, own = 0;
    bool fine = true;
    if (number > 0) parent = index->directories[directory->parent];
    *state = parent;
    state->epoch = index->epoch;
    if (parent.unknown_count > WS_FEATURE_ASK_MAXIMUM) return;
    for (uint32_t i = 0; i < parent.unknown_count && fine; i++)
        fine = add_unknown(index, index->unknown[parent.unknown_first + i]);
    for (uint32_t i = directory->holder_first; i < directory->holder_first + directory->holder_count && fine; i++) {
        uint32_t entry = index->tables.holders[i].load_path_entry;
        if (index->positions[entry] == WS_POSITION_NONE || ws_index_is_always_asked(index, entry)) continue;
        if (is_listed(index, &parent, entry) || is_believed(index, directory, i)) continue;
        fine = parent.unknown_count + ++own <= WS_FEATURE_ASK_MAXIMUM && add_unknown(index, entry);
    }
    if (!fine) state->unknown_count = TOO_MANY; /* Ruby has to search for everything in this folder */
    else if (own == 0) index->unknown_count = first;
    else {
        state->unknown_first = first;
        state->unknown_count += own;
    }
}

void
ws_index_settle(ws_feature_index *index, uint32_t directory)
{
    uint32_t chain[WS_INDEX_NAME_MAXIMUM + 1];
    uint32_t depth = 0;
    while (index->directories[directory].epoch != index->epoch) {
        chain[depth++] = directory;
        if (directory == 0) break;
        directory = index->tables.directories[directory].parent;
    }
    while (depth > 0) settle_one(index, chain[--depth]);
}

bool
ws_index_still_stands(ws_feature_index *index, uint32_t directory, uint32_t limit)
{
    if (index->sealed) return true;
    uint8_t *seen = calloc(index->tables.entry_count, 1);
    bool same = seen != NULL;
    for (;; directory = index->tables.directories[directory].parent) {
        const ws_index_directory *folder = &index->tables.directories[directory];
        for (uint32_t i = folder->holder_first; same && i < folder->holder_first + folder->holder_count; i++) {
            uint32_t entry = index->tables.holders[i].load_path_entry;
            if (index->positions[entry] >= limit || ws_index_is_always_asked(index, entry)) continue;
            if (seen[entry] || is_listed(index, &index->directories[directory], entry)) continue;
            seen[entry] = 1;
            same = index->watches[i] != WS_NOT_WATCHED || stands(index, folder, i, true);
            if (!same) undo(index, i);
        }
        if (!same || directory == 0) break;
    }
    free(seen);
    return same;
}
