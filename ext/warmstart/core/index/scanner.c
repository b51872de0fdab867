/* Walks a folder tree, depth first, and tells the callback what `require` could find in it.
 *
 * Who calls: the load-path index, once for each load-path entry. A folder is listed completely (ws_folder_list), and
 * its metadata before and after are compared. Only then are the folder and its files reported and its folders entered.
 * The rows of a folder and of those above it lie in one listing, which grows and shrinks like a stack. */
#include "core/index/scanner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/vector.h"
#include "core/file_system/file_system.h"

const char *const ws_scan_without_code[] = { "node_modules", ".git", ".hg", ".svn", NULL };

/* ---- What a name means ---- */

/* A link can have two kinds: "x.rb" may lead to a folder now and to a file later. */
enum {
    WS_ENTRY_NONE = 0, /* not kept */
    WS_ENTRY_RB = 1,
    WS_ENTRY_LIBRARY = 2,
    WS_ENTRY_DIRECTORY = 4,
    WS_ENTRY_UNKNOWN = 8 /* a link that leads to no folder now, but may do so later */
};

/* On Windows Ruby finds "X.RB" for "x". */
#ifdef _WIN32
#define WS_IS_SAME_NAME(bytes, text, size) (_strnicmp(bytes, text, size) == 0)
#else
#define WS_IS_SAME_NAME(bytes, text, size) (memcmp(bytes, text, size) == 0)
#endif

static bool
ws_name_ends_in(const char *name, size_t name_size, const char *extension)
{
    size_t size = strlen(extension);

    return name_size > size + 1 && name[name_size - size - 1] == '.' &&
           WS_IS_SAME_NAME(name + name_size - size, extension, size);
}

static uint32_t
ws_entry_kind_of_file(const char *name, size_t name_size, const char *dlext)
{
    if (ws_name_ends_in(name, name_size, "rb")) return WS_ENTRY_RB;
    return ws_name_ends_in(name, name_size, dlext) ? WS_ENTRY_LIBRARY : WS_ENTRY_NONE;
}

/* The present type of a name. If it cannot be read, the type is a link's, of which least is believed. */
static ws_listed_type
ws_entry_type(ws_folder folder, const char *name, bool follow)
{
    ws_stat stat;

    ws_stat_count(1);
    if (ws_folder_stat_name(folder, name, follow, WS_FIELD_TYPE, &stat) != 0) return WS_LISTED_LINK;
    return ws_listed_type_of_mode(stat.mode);
}

/* Returns all WS_ENTRY_* that apply. Only what Ruby might open is kept. For "x.rb" that is everything except folders,
 * sockets and block devices (ruby_is_fd_loadable accepts FIFOs and character devices too). A link is kept wherever it
 * leads, because its target can appear, vanish or become something else without any change of this folder. Makes
 * metadata calls for links, and for names whose type the listing does not give. */
static uint32_t
ws_scan_kind_of(ws_folder folder, const char *name, size_t name_size, ws_listed_type type, const char *dlext)
{
    if (name[0] == '.') return WS_ENTRY_NONE;
    uint32_t file_kind = ws_entry_kind_of_file(name, name_size, dlext);
    if (type == WS_LISTED_UNKNOWN) type = ws_entry_type(folder, name, false);
    switch (type) {
        case WS_LISTED_DIRECTORY: return WS_ENTRY_DIRECTORY;
        case WS_LISTED_FILE:
        case WS_LISTED_FIFO:
        case WS_LISTED_CHARACTER: return file_kind;
        case WS_LISTED_LINK:
            return file_kind |
                   (ws_entry_type(folder, name, true) == WS_LISTED_DIRECTORY ? WS_ENTRY_DIRECTORY : WS_ENTRY_UNKNOWN);
        default: return WS_ENTRY_NONE;
    }
}

/* ---- The walk ---- */

/* A folder that is being visited. `parent` links it to the folders above it. */
typedef struct ws_scan_folder {
    const struct ws_scan_folder *parent;
    ws_folder opened;
    uint32_t depth;
    size_t name_size; /* of this folder's part of the scanner's name */
    ws_stat stat;
} ws_scan_folder;

typedef struct ws_scanner {
    const char *root;
    ws_scan_options options;
    ws_scan_callback callback;
    void *data;
    ws_error *error;
    ws_listing listing; /* `known` of each row has its WS_ENTRY_* */
    char *name;         /* name of the present folder or file, relative to the root */
    size_t name_capacity;
    uint32_t directory_count;
    bool stopped; /* the callback has returned false */
} ws_scanner;

bool
ws_scan_covers(const char *name, size_t name_size)
{
    for (size_t offset = 0; offset < name_size; offset++) {
        if (name[offset] == '.' && (offset == 0 || name[offset - 1] == '/')) return false;
    }
    return true;
}

static ws_code
ws_scanner_fail(ws_scanner *scanner, ws_code code, int error_number, const char *operation)
{
    return ws_error_set(scanner->error, code, error_number, operation, scanner->root);
}

static void
ws_scanner_report(ws_scanner *scanner, ws_scan_kind kind, size_t name_size, const ws_stat *stat, bool racy)
{
    if (!scanner->callback(scanner->data, kind, scanner->name, name_size, stat, racy)) scanner->stopped = true;
}

/* Joins the folder's name and the entry's. Returns the size, or 0 when memory is short. */
static size_t
ws_scanner_set_name(ws_scanner *scanner, const ws_scan_folder *folder, uint32_t row)
{
    size_t name_size = scanner->listing.rows[row].name_size;
    size_t offset = folder->name_size + (folder->name_size > 0 ? 1 : 0), size = offset + name_size;

    if (!WS_RESERVE(scanner->name, scanner->name_capacity, size + 1)) return 0;
    if (offset > 0) scanner->name[offset - 1] = '/';
    memcpy(scanner->name + offset, ws_listing_name(&scanner->listing, row), name_size + 1);
    return size;
}

static bool
ws_scanner_ignores(const ws_scanner *scanner, const char *name)
{
    for (const char *const *ignored = scanner->options.ignored; *ignored; ignored++) {
        if (strcmp(*ignored, name) == 0) return true;
    }
    return false;
}

static bool
ws_scan_is_ancestor(const ws_scan_folder *folder, const ws_stat *stat)
{
    for (; folder; folder = folder->parent) {
        if (folder->stat.inode == stat->inode && folder->stat.device == stat->device) return true;
    }
    return false;
}

static bool
ws_scan_changed(const ws_stat *before, const ws_stat *after)
{
    return before->mtime != after->mtime || before->ctime != after->ctime || before->size != after->size;
}

/* A folder that cannot be read is skipped. But when this process lacks descriptors or memory the scan fails, because
 * its result would otherwise depend on the moment. */
static bool
ws_scan_is_shortage(int error_number)
{
    return error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM;
}

static ws_code ws_scanner_visit(ws_scanner *scanner, ws_scan_folder *folder);

/* Opens a folder that is a row of its parent's listing, and fills the rest of *folder. false with *error_number 0: it
 * must not be entered, because it is too deep or its own ancestor. */
static bool
ws_scanner_open(ws_scanner *scanner, ws_scan_folder *folder, uint32_t row, int *error_number)
{
    bool follow = scanner->listing.rows[row].type != WS_LISTED_DIRECTORY;

    *error_number = 0;
    if (folder->depth > WS_SCAN_DEPTH_MAXIMUM) return false;
    *error_number =
        ws_folder_open(folder->parent->opened, ws_listing_name(&scanner->listing, row), follow, &folder->opened);
    if (*error_number != 0) return false;
    *error_number = ws_folder_stat(folder->opened, &folder->stat);
    if (*error_number == 0 && !ws_scan_is_ancestor(folder->parent, &folder->stat)) return true;
    ws_folder_close(folder->opened);
    return false;
}

/* Handles a folder inside another: enters it, or reports only that it exists. */
static ws_code
ws_scanner_descend(ws_scanner *scanner, const ws_scan_folder *parent, uint32_t row)
{
    ws_scan_folder folder = { .parent = parent, .depth = parent->depth + 1 };
    int error_number = 0;

    folder.name_size = ws_scanner_set_name(scanner, parent, row);
    if (folder.name_size == 0) return ws_scanner_fail(scanner, WS_MEMORY, ENOMEM, "scan");
    if (scanner->listing.rows[row].known & WS_ENTRY_UNKNOWN ||
        ws_scanner_ignores(scanner, ws_listing_name(&scanner->listing, row)) ||
        !ws_scanner_open(scanner, &folder, row, &error_number)) {
        if (ws_scan_is_shortage(error_number)) return ws_scanner_fail(scanner, WS_SYSTEM, error_number, "open");
        ws_scanner_report(scanner, WS_SCAN_DIRECTORY, folder.name_size, NULL, false);
        return WS_OK;
    }
    return ws_scanner_visit(scanner, &folder);
}

/* Reports the rows of one folder, which begin at `first`: all files first, and then all folders. */
static ws_code
ws_scanner_report_rows(ws_scanner *scanner, const ws_scan_folder *folder, uint32_t first)
{
    uint32_t end = scanner->listing.count;

    for (uint32_t row = first; row < end && !scanner->stopped; row++) {
        uint32_t kind = scanner->listing.rows[row].known;
        if (!(kind & (WS_ENTRY_RB | WS_ENTRY_LIBRARY))) continue;
        size_t name_size = ws_scanner_set_name(scanner, folder, row);
        if (name_size == 0) return ws_scanner_fail(scanner, WS_MEMORY, ENOMEM, "scan");
        ws_scanner_report(scanner, kind & WS_ENTRY_RB ? WS_SCAN_RB : WS_SCAN_LIBRARY, name_size, NULL, false);
    }
    for (uint32_t row = first; row < end && !scanner->stopped; row++) {
        if (!(scanner->listing.rows[row].known & (WS_ENTRY_DIRECTORY | WS_ENTRY_UNKNOWN))) continue;
        ws_code code = ws_scanner_descend(scanner, folder, row);
        if (code != WS_OK) return code;
    }
    return WS_OK;
}

/* Lists the folder, finds out what each name is, and compares the folder's metadata. Returns 0 or errno. */
static int
ws_scanner_list(ws_scanner *scanner, const ws_scan_folder *folder, bool *racy)
{
    ws_listing *listing = &scanner->listing;
    ws_stat after;
    uint32_t first = listing->count;
    int error_number = ws_folder_list(folder->opened, listing);

    for (uint32_t row = first; error_number == 0 && row < listing->count; row++) {
        listing->rows[row].known =
            ws_scan_kind_of(folder->opened, ws_listing_name(listing, row), listing->rows[row].name_size,
                            (ws_listed_type)listing->rows[row].type, scanner->options.dlext);
    }
    if (error_number == 0) error_number = ws_folder_stat(folder->opened, &after);
    if (error_number == 0) *racy = ws_scan_changed(&folder->stat, &after);
    return error_number;
}

/* Visits an open folder, whose metadata are already read, and closes it. */
static ws_code
ws_scanner_visit(ws_scanner *scanner, ws_scan_folder *folder)
{
    uint32_t first = scanner->listing.count;
    ws_code code = WS_OK;
    bool racy = false;
    int error_number = 0;

    if (scanner->directory_count++ >= WS_SCAN_DIRECTORIES_MAXIMUM) {
        code = ws_scanner_fail(scanner, WS_FULL, 0, "scan");
    }
    else if ((error_number = ws_scanner_list(scanner, folder, &racy)) == 0) {
        ws_scanner_report(scanner, WS_SCAN_DIRECTORY, folder->name_size, &folder->stat, racy);
        code = ws_scanner_report_rows(scanner, folder, first);
    }
    else if (ws_scan_is_shortage(error_number) || !folder->parent) {
        code = ws_scanner_fail(scanner, error_number == ENOMEM ? WS_MEMORY : WS_SYSTEM, error_number, "list");
    }
    else {
        ws_scanner_report(scanner, WS_SCAN_DIRECTORY, folder->name_size, NULL, false);
    }
    ws_listing_truncate(&scanner->listing, first);
    ws_folder_close(folder->opened);
    return code;
}

static ws_code
ws_scanner_visit_root(ws_scanner *scanner)
{
    ws_scan_folder folder = { .parent = NULL, .depth = 0 };
    int error_number = ws_folder_open(WS_FOLDER_CURRENT, scanner->root, true, &folder.opened);

    if (error_number != 0) {
        ws_code code = error_number == ENOENT ? WS_MISSING : error_number == ENOTDIR ? WS_NOT_REGULAR : WS_SYSTEM;
        return ws_scanner_fail(scanner, code, error_number, "open");
    }
    error_number = ws_folder_stat(folder.opened, &folder.stat);
    if (error_number != 0) {
        ws_folder_close(folder.opened);
        return ws_scanner_fail(scanner, WS_SYSTEM, error_number, "fstat");
    }
    return ws_scanner_visit(scanner, &folder);
}

ws_code
ws_scan(const char *root, const ws_scan_options *options, ws_scan_callback callback, void *data, ws_error *error)
{
    ws_scanner scanner = { .root = root, .options = *options, .callback = callback, .data = data, .error = error };
    ws_code code;

    if (!scanner.options.ignored) scanner.options.ignored = ws_scan_without_code;
    scanner.name_capacity = 1024;
    scanner.name = calloc(1, scanner.name_capacity);
    code = scanner.name ? ws_scanner_visit_root(&scanner) : ws_scanner_fail(&scanner, WS_MEMORY, ENOMEM, "scan");
    free(scanner.name);
    ws_listing_free(&scanner.listing);
    return code;
}
