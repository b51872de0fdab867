/* Takes over what an older index knows about load-path entries that are not scanned now, such as another program's or
 * another release's; see feature_index_draft.h. Who calls: ws_feature_index_build, first for the entries, and again for
 * what they hold when it is settled which entries stay. No folder is read here: a look-up validates each folder before
 * it believes it. */
#include "core/index/feature_index_draft.h"

#include <errno.h>
#include <string.h>

#include "core/system/file.h"

static bool
is_same_folder(const ws_index_draft *draft, const ws_load_path_entry *entry, const char *path)
{
    ws_stat stat;

    int error_number = ws_file_stat_path(path, true, &stat);
    if (entry->flags & WS_LOAD_PATH_MISSING) return error_number == ENOENT;
    if (error_number != 0 || stat.type != WS_TYPE_DIRECTORY) return false;
    return draft->portable || ws_stat_is_at(&stat, entry->device, entry->inode);
}

static bool
carry_entry(ws_index_draft *draft, const ws_index_tables *previous, uint32_t row, uint32_t *found)
{
    const ws_load_path_entry *entry = &previous->entries[row];
    const char *expanded = ws_index_tables_expanded(previous, row);
    uint32_t number = ws_string_pool_intern(&draft->expanded, expanded, entry->expanded_size);

    if (number == UINT32_MAX) return false;
    *found = number;
    if (number < draft->entry_count) {
        draft->entries[number].previous = row;
        return true;
    }
    ws_draft_entry carried = { .device = entry->device, .inode = entry->inode, .flags = entry->flags, .previous = row };
    if (!is_same_folder(draft, entry, expanded)) *found = WS_DRAFT_DROPPED;
    return ws_index_draft_entry(draft, &carried);
}

/* Takes over a name of the older index, unless a source has the same name: that may lead elsewhere now. A folder that
 * is a source keeps its other old names. */
static bool
carry_name(ws_index_draft *draft, const ws_index_tables *previous, const ws_load_path_name *name, uint32_t found)
{
    const char *given = previous->segment->strings + name->name_offset;
    uint32_t known = draft->givens.count;

    if (found == WS_DRAFT_DROPPED) return true;
    uint32_t number = ws_string_pool_intern(&draft->givens, given, name->name_size);
    if (number == UINT32_MAX) return false;
    if (number < known) return true;
    bool same = strcmp(given, ws_index_tables_expanded(previous, name->entry)) == 0 ||
                is_same_folder(draft, &previous->entries[name->entry], given);
    return !same || ws_index_draft_name(draft, number, found);
}

bool
ws_index_carry_entries(ws_index_draft *draft, const ws_index_tables *previous, uint32_t *found_of)
{
    for (uint32_t i = 0; i < previous->entry_count; i++) {
        if (!carry_entry(draft, previous, i, &found_of[i])) return false;
    }
    for (uint32_t i = 0; i < previous->name_count; i++) {
        if (!carry_name(draft, previous, &previous->names[i], found_of[previous->names[i].entry])) return false;
    }
    return true;
}

/* The final number of a row of the older LOAD_PATH. WS_DRAFT_DROPPED: the entry's contents come from a scan, or the
 * entry was dropped. */
static uint32_t
carried_as(const ws_index_draft *draft, const uint32_t *found_of, uint32_t row)
{
    uint32_t found = found_of[row];
    return found == WS_DRAFT_DROPPED || draft->entries[found].scanned ? WS_DRAFT_DROPPED : draft->entries[found].final;
}

static bool
carry_directory(ws_index_draft *draft, const ws_index_tables *previous, const ws_index_directory *directory,
                const uint32_t *found_of)
{
    const char *name = ws_segment_string(previous->segment, directory->name_offset, directory->name_size);

    for (uint32_t i = 0; name && i < directory->holder_count; i++) {
        ws_index_holder row = previous->holders[directory->holder_first + i];
        row.load_path_entry = carried_as(draft, found_of, row.load_path_entry);
        if (row.load_path_entry == WS_DRAFT_DROPPED) continue;
        if (!ws_index_draft_holder(draft, name, directory->name_size, &row)) return false;
    }
    return true;
}

static bool
carry_feature(ws_index_draft *draft, const ws_index_tables *previous, const ws_index_feature *feature,
              const uint32_t *found_of)
{
    const char *stem = ws_segment_string(previous->segment, feature->name_offset, feature->name_size);

    if (stem && ws_index_is_missing(feature)) return ws_index_draft_missing(draft, stem, feature->name_size);
    for (uint32_t i = 0; stem && i < feature->rb_count + feature->library_count; i++) {
        uint32_t entry = carried_as(draft, found_of, previous->lists[feature->list_first + i]);
        if (entry == WS_DRAFT_DROPPED) continue;
        if (!ws_index_draft_presence(draft, stem, feature->name_size, entry, i >= feature->rb_count)) return false;
    }
    return true;
}

bool
ws_index_carry_contents(ws_index_draft *draft, const ws_index_tables *previous, const uint32_t *found_of)
{
    for (uint32_t i = 0; i < previous->directory_count; i++) {
        if (!carry_directory(draft, previous, &previous->directories[i], found_of)) return false;
    }
    for (uint32_t i = 0; i < previous->feature_count; i++) {
        if (!carry_feature(draft, previous, &previous->features[i], found_of)) return false;
    }
    return true;
}
