/* Lists the files of one load-path entry that can be required, and every folder below it with its metadata. Listings
 * are those of file_system.h: they bring types along with the names, so only folders and links need metadata calls. */
#ifndef WARMSTART_CORE_SCANNER_H
#define WARMSTART_CORE_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/system/file.h"

typedef enum ws_scan_kind { WS_SCAN_DIRECTORY, WS_SCAN_RB, WS_SCAN_LIBRARY } ws_scan_kind;

/* Called for each folder and for each file that ends in ".rb" or "." + dlext. The root comes first, with name "" and
 * size 0, and a folder comes before its contents; otherwise there is no particular order. `name` is relative to the
 * root, without a leading separator, NUL-terminated, and valid during the call.
 *
 * Folders: *stat was read before the listing and compared again after it; if the folder changed meanwhile, racy is
 * true. stat NULL means "exists, not looked into". Then the absence of a name below this folder means nothing. There
 * are these reasons: its name is ignored; it is too deep (below WS_SCAN_DEPTH_MAXIMUM folders); it cannot be read; it
 * is a link to one of its own ancestors (by device and inode; other links to folders are entered); or it is a link that
 * leads to no folder now, but may do so later.
 *
 * Files: stat is NULL. "x.rb" is reported when Ruby might open it, now or later, without a change of the folder. Such
 * are regular files, FIFOs and character devices (Ruby does load them), and every link. So a reported file is a reason
 * to look and not a proof.
 *
 * Names that begin with "." are neither entered nor reported; see ws_scan_covers. Return false to stop; ws_scan then
 * returns WS_OK. */
typedef bool (*ws_scan_callback)(void *data, ws_scan_kind kind, const char *name, size_t name_size, const ws_stat *stat,
                                 bool racy);

#define WS_SCAN_DEPTH_MAXIMUM 32 /* each level needs a descriptor and a stack frame */
#define WS_SCAN_DIRECTORIES_MAXIMUM 20000

typedef struct ws_scan_options {
    const char *dlext; /* without the dot: "so" */
    /* Base names of folders that are never entered; NULL-terminated. NULL: ws_scan_without_code. Such a folder is
     * reported with stat NULL ("exists, not looked into"). */
    const char *const *ignored;
} ws_scan_options;

extern const char *const ws_scan_without_code[]; /* node_modules, .git, .hg, .svn */

/* If a scan did not report this relative name, does that mean anything? Not if a component begins with ".", so a
 * feature such as "a/.hidden/x" must be treated as not indexed. */
bool ws_scan_covers(const char *name, size_t name_size);

/* WS_MISSING, WS_NOT_REGULAR (not a folder) or WS_SYSTEM: the root itself cannot be opened or listed, and nothing was
 * reported. WS_SYSTEM or WS_MEMORY: this process lacks descriptors or memory. WS_FULL: there are more than
 * WS_SCAN_DIRECTORIES_MAXIMUM folders. In the last three cases what was reported is right but incomplete. A folder
 * below the root that cannot be read is no error. */
ws_code
ws_scan(const char *root, const ws_scan_options *options, ws_scan_callback callback, void *data, ws_error *error);

#endif
