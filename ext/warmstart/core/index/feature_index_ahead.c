/* Predicts the metadata calls that the index will make, for validation ahead of use (validation_ahead.h). It lists only
 * stable entries, whose folders do not change during a boot. An application's own folders are looked at when they are
 * used. */
#include "core/index/feature_index_internal.h"

#include <string.h>

static bool
is_stable(const ws_feature_index *index, uint32_t entry)
{
    const ws_load_path_entry *row = &index->tables.entries[entry];
    return (row->flags & WS_LOAD_PATH_STABLE) && !(row->flags & WS_LOAD_PATH_MISSING);
}

/* Adds each folder of the entry's path, which is_without_detour in feature_index_load_path.c will look at. */
static bool
add_entry(const ws_feature_index *index, uint32_t entry, ws_ahead_list *list)
{
    const char *path = ws_index_tables_expanded(&index->tables, entry);
    size_t size = index->tables.entries[entry].expanded_size;

    for (size_t end = 1; end <= size; end++) {
        if ((end == size || path[end] == '/') && !ws_ahead_add(list, WS_AHEAD_LINK, path, end)) return false;
    }
    return true;
}

bool
ws_feature_index_ahead_entries(const ws_feature_index *index, ws_ahead_list *list)
{
    for (uint32_t entry = 0; entry < index->tables.entry_count; entry++) {
        if (is_stable(index, entry) && !add_entry(index, entry, list)) return false;
    }
    return true;
}

static bool
add_folder(const ws_feature_index *index, uint32_t number, ws_ahead_list *list)
{
    const ws_index_tables *tables = &index->tables;
    const ws_index_directory *directory = &tables->directories[number];
    const char *name = ws_segment_string(tables->segment, directory->name_offset, directory->name_size);
    char path[WS_CANDIDATE_CAPACITY];

    for (uint32_t i = directory->holder_first; name && i < directory->holder_first + directory->holder_count; i++) {
        const ws_index_holder *holder = &tables->holders[i];
        uint32_t entry = holder->load_path_entry;
        if (!is_stable(index, entry) || (holder->flags & WS_HOLDER_UNREAD) ||
            index->holder_checks[i] != WS_CHECK_UNDONE)
            continue;
        size_t size = ws_index_path(path, sizeof path, ws_index_tables_expanded(tables, entry),
                                    tables->entries[entry].expanded_size, name, directory->name_size, "", 0);
        if (size > 0 && !ws_ahead_add(list, WS_AHEAD_FOLDER, path, size)) return false;
    }
    return true;
}

/* Adds folders from the root down, the order in which ws_index_settle needs them. The entries' own folders are settled
 * together with the entries, except in a portable image. */
bool
ws_feature_index_ahead_folders(const ws_feature_index *index, const char *stem, size_t size, uint8_t *seen,
                               ws_ahead_list *list)
{
    uint32_t chain[WS_INDEX_NAME_MAXIMUM + 1], depth = 0, feature = ws_index_tables_feature(&index->tables, stem, size);

    if (feature == UINT32_MAX) return true;
    for (uint32_t number = index->tables.features[feature].directory; !seen[number];
         number = index->tables.directories[number].parent) {
        seen[number] = 1;
        if (number > 0 || index->tables.portable) chain[depth++] = number;
    }
    while (depth > 0) {
        if (!add_folder(index, chain[--depth], list)) return false;
    }
    return true;
}

uint32_t
ws_feature_index_folder_count(const ws_feature_index *index)
{
    return index->tables.directory_count;
}

bool
ws_feature_index_is_stable(const ws_feature_index *index, uint32_t entry, const char **expanded, size_t *size)
{
    *expanded = ws_index_tables_expanded(&index->tables, entry);
    *size = index->tables.entries[entry].expanded_size;
    return is_stable(index, entry);
}

uint32_t
ws_feature_index_entry_count(const ws_feature_index *index)
{
    return index->tables.entry_count;
}
