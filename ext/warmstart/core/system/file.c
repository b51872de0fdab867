/* The part of the file functions that is the same on all systems: content hashes, and the trust rules for what will be
 * mapped and executed.
 *
 * The image's store uses the trust rules; the judgement of entries, the recording and the builder use ws_file_hash.
 * Every function saves the error of a failed call before it closes anything. */
#include "core/system/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool
ws_stat_is_at(const ws_stat *stat, uint64_t device, uint64_t inode)
{
    return ws_stat_is_same_inode(stat->device, device) && ws_stat_is_same_inode(stat->inode, inode);
}

bool
ws_stat_is_same(const ws_stat *stat, const ws_stat *other)
{
    return ws_stat_is_at(stat, other->device, other->inode) && stat->size == other->size &&
           stat->mtime == other->mtime && stat->ctime == other->ctime && stat->type == other->type;
}

#define SECOND INT64_C(1000000000)

/* The kernel sets ctime at each change. mtime may be set to anything, the future included, and then says nothing. But
 * it is all that we have where ctime may be the time of creation (FAT, which keeps whole seconds), and where ctime is
 * not compared later (portable). */
bool
ws_stat_is_young(const ws_stat *stat, int64_t moment, bool portable)
{
    bool coarse = stat->mtime % SECOND == 0 && stat->ctime % SECOND == 0;
    int64_t limit = moment - (coarse ? WS_COARSE_GRANULARITY : WS_FINE_GRANULARITY);
    return stat->ctime >= limit || ((coarse || portable) && stat->mtime >= limit);
}

uint64_t
ws_random_id(void)
{
    uint64_t id = 0;
    for (int tries = 0; tries < 8 && id == 0; tries++)
        if (ws_random_bytes((uint8_t *)&id, sizeof id) != 0) return 0;
    return id;
}

/* The mode's write bits of group and others. They are spelled out because not every system's headers name them. */
#define WS_GROUP_WRITABLE_BIT 0020u
#define WS_WRITABLE_BITS 0022u

/* What a failed open means: there is nothing; or there is something that is not a plain file (a socket, or a symlink
 * that O_NOFOLLOW refuses); or the system really failed. */
static ws_code
ws_file_open_failure(int error_number)
{
    switch (error_number) {
        case ENOENT: return WS_MISSING;
        case ENOTDIR:
        case ELOOP:
        case ENXIO:
        case EMLINK: return WS_NOT_REGULAR;
        default: return WS_SYSTEM;
    }
}

/* Reads one byte more than there should be, so that it notices a file that grows as well as one that shrinks. */
static ws_code
ws_file_hash_bytes(int descriptor, uint64_t expected_size, ws_hash128 *hash, const char *path, ws_content_callback look,
                   void *data, ws_error *error)
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
    else {
        *hash = ws_hash128_bytes(bytes, read_size);
        if (look) look(data, bytes, read_size);
    }

    if (bytes != buffer) free(bytes);
    return code;
}

ws_code
ws_file_hash(const char *path, ws_hash128 *hash, ws_stat *stat, ws_error *error)
{
    return ws_file_hash_looking(path, hash, stat, NULL, NULL, error);
}

ws_code
ws_file_hash_looking(const char *path, ws_hash128 *hash, ws_stat *stat, ws_content_callback look, void *data,
                     ws_error *error)
{
    ws_stat own;
    ws_code code;
    int descriptor;
    int error_number = ws_file_open(path, WS_OPEN_FILE, &descriptor);

    if (error_number != 0) {
        code = error_number == ENOTDIR ? WS_MISSING : ws_file_open_failure(error_number);
        return ws_error_set(error, code, error_number, "open", path);
    }
    error_number = ws_file_stat_descriptor(descriptor, &own);
    if (error_number != 0) code = ws_error_set(error, WS_SYSTEM, error_number, "fstat", path);
    else if (own.type != WS_TYPE_REGULAR) code = ws_error_set(error, WS_NOT_REGULAR, 0, "fstat", path);
    else code = ws_file_hash_bytes(descriptor, own.size, hash, path, look, data, error);
    ws_file_close(descriptor);

    if (code == WS_OK && stat) *stat = own;
    return code;
}

void
ws_trust_group_of(ws_trust *trust, const char *file)
{
    int descriptor;
    ws_stat stat = { 0 };

    if (ws_file_open(file, WS_OPEN_FILE, &descriptor) != 0) return;
    trust->has_group = ws_file_stat_trust(descriptor, &stat) == 0 && stat.type == WS_TYPE_REGULAR &&
                       (stat.mode & WS_WRITABLE_BITS) == WS_GROUP_WRITABLE_BIT && ws_file_group_is_meant(descriptor);
    trust->group = stat.group;
    ws_file_close(descriptor);
}

ws_code
ws_trust_check(const ws_stat *stat, const ws_trust *trust)
{
    if (!ws_file_owner_is_known(stat->owner)) return WS_FOREIGN_OWNER;
    if (stat->owner != trust->user && stat->owner != 0 && stat->owner != trust->application_owner)
        return WS_FOREIGN_OWNER;
    /* A sticky bit does not help: it only stops others from removing a file, not from adding one. */
    uint32_t refused = WS_WRITABLE_BITS;
    if (trust->has_group && stat->group == trust->group) refused &= ~WS_GROUP_WRITABLE_BIT;
    return stat->mode & refused ? WS_WRITABLE : WS_OK;
}

/* Checks the object that was really opened. Returns the descriptor if it may be used; otherwise closes it and returns
 * -1. */
static int
ws_trust_accept(int descriptor, ws_file_type type, const ws_trust *trust, ws_stat *stat, const char *path,
                ws_error *error)
{
    ws_stat own;
    ws_code code;
    int error_number = ws_file_stat_trust(descriptor, &own);

    if (error_number != 0) code = WS_SYSTEM;
    else if (own.type != type) code = WS_NOT_REGULAR;
    else code = ws_trust_check(&own, trust);
    if (code == WS_OK && (own.mode & WS_GROUP_WRITABLE_BIT) && !ws_file_group_is_meant(descriptor)) code = WS_WRITABLE;

    if (code != WS_OK) {
        ws_file_close(descriptor);
        ws_error_set(error, code, error_number, "fstat", path);
        return -1;
    }
    if (stat) *stat = own;
    return descriptor;
}

int
ws_trust_open_directory(const char *path, const ws_trust *trust, ws_stat *stat, ws_error *error)
{
    int descriptor;
    int error_number = ws_file_open(path, WS_OPEN_DIRECTORY_ITSELF, &descriptor);

    if (error_number != 0) {
        ws_error_set(error, ws_file_open_failure(error_number), error_number, "open", path);
        return -1;
    }
    return ws_trust_accept(descriptor, WS_TYPE_DIRECTORY, trust, stat, path, error);
}

/* Writes "directory/name" for messages, cut where it does not fit. */
static void
ws_trust_describe_path(char *buffer, size_t buffer_size, const char *directory, const char *name)
{
    size_t directory_size = strlen(directory), name_size = strlen(name);

    if (directory_size + 1 + name_size >= buffer_size) directory_size = 0;
    if (name_size >= buffer_size) name_size = buffer_size - 1;
    memcpy(buffer, directory, directory_size);
    if (directory_size > 0) buffer[directory_size++] = '/';
    memcpy(buffer + directory_size, name, name_size);
    buffer[directory_size + name_size] = '\0';
}

/* A name must not lead out of its folder. Names come from a manifest, and O_NOFOLLOW protects only the last
 * component. */
static bool
ws_trust_is_plain_name(const char *name)
{
    return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
           strcspn(name, "/\\:") == strlen(name);
}

int
ws_trust_open_file(int directory, const char *directory_path, const char *name, const ws_trust *trust, ws_stat *stat,
                   ws_error *error)
{
    char path[sizeof(error->path)];
    int descriptor;

    ws_trust_describe_path(path, sizeof(path), directory_path, name);
    if (!ws_trust_is_plain_name(name)) {
        ws_error_set(error, WS_NOT_REGULAR, EINVAL, "open", path);
        return -1;
    }
    int error_number = ws_file_open_at(directory, name, WS_OPEN_FILE_ITSELF, &descriptor);
    if (error_number != 0) {
        ws_error_set(error, ws_file_open_failure(error_number), error_number, "open", path);
        return -1;
    }
    return ws_trust_accept(descriptor, WS_TYPE_REGULAR, trust, stat, path, error);
}
