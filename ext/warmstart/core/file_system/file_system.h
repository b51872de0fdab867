/* Access to the file system with as few calls as possible: what a folder contains, and the metadata of each name.
 *
 * The scanner uses it for the load-path index. The walk (file_system_walk.h) uses it for whole trees and lists of
 * paths, and so does Warmstart::FileSystem through the walk. Only one implementation is compiled: file_system_linux.c
 * (getdents64, and statx relative to the folder's descriptor), _macos.c (getattrlistbulk), _readdir.c (other POSIX
 * systems), or _windows.c (FileIdBothDirectoryInfo, which needs no handle for any file). */
#ifndef WARMSTART_CORE_FILE_SYSTEM_H
#define WARMSTART_CORE_FILE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/file.h"

/* This is not a field (core/system/file.h) but a flag in a row's `known`. It means that a call by name that follows
 * links would return the same metadata. */
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

/* ---- A listing: rows of names, in the order in which the system returns them ---- */

typedef struct ws_row {
    uint32_t name_offset, name_size;
    uint32_t known;       /* the WS_FIELD_* that are filled in */
    int32_t error_number; /* of its metadata call, or 0 */
    uint32_t child;       /* the number that the walk gave this folder when it entered it; else 0 */
    uint8_t type;         /* ws_listed_type */
    uint64_t size;
    int64_t mtime;
} ws_row;

/* Metadata that only few callers ask for. Each is text allocated by malloc, or NULL. */
typedef struct ws_access {
    char *owner, *group; /* SIDs; NULL on POSIX systems, where ws_stat has the numbers */
    char *acl; /* POSIX: "user::rw-,user:1000:r--,...", NULL where only the mode's bits exist; Windows: SDDL */
} ws_access;

/* A listing of all zeros is empty and holds rows only. */
typedef struct ws_listing {
    char *names; /* each name is terminated by a NUL */
    size_t names_size, names_capacity;
    ws_row *rows;
    ws_stat *stats;      /* parallel to rows; NULL where the fields in rows suffice */
    ws_access *accesses; /* parallel to rows, or NULL */
    uint32_t count, capacity;
    uint32_t fields;       /* the fields wanted for each row; set before the first row is added */
    uint32_t limit;        /* about so many rows are enough, in whole blocks; 0: all. Only Linux and Windows use it. */
    void *block;           /* buffer for the system's listing */
    const bool *cancelled; /* another thread may set it: then stop with EINTR. May be NULL. */
} ws_listing;

static inline bool
ws_is_set(const bool *flag)
{
    return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/* Makes room for so many rows and bytes of names, including a NUL for each, so that a folder of known size takes no
 * more memory than it needs. false without memory. */
bool ws_listing_reserve(ws_listing *listing, uint32_t rows, size_t names_size);
/* Adds a row of which at most the type is known. Returns the row, which is valid until the next one is added, or NULL
 * without memory. */
ws_row *ws_listing_add(ws_listing *listing, const char *name, size_t name_size, ws_listed_type type);
/* Fills in what the listing wants from *stat, in which the fields `known` are valid. */
void ws_listing_fill(ws_listing *listing, uint32_t row, const ws_stat *stat, uint32_t known);
/* Removes the rows from `count` on, and their names. So a listing can be used like a stack. */
void ws_listing_truncate(ws_listing *listing, uint32_t count);
void ws_listing_free(ws_listing *listing);

static inline const char *
ws_listing_name(const ws_listing *listing, uint32_t row)
{
    return listing->names + listing->rows[row].name_offset;
}

/* Does the row still need a metadata call? */
static inline bool
ws_row_lacks(const ws_listing *listing, const ws_row *row)
{
    return (listing->fields & ~row->known & ~(uint32_t)WS_FIELD_ACL) != 0;
}

/* ---- The system ---- */

/* An open folder: a descriptor, or a HANDLE. */
typedef intptr_t ws_folder;
#define WS_FOLDER_NONE ((ws_folder)-1)
#define WS_FOLDER_CURRENT ((ws_folder)-100) /* names are relative to the current folder (AT_FDCWD on Linux) */

/* Opens a folder by its name below another folder, or by any path below WS_FOLDER_CURRENT. `follow` allows a link as
 * the last component. Returns 0 or errno. */
int ws_folder_open(ws_folder beside, const char *name, bool follow, ws_folder *folder);
void ws_folder_close(ws_folder folder);
/* Adds a row for each name except "." and "..". It may be called once for an open folder. Rows have at least what the
 * system returns with the names. Returns 0 or errno; EINTR if it was cancelled. */
int ws_folder_list(ws_folder folder, ws_listing *listing);
/* Do listings include sizes and times, as the image stores them? If so, these are copies that the file system keeps
 * beside the names. They are right for a file that has one name and that nobody is writing, on file systems for which
 * ws_folder_listing_is_exact returns true. */
extern const bool ws_listings_tell_metadata;
bool ws_folder_listing_is_exact(ws_folder folder);
/* A listing takes about so many system calls: open, two reads, close. */
enum { WS_CALLS_OF_A_LISTING = 4 };
/* The folder's own metadata. Returns 0 or errno. */
int ws_folder_stat(ws_folder folder, ws_stat *stat);
/* Metadata of a name below a folder: `fields`, perhaps more. Returns 0 or errno. It does not count itself, because many
 * threads would compete for one counter. */
int ws_folder_stat_name(ws_folder folder, const char *name, bool follow, uint32_t fields, ws_stat *stat);
/* Like ws_file_stat_named, for a name below a folder. */
int ws_folder_stat_named(ws_folder folder, const char *name, ws_stat *stat);
/* The SIDs of owner and group, and the ACL: what `fields` asks for and a stat does not return. `path` is the whole path
 * of the name. Returns 0 or errno. */
int ws_access_get(const char *path, bool follow, uint32_t fields, ws_access *access);
/* Does the system identify owners by SIDs? Then WS_FIELD_OWNER means ws_access. */
extern const bool ws_owners_are_sids;

/* The number of processors; at least 1. */
uint32_t ws_processor_count(void);

#endif
