/* Walks a folder tree, depth first, and tells the callback what `require` could find in it.
 *
 * Who calls: the load-path index, once for each load-path entry. Each folder is read to its end (scanner_list.c) and its
 * metadata compared before and after; only then are the folder and its files reported, and its folders entered. The entries
 * of all folders on the way down lie in one buffer that grows and shrinks like a stack. */
#include "scanner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scanner_list.h"

#define WS_SCAN_DEPTH_DEFAULT 32
#define WS_SCAN_DEPTH_LIMIT 256       /* each level holds a descriptor and a stack frame */
#define WS_SCAN_DIRECTORIES_DEFAULT 20000

const char *const ws_scan_ignored_default[] = { "node_modules", ".git", ".hg", ".svn", "log", "tmp", "storage", NULL };

/* A folder that is being visited, linked to those that it lies in. */
typedef struct ws_scan_folder {
    const struct ws_scan_folder *parent;
    int descriptor;
    uint32_t depth;
    size_t name_size;         /* of the scanner's name, while this folder is visited */
    ws_stat stat;
} ws_scan_folder;

typedef struct ws_scanner {
    const char *root;
    ws_scan_options options;
    ws_scan_callback callback;
    void *data;
    ws_error *error;
    ws_scan_entries entries;
    char *name;               /* of the folder or file at hand, relative to the root */
    size_t name_capacity;
    uint32_t directory_count;
    bool stopped;             /* the callback has had enough */
} ws_scanner;

bool ws_scan_covers(const char *name, size_t name_size)
{
    for (size_t offset = 0; offset < name_size; offset++) {
        if (name[offset] == '.' && (offset == 0 || name[offset - 1] == '/')) return false;
    }
    return true;
}

static ws_code ws_scanner_fail(ws_scanner *scanner, ws_code code, int error_number, const char *operation)
{
    return ws_error_set(scanner->error, code, error_number, operation, scanner->root);
}

static void ws_scanner_report(ws_scanner *scanner, ws_scan_kind kind, size_t name_size, const ws_stat *stat, bool racy)
{
    if (!scanner->callback(scanner->data, kind, scanner->name, name_size, stat, racy)) scanner->stopped = true;
}

/* Puts the folder's name and the entry's together. The size, or 0 without memory. */
static size_t ws_scanner_set_name(ws_scanner *scanner, const ws_scan_folder *folder, const ws_scan_entry *entry)
{
    size_t offset = folder->name_size + (folder->name_size > 0 ? 1 : 0), size = offset + entry->name_size;

    if (size >= scanner->name_capacity) {
        size_t capacity = 2 * size + 256;
        char *name = realloc(scanner->name, capacity);

        if (!name) return 0;
        scanner->name = name;
        scanner->name_capacity = capacity;
    }
    if (offset > 0) scanner->name[offset - 1] = '/';
    memcpy(scanner->name + offset, entry->name, entry->name_size + 1);
    return size;
}

static bool ws_scanner_ignores(const ws_scanner *scanner, const char *name)
{
    for (const char *const *ignored = scanner->options.ignored; *ignored; ignored++) {
        if (strcmp(*ignored, name) == 0) return true;
    }
    return false;
}

static bool ws_scan_is_ancestor(const ws_scan_folder *folder, const ws_stat *stat)
{
    for (; folder; folder = folder->parent) {
        if (folder->stat.inode == stat->inode && folder->stat.device == stat->device) return true;
    }
    return false;
}

static bool ws_scan_changed(const ws_stat *before, const ws_stat *after)
{
    return before->mtime != after->mtime || before->ctime != after->ctime || before->size != after->size;
}

/* A folder is left alone when it cannot be read; but when it is this process that lacks something, leaving it alone would
 * make the result depend on the moment. */
static bool ws_scan_is_shortage(int error_number)
{
    return error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM;
}

static ws_code ws_scanner_visit(ws_scanner *scanner, ws_scan_folder *folder);

/* Opens the folder that is the entry of its parent and fills the rest of *folder. False with *error_number 0 where it must
 * not be entered: too deep, or its own ancestor. */
static bool ws_scanner_open(ws_scanner *scanner, ws_scan_folder *folder, const ws_scan_entry *entry, int *error_number)
{
    ws_open_kind kind = entry->is_symlink ? WS_OPEN_DIRECTORY : WS_OPEN_DIRECTORY_ITSELF;

    *error_number = 0;
    if (folder->depth > scanner->options.maximum_depth) return false;
    *error_number = ws_file_open_at(folder->parent->descriptor, entry->name, kind, &folder->descriptor);
    if (*error_number != 0) return false;
    *error_number = ws_file_stat_descriptor(folder->descriptor, &folder->stat);
    if (*error_number == 0 && !ws_scan_is_ancestor(folder->parent, &folder->stat)) return true;
    ws_file_close(folder->descriptor);
    return false;
}

/* One folder inside another: enters it, or says that it exists. `entry` is gone as soon as the folder is visited, for the
 * buffer that holds it may move. */
static ws_code ws_scanner_descend(ws_scanner *scanner, const ws_scan_folder *parent, const ws_scan_entry *entry)
{
    ws_scan_folder folder = { .parent = parent, .depth = parent->depth + 1 };
    int error_number = 0;

    folder.name_size = ws_scanner_set_name(scanner, parent, entry);
    if (folder.name_size == 0) return ws_scanner_fail(scanner, WS_MEMORY, ENOMEM, "scan");
    if (entry->kind == WS_ENTRY_UNKNOWN || ws_scanner_ignores(scanner, entry->name) ||
        !ws_scanner_open(scanner, &folder, entry, &error_number)) {
        if (ws_scan_is_shortage(error_number)) return ws_scanner_fail(scanner, WS_SYSTEM, error_number, "open");
        ws_scanner_report(scanner, WS_SCAN_DIRECTORY, folder.name_size, NULL, false);
        return WS_OK;
    }
    return ws_scanner_visit(scanner, &folder);
}

/* The entries of one folder, which begin at `offset` of the buffer: first all files, then all folders. */
static ws_code ws_scanner_report_entries(ws_scanner *scanner, const ws_scan_folder *folder, size_t offset)
{
    size_t end = scanner->entries.size;
    ws_scan_entry entry;

    for (size_t at = offset; at < end && !scanner->stopped;) {
        at = ws_scan_entries_get(&scanner->entries, at, &entry);
        if (entry.kind != WS_ENTRY_RB && entry.kind != WS_ENTRY_LIBRARY) continue;
        size_t name_size = ws_scanner_set_name(scanner, folder, &entry);
        if (name_size == 0) return ws_scanner_fail(scanner, WS_MEMORY, ENOMEM, "scan");
        ws_scanner_report(scanner, entry.kind == WS_ENTRY_RB ? WS_SCAN_RB : WS_SCAN_LIBRARY, name_size, NULL, false);
    }
    for (size_t at = offset; at < end && !scanner->stopped;) {
        at = ws_scan_entries_get(&scanner->entries, at, &entry);
        if (entry.kind != WS_ENTRY_DIRECTORY && entry.kind != WS_ENTRY_UNKNOWN) continue;
        ws_code code = ws_scanner_descend(scanner, folder, &entry);
        if (code != WS_OK) return code;
    }
    return WS_OK;
}

/* Lists the folder and compares its metadata. 0 or errno. */
static int ws_scanner_list(ws_scanner *scanner, const ws_scan_folder *folder, bool *racy)
{
    ws_stat after;
    int error_number = ws_scan_list(&scanner->entries, folder->descriptor, scanner->options.dlext);

    if (error_number == 0) error_number = ws_file_stat_descriptor(folder->descriptor, &after);
    if (error_number == 0) *racy = ws_scan_changed(&folder->stat, &after);
    return error_number;
}

/* Visits an open folder whose metadata are known, and closes it. */
static ws_code ws_scanner_visit(ws_scanner *scanner, ws_scan_folder *folder)
{
    size_t offset = scanner->entries.size;
    ws_code code = WS_OK;
    bool racy = false;
    int error_number = 0;

    if (scanner->directory_count++ >= scanner->options.maximum_directories) {
        code = ws_scanner_fail(scanner, WS_FULL, 0, "scan");
    }
    else if ((error_number = ws_scanner_list(scanner, folder, &racy)) == 0) {
        ws_scanner_report(scanner, WS_SCAN_DIRECTORY, folder->name_size, &folder->stat, racy);
        code = ws_scanner_report_entries(scanner, folder, offset);
    }
    else if (ws_scan_is_shortage(error_number) || !folder->parent) {
        code = ws_scanner_fail(scanner, error_number == ENOMEM ? WS_MEMORY : WS_SYSTEM, error_number, "list");
    }
    else {
        ws_scanner_report(scanner, WS_SCAN_DIRECTORY, folder->name_size, NULL, false);
    }
    scanner->entries.size = offset;
    ws_file_close(folder->descriptor);
    return code;
}

static ws_code ws_scanner_visit_root(ws_scanner *scanner)
{
    ws_scan_folder folder = { .parent = NULL, .depth = 0 };
    int error_number = ws_file_open(scanner->root, WS_OPEN_DIRECTORY, &folder.descriptor);

    if (error_number != 0) {
        ws_code code = error_number == ENOENT ? WS_MISSING : error_number == ENOTDIR ? WS_NOT_REGULAR : WS_SYSTEM;
        return ws_scanner_fail(scanner, code, error_number, "open");
    }
    error_number = ws_file_stat_descriptor(folder.descriptor, &folder.stat);
    if (error_number != 0) {
        ws_file_close(folder.descriptor);
        return ws_scanner_fail(scanner, WS_SYSTEM, error_number, "fstat");
    }
    return ws_scanner_visit(scanner, &folder);
}

ws_code ws_scan(const char *root, const ws_scan_options *options, ws_scan_callback callback, void *data, ws_error *error)
{
    ws_scanner scanner = { .root = root, .options = *options, .callback = callback, .data = data, .error = error };
    ws_scan_options *own = &scanner.options;
    ws_code code;

    if (!own->ignored) own->ignored = ws_scan_ignored_default;
    if (own->maximum_depth == 0) own->maximum_depth = WS_SCAN_DEPTH_DEFAULT;
    if (own->maximum_depth > WS_SCAN_DEPTH_LIMIT) own->maximum_depth = WS_SCAN_DEPTH_LIMIT;
    if (own->maximum_directories == 0) own->maximum_directories = WS_SCAN_DIRECTORIES_DEFAULT;

    scanner.name_capacity = 1024;
    scanner.name = calloc(1, scanner.name_capacity);
    code = scanner.name ? ws_scanner_visit_root(&scanner) : ws_scanner_fail(&scanner, WS_MEMORY, ENOMEM, "scan");
    free(scanner.name);
    ws_scan_entries_free(&scanner.entries);
    return code;
}
