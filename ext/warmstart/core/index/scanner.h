/* What lies in a folder tree: the requirable files of one load-path entry and every folder's identity.
 * Listings are file_system.h's: types come with the names, metadata calls are made for folders and links only. */
#ifndef WARMSTART_CORE_SCANNER_H
#define WARMSTART_CORE_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/system/file.h"

typedef enum ws_scan_kind { WS_SCAN_DIRECTORY, WS_SCAN_RB, WS_SCAN_LIBRARY } ws_scan_kind;

/* Called for each folder (first the root, with name "" and size 0; a folder always before what is in it; otherwise in
 * no particular order) and for each file that ends in ".rb" or "." + dlext. `name` is relative to the root, without a
 * leading separator, terminated, and valid during the call.
 *
 * Folders: *stat is filled (taken before the listing is read, and compared again after: a folder that changed meanwhile
 * is reported as racy=true). stat NULL says "exists, not looked into": its name is ignored, it is too deep, it cannot
 * be read, or it is a link back to one of its own ancestors (device and inode; other links to folders are entered), or
 * one that leads to no folder now and to one perhaps tomorrow. Absences below such a folder mean nothing.
 *
 * Files: stat is NULL. "x.rb" is reported when Ruby might open it now or later without a change of the folder: regular
 * files, FIFOs and character devices (Ruby does load them), and every link. So a presence is a reason to look, never a
 * proof.
 *
 * Names that begin with "." are neither entered nor reported: see ws_scan_covers.
 * Return false to stop; ws_scan then returns WS_OK. */
typedef bool (*ws_scan_callback)(void *data, ws_scan_kind kind, const char *name, size_t name_size, const ws_stat *stat,
                                 bool racy);

typedef struct ws_scan_options {
    const char *dlext;            /* without the dot: "so" */
    const char *const *ignored;   /* folder base names never entered; NULL-terminated; NULL means
                                     ws_scan_ignored_default. A folder that is skipped for its name makes its
                                     parent's absences unusable below it: reported by kind WS_SCAN_DIRECTORY
                                     with stat NULL ("exists, not looked into") */
    uint32_t maximum_depth;       /* 0: 32; never more than 256. A folder in the root has depth 1; one that
                                     is deeper than the maximum is not looked into */
    uint32_t maximum_directories; /* 0: 20,000; exceeding ends the scan with WS_FULL */
} ws_scan_options;

extern const char *const ws_scan_ignored_default[]; /* node_modules, .git, .hg, .svn, log, tmp, storage */

/* Does a scan's silence about this relative name mean anything? Not where a component begins with ".": a feature such
 * as "a/.hidden/x" must be treated as not indexed. */
bool ws_scan_covers(const char *name, size_t name_size);

/* WS_MISSING, WS_NOT_REGULAR (no folder) or WS_SYSTEM when the root itself cannot be opened or listed: nothing was
 * reported then. WS_SYSTEM or WS_MEMORY as well when this process lacks descriptors or memory, WS_FULL when there are
 * too many folders: what was reported until then is right but not all. A folder below that cannot be read is no error.
 */
ws_code
ws_scan(const char *root, const ws_scan_options *options, ws_scan_callback callback, void *data, ws_error *error);

#endif
