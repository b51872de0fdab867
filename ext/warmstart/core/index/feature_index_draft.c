/* The rows of an index under construction; see feature_index_draft.h. */
#include "core/index/feature_index_draft.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/vector.h"

void
ws_index_draft_free(ws_index_draft *draft)
{
    ws_string_pool_free(&draft->expanded);
    ws_string_pool_free(&draft->givens);
    ws_string_pool_free(&draft->directories);
    ws_string_pool_free(&draft->stems);
    free(draft->entries);
    free(draft->names);
    free(draft->holders);
    free(draft->presences);
    free(draft->missing);
    free(draft->order);
}

bool
ws_index_draft_entry(ws_index_draft *draft, const ws_draft_entry *entry)
{
    if (!WS_RESERVE(draft->entries, draft->entry_capacity, draft->entry_count + 1)) return false;
    draft->entries[draft->entry_count++] = *entry;
    return true;
}

bool
ws_index_draft_name(ws_index_draft *draft, uint32_t given, uint32_t entry)
{
    if (!WS_RESERVE(draft->names, draft->name_capacity, draft->name_count + 1)) return false;
    draft->names[draft->name_count++] = (ws_draft_name){ .given = given, .entry = entry };
    draft->entries[entry].name_count++;
    return true;
}

size_t
ws_index_parent_size(const char *name, size_t size)
{
    while (size > 0 && name[size - 1] != '/') size--;
    return size > 0 ? size - 1 : 0;
}

/* Returns the folder's number. Its ancestors get numbers too, because the layout relies on them. */
static uint32_t
intern_folder(ws_index_draft *draft, const char *name, size_t size)
{
    uint32_t known = draft->directories.count;
    uint32_t number = ws_string_pool_intern(&draft->directories, name, size);

    for (bool is_new = number == known; number != UINT32_MAX && is_new && size > 0;) {
        size = ws_index_parent_size(name, size);
        known = draft->directories.count;
        uint32_t parent = ws_string_pool_intern(&draft->directories, name, size);
        if (parent == UINT32_MAX) return UINT32_MAX;
        is_new = parent == known;
    }
    return number;
}

bool
ws_index_draft_holder(ws_index_draft *draft, const char *directory, size_t size, const ws_index_holder *row)
{
    if (!WS_RESERVE(draft->holders, draft->holder_capacity, draft->holder_count + 1)) return false;
    uint32_t number = intern_folder(draft, directory, size);
    if (number == UINT32_MAX) return false;
    draft->holders[draft->holder_count++] = (ws_draft_holder){ .directory = number, .row = *row };
    return true;
}

bool
ws_index_draft_presence(ws_index_draft *draft, const char *stem, size_t size, uint32_t entry, bool library)
{
    if (!WS_RESERVE(draft->presences, draft->presence_capacity, draft->presence_count + 1)) return false;
    uint32_t number = ws_string_pool_intern(&draft->stems, stem, size);
    uint32_t folder = intern_folder(draft, stem, ws_index_parent_size(stem, size));
    if (number == UINT32_MAX || folder == UINT32_MAX) return false;
    draft->presences[draft->presence_count++] =
        (ws_draft_presence){ .stem = number, .entry = entry, .library = library };
    return true;
}

bool
ws_index_draft_missing(ws_index_draft *draft, const char *stem, size_t size)
{
    if (draft->missing_count >= WS_INDEX_MISSING_MAXIMUM) return true;
    if (!WS_RESERVE(draft->missing, draft->missing_capacity, draft->missing_count + 1)) return false;
    uint32_t number = ws_string_pool_intern(&draft->stems, stem, size);
    uint32_t folder = intern_folder(draft, stem, ws_index_parent_size(stem, size));
    if (number == UINT32_MAX || folder == UINT32_MAX) return false;
    draft->missing[draft->missing_count++] = number;
    return true;
}
