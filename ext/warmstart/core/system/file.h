/* Files: metadata, reading, and the trust rules for what will be mapped and executed.
 *
 * file.c holds what is the same everywhere. What differs between systems is in file_posix.c, or in file_windows.c and
 * its parts (see windows_support.h); only one of the two is compiled. On Windows a descriptor is a handle. */
#ifndef WARMSTART_CORE_FILE_H
#define WARMSTART_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/bytes/hash.h"

typedef enum ws_file_type { WS_TYPE_OTHER, WS_TYPE_REGULAR, WS_TYPE_DIRECTORY, WS_TYPE_SYMLINK } ws_file_type;

/* What one metadata call returns. Times are in nanoseconds since the epoch.
 *
 * On Windows, device and inode are 0, which means unknown, where only an open handle would tell them (ws_file_stat).
 * Only the trust rules fill in owner and mode there. */
typedef struct ws_stat {
    uint64_t device, inode, size;
    int64_t mtime, ctime;
    uint32_t mode, owner;
    ws_file_type type;
    bool is_link;          /* the name itself is a link; only ws_file_stat_named tells this */
    uint32_t group, links; /* set only where they were asked for: ws_folder_stat_name, ws_file_stat_trust (group) */
} ws_stat;

/* The fields that may be asked for. Most listings tell the type, so it costs nothing there. TYPE as a field means that
 * the type must be certain. */
enum {
    WS_FIELD_TYPE = 1,
    WS_FIELD_SIZE = 2,
    WS_FIELD_MTIME = 4,
    WS_FIELD_CTIME = 8,
    WS_FIELD_INODE = 16,
    WS_FIELD_DEVICE = 32,
    WS_FIELD_MODE = 64,
    WS_FIELD_LINKS = 128,
    WS_FIELD_OWNER = 256, /* user and group; they are numbers, and SIDs on Windows */
    WS_FIELD_ACL = 512,
    WS_FIELDS_IN_ROW = WS_FIELD_TYPE | WS_FIELD_SIZE | WS_FIELD_MTIME,
    /* What ws_file_stat asks for. */
    WS_FIELDS_OF_FILES =
        WS_FIELDS_IN_ROW | WS_FIELD_CTIME | WS_FIELD_INODE | WS_FIELD_DEVICE | WS_FIELD_MODE | WS_FIELD_OWNER
};

/* Makes one system call (statx where it exists, else fstatat; NtQueryFullAttributesFile on Windows) and follows
 * symlinks. Returns 0 or errno. Counts itself in ws_stat_calls. */
int ws_file_stat(const char *path, ws_stat *stat);
/* The same, and also tells whether the name itself is a link. It takes one call where the name is no link, which is
 * nearly always the case, and two where it is. */
int ws_file_stat_named(const char *path, ws_stat *stat);
/* These fill in device and inode wherever they exist. `follow`: a symlink in the last component is followed. */
int ws_file_stat_path(const char *path, bool follow, ws_stat *stat);
int ws_file_stat_at(int directory, const char *name, bool follow, ws_stat *stat);
int ws_file_stat_descriptor(int descriptor, ws_stat *stat);
extern uint64_t ws_stat_calls;
void ws_stat_count(uint64_t calls);
#ifndef _WIN32
/* Asks for `fields`; it may fill in more. It does not count itself, because many threads would compete for one
 * counter. */
int ws_file_stat_fields(int directory, const char *name, bool follow, uint32_t fields, ws_stat *stat);
/* Like ws_file_stat_named, for a name below a folder. It does not count itself either. */
int ws_file_stat_named_at(int directory, const char *name, ws_stat *stat);
#endif

/* May this process read the file at this path, which has this metadata? Mostly the metadata tells, without a call.
 * false in case of doubt. */
bool ws_file_is_readable(const char *path, const ws_stat *stat);
/* Has the file an access list, which may keep out whom the mode lets in? true in case of doubt. A change of the list
 * changes ctime. */
bool ws_file_has_access_list(const char *path);
/* What the kernel says, which knows the access list, too. false in case of doubt. */
bool ws_file_may_be_read(const char *path);

/* Do both values mean the same inode? true also where one of them is unknown. */
bool ws_stat_is_same_inode(uint64_t inode, uint64_t other);
/* Is it the file that has this device and inode? true also where one of them is unknown. */
bool ws_stat_is_at(const ws_stat *stat, uint64_t device, uint64_t inode);
/* Are device, inode, size, times and type the same? */
bool ws_stat_is_same(const ws_stat *stat, const ws_stat *other);

/* A kernel takes a file's times from its coarse clock, which is up to a timer tick (10 ms) late. */
#define WS_FINE_GRANULARITY (INT64_C(20) * 1000000)
/* Times in whole seconds may come from a file system that keeps no smaller units (FAT: two seconds). */
#define WS_COARSE_GRANULARITY (INT64_C(2) * 1000000000)
/* Did the file change so shortly before this moment, by the clock of its file system, that it may be changed once more
 * without a change of its times? portable: ctime will not be compared. */
bool ws_stat_is_young(const ws_stat *stat, int64_t moment, bool portable);

/* The content hash of a regular file (open O_NONBLOCK|O_CLOEXEC, fstat, read, close). Returns WS_NOT_REGULAR for
 * anything else, and WS_CHANGED when the file is longer or shorter than fstat said. *stat (which may be NULL) receives
 * what ws_file_stat would tell, taken before reading. */
ws_code ws_file_hash(const char *path, ws_hash128 *hash, ws_stat *stat, ws_error *error);
/* The same. It also passes the bytes that it read to look(), unless that is NULL. */
typedef void (*ws_content_callback)(void *data, const uint8_t *bytes, size_t size);
ws_code ws_file_hash_looking(const char *path, ws_hash128 *hash, ws_stat *stat, ws_content_callback look, void *data,
                             ws_error *error);

/* The current folder, with "/" as the separator. Returns its size, or 0 when it does not fit. */
size_t ws_file_current(char *buffer, size_t buffer_size);
/* The path that Ruby's File.realpath returns. The caller frees it. NULL with errno after a failure. */
char *ws_file_real_path(const char *path);

/* ---- descriptors: each returns 0 or errno ---- */

typedef enum ws_open_kind {
    WS_OPEN_FILE,        /* opens for reading; a FIFO does not block */
    WS_OPEN_FILE_ITSELF, /* the same, and no symlink is followed */
    WS_OPEN_DIRECTORY,
    WS_OPEN_DIRECTORY_ITSELF, /* no symlink is followed */
    WS_OPEN_PARENT,           /* a folder in which another is to be made; it need not be readable */
    WS_OPEN_LOCK, /* opens for writing, creates the file for its owner alone if it is missing, follows no symlink */
    WS_OPEN_NEW   /* creates a file for writing; EEXIST if there is one */
} ws_open_kind;

/* The descriptor is never inherited by a child that executes another program. *descriptor is -1 after a failure. */
int ws_file_open(const char *path, ws_open_kind kind, int *descriptor);
int ws_file_open_at(int directory, const char *name, ws_open_kind kind, int *descriptor);
int ws_file_close(int descriptor);

/* Reads up to size bytes from the descriptor's position. It reads fewer only at the end of the file. */
int ws_file_read(int descriptor, void *bytes, size_t size, size_t *read_size);
/* Writes all bytes; retries after EINTR and short writes. */
int ws_file_write_all(int descriptor, const void *bytes, size_t size);
/* Writes all pieces one after the other without copying them. In a compaction the pieces lie in mapped files. If such a
 * file is truncated in the meantime, the system call reports it (EFAULT), whereas copying would raise SIGBUS. */
typedef struct ws_piece {
    const void *bytes;
    size_t size;
} ws_piece;
enum { WS_PIECES_MAXIMUM = 64 };
int ws_file_write_pieces(int descriptor, const ws_piece *pieces, int count);

/* Replaces a file that has the new name, even while other processes have that file open. */
int ws_file_rename_at(int directory, const char *name, const char *new_name);
int ws_file_remove_at(int directory, const char *name);
/* Sets the file's mtime to now. */
int ws_file_touch_at(int directory, const char *name);
/* Calls the callback for each name in the folder except "." and "..". */
typedef void (*ws_name_callback)(void *data, const char *name);
int ws_file_each_name(int directory, ws_name_callback callback, void *data);

/* Makes a folder that is open to its owner alone, or readable by all, whatever the umask is and whatever the parent
 * hands down. EEXIST if it exists. `parent` is the open folder that contains `path`. POSIX systems make the last
 * component of `path` in `parent`; Windows uses `path`. */
int ws_file_make_directory(int parent, const char *path, bool public_read);
/* Makes a folder with the rights that umask and parent give to each folder; but its owner may use it. */
int ws_file_make_plain_directory(int parent, const char *path);
/* Lets everybody read the file (or enter the folder), or only its owner. */
int ws_file_set_public(int descriptor, bool public_read);
/* Lets everybody read the file or enter the folder, unless they may already. */
int ws_file_open_up(int descriptor, const ws_stat *stat);
/* Lets the owner read and write a file that was just created, whatever the umask is. */
int ws_file_open_to_owner(int descriptor, const ws_stat *stat);

/* Locks the whole file. Returns EWOULDBLOCK if somebody else holds the lock and `wait` is false. Closing the descriptor
 * releases the lock. */
int ws_file_lock(int descriptor, bool wait);
void ws_file_unlock(int descriptor);

/* Is the descriptor on a network or FUSE file system, where a mapping may fault at any time? true where we cannot
 * tell. */
bool ws_file_is_remote(int descriptor);
#ifdef __linux__
bool ws_file_is_remote_path(const char *path);
#endif

/* Does a folder's mtime change with each name that is added or removed, as far as we can tell? It does not on FAT as
 * Windows writes it. It is not certain on a Windows network share, whose client caches listings for a while. */
bool ws_file_folders_have_times(const char *path);

/* A number that differs at each call. It is 0 only after a failure. */
uint64_t ws_random_id(void);
/* Random bytes, as good as the system provides them. Returns 0 or errno. */
int ws_random_bytes(uint8_t *bytes, size_t size);

/* ---- trust ---- */

/* Whose files may be executed; see docs/security.md. */
typedef struct ws_secret ws_secret; /* core/image/origin.h */
typedef struct ws_trust {
    uint32_t user;              /* ws_file_user() */
    uint32_t application_owner; /* the owner of the application's Gemfile, or the same as user */
    ws_secret *secret; /* NULL: the right owner is enough. Otherwise a file also needs a check made with this secret. */
    bool has_group;    /* may `group` write to what is trusted, because it may write to the file that runs? */
    uint32_t group;
} ws_trust;

/* Does the process run with somebody else's rights (setuid, file capabilities)? Then environment variables must not
 * control it. */
bool ws_file_is_privileged(void);
/* The effective uid. It is 0 on Windows, where 0 also stands for the owner of everything that belongs to this process's
 * user. */
uint32_t ws_file_user(void);
/* Does this owner's number stand for exactly one user? The overflow uid does not, if the process's user namespace does
 * not map every user: then it stands for all users without a mapping, and any of them may have put the file there. */
bool ws_file_owner_is_known(uint32_t owner);
/* Are the owner and root the only ones who can read the file? `stat` must come from ws_file_stat_trust. On Windows this
 * tells only who may write. */
bool ws_file_is_private(const ws_stat *stat);
/* Like ws_file_stat_descriptor, with owner, group and mode. */
int ws_file_stat_trust(int descriptor, ws_stat *stat);
#ifdef _WIN32
/* The owner of a file or folder, as "S-1-5-21-...", or "" if it is somebody whose code runs in this process anyway
 * (this user, the system, the administrators, the installer of Windows). Returns 0 or errno. */
int ws_file_foreign_owner(const char *path, char *text, size_t size);
#endif
/* Do the mode's bits for the group stand for the group alone? They may stand for other users: as the mask of an access
 * list (acl(5)), or on a network file system. false where we cannot tell. */
bool ws_file_group_is_meant(int descriptor);

/* Opens a folder with O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC and checks its owner and write bits. Returns the descriptor or
 * -1. */
int ws_trust_open_directory(const char *path, const ws_trust *trust, ws_stat *stat, ws_error *error);
/* Opens a file with openat(O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC) and then checks, through the descriptor, that it
 * is regular, and its owner and write bits. It refuses a name with a separator, "." and ".." (WS_NOT_REGULAR), so that
 * a name cannot lead out of its folder. */
int ws_trust_open_file(int directory, const char *directory_path, const char *name, const ws_trust *trust,
                       ws_stat *stat, ws_error *error);
/* Lets a group write to what is trusted, if it may write to this file, which this process runs. */
void ws_trust_group_of(ws_trust *trust, const char *file);
/* May this process execute what lies in a file or folder with this owner and mode? Returns WS_OK or the reason why
 * not. */
ws_code ws_trust_check(const ws_stat *stat, const ws_trust *trust);

#endif
