/* Files: metadata, reading, and the trust rules for what will be mapped and executed.
 *
 * file.c holds what is the same everywhere; what differs between systems lies in file_posix.c or file_windows.c (and
 * its parts: windows_support.h), of which one is compiled. Descriptors are the C runtime's on Windows, too, also those
 * of folders. */
#ifndef WARMSTART_CORE_FILE_H
#define WARMSTART_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/bytes/hash.h"

typedef enum ws_file_type { WS_TYPE_OTHER, WS_TYPE_REGULAR, WS_TYPE_DIRECTORY, WS_TYPE_SYMLINK } ws_file_type;

/* What one metadata call tells. Times are in nanoseconds since the epoch.
 * On Windows device and inode are 0 where only an open handle would tell them (ws_file_stat), which means: not known;
 * owner and mode are filled by the trust rules only. */
typedef struct ws_stat {
    uint64_t device, inode, size;
    int64_t mtime, ctime;
    uint32_t mode, owner;
    ws_file_type type;
    bool is_link;          /* the name itself is a link; only ws_file_stat_named tells */
    uint32_t group, links; /* only where they were asked for: ws_folder_stat_name */
} ws_stat;

/* What may be asked. The type comes with most listings, so it costs nothing there; TYPE as a field means "certainly
 * known". */
enum {
    WS_FIELD_TYPE = 1,
    WS_FIELD_SIZE = 2,
    WS_FIELD_MTIME = 4,
    WS_FIELD_CTIME = 8,
    WS_FIELD_INODE = 16,
    WS_FIELD_DEVICE = 32,
    WS_FIELD_MODE = 64,
    WS_FIELD_LINKS = 128,
    WS_FIELD_OWNER = 256, /* user and group: numbers, on Windows SIDs */
    WS_FIELD_ACL = 512,
    WS_FIELDS_IN_ROW = WS_FIELD_TYPE | WS_FIELD_SIZE | WS_FIELD_MTIME,
    /* What ws_file_stat asks for. */
    WS_FIELDS_OF_FILES =
        WS_FIELDS_IN_ROW | WS_FIELD_CTIME | WS_FIELD_INODE | WS_FIELD_DEVICE | WS_FIELD_MODE | WS_FIELD_OWNER
};

/* One system call (statx where it exists, else fstatat; NtQueryFullAttributesFile), following symlinks. 0, or errno.
 * Counts itself in ws_stat_calls. */
int ws_file_stat(const char *path, ws_stat *stat);
/* The same, and whether the name itself is a link: one call where it is none, which is nearly always; two where it is.
 */
int ws_file_stat_named(const char *path, ws_stat *stat);
/* With device and inode wherever there are any; ws_file_stat_link does not follow a symlink in the last component. */
int ws_file_stat_whole(const char *path, ws_stat *stat);
int ws_file_stat_link(const char *path, ws_stat *stat);
int ws_file_stat_at(int directory, const char *name, bool follow, ws_stat *stat);
int ws_file_stat_descriptor(int descriptor, ws_stat *stat);
extern uint64_t ws_stat_calls;
/* Adds to ws_stat_calls. */
void ws_stat_count(uint64_t calls);
#ifndef _WIN32
/* `fields`, perhaps more. Does not count itself: many threads would wait for one counter. */
int ws_file_stat_fields(int directory, const char *name, bool follow, uint32_t fields, ws_stat *stat);
/* As ws_file_stat_named, of a name below a folder; does not count itself either. */
int ws_file_stat_named_at(int directory, const char *name, ws_stat *stat);
#endif

/* May the file at `path`, whose metadata these are, be read by this process, as far as they tell? Where they leave a
 * doubt: false. */
bool ws_file_is_readable(const ws_stat *stat);

/* Do both tell the same of what device and inode say? Yes where one of them does not know. */
bool ws_stat_is_same_inode(uint64_t inode, uint64_t other);

/* Content hash of a regular file (open O_NONBLOCK|O_CLOEXEC, fstat, read, close). WS_NOT_REGULAR for anything else,
 * WS_CHANGED when it is longer or shorter than fstat said. *stat (may be NULL) is what ws_file_stat would tell, taken
 * before reading. */
ws_code ws_file_hash(const char *path, ws_hash128 *hash, ws_stat *stat, ws_error *error);
/* The same; what was read is shown to look(), if there is one. */
typedef void (*ws_content_callback)(void *data, const uint8_t *bytes, size_t size);
ws_code ws_file_hash_looking(const char *path, ws_hash128 *hash, ws_stat *stat, ws_content_callback look, void *data,
                             ws_error *error);

/* The current folder, with "/". The size, or 0 when it does not fit. */
size_t ws_file_current(char *buffer, size_t buffer_size);
/* The path that Ruby's File.realpath gives; to be freed. NULL with errno. */
char *ws_file_real_path(const char *path);

/* ---- descriptors: each returns 0 or errno ---- */

typedef enum ws_open_kind {
    WS_OPEN_FILE,        /* for reading; a FIFO does not block */
    WS_OPEN_FILE_ITSELF, /* ... and no symlink is followed */
    WS_OPEN_DIRECTORY,
    WS_OPEN_DIRECTORY_ITSELF, /* no symlink is followed */
    WS_OPEN_PARENT,           /* a folder in which one is to be made: it need not be readable */
    WS_OPEN_LOCK,             /* made (for its owner alone) where missing, for writing, no symlink */
    WS_OPEN_NEW               /* made, for writing; EEXIST where there is one */
} ws_open_kind;

/* Never inherited by a child that executes another program. *descriptor: -1 after a failure. */
int ws_file_open(const char *path, ws_open_kind kind, int *descriptor);
int ws_file_open_at(int directory, const char *name, ws_open_kind kind, int *descriptor);
int ws_file_close(int descriptor);

/* At most size bytes from the descriptor's position; fewer at the end of the file. */
int ws_file_read(int descriptor, void *bytes, size_t size, size_t *read_size);
/* All bytes (retrying EINTR and short writes). */
int ws_file_write_all(int descriptor, const void *bytes, size_t size);
/* All pieces, one after the other, not copied: in a compaction they lie in mapped files, and where one of those is
 * truncated meanwhile, the system says so (EFAULT); copying would be SIGBUS.. */
typedef struct ws_piece {
    const void *bytes;
    size_t size;
} ws_piece;
enum { WS_PIECES_MAXIMUM = 64 };
int ws_file_write_pieces(int descriptor, const ws_piece *pieces, int count);

/* Takes the place of a file of the new name, also where other processes have that one open. */
int ws_file_rename_at(int directory, const char *name, const char *new_name);
int ws_file_remove_at(int directory, const char *name);
/* Sets its mtime to now. */
int ws_file_touch_at(int directory, const char *name);
/* Calls for each name in the folder but "." and "..". */
typedef void (*ws_name_callback)(void *data, const char *name);
int ws_file_each_name(int directory, ws_name_callback callback, void *data);

/* Makes a folder for its owner alone, or one that all may read, whatever the umask or what the parent hands down.
 * EEXIST where there is one. parent: the open folder that `path` lies in. (POSIX takes the last component in it;
 * Windows takes the path.) */
int ws_file_make_directory(int parent, const char *path, bool public_read);
/* Lets all read the file (or enter the folder), or its owner alone. */
int ws_file_set_public(int descriptor, bool public_read);
/* ... unless they may already. */
int ws_file_open_up(int descriptor, const ws_stat *stat);
/* Lets its owner read and write a file that was just made, whatever the umask. */
int ws_file_open_to_owner(int descriptor, const ws_stat *stat);

/* The lock of the whole file; EWOULDBLOCK where somebody else has it and `wait` is false. Gone with the descriptor. */
int ws_file_lock(int descriptor, bool wait);
void ws_file_unlock(int descriptor);

/* Is the descriptor on a network or FUSE file system, where a mapping may fault at any time? True where nobody can
 * tell. */
bool ws_file_is_remote(int descriptor);

/* Does a folder's mtime change with each name that comes or goes, as far as one can tell? Not on FAT as Windows writes
 * it, nor for sure behind a Windows network share, whose client remembers listings for a while. */
bool ws_file_folders_have_times(const char *path);

/* Not 0 but for a failure; differs at each call. */
uint64_t ws_random_id(void);
/* As good as the system has them. 0 or errno. */
int ws_random_bytes(uint8_t *bytes, size_t size);

/* ---- trust ---- */

/* Whose files may be executed: see docs/security.md. */
typedef struct ws_secret ws_secret; /* secret.h */
typedef struct ws_trust {
    uint32_t user;              /* ws_file_user() */
    uint32_t application_owner; /* owner of the application's Gemfile, or the same as user */
    ws_secret *secret;          /* NULL: who owns a file is enough; else it must also carry a check by this secret */
} ws_trust;

/* Does the process run with somebody else's rights (setuid, file capabilities)? Then it must not be led by variables.
 */
bool ws_file_is_privileged(void);
/* The effective uid. On Windows 0, which is there also the owner of what belongs to this process's user. */
uint32_t ws_file_user(void);
/* Does this owner's number stand for one user? Not the overflow uid where the process's user namespace does not name
 * every user: there it stands for all who have no name, of whom one may have put the file there. */
bool ws_file_owner_is_known(uint32_t owner);
/* Can nobody but its owner read the file, and root? (Of what ws_file_stat_trust told; Windows knows only who may
 * write.) */
bool ws_file_is_private(const ws_stat *stat);
/* As ws_file_stat_descriptor, with owner and mode. */
int ws_file_stat_trust(int descriptor, ws_stat *stat);

/* Opens a folder with O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC and checks owner and write bits. The descriptor, or -1. */
int ws_trust_open_directory(const char *path, const ws_trust *trust, ws_stat *stat, ws_error *error);
/* openat(O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC), then checks the descriptor: regular, owner, write bits. A name with
 * a separator, "." and ".." are refused (WS_NOT_REGULAR): it cannot lead out of its folder. */
int ws_trust_open_file(int directory, const char *directory_path, const char *name, const ws_trust *trust,
                       ws_stat *stat, ws_error *error);
/* May this process execute what lies in a file system object with this owner and mode? WS_OK or the reason. */
ws_code ws_trust_check(const ws_stat *stat, const ws_trust *trust);

#endif
