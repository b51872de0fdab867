/* Files on POSIX systems: metadata in one call, content hashes, and the trust rules for what will be mapped and executed.
 *
 * Who calls: the image's store (trust), the loader's checks (ws_file_stat), recorder and builder (ws_file_hash), the
 * scanner. Every function takes errno where the call failed, before it closes anything. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__) && defined(STATX_BASIC_STATS) && !defined(WS_FILE_WITHOUT_STATX)
#include <sys/sysmacros.h>
#define WS_FILE_STATX 1
#endif

/* One write or read at a time: macOS refuses more than INT_MAX bytes. */
#define WS_FILE_CHUNK_SIZE ((size_t)1 << 30)

uint64_t ws_stat_calls;

/* A statistic that several threads count. Without 64-bit atomics of the machine's own (they would need libatomic) a
 * lost count is the better price. */
static void ws_stat_count(void)
{
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ >= 8
    __atomic_fetch_add(&ws_stat_calls, 1, __ATOMIC_RELAXED);
#else
    ws_stat_calls++;
#endif
}

static ws_file_type ws_file_type_of(uint32_t mode)
{
    switch (mode & S_IFMT) {
      case S_IFREG: return WS_TYPE_REGULAR;
      case S_IFDIR: return WS_TYPE_DIRECTORY;
      case S_IFLNK: return WS_TYPE_SYMLINK;
      default: return WS_TYPE_OTHER;
    }
}

/* Unsigned on the way: a file system may hold times so far away that they wrap, and all that matters is that the same
 * time gives the same number. */
static int64_t ws_stat_nanoseconds(int64_t seconds, int64_t nanoseconds)
{
    return (int64_t)((uint64_t)seconds * UINT64_C(1000000000) + (uint64_t)nanoseconds);
}

static void ws_stat_fill(ws_stat *stat, const struct stat *from)
{
    stat->device = (uint64_t)from->st_dev;
    stat->inode = (uint64_t)from->st_ino;
    stat->size = (uint64_t)from->st_size;
#ifdef __APPLE__
    stat->mtime = ws_stat_nanoseconds(from->st_mtimespec.tv_sec, from->st_mtimespec.tv_nsec);
    stat->ctime = ws_stat_nanoseconds(from->st_ctimespec.tv_sec, from->st_ctimespec.tv_nsec);
#else
    stat->mtime = ws_stat_nanoseconds(from->st_mtim.tv_sec, from->st_mtim.tv_nsec);
    stat->ctime = ws_stat_nanoseconds(from->st_ctim.tv_sec, from->st_ctim.tv_nsec);
#endif
    stat->mode = (uint32_t)from->st_mode;
    stat->owner = (uint32_t)from->st_uid;
    stat->type = ws_file_type_of(stat->mode);
}

#ifdef WS_FILE_STATX
/* statx is told which fields are wanted, so that a network file system need not fetch the others. The device is put
 * together as stat has it: the same number whichever call was made. */
static int ws_statx(int directory, const char *name, int flags, ws_stat *stat)
{
    const unsigned mask = STATX_TYPE | STATX_MODE | STATX_UID | STATX_INO | STATX_SIZE | STATX_MTIME | STATX_CTIME;
    struct statx from;

    if (statx(directory, name, flags | AT_STATX_SYNC_AS_STAT | AT_NO_AUTOMOUNT, mask, &from) < 0) return errno;
    stat->device = (uint64_t)makedev(from.stx_dev_major, from.stx_dev_minor);
    stat->inode = from.stx_ino;
    stat->size = from.stx_size;
    stat->mtime = ws_stat_nanoseconds(from.stx_mtime.tv_sec, from.stx_mtime.tv_nsec);
    stat->ctime = ws_stat_nanoseconds(from.stx_ctime.tv_sec, from.stx_ctime.tv_nsec);
    stat->mode = from.stx_mode;
    stat->owner = from.stx_uid;
    stat->type = ws_file_type_of(stat->mode);
    return 0;
}

/* Old kernels do not know statx, and old container sandboxes forbid it with EPERM, which stat itself never says. */
static bool ws_statx_is_refused(int error_number)
{
    return error_number == ENOSYS || error_number == EPERM;
}
#endif

int ws_file_stat_at(int directory, const char *name, bool follow, ws_stat *stat)
{
    int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
    struct stat from;

    ws_stat_count();
#ifdef WS_FILE_STATX
    int result = ws_statx(directory, name, flags, stat);
    if (!ws_statx_is_refused(result)) return result;
#endif
    if (fstatat(directory, name, &from, flags) < 0) return errno;
    ws_stat_fill(stat, &from);
    return 0;
}

int ws_file_stat(const char *path, ws_stat *stat)
{
    return ws_file_stat_at(AT_FDCWD, path, true, stat);
}

int ws_file_stat_descriptor(int descriptor, ws_stat *stat)
{
    struct stat from;

    ws_stat_count();
#ifdef WS_FILE_STATX
    int result = ws_statx(descriptor, "", AT_EMPTY_PATH, stat);
    if (!ws_statx_is_refused(result)) return result;
#endif
    if (fstat(descriptor, &from) < 0) return errno;
    ws_stat_fill(stat, &from);
    return 0;
}

/* What a failed open means: nothing there; something that is no plain file (a symlink met by O_NOFOLLOW, a socket); or a
 * real failure. */
static ws_code ws_file_open_failure(int error_number)
{
    switch (error_number) {
      case ENOENT: return WS_MISSING;
      case ENOTDIR: case ELOOP: case ENXIO: case EMLINK: return WS_NOT_REGULAR;
      default: return WS_SYSTEM;
    }
}

static int ws_file_open(int directory, const char *name, int flags)
{
    int descriptor;

    do {
        descriptor = openat(directory, name, flags | O_RDONLY | O_CLOEXEC);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* Reads at most size bytes from the descriptor's position. The count in *read_size; 0 or errno. */
static int ws_file_read(int descriptor, uint8_t *bytes, size_t size, size_t *read_size)
{
    size_t done = 0;

    while (done < size) {
        size_t wanted = size - done < WS_FILE_CHUNK_SIZE ? size - done : WS_FILE_CHUNK_SIZE;
        ssize_t count = read(descriptor, bytes + done, wanted);

        if (count == 0) break;
        if (count > 0) done += (size_t)count;
        else if (errno != EINTR) return errno;
    }
    *read_size = done;
    return 0;
}

/* Reads one byte more than there should be, so that a file that grows is noticed as well as one that shrinks. */
static ws_code ws_file_hash_bytes(int descriptor, uint64_t expected_size, ws_hash128 *hash, const char *path, ws_error *error)
{
    uint8_t buffer[16384], *bytes = buffer;
    size_t read_size = 0;

    if (expected_size >= SIZE_MAX / 2) return ws_error_set(error, WS_MEMORY, 0, "read", path);
    size_t size = (size_t)expected_size + 1;
    if (size > sizeof(buffer) && !(bytes = malloc(size))) return ws_error_set(error, WS_MEMORY, ENOMEM, "read", path);

    ws_code code = WS_OK;
    int error_number = ws_file_read(descriptor, bytes, size, &read_size);
    if (error_number != 0) code = ws_error_set(error, WS_SYSTEM, error_number, "read", path);
    else if (read_size != size - 1) code = ws_error_set(error, WS_CHANGED, 0, "read", path);
    else *hash = ws_hash128_bytes(bytes, read_size);

    if (bytes != buffer) free(bytes);
    return code;
}

ws_code ws_file_hash(const char *path, ws_hash128 *hash, ws_stat *stat, ws_error *error)
{
    ws_stat own;
    ws_code code;
    int descriptor = ws_file_open(AT_FDCWD, path, O_NONBLOCK | O_NOCTTY);

    if (descriptor < 0) {
        int error_number = errno;
        code = error_number == ENOTDIR ? WS_MISSING : ws_file_open_failure(error_number);
        return ws_error_set(error, code, error_number, "open", path);
    }
    int error_number = ws_file_stat_descriptor(descriptor, &own);
    if (error_number != 0) code = ws_error_set(error, WS_SYSTEM, error_number, "fstat", path);
    else if (own.type != WS_TYPE_REGULAR) code = ws_error_set(error, WS_NOT_REGULAR, 0, "fstat", path);
    else code = ws_file_hash_bytes(descriptor, own.size, hash, path, error);
    close(descriptor);

    if (code == WS_OK && stat) *stat = own;
    return code;
}

ws_code ws_trust_check(const ws_stat *stat, const ws_trust *trust)
{
    if (stat->owner != trust->user && stat->owner != 0 && stat->owner != trust->application_owner) return WS_FOREIGN_OWNER;
    /* A sticky bit would only stop others from removing a file, not from adding one. */
    return stat->mode & (S_IWGRP | S_IWOTH) ? WS_WRITABLE : WS_OK;
}

/* Looks at what was really opened. The descriptor when it may be used; else closes it, and -1. */
static int ws_trust_accept(int descriptor, ws_file_type type, const ws_trust *trust, ws_stat *stat, const char *path, ws_error *error)
{
    ws_stat own;
    ws_code code;
    int error_number = ws_file_stat_descriptor(descriptor, &own);

    if (error_number != 0) code = WS_SYSTEM;
    else if (own.type != type) code = WS_NOT_REGULAR;
    else code = ws_trust_check(&own, trust);

    if (code != WS_OK) {
        close(descriptor);
        ws_error_set(error, code, error_number, "fstat", path);
        return -1;
    }
    if (stat) *stat = own;
    return descriptor;
}

int ws_trust_open_directory(const char *path, const ws_trust *trust, ws_stat *stat, ws_error *error)
{
    int descriptor = ws_file_open(AT_FDCWD, path, O_DIRECTORY | O_NOFOLLOW);

    if (descriptor < 0) {
        int error_number = errno;
        ws_error_set(error, ws_file_open_failure(error_number), error_number, "open", path);
        return -1;
    }
    return ws_trust_accept(descriptor, WS_TYPE_DIRECTORY, trust, stat, path, error);
}

/* "directory/name" for messages, cut where it does not fit. */
static void ws_trust_describe_path(char *buffer, size_t buffer_size, const char *directory, const char *name)
{
    size_t directory_size = strlen(directory), name_size = strlen(name);

    if (directory_size + 1 + name_size >= buffer_size) directory_size = 0;
    if (name_size >= buffer_size) name_size = buffer_size - 1;
    memcpy(buffer, directory, directory_size);
    if (directory_size > 0) buffer[directory_size++] = '/';
    memcpy(buffer + directory_size, name, name_size);
    buffer[directory_size + name_size] = '\0';
}

/* O_NOFOLLOW guards the last component only, and names come from a manifest: a name must not lead out of its folder. */
static bool ws_trust_is_plain_name(const char *name)
{
    return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !strchr(name, '/');
}

int ws_trust_open_file(int directory, const char *directory_path, const char *name, const ws_trust *trust, ws_stat *stat, ws_error *error)
{
    char path[sizeof(error->path)];
    int descriptor;

    ws_trust_describe_path(path, sizeof(path), directory_path, name);
    if (!ws_trust_is_plain_name(name)) {
        ws_error_set(error, WS_NOT_REGULAR, EINVAL, "open", path);
        return -1;
    }
    descriptor = ws_file_open(directory, name, O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        int error_number = errno;
        ws_error_set(error, ws_file_open_failure(error_number), error_number, "open", path);
        return -1;
    }
    return ws_trust_accept(descriptor, WS_TYPE_REGULAR, trust, stat, path, error);
}

int ws_file_write_all(int descriptor, const void *bytes, size_t size)
{
    const uint8_t *position = bytes;

    while (size > 0) {
        ssize_t count = write(descriptor, position, size < WS_FILE_CHUNK_SIZE ? size : WS_FILE_CHUNK_SIZE);

        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        if (count == 0) return EIO;
        position += count;
        size -= (size_t)count;
    }
    return 0;
}
