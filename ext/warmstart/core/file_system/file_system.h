/* The file system, asked in as few calls as it can be: what lies in a folder, and what is known about each name.
 *
 * Who calls: the scanner (for the load-path index), the walk (file_system_walk.h) for whole trees and lists of paths,
 * and with it Warmstart::FileSystem. One implementation is compiled: file_system_linux.c (getdents64, statx by the
 * folder's descriptor), _macos.c (getattrlistbulk), _readdir.c (other POSIX systems), _windows.c
 * (FileIdBothDirectoryInfo: no handle for any file). */
#ifndef WARMSTART_CORE_FILE_SYSTEM_H
#define WARMSTART_CORE_FILE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/file.h"

/* No field (core/system/file.h), but what a row's `known` says of the row: a call by name that follows links would tell
 * the same. */
enum { WS_ROW_IS_PLAIN = 1 << 30 };

typedef enum ws_listed_type {
    WS_LISTED_UNKNOWN,
    WS_LISTED_FILE,
    WS_LISTED_DIRECTORY,
    WS_LISTED_LINK,
    WS_LISTED_FIFO,
    WS_LISTED_SOCKET,
    WS_LISTED_CHARACTER,
    WS_LISTED_BLOCK
} ws_listed_type;

ws_listed_type ws_listed_type_of_mode(uint32_t mode);

/* ---- A listing: rows of names, in the order in which the system tells them ---- */

typedef struct ws_row {
    uint32_t name_offset, name_size;
    uint32_t known;       /* WS_FIELD_* that are filled */
    int32_t error_number; /* of its metadata call, or 0 */
    uint32_t child;       /* the walk's number of this folder, when it was entered; else 0 */
    uint8_t type;         /* ws_listed_type */
    uint64_t size;
    int64_t mtime;
} ws_row;

/* What only few ask for: text, each made by malloc, or NULL. */
typedef struct ws_access {
    char *owner, *group; /* SIDs; on POSIX systems NULL, the numbers are in ws_stat */
    char *acl; /* "user::rw-,user:1000:r--,..." (POSIX; NULL where there are the mode's bits only), SDDL on Windows */
} ws_access;

/* All zero is an empty one that holds rows only. */
typedef struct ws_listing {
    char *names; /* each terminated */
    size_t names_size, names_capacity;
    ws_row *rows;
    ws_stat *stats;      /* parallel to rows; NULL: fields in rows suffice */
    ws_access *accesses; /* likewise */
    uint32_t count, capacity;
    uint32_t fields; /* what is wanted of each row; set before the first row comes */
    uint32_t limit; /* so many rows will do, a block of the system's more or less; 0: all (Linux and Windows heed it) */
    void *block;    /* what the system's listing is read into */
    const bool *cancelled; /* set by another thread: stop with EINTR; may be NULL */
} ws_listing;

static inline bool
ws_is_set(const bool *flag)
{
    return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/* Makes room for so many rows and bytes of names (with a NUL for each), so that a folder of known size needs no more
 * than that. False without memory. */
bool ws_listing_reserve(ws_listing *listing, uint32_t rows, size_t names_size);
/* Adds a row whose type is known so far. The row (valid until the next is added), or NULL without memory. */
ws_row *ws_listing_add(ws_listing *listing, const char *name, size_t name_size, ws_listed_type type);
/* Fills what the listing wants from *stat, which has `known`. */
void ws_listing_fill(ws_listing *listing, uint32_t row, const ws_stat *stat, uint32_t known);
/* Forgets the rows from `count` on, and their names: a listing can be used like a stack. */
void ws_listing_truncate(ws_listing *listing, uint32_t count);
void ws_listing_free(ws_listing *listing);

static inline const char *
ws_listing_name(const ws_listing *listing, uint32_t row)
{
    return listing->names + listing->rows[row].name_offset;
}

/* Does a metadata call for the row remain to be made? */
static inline bool
ws_row_lacks(const ws_listing *listing, const ws_row *row)
{
    return (listing->fields & ~row->known & ~(uint32_t)WS_FIELD_ACL) != 0;
}

/* ---- The system ---- */

/* An open folder: a descriptor, or a HANDLE. */
typedef intptr_t ws_folder;
#define WS_FOLDER_NONE ((ws_folder)-1)
#define WS_FOLDER_CURRENT ((ws_folder)-100) /* names are taken from the current folder (AT_FDCWD on Linux) */

/* Opens a folder by a name below another, or by any path below WS_FOLDER_CURRENT. follow: through a link as the last
 * component. 0 or errno. */
int ws_folder_open(ws_folder beside, const char *name, bool follow, ws_folder *folder);
void ws_folder_close(ws_folder folder);
/* Adds a row for each name but "." and "..", once for an open folder. Rows have at least what the system tells with the
 * names. 0 or errno; EINTR when it was cancelled. */
int ws_folder_list(ws_folder folder, ws_listing *listing);
/* Do listings bring sizes and times along, as the image has them? Then they are copies that the file system keeps
 * beside the names: right for a file of one name that nobody is writing, on the file systems that
 * ws_folder_listing_is_exact says yes of. */
extern const bool ws_listings_tell_metadata;
bool ws_folder_listing_is_exact(ws_folder folder);
/* About so many calls of the system's: open, two reads, close. */
enum { WS_CALLS_OF_A_LISTING = 4 };
/* The folder's own metadata. 0 or errno. */
int ws_folder_stat(ws_folder folder, ws_stat *stat);
/* Metadata of a name below a folder: `fields`, perhaps more. 0 or errno. Does not count itself: many threads would wait
 * for one counter. */
int ws_folder_stat_name(ws_folder folder, const char *name, bool follow, uint32_t fields, ws_stat *stat);
/* As ws_file_stat_named, below a folder. */
int ws_folder_stat_named(ws_folder folder, const char *name, ws_stat *stat);
/* Owner's and group's SIDs, ACL: what `fields` say and a stat does not tell. `path` is the whole path of the name. 0 or
 * errno. */
int ws_access_get(const char *path, bool follow, uint32_t fields, ws_access *access);
/* Does the system tell SIDs (so that WS_FIELD_OWNER means ws_access)? */
extern const bool ws_owners_are_sids;

/* How many there are for this machine's programs; at least 1. */
uint32_t ws_processor_count(void);

#endif
