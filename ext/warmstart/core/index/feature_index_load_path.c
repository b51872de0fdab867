/* Follows $LOAD_PATH: gives each known entry its present position, and lists the entries that look-ups must ask. Who
 * calls: ruby/load_path/load_path.c through ws_feature_index_set_load_path, perhaps a hundred times in a boot, each
 * time with the whole array. So what one or two metadata calls have found out about an entry is remembered. */
#include "core/index/feature_index_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/index/real_folders.h"

/* ---- Is a name still the folder that the image means? ---- */

static bool
is_folder(const ws_stat *stat, const ws_load_path_entry *entry)
{
    return stat->type == WS_TYPE_DIRECTORY && ws_stat_is_at(stat, entry->device, entry->inode);
}

/* Is no component of the expanded path a symlink, so that the path is still its own realpath? Device and inode alone do
 * not tell, because a folder above may have been moved and a symlink left in its place. Load-path entries have most of
 * their parent folders in common, and each parent is looked at once (real_folders.h), so this takes about two calls for
 * an entry. */
static bool
is_without_detour(ws_feature_index *index, uint32_t number, ws_stat *stat)
{
    const char *path = ws_index_tables_expanded(&index->tables, number);
    size_t size = index->tables.entries[number].expanded_size;
    if (size >= sizeof index->candidate) return false;
    for (size_t end = 1; end <= size; end++) {
        if (end < size && (path[end] != '/' || ws_real_folder_is_known(path, end))) continue;
        memcpy(index->candidate, path, end);
        index->candidate[end] = '\0';
        index->counters.entry_calls++;
        bool is_folder = ws_ahead_stat(index->candidate, WS_AHEAD_LINK, stat) == 0 && stat->type == WS_TYPE_DIRECTORY;
        ws_real_folder_note(path, end, is_folder);
        if (!is_folder) return false;
    }
    return true;
}

/* Is the entry on a file system whose changes the kernel does not tell? */
static bool
is_remote(const ws_feature_index *index, uint32_t number, const ws_stat *stat)
{
    return ws_watch_is_remote(ws_index_tables_expanded(&index->tables, number), stat->device);
}

static bool
is_entry_same(ws_feature_index *index, uint32_t number)
{
    uint8_t *check = &index->entry_checks[number];
    if (*check == WS_CHECK_UNDONE) {
        ws_stat stat;
        bool comparable = ws_index_watch_entry(index, number);
        bool same = is_without_detour(index, number, &stat) && is_folder(&stat, &index->tables.entries[number]);
        if (index->watching && (!same || is_remote(index, number, &stat))) ws_index_drop_watch(index, number);
        if (same && comparable) ws_index_settle_root(index, number, &stat);
        *check = same ? WS_CHECK_SAME : WS_CHECK_CHANGED;
    }
    return *check == WS_CHECK_SAME;
}

static bool
leads_to_entry(ws_feature_index *index, const char *given, const char *expanded, uint32_t entry)
{
    ws_stat stat;
    if (!is_entry_same(index, entry)) return false;
    if (strcmp(given, expanded) == 0) return true;
    index->counters.entry_calls++;
    return ws_file_stat_path(given, true, &stat) == 0 && is_folder(&stat, &index->tables.entries[entry]);
}

static bool
has_realpath(ws_feature_index *index, const char *given, const char *expanded)
{
    index->counters.entry_calls++;
    char *real = ws_file_real_path(given);
    bool same = real && strcmp(real, expanded) == 0;
    free(real);
    return same;
}

static bool
is_still_missing(ws_feature_index *index, const char *given)
{
    ws_stat stat;
    index->counters.entry_calls++;
    return ws_file_stat(given, &stat) == ENOENT;
}

/* Watches the folder in which a missing one would appear: the deepest above it that exists. */
static int
watch_above(ws_feature_index *index, const char *missing)
{
    size_t size = strlen(missing);
    ws_stat stat;
    bool changed;
    if (!index->watching || size >= sizeof index->candidate) return WS_NOT_WATCHED;
    memcpy(index->candidate, missing, size + 1);
    do {
        while (size > 1 && index->candidate[--size] != '/') continue;
        index->candidate[size > 0 ? size : 1] = '\0';
    } while (size > 0 && ws_file_stat(index->candidate, &stat) != 0);
    return ws_watch_is_remote(index->candidate, stat.device) ? WS_NOT_WATCHED
                                                             : ws_watch_folder(index->candidate, &changed);
}

static const char *
given_name(const ws_index_tables *tables, uint32_t number)
{
    return tables->segment->strings + tables->names[number].name_offset;
}

/* Does a link lead to the entry, or is the name not in its simplest form? Not of a missing one. */
static bool
is_roundabout(const ws_index_tables *tables, uint32_t number)
{
    uint32_t entry = tables->names[number].entry;
    return !(tables->entries[entry].flags & WS_LOAD_PATH_MISSING) &&
           strcmp(given_name(tables, number), ws_index_tables_expanded(tables, entry)) != 0;
}

/* A roundabout name is validated for each load path, because Ruby, too, expands a changed load path anew. */
static bool
is_name_valid(ws_feature_index *index, uint32_t number)
{
    const ws_index_tables *tables = &index->tables;
    uint8_t *check = &index->name_checks[number];
    if (index->sealed) return true;
    if (*check == WS_CHECK_UNDONE || *check == WS_CHECK_LEADS) {
        uint32_t entry = tables->names[number].entry;
        const char *given = given_name(tables, number), *expanded = ws_index_tables_expanded(tables, entry);
        bool missing = tables->entries[entry].flags & WS_LOAD_PATH_MISSING;
        if (missing) index->name_watches[number] = watch_above(index, given);
        bool valid = missing            ? is_still_missing(index, given)
                     : tables->portable ? has_realpath(index, given, expanded)
                                        : leads_to_entry(index, given, expanded, entry);
        *check = !valid ? WS_CHECK_CHANGED : is_roundabout(tables, number) ? WS_CHECK_LEADS : WS_CHECK_SAME;
        if (!valid) index->changed = true;
    }
    return *check != WS_CHECK_CHANGED;
}

/* ---- Placing the items ---- */

/* Makes room for every item's path twice (see push_unindexed), so that addresses into the text stay valid while it is
 * filled. ITEM_ROOM is what the expansion of a path by Windows' rules needs in addition. */
#define ITEM_ROOM 32
static bool
reserve(ws_feature_index *index, const ws_load_path_item *items, size_t count)
{
    size_t text = 0;
    for (size_t i = 0; i < count; i++) text += 2 * (items[i].size + 2) + ITEM_ROOM;
    if (text > index->text_capacity) {
        free(index->text);
        index->text = malloc(text);
        index->text_capacity = index->text ? text : 0;
    }
    if (count * 2 > index->ask_capacity) {
        free(index->asks);
        index->asks = malloc(count * 2 * sizeof *index->asks);
        index->ask_capacity = index->asks ? (uint32_t)(count * 2) : 0;
    }
    return text <= index->text_capacity && count * 2 <= index->ask_capacity;
}

static void
push(ws_feature_index *index, uint32_t position, ws_ask_kind kind, const char *bytes, size_t size)
{
    index->asks[index->ask_count++] =
        (ws_ask){ .position = position, .size = (uint32_t)size, .bytes = bytes, .kind = kind };
}

static const char *
copy(ws_feature_index *index, const char *bytes, size_t size)
{
    char *copied = index->text + index->text_size;
    memcpy(copied, bytes, size);
    copied[size] = '\0';
    index->text_size += size + 1;
    return copied;
}

static bool
is_dot_dot(const char *path, size_t size, size_t at)
{
    return at + 1 < size && path[at] == '.' && path[at + 1] == '.' && (at + 2 == size || path[at + 2] == '/');
}

/* Is there a ".." after a name? Then the system and Ruby may understand the path differently if the folder does not
 * exist: the system follows links, while Ruby removes the name. */
static bool
takes_names_away(const char *path, size_t size)
{
    bool named = false;
    for (size_t at = 0; at < size; at++) {
        if (at > 0 && path[at - 1] != '/') continue;
        if (is_dot_dot(path, size, at)) {
            if (named) return true;
        }
        else if (path[at] != '/' && !(path[at] == '.' && (at + 1 == size || path[at + 1] == '/'))) {
            named = true;
        }
    }
    return false;
}

/* Does no link lead to the item? Ruby keeps the realpath that an item had when it expanded the load path
 * (rb_get_expanded_load_path), and the program may make the link lead elsewhere later, or remove it. As far as folders
 * are missing, Ruby keeps the item's own name. given: the item, NUL-terminated. */
static bool
leads_straight(ws_feature_index *index, const ws_load_path_item *item, const char *given, bool differs)
{
    char current[WS_CANDIDATE_CAPACITY] = "/", *path = index->candidate;
    size_t base = item->kind == WS_LOAD_PATH_RELATIVE ? ws_file_current(current, sizeof current) : 1;
    size_t size = 0;
    ws_stat stat;

    if (base > 0) size = index->rules->expand(path, sizeof index->candidate, item->bytes, item->size, current, base);
    if (size == 0 || size >= sizeof index->candidate) return false;
    path[size] = '\0';
    if (differs && ws_file_stat(given, &stat) == 0 && !has_realpath(index, given, path)) return false;
    while (size > 1 && !ws_is_real_folder(path, size)) {
        path[size] = '\0';
        index->counters.entry_calls++;
        if (ws_file_stat_path(path, false, &stat) != ENOENT) return false;
        while (size > 1 && path[--size] != '/') continue;
    }
    return true;
}

/* Adds an item that is not in the index, or no longer valid there. It is asked under its own name. Once a link led to
 * one, Ruby searches behind all of them, because a link that is gone cannot be told from one that never was. */
static void
push_unindexed(ws_feature_index *index, const ws_load_path_item *item, uint32_t position, ws_ask_kind kind)
{
    bool differs = takes_names_away(item->bytes, item->size);
    const char *given = copy(index, item->bytes, item->size);
    if (item->kind == WS_LOAD_PATH_RELATIVE && differs) {
        push(index, position, WS_ASK_OPAQUE, NULL, 0);
        return;
    }
    index->met_links = index->met_links || !leads_straight(index, item, given, differs);
    if (index->met_links) {
        push(index, position, WS_ASK_OPAQUE, kind == WS_ASK_UNINDEXED ? given : NULL, item->size);
        return;
    }
    push(index, position, kind, given, item->size);
    if (!differs) return;
    /* Both meanings of the path are asked; see takes_names_away. */
    size_t size = index->rules->expand(index->text + index->text_size, item->size + 2 + ITEM_ROOM, item->bytes,
                                       item->size, "/", 1);
    if (size > 0) push(index, position, WS_ASK_OTHER, index->text + index->text_size, size);
    else push(index, position, WS_ASK_OPAQUE, NULL, 0);
    index->text_size += size + 1;
}

/* A folder that is missing is asked, too, while it is neither watched nor believed to stay missing. */
static void
place_missing(ws_feature_index *index, uint32_t name, uint32_t position)
{
    bool is_watched = index->name_watches[name] != WS_NOT_WATCHED;
    const char *given = given_name(&index->tables, name);
    if (!is_watched && (index->watching || ws_index_looks_each_time(index)))
        push(index, position, WS_ASK_OTHER, given, strlen(given));
}

static void
place_entry(ws_feature_index *index, uint32_t entry, uint32_t position)
{
    const ws_index_tables *tables = &index->tables;
    if (index->positions[entry] != WS_POSITION_NONE) return; /* a duplicate is never reached */
    index->positions[entry] = position;
    if (!ws_index_is_always_asked(index, entry)) return;
    push(index, position, WS_ASK_OTHER, ws_index_tables_expanded(tables, entry), tables->entries[entry].expanded_size);
}

static void
place(ws_feature_index *index, const ws_load_path_item *item, uint32_t position)
{
    if (item->kind == WS_LOAD_PATH_OPAQUE || item->size == 0 || memchr(item->bytes, '\0', item->size)) {
        push(index, position, WS_ASK_OPAQUE, NULL, 0);
        return;
    }
    if (item->kind == WS_LOAD_PATH_RELATIVE) {
        push_unindexed(index, item, position, WS_ASK_OTHER);
        return;
    }
    uint32_t name = ws_index_tables_name(&index->tables, item->bytes, item->size);
    if (name == UINT32_MAX) push_unindexed(index, item, position, WS_ASK_UNINDEXED);
    else if (!is_name_valid(index, name)) {
        /* Ruby may have expanded it when a link still led to the folder that the index means, or to another one. */
        if (is_roundabout(&index->tables, name)) push(index, position, WS_ASK_OPAQUE, NULL, 0);
        else push_unindexed(index, item, position, WS_ASK_OTHER);
    }
    else if (index->tables.entries[index->tables.names[name].entry].flags & WS_LOAD_PATH_MISSING)
        place_missing(index, name, position);
    else place_entry(index, index->tables.names[name].entry, position);
}

static bool
should_begin_watching(const ws_feature_index *index, size_t count)
{
    return !index->watching && count > WS_SHORT_LOAD_PATH && !index->sealed && ws_watch_is_possible();
}

bool
ws_feature_index_set_load_path(ws_feature_index *index, const ws_load_path_item *items, size_t count)
{
    index->load_path_known = false;
    index->epoch++;
    index->ask_count = index->unknown_count = 0;
    index->text_size = 0;
    index->load_path_size = count;
    memset(index->positions, 0xff, index->tables.entry_count * sizeof *index->positions);
    if (count >= WS_POSITION_NONE / 2 || !reserve(index, items, count)) return false;
    if (should_begin_watching(index, count)) {
        ws_feature_index_forget(index); /* what was looked at without a watch is looked at again */
        index->watching = true;
    }
    for (size_t i = 0; i < count; i++) place(index, &items[i], (uint32_t)i);
    index->load_path_known = true;
    return true;
}

void
ws_feature_index_forget(ws_feature_index *index)
{
    ws_real_folders_forget();
    if (index->sealed) return;
    /* A name that has once meant another folder is not validated again. Until $LOAD_PATH changes, Ruby uses the paths
     * that it has expanded earlier (rb_get_expanded_load_path), so the name may mean our folder again while Ruby still
     * uses the other one. */
    for (uint32_t i = 0; i < index->tables.name_count; i++)
        if (index->name_checks[i] != WS_CHECK_CHANGED) index->name_checks[i] = WS_CHECK_UNDONE;
    for (uint32_t i = 0; i < index->tables.entry_count; i++)
        if (!index->kept[i]) index->entry_checks[i] = WS_CHECK_UNDONE;
    for (uint32_t i = 0; i < index->tables.holder_count; i++)
        if (index->watches[i] == WS_NOT_WATCHED) index->holder_checks[i] = WS_CHECK_UNDONE;
    index->load_path_known = false;
}

/* The watch is over: nothing that it has kept is known any more. */
static void
stop_watching(ws_feature_index *index)
{
    index->watching = false;
    memset(index->watches, 0xff,
           ((size_t)index->tables.holder_count + index->tables.name_count) * sizeof *index->watches);
    memset(index->kept, 0, index->tables.entry_count);
}

static bool
is_above_missing(const ws_feature_index *index, int number)
{
    for (uint32_t i = 0; i < index->tables.name_count; i++)
        if (index->name_watches[i] == number) return true;
    return false;
}

bool
ws_feature_index_notice(ws_feature_index *index)
{
    bool fine = true;
    int number;
    for (ws_watch_news news; (news = ws_watch_next(&number)) != WS_WATCH_QUIET;) {
        if (news == WS_WATCH_LOST) stop_watching(index);
        else ws_index_undo_watched(index, number);
        if (news == WS_WATCH_LOST || is_above_missing(index, number)) fine = false;
    }
    return fine && !should_begin_watching(index, index->load_path_size);
}
