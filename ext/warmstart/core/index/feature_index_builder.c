/* Makes an index; see feature_index_builder.h. There are three steps: which entries there are (the sources, and those
 * that an older index knows), which number each gets, and what they hold. feature_index_layout.c lays out the result;
 * feature_index_output.c compares and writes it. Who calls: the recorder's writer and `warmstart build`. */
#include "core/index/feature_index_builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/index/feature_index_draft.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "core/path/path.h"
#include "core/index/scanner.h"

typedef struct index_build {
    ws_index_draft draft;
    const ws_index_build_options *options;
    const ws_path_rules *rules;
    ws_index_tables previous; /* empty when there is none, or when only one of the two is portable */
    uint32_t *found_of;       /* row in previous' LOAD_PATH -> found number */
} index_build;

/* ---- Which entries ---- */

static bool
add_expanded(index_build *build, const ws_index_source *source, const char *expanded, const ws_stat *stat)
{
    ws_index_draft *draft = &build->draft;
    uint32_t known = draft->givens.count;
    uint32_t given = ws_string_pool_intern(&draft->givens, source->given, source->given_size);
    uint32_t number = ws_string_pool_intern(&draft->expanded, expanded, strlen(expanded));

    if (given == UINT32_MAX || number == UINT32_MAX) return false;
    if (number == draft->entry_count) {
        ws_draft_entry entry = { .device = stat->device,
                                 .inode = stat->inode,
                                 .flags = WS_LOAD_PATH_STABLE,
                                 .previous = UINT32_MAX,
                                 .source = true };
        if (!ws_index_draft_entry(draft, &entry)) return false;
    }
    /* An entry is stable only if all of its names are. */
    if (!source->stable) draft->entries[number].flags &= ~(uint32_t)WS_LOAD_PATH_STABLE;
    return given < known || ws_index_draft_name(draft, given, number);
}

/* Does the path contain ".."? If such a path leads nowhere, Ruby removes the component before "..", while the system
 * follows links first. So Ruby has to search in such an entry. */
static bool
goes_up(const char *path)
{
    for (const char *at = strstr(path, "/.."); at; at = strstr(at + 1, "/..")) {
        if (at[3] == '/' || at[3] == '\0') return true;
    }
    return false;
}

/* Adds a stable folder that does not exist; Ruby's site_ruby often does not. A boot checks once that it is still
 * missing, and then need not ask it for each name. */
static bool
add_missing(index_build *build, const ws_index_source *source)
{
    ws_index_draft *draft = &build->draft;
    uint32_t known = draft->givens.count;
    uint32_t given = ws_string_pool_intern(&draft->givens, source->given, source->given_size);
    if (given == UINT32_MAX) return false;
    if (given < known || !source->stable)
        return true; /* the name was interned above, so the older index's row for it is not carried over */
    uint32_t number = ws_string_pool_intern(&draft->expanded, source->given, source->given_size);
    ws_draft_entry entry = { .flags = WS_LOAD_PATH_STABLE | WS_LOAD_PATH_MISSING,
                             .previous = UINT32_MAX,
                             .source = true };
    if (number == UINT32_MAX) return false;
    if (number == draft->entry_count && !ws_index_draft_entry(draft, &entry)) return false;
    return ws_index_draft_name(draft, given, number);
}

/* Adds a source. Other sources that lead to no folder are left out, since there is nothing to know about them. */
static bool
add_source(index_build *build, const ws_index_source *source)
{
    ws_stat stat;

    if (!build->rules->is_absolute(source->given, source->given_size)) return true;
    if (memchr(source->given, '\0', source->given_size)) return true;
    char *given = malloc(source->given_size + 1); /* Windows has no strndup */
    if (!given) return false;
    memcpy(given, source->given, source->given_size);
    given[source->given_size] = '\0';
    errno = 0;
    char *expanded = ws_file_real_path(given);
    bool fine = expanded || errno != ENOMEM;
    if (!expanded && errno == ENOENT && !goes_up(given)) fine = add_missing(build, source);
    if (expanded && ws_file_stat_path(expanded, true, &stat) == 0 && stat.type == WS_TYPE_DIRECTORY) {
        fine = add_expanded(build, source, expanded, &stat);
    }
    free(expanded);
    free(given);
    return fine;
}

/* ---- Which numbers ---- */

static bool
stays(const index_build *build, uint32_t found)
{
    return found != WS_DRAFT_DROPPED && build->draft.entries[found].name_count > 0;
}

/* Lists the entries of the older index in its order, and then the new ones. So an index that has not changed keeps its
 * bytes, whatever the order of today's load path is. */
static uint32_t
list_entries(index_build *build, uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < build->previous.entry_count; i++) {
        if (stays(build, build->found_of[i])) order[count++] = build->found_of[i];
    }
    for (uint32_t i = 0; i < build->draft.entry_count; i++) {
        if (build->draft.entries[i].previous == UINT32_MAX && stays(build, i)) order[count++] = i;
    }
    return count;
}

/* Limits the number of entries. The oldest that are not among the sources are dropped first. */
static uint32_t
limit_entries(const index_build *build, uint32_t *order, uint32_t count)
{
    uint32_t excess = count > WS_INDEX_ENTRY_MAXIMUM ? count - WS_INDEX_ENTRY_MAXIMUM : 0, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (excess > 0 && !build->draft.entries[order[i]].source) excess--;
        else order[kept++] = order[i];
    }
    return kept < WS_INDEX_ENTRY_MAXIMUM ? kept : WS_INDEX_ENTRY_MAXIMUM;
}

typedef struct named_entry {
    const char *expanded;
    uint32_t found;
} named_entry;

static int
compare_named(const void *left, const void *right)
{
    return strcmp(((const named_entry *)left)->expanded, ((const named_entry *)right)->expanded);
}

static bool
sort_entries(const ws_index_draft *draft, uint32_t *order, uint32_t count)
{
    named_entry *named = malloc((count > 0 ? count : 1) * sizeof *named);

    if (!named) return false;
    for (uint32_t i = 0; i < count; i++)
        named[i] = (named_entry){ ws_string_pool_get(&draft->expanded, order[i]), order[i] };
    qsort(named, count, sizeof *named, compare_named);
    for (uint32_t i = 0; i < count; i++) order[i] = named[i].found;
    free(named);
    return true;
}

static bool
number_entries(index_build *build)
{
    ws_index_draft *draft = &build->draft;

    draft->order = malloc((draft->entry_count > 0 ? draft->entry_count : 1) * sizeof *draft->order);
    if (!draft->order) return false;
    draft->final_count = limit_entries(build, draft->order, list_entries(build, draft->order));
    if (build->options->sorted && !sort_entries(draft, draft->order, draft->final_count)) return false;
    for (uint32_t i = 0; i < draft->entry_count; i++) draft->entries[i].final = WS_DRAFT_DROPPED;
    for (uint32_t i = 0; i < draft->final_count; i++) draft->entries[draft->order[i]].final = i;
    return true;
}

/* ---- What they hold ---- */

typedef struct entry_scan {
    index_build *build;
    uint32_t entry; /* final number */
    bool timed;     /* the folders' times change with every name that is added or removed */
    bool out_of_memory;
} entry_scan;

static bool
add_folder(entry_scan *scan, const char *name, size_t size, const ws_stat *stat, bool racy)
{
    const index_build *build = scan->build;
    int64_t young_at = build->options->young_at;
    ws_index_holder row = { .load_path_entry = scan->entry };

    if (!scan->timed) stat = NULL;

    if (!stat || racy || (young_at != 0 && ws_stat_is_young(stat, young_at, true))) row.flags = WS_HOLDER_UNREAD;
    /* The times of a portable image are rounded down to whole seconds. */
    if (stat) row.mtime = build->draft.portable ? ws_whole_second(stat->mtime) : stat->mtime;
    if (stat && !build->draft.portable) {
        row.ctime = stat->ctime;
        row.inode = stat->inode;
    }
    return ws_index_draft_holder(&scan->build->draft, name, size, &row);
}

static bool
add_file(entry_scan *scan, const char *name, size_t size, bool library)
{
    ws_feature_name parts;

    if (!scan->build->rules->feature_name(name, size, scan->build->options->dlext, &parts)) return true;
    if (parts.stem_size == 0 || name[parts.stem_size - 1] == '/') return true;
    if (parts.extension != (library ? WS_EXTENSION_LIBRARY : WS_EXTENSION_RB)) return true;
    return ws_index_draft_presence(&scan->build->draft, name, parts.stem_size, scan->entry, library);
}

static bool
found(void *data, ws_scan_kind kind, const char *name, size_t size, const ws_stat *stat, bool racy)
{
    entry_scan *scan = data;
    bool fine = true;

    if (size > WS_INDEX_NAME_MAXIMUM) return true;
    char folded[WS_INDEX_NAME_MAXIMUM + 1];
    name = ws_index_fold(scan->build->rules, name, size, folded);
    if (kind == WS_SCAN_DIRECTORY) fine = add_folder(scan, name, size, stat, racy);
    else fine = add_file(scan, name, size, kind == WS_SCAN_LIBRARY);
    scan->out_of_memory = !fine;
    return fine;
}

/* If the scan fails half-way, the rows that it added are removed. The entry stays, as one of which nothing is known. */
static bool
scan_entry(index_build *build, uint32_t final)
{
    ws_index_draft *draft = &build->draft;
    entry_scan scan = { .build = build, .entry = final, .timed = true };
    bool stable = draft->entries[draft->order[final]].flags & WS_LOAD_PATH_STABLE;
    ws_scan_options options = { .dlext = build->options->dlext,
                                /* Folders named "log" or "storage" hold code in a gem, but not in an application. */
                                .ignored = stable ? NULL : build->options->ignored };
    uint32_t holder_count = draft->holder_count, presence_count = draft->presence_count;
    /* A copy. The pool does not grow during a scan, but nothing here should depend on that. */
    char *root = strdup(ws_string_pool_get(&draft->expanded, draft->order[final]));

    if (!root) return false;
    scan.timed = ws_file_folders_have_times(root);
    ws_code code = ws_scan(root, &options, found, &scan, NULL);
    free(root);
    if (code == WS_MEMORY || scan.out_of_memory) return false;
    if (code == WS_OK) return true;
    draft->holder_count = holder_count;
    draft->presence_count = presence_count;
    return add_folder(&scan, "", 0, NULL, false);
}

/* Adds the names that Ruby's own search did not find. If such a name has come into being since then, an entry holds it
 * now, and it no longer counts as missing. */
static bool
add_missing_names(index_build *build)
{
    const ws_string_pool *names = build->options->missing;
    bool fine = true;
    for (uint32_t i = 0; fine && names && i < names->count; i++) {
        const char *name = ws_string_pool_get(names, i);
        size_t size = names->items[i].size;
        ws_feature_name parts;
        if (size > WS_INDEX_NAME_MAXIMUM || !build->rules->feature_name(name, size, build->options->dlext, &parts))
            continue;
        if (parts.extension != WS_EXTENSION_NONE) continue;
        char folded[WS_INDEX_NAME_MAXIMUM + 1];
        fine = ws_index_draft_missing(&build->draft, ws_index_fold(build->rules, name, size, folded), size);
    }
    return fine;
}

/* ---- All of it ---- */

/* A portable index and another one cannot be mixed, because the portable one lacks fields that the other compares. */
static bool
open_previous(index_build *build)
{
    const ws_segment *segment = build->options->previous;

    if (!segment || ws_index_tables_load(&build->previous, segment, NULL) != WS_OK ||
        build->previous.portable != build->draft.portable) {
        build->previous = (ws_index_tables){ .portable = build->draft.portable };
    }
    build->found_of =
        malloc((build->previous.entry_count > 0 ? build->previous.entry_count : 1) * sizeof *build->found_of);
    return build->found_of != NULL;
}

/* ---- What need not be read again ---- */

/* May the older index's row for this entry be good for it now? */
static bool
may_be_kept(const index_build *build, const ws_draft_entry *entry)
{
    if (build->draft.portable || entry->previous == UINT32_MAX) return false;
    const ws_load_path_entry *row = &build->previous.entries[entry->previous];
    return entry->flags == WS_LOAD_PATH_STABLE && row->flags == entry->flags && row->device == entry->device &&
           row->inode == entry->inode;
}

static bool
is_as_it_was(const ws_index_tables *previous, const ws_index_directory *directory, const ws_index_holder *holder)
{
    const char *name = ws_segment_string(previous->segment, directory->name_offset, directory->name_size);
    const char *root = ws_index_tables_expanded(previous, holder->load_path_entry);
    uint32_t root_size = previous->entries[holder->load_path_entry].expanded_size;
    char path[WS_CANDIDATE_CAPACITY];
    ws_stat stat;
    if (!name || holder->flags & WS_HOLDER_UNREAD) return false;
    size_t size = ws_index_path(path, sizeof path, root, root_size, name, directory->name_size, "", 0);
    return size > 0 && ws_file_stat_path(path, true, &stat) == 0 && ws_index_holder_is_same(previous, holder, &stat);
}

/* Looks at the folders of the older index that are entries themselves (roots), or at those below. */
static void
look_at_folders(index_build *build, bool roots)
{
    const ws_index_tables *previous = &build->previous;
    for (uint32_t i = 0; i < previous->directory_count; i++) {
        const ws_index_directory *directory = &previous->directories[i];
        if ((directory->name_size == 0) != roots) continue;
        for (uint32_t at = 0; at < directory->holder_count; at++) {
            const ws_index_holder *holder = &previous->holders[directory->holder_first + at];
            uint32_t found = build->found_of[holder->load_path_entry];
            if (found == WS_DRAFT_DROPPED || !build->draft.entries[found].source) continue;
            ws_draft_entry *entry = &build->draft.entries[found];
            if (roots) entry->scanned = !may_be_kept(build, entry) || !is_as_it_was(previous, directory, holder);
            else if (!entry->scanned) entry->scanned = !is_as_it_was(previous, directory, holder);
        }
    }
}

/* A stable entry is read again only if one of its folders is not as the older index says. A look-up believes these
 * folders for the same reason (feature_index_validation.c). A call for each folder takes the place of five. */
static void
choose_scanned(index_build *build)
{
    for (uint32_t i = 0; i < build->draft.entry_count; i++)
        build->draft.entries[i].scanned = build->draft.entries[i].source;
    look_at_folders(build, true);
    look_at_folders(build, false);
}

static bool
fill(index_build *build, const ws_index_source *sources, size_t count)
{
    ws_index_draft *draft = &build->draft;

    if (!open_previous(build)) return false;
    for (size_t i = 0; i < count; i++) {
        if (!add_source(build, &sources[i])) return false;
    }
    if (!ws_index_carry_entries(draft, &build->previous, build->found_of) || !number_entries(build)) return false;
    /* The layout needs the root folder even if all entries are missing. */
    if (draft->final_count > 0 && ws_string_pool_intern(&draft->directories, "", 0) == UINT32_MAX) return false;
    choose_scanned(build);
    for (uint32_t i = 0; i < draft->final_count; i++) {
        const ws_draft_entry *entry = &draft->entries[draft->order[i]];
        if (entry->scanned && !(entry->flags & WS_LOAD_PATH_MISSING) && !scan_entry(build, i)) return false;
    }
    return add_missing_names(build) && ws_index_carry_contents(draft, &build->previous, build->found_of);
}

ws_code
ws_feature_index_build(ws_segment_writer *writer, const ws_index_source *sources, size_t count,
                       const ws_index_build_options *options, bool *changed, ws_error *error)
{
    index_build build = { .draft = { .portable = options->portable },
                          .options = options,
                          .rules = ws_path_rules_native() };
    ws_index_layout layout;
    bool fine = fill(&build, sources, count);

    *changed = false;
    if (fine) {
        fine = ws_index_layout_make(&layout, &build.draft);
        *changed = fine && !ws_index_tables_equal(&layout.tables, &build.previous);
        if (*changed) fine = ws_index_layout_write(&layout, writer);
        ws_index_layout_free(&layout);
    }
    ws_index_draft_free(&build.draft);
    free(build.found_of);
    return fine ? WS_OK : ws_error_set(error, WS_MEMORY, ENOMEM, "load path index", NULL);
}

bool
ws_feature_index_missing_names(const ws_segment *segment, ws_string_pool *names)
{
    ws_index_tables tables;
    if (ws_index_tables_load(&tables, segment, NULL) != WS_OK) return true;
    for (uint32_t i = 0; i < tables.feature_count; i++) {
        const ws_index_feature *feature = &tables.features[i];
        const char *name = ws_segment_string(segment, feature->name_offset, feature->name_size);
        if (!name || !ws_index_is_missing(feature)) continue;
        if (ws_string_pool_intern(names, name, feature->name_size) == UINT32_MAX) return false;
    }
    return true;
}
