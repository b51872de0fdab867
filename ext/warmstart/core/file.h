/* Files: metadata, reading, and the trust rules for what will be mapped and executed. */
#ifndef WARMSTART_CORE_FILE_H
#define WARMSTART_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "hash.h"

typedef enum ws_file_type { WS_TYPE_OTHER, WS_TYPE_REGULAR, WS_TYPE_DIRECTORY, WS_TYPE_SYMLINK } ws_file_type;

/* What one metadata call tells. Times are in nanoseconds since the epoch. */
typedef struct ws_stat {
    uint64_t device, inode, size;
    int64_t mtime, ctime;
    uint32_t mode, owner;
    ws_file_type type;
    uint32_t group, links;       /* only where they were asked for: ws_folder_stat_name */
} ws_stat;

/* One system call (statx where it exists, else fstatat), following symlinks. 0, or errno. Counts itself in ws_stat_calls. */
int ws_file_stat(const char *path, ws_stat *stat);
int ws_file_stat_at(int directory, const char *name, bool follow, ws_stat *stat);
int ws_file_stat_descriptor(int descriptor, ws_stat *stat);
extern uint64_t ws_stat_calls;

/* Content hash of a regular file (open O_NONBLOCK|O_CLOEXEC, fstat, read, close). WS_NOT_REGULAR for anything else,
 * WS_CHANGED when it is longer or shorter than fstat said. *stat (may be NULL) is the descriptor's, taken before reading. */
ws_code ws_file_hash(const char *path, ws_hash128 *hash, ws_stat *stat, ws_error *error);

/* Whose files may be executed: see docs/security.md. */
typedef struct ws_trust {
    uint32_t user;               /* effective uid */
    uint32_t application_owner;  /* owner of the application's Gemfile, or the same as user */
} ws_trust;

/* Opens a folder with O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC and checks owner and write bits. The descriptor, or -1. */
int ws_trust_open_directory(const char *path, const ws_trust *trust, ws_stat *stat, ws_error *error);
/* openat(O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC), then checks the descriptor: regular, owner, write bits. A name with a
 * separator, "." and ".." are refused (WS_NOT_REGULAR): it cannot lead out of its folder. */
int ws_trust_open_file(int directory, const char *directory_path, const char *name, const ws_trust *trust, ws_stat *stat, ws_error *error);
/* May this process execute what lies in a file system object with this owner and mode? WS_OK or the reason. */
ws_code ws_trust_check(const ws_stat *stat, const ws_trust *trust);

/* Is the descriptor on a network or FUSE file system, where a mapping may fault at any time? True where nobody can tell. */
bool ws_file_is_remote(int descriptor);

/* Writes all bytes (retrying EINTR and short writes). 0 or errno. */
int ws_file_write_all(int descriptor, const void *bytes, size_t size);

#endif
