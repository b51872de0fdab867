/* Answers look-ups; see feature_index.h. The order of a search is Ruby's (rb_find_file_ext in file.c): all entries are
 * tried for one extension before any is tried for the next. So there is one pass for each extension. A pass takes the
 * first entry that is known to hold the name, and then asks the entries before it of which too little is known. */
#include "core/index/feature_index_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/index/real_folders.h"

#include "core/index/scanner.h"

/* Among the application's own folders there are some into which each boot writes. More changes than these are worth a
 * new index, which believes the folders again. */
#define OWN_CHANGES_MAXIMUM 16u

static const char *const reason_names[WS_FEATURE_REASON_COUNT] = {
    "found",        "load_path",     "not_canonical",        "unknown_feature", "absent",
    "opaque_entry", "unknown_entry", "many_unknown_entries", "too_long",        "folder_changed"
};

/* ---- Making one ---- */

/* Allocates one zeroed block. The arrays with the widest rows come first, so that each array is aligned. */
static bool
allocate_states(ws_feature_index *index)
{
    const ws_index_tables *tables = &index->tables;
    size_t words = (size_t)tables->entry_count * 2 + tables->holder_count + tables->name_count;
    size_t size = tables->directory_count * sizeof *index->directories + words * sizeof(uint32_t) +
                  (size_t)tables->name_count + (size_t)tables->entry_count * 2 + tables->holder_count;
    index->block = calloc(1, size);
    if (!index->block) return false;
    index->directories = index->block;
    index->positions = (uint32_t *)(index->directories + tables->directory_count);
    index->root_holders = index->positions + tables->entry_count;
    index->watches = (int32_t *)(index->root_holders + tables->entry_count);
    index->name_watches = index->watches + tables->holder_count;
    index->name_checks = (uint8_t *)(index->name_watches + tables->name_count);
    index->entry_checks = index->name_checks + tables->name_count;
    index->kept = index->entry_checks + tables->entry_count;
    index->holder_checks = index->kept + tables->entry_count;
    memset(index->watches, 0xff, ((size_t)tables->holder_count + tables->name_count) * sizeof *index->watches);
    return true;
}

static void
find_root_holders(ws_feature_index *index)
{
    const ws_index_directory *root = &index->tables.directories[0];
    memset(index->root_holders, 0xff, index->tables.entry_count * sizeof *index->root_holders);
    for (uint32_t i = root->holder_first; i < root->holder_first + root->holder_count; i++) {
        index->root_holders[index->tables.holders[i].load_path_entry] = i;
    }
}

ws_feature_index *
ws_feature_index_new(const ws_segment *segment, bool sealed, const char *dlext, ws_error *error)
{
    ws_index_tables tables;
    if (ws_index_tables_load(&tables, segment, error) != WS_OK) return NULL;
    size_t dlext_size = strlen(dlext);
    ws_feature_index *index = calloc(1, sizeof *index);
    if (!index || dlext_size + 2 > sizeof index->library_suffix) goto failed;
    index->tables = tables;
    index->rules = ws_path_rules_native();
    index->sealed = sealed;
    index->library_suffix[0] = '.';
    memcpy(index->library_suffix + 1, dlext, dlext_size);
    index->library_suffix_size = dlext_size + 1;
    ws_real_folders_forget();
    if (!allocate_states(index)) goto failed;
    find_root_holders(index);
    return index;

failed:
    ws_error_set(error, WS_MEMORY, ENOMEM, "load path index", NULL);
    ws_feature_index_free(index);
    return NULL;
}

void
ws_feature_index_free(ws_feature_index *index)
{
    if (!index) return;
    free(index->block);
    free(index->asks);
    free(index->text);
    free(index->unknown);
    free(index);
}

/* ---- Looking up ---- */

/* The part of a search that looks for one extension. */
typedef struct search_pass {
    const char *stem;
    size_t stem_size;
    const char *suffix;
    size_t suffix_size;
    const ws_directory_state *directory;
} search_pass;

/* Of the entries that held the name when the index was made, the one that comes first in the load path. UINT32_MAX:
 * none did. It does not matter whether its folder has changed: the caller looks at the file, and if the file is still
 * there, the answer is right. */
static uint32_t
first_holder(const ws_feature_index *index, uint32_t first, uint32_t count)
{
    uint32_t best = UINT32_MAX, best_position = WS_POSITION_NONE;
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t entry = index->tables.lists[i];
        if (index->positions[entry] >= best_position) continue;
        best = entry;
        best_position = index->positions[entry];
    }
    return best;
}

/* Asks one entry for the name. WS_FEATURE_CLEAR: there is nothing. If there is anything, or an error that may hide
 * something, Ruby has to decide. */
static ws_feature_reason
ask_one(ws_feature_index *index, const search_pass *pass, const char *directory, size_t directory_size)
{
    ws_stat stat;
    size_t size = ws_index_path(index->candidate, sizeof index->candidate, directory, directory_size, pass->stem,
                                pass->stem_size, pass->suffix, pass->suffix_size);
    if (size == 0) return WS_FEATURE_TOO_LONG;
    index->counters.ask_calls++;
    int error_number = ws_file_stat(index->candidate, &stat);
    return error_number == ENOENT || error_number == ENOTDIR ? WS_FEATURE_CLEAR : WS_FEATURE_UNKNOWN_ENTRY;
}

/* May the entries before `limit` be asked? WS_FEATURE_CLEAR: yes. They are counted before the first call is made. */
static ws_feature_reason
may_ask(const ws_feature_index *index, const search_pass *pass, uint32_t limit)
{
    const ws_directory_state *directory = pass->directory;
    uint32_t count = 0;
    for (uint32_t i = 0; i < index->ask_count && index->asks[i].position < limit; i++, count++) {
        if (index->asks[i].kind == WS_ASK_OPAQUE) return WS_FEATURE_OPAQUE_ENTRY;
    }
    for (uint32_t i = 0; i < directory->unknown_count; i++) {
        count += index->positions[index->unknown[directory->unknown_first + i]] < limit;
    }
    return count > WS_FEATURE_ASK_MAXIMUM ? WS_FEATURE_MANY_UNKNOWN_ENTRIES : WS_FEATURE_CLEAR;
}

/* Asks all entries before `limit` of which too little is known. WS_FEATURE_CLEAR: none of them has the name. */
static ws_feature_reason
ask_in_front(ws_feature_index *index, const search_pass *pass, uint32_t limit)
{
    const ws_directory_state *directory = pass->directory;
    ws_feature_reason reason = may_ask(index, pass, limit);
    for (uint32_t i = 0; reason == WS_FEATURE_CLEAR && i < index->ask_count && index->asks[i].position < limit; i++) {
        reason = ask_one(index, pass, index->asks[i].bytes, index->asks[i].size);
    }
    for (uint32_t i = 0; reason == WS_FEATURE_CLEAR && i < directory->unknown_count; i++) {
        uint32_t entry = index->unknown[directory->unknown_first + i];
        if (index->positions[entry] >= limit) continue;
        reason = ask_one(index, pass, ws_index_tables_expanded(&index->tables, entry),
                         index->tables.entries[entry].expanded_size);
    }
    return reason;
}

static ws_feature_answer
left_to_ruby(ws_feature_reason reason)
{
    return (ws_feature_answer){ .answer = WS_ANSWER_SEARCH, .reason = reason_names[reason] };
}

/* Makes the answer for a search that found an entry. */
static ws_feature_answer
answer(const ws_feature_index *index, const search_pass *pass, ws_answer kind, uint32_t entry, char *path,
       size_t path_capacity)
{
    size_t size = ws_index_path(path, path_capacity, ws_index_tables_expanded(&index->tables, entry),
                                index->tables.entries[entry].expanded_size, pass->stem, pass->stem_size, pass->suffix,
                                pass->suffix_size);

    if (size == 0) return left_to_ruby(WS_FEATURE_TOO_LONG);
    return (ws_feature_answer){ .answer = kind, .reason = reason_names[WS_FEATURE_CLEAR], .path_size = size };
}

/* Makes both passes for a stem that the index knows. *entry: the entry that holds it, if the reason is
 * WS_FEATURE_CLEAR. */
static ws_feature_reason
search(ws_feature_index *index, const ws_index_feature *feature, ws_extension extension, search_pass *pass,
       uint32_t *entry, ws_answer *kind)
{
    const ws_directory_state *directory = pass->directory;
    uint32_t rb = UINT32_MAX, library = UINT32_MAX;
    if (directory->unknown_count > WS_FEATURE_ASK_MAXIMUM) return WS_FEATURE_MANY_UNKNOWN_ENTRIES;
    if (extension != WS_EXTENSION_LIBRARY) rb = first_holder(index, feature->list_first, feature->rb_count);
    if (extension != WS_EXTENSION_RB && rb == UINT32_MAX) {
        library = first_holder(index, feature->list_first + feature->rb_count, feature->library_count);
    }
    if (rb == UINT32_MAX && library == UINT32_MAX) return WS_FEATURE_ABSENT;

    if (extension != WS_EXTENSION_LIBRARY) {
        pass->suffix = ".rb";
        pass->suffix_size = 3;
        *entry = rb;
        *kind = WS_ANSWER_RB;
        ws_feature_reason reason =
            ask_in_front(index, pass, rb == UINT32_MAX ? WS_POSITION_NONE : index->positions[rb]);
        if (reason != WS_FEATURE_CLEAR || rb != UINT32_MAX) return reason;
    }
    pass->suffix = index->library_suffix;
    pass->suffix_size = index->library_suffix_size;
    *entry = library;
    *kind = WS_ANSWER_LIBRARY;
    return ask_in_front(index, pass, index->positions[library]);
}

/* Finds a canonical name whose stem the index knows. */
static ws_feature_answer
find_stem(ws_feature_index *index, const ws_index_feature *feature, ws_extension extension, search_pass *pass,
          char *path, size_t path_capacity)
{
    uint32_t entry = UINT32_MAX;
    ws_answer kind = WS_ANSWER_SEARCH;

    ws_index_settle(index, feature->directory);
    pass->directory = &index->directories[feature->directory];
    ws_feature_reason reason = search(index, feature, extension, pass, &entry, &kind);
    if (reason != WS_FEATURE_CLEAR) return left_to_ruby(reason);
    uint32_t before = kind == WS_ANSWER_RB ? index->positions[entry] : WS_POSITION_NONE;
    if (ws_index_looks_each_time(index) && !ws_index_still_stands(index, feature->directory, before))
        return left_to_ruby(WS_FEATURE_CHANGED);
    return answer(index, pass, kind, entry, path, path_capacity);
}

ws_feature_answer
ws_feature_index_find(ws_feature_index *index, const char *feature, size_t size, char *path, size_t path_capacity)
{
    ws_feature_name name;

    if (!index->load_path_known) return left_to_ruby(WS_FEATURE_LOAD_PATH);
    if (!index->rules->feature_name(feature, size, index->library_suffix + 1, &name))
        return left_to_ruby(WS_FEATURE_NOT_CANONICAL);
    char folded[WS_INDEX_NAME_MAXIMUM + 1];
    uint32_t number = ws_index_tables_feature(
        &index->tables, ws_index_fold(index->rules, feature, name.stem_size, folded), name.stem_size);
    if (number == UINT32_MAX) return left_to_ruby(WS_FEATURE_UNKNOWN);

    search_pass pass = { .stem = feature, .stem_size = name.stem_size };
    return find_stem(index, &index->tables.features[number], name.extension, &pass, path, path_capacity);
}

/* The deepest folder above the name that the index knows. A name that this folder does not hold is nowhere. The search
 * through the folders is linear, because a boot asks for only a few names that are not in the index. */
static uint32_t
nearest_directory(const ws_feature_index *index, const char *feature, size_t size)
{
    while (size > 0 && feature[size - 1] != '/') size--;
    for (; size > 1;) {
        size--; /* removes the slash */
        for (uint32_t i = 1; i < index->tables.directory_count; i++) {
            const ws_index_directory *directory = &index->tables.directories[i];
            if (directory->name_size != size) continue;
            const char *name = ws_segment_string(index->tables.segment, directory->name_offset, directory->name_size);
            if (name && memcmp(name, feature, size) == 0) return i;
        }
        while (size > 0 && feature[size - 1] != '/') size--;
    }
    return 0;
}

/* What the index knows about a name without an extension. `known`: its row of FEATURES, or NULL. */
typedef struct plain_stem {
    const ws_index_feature *known;
    uint32_t directory;
} plain_stem;

static bool
find_plain_stem(const ws_feature_index *index, const char *feature, size_t size, plain_stem *stem)
{
    ws_feature_name name;
    if (!index->load_path_known || !index->rules->feature_name(feature, size, index->library_suffix + 1, &name))
        return false;
    if (name.extension != WS_EXTENSION_NONE) return false;
    if (!ws_scan_covers(feature, size)) return false; /* the index has no names like ".x" */
    char buffer[WS_INDEX_NAME_MAXIMUM + 1];
    const char *folded = ws_index_fold(index->rules, feature, size, buffer);
    uint32_t number = ws_index_tables_feature(&index->tables, folded, size);
    stem->known = number == UINT32_MAX ? NULL : &index->tables.features[number];
    stem->directory = stem->known ? stem->known->directory : nearest_directory(index, folded, size);
    return true;
}

/* Settles the stem's folder. false: too many entries would have to be asked. */
static bool
begin_pass(ws_feature_index *index, const plain_stem *stem, search_pass *pass)
{
    ws_index_settle(index, stem->directory);
    pass->directory = &index->directories[stem->directory];
    return pass->directory->unknown_count <= WS_FEATURE_ASK_MAXIMUM;
}

/* Is it certain that no entry of the present load path holds the stem with this suffix? Asks the entries of which too
 * little is known. */
static bool
nobody_has(ws_feature_index *index, search_pass *pass, const char *suffix, size_t suffix_size)
{
    pass->suffix = suffix;
    pass->suffix_size = suffix_size;
    return ask_in_front(index, pass, WS_POSITION_NONE) == WS_FEATURE_CLEAR;
}

bool
ws_feature_index_lacks_rb(ws_feature_index *index, const char *feature, size_t size)
{
    search_pass pass = { .stem = feature, .stem_size = size };
    plain_stem stem;
    if (!find_plain_stem(index, feature, size, &stem)) return false;
    if (stem.known && first_holder(index, stem.known->list_first, stem.known->rb_count) != UINT32_MAX) return false;
    return begin_pass(index, &stem, &pass) && nobody_has(index, &pass, ".rb", 3) &&
           (!ws_index_looks_each_time(index) || ws_index_still_stands(index, stem.directory, WS_POSITION_NONE));
}

bool
ws_feature_index_knows_missing(const ws_feature_index *index, const char *feature, size_t size)
{
    plain_stem stem;
    return find_plain_stem(index, feature, size, &stem) && stem.known && ws_index_is_missing(stem.known);
}

bool
ws_feature_index_lacks(ws_feature_index *index, const char *feature, size_t size)
{
    search_pass pass = { .stem = feature, .stem_size = size };
    plain_stem stem;
    if (!find_plain_stem(index, feature, size, &stem) || !stem.known || !ws_index_is_missing(stem.known)) return false;
    return begin_pass(index, &stem, &pass) && nobody_has(index, &pass, ".rb", 3) &&
           nobody_has(index, &pass, index->library_suffix, index->library_suffix_size) &&
           ws_index_still_stands(index, stem.directory, WS_POSITION_NONE);
}

/* ---- Looking back ---- */

bool
ws_feature_index_outdated(const ws_feature_index *index)
{
    if (index->changed || index->own_changes > OWN_CHANGES_MAXIMUM) return true;
    for (uint32_t i = 0; i < index->ask_count; i++) {
        const ws_ask *ask = &index->asks[i];
        ws_stat stat;
        /* A folder that does not exist cannot be indexed. Without this test it would make every boot write a new
         * index. */
        bool unindexed = ask->kind == WS_ASK_UNINDEXED || (ask->kind == WS_ASK_OPAQUE && ask->bytes);
        if (unindexed && ws_file_stat(ask->bytes, &stat) == 0 && stat.type == WS_TYPE_DIRECTORY) return true;
    }
    return false;
}

const ws_feature_index_counters *
ws_feature_index_counters_get(const ws_feature_index *index)
{
    return &index->counters;
}
