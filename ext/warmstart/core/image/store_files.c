/* Temporary files, which become segments and manifests, and the removal of files that nobody needs. Who calls: store.c,
 * with the folder's lock held, so there may be readers meanwhile but no other writer. */
#include "core/image/store_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/vector.h"
#include "core/system/file.h"
#include "core/image/segment_writer.h"
#include "core/image/store_directory.h"

/* For so many nanoseconds a reader may still need a file that nothing refers to any more: it has read the old manifest
 * and not yet opened the segment. */
#define GRACE_NS (INT64_C(3600) * 1000000000)
/* Images of other keys are removed when they are older: 30 days. */
#define MAXIMUM_AGE_NS (INT64_C(30) * 24 * 3600 * 1000000000)

/* ---- temporary files ---- */

ws_code
ws_temporary_create(ws_temporary *temporary, int directory, uint64_t key_hash, bool public_read, const char *path,
                    ws_error *error)
{
    uint64_t id = ws_random_id();

    temporary->descriptor = -1;
    if (id == 0) return ws_error_set(error, WS_SYSTEM, 0, "read", "random numbers");
    snprintf(temporary->name, sizeof temporary->name, "%016" PRIx64 "-%016" PRIx64 ".temporary", key_hash, id);
    int error_number = ws_file_open_at(directory, temporary->name, WS_OPEN_NEW, &temporary->descriptor);
    if (error_number != 0) return ws_error_set(error, ws_write_failure(error_number), error_number, "create", path);
    error_number = ws_file_set_public(temporary->descriptor, public_read);
    if (error_number != 0) {
        ws_error_set(error, WS_SYSTEM, error_number, "chmod", path);
        ws_temporary_discard(temporary, directory);
        return WS_SYSTEM;
    }
    return WS_OK;
}

void
ws_temporary_discard(ws_temporary *temporary, int directory)
{
    if (temporary->descriptor < 0) return;
    ws_file_close(temporary->descriptor);
    temporary->descriptor = -1;
    ws_file_remove_at(directory, temporary->name);
}

ws_code
ws_temporary_write(ws_temporary *temporary, int directory, const void *bytes, size_t size, const char *path,
                   ws_error *error)
{
    int error_number = ws_file_write_all(temporary->descriptor, bytes, size);
    if (error_number == 0) return WS_OK;
    ws_temporary_discard(temporary, directory);
    return ws_error_set(error, ws_write_failure(error_number), error_number, "write", path);
}

/* The result of close counts, because NFS may report a full disk only there. */
ws_code
ws_temporary_rename(ws_temporary *temporary, int directory, const char *name, int64_t *mtime, const char *path,
                    ws_error *error)
{
    ws_stat stat;
    int descriptor = temporary->descriptor;

    int error_number = ws_file_stat_descriptor(descriptor, &stat);
    temporary->descriptor = -1;
    int close_error = ws_file_close(descriptor);
    if (error_number == 0) error_number = close_error;
    if (error_number == 0) error_number = ws_file_rename_at(directory, temporary->name, name);
    if (error_number != 0) {
        ws_file_remove_at(directory, temporary->name);
        return ws_error_set(error, ws_write_failure(error_number), error_number, "rename", path);
    }
    if (mtime != NULL) *mtime = stat.mtime;
    return WS_OK;
}

/* ---- the files of a folder ---- */

typedef enum file_kind { KIND_MANIFEST, KIND_SEGMENT, KIND_TEMPORARY, KIND_RECORD } file_kind;

typedef struct found_file {
    char name[64];
    file_kind kind;
    uint64_t key_hash, id, size;
    int64_t mtime;
    bool chosen; /* to be removed if it is the oldest */
} found_file;

typedef struct listing {
    int directory, error_number;
    found_file *files;
    uint32_t count;
    size_t capacity;
} listing;

static bool
parse_hex(const char **at, uint64_t *number)
{
    *number = 0;
    for (int i = 0; i < 16; i++, (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9') *number = *number << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f') *number = *number << 4 | (uint64_t)(c - 'a' + 10);
        else return false;
    }
    return true;
}

/* Recognizes only names that we give. Other files in the folder are not ours to remove. */
static bool
parse_name(const char *text, found_file *file)
{
    if (!parse_hex(&text, &file->key_hash)) return false;
    if (strcmp(text, ".manifest") == 0) {
        file->kind = KIND_MANIFEST;
        return true;
    }
    if (*text++ != '-' || !parse_hex(&text, &file->id)) return false;
    if (strcmp(text, ".segment") == 0) file->kind = KIND_SEGMENT;
    else if (strcmp(text, ".temporary") == 0) file->kind = KIND_TEMPORARY;
    else if (strcmp(text, ".record") == 0) file->kind = KIND_RECORD;
    else return false;
    return true;
}

static void
note_name(void *data, const char *name)
{
    listing *list = data;
    found_file file = { .id = 0 };
    ws_stat stat;

    if (!parse_name(name, &file) || ws_file_stat_at(list->directory, name, false, &stat) != 0) return;
    if (stat.type != WS_TYPE_REGULAR) return;
    if (!WS_RESERVE(list->files, list->capacity, list->count + 1)) {
        list->error_number = ENOMEM;
        return;
    }
    snprintf(file.name, sizeof file.name, "%s", name);
    file.size = stat.size;
    file.mtime = stat.mtime;
    list->files[list->count++] = file;
}

/* Lists the regular files that have a name of ours. The caller frees list->files. Returns 0 or errno. */
static int
list_files(int directory, listing *list)
{
    *list = (listing){ .directory = directory };
    int error_number = ws_file_each_name(directory, note_name, list);
    return error_number != 0 ? error_number : list->error_number;
}

/* Removes the oldest of the chosen files. Returns NULL if there is none, or if it cannot be removed. */
static const found_file *
remove_oldest(listing *list)
{
    found_file *oldest = NULL;

    for (uint32_t i = 0; i < list->count; i++) {
        found_file *each = &list->files[i];
        if (each->chosen && (oldest == NULL || each->mtime < oldest->mtime)) oldest = each;
    }
    if (oldest == NULL || ws_file_remove_at(list->directory, oldest->name) != 0) return NULL;
    oldest->chosen = false;
    return oldest;
}

/* ---- retiring and sweeping ---- */

/* A segment's mtime says when it was written, perhaps weeks ago. Touching it makes its time of grace begin now. */
void
ws_store_retire(int directory, const ws_manifest *before, const ws_manifest *after)
{
    char name[64];

    for (uint32_t i = 0; i < before->segment_count; i++) {
        if (ws_manifest_names(after, before->segments[i].id)) continue;
        ws_segment_name(name, before->key_hash, before->segments[i].id);
        ws_file_touch_at(directory, name);
    }
}

/* Is this one of our files that nothing refers to? Other keys' segments do not count, since we do not read their
 * manifests. */
static bool
is_waste(const found_file *file, const ws_manifest *manifest)
{
    if (file->kind == KIND_TEMPORARY) return true;
    return file->kind == KIND_SEGMENT && file->key_hash == manifest->key_hash && !ws_manifest_names(manifest, file->id);
}

static bool
has_no_manifest(int directory, uint64_t key_hash)
{
    char name[64];
    ws_stat ignored;
    ws_manifest_name(name, key_hash);
    return ws_file_stat_at(directory, name, false, &ignored) == ENOENT;
}

static void
sweep(listing *list, const ws_manifest *manifest, int64_t now, uint64_t maximum_waste)
{
    uint64_t waste = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const found_file *each = &list->files[i];
        if (each->kind == KIND_MANIFEST && each->key_hash != manifest->key_hash && each->mtime < now - MAXIMUM_AGE_NS)
            ws_file_remove_at(list->directory, each->name);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        found_file *each = &list->files[i];
        bool old = each->mtime < now - GRACE_NS, is_other = each->key_hash != manifest->key_hash;
        if (is_waste(each, manifest)) {
            if (old && ws_file_remove_at(list->directory, each->name) == 0) continue;
            each->chosen = true;
            waste += each->size;
        }
        else if (each->kind == KIND_SEGMENT && is_other && old && has_no_manifest(list->directory, each->key_hash))
            ws_file_remove_at(list->directory, each->name);
    }
    /* The oldest waste goes until the rest is small enough. Otherwise a writer that is killed at every boot would fill
     * the disk, and so would an hour of edits, each of which makes another image. A reader can cope with a segment that
     * vanished, and it wants one of the latest. */
    for (const found_file *gone; waste > maximum_waste && (gone = remove_oldest(list)) != NULL;) waste -= gone->size;
}

void
ws_store_sweep(int directory, const ws_manifest *manifest, int64_t now, uint64_t maximum_waste)
{
    listing list;

    if (list_files(directory, &list) == 0) sweep(&list, manifest, now, maximum_waste);
    free(list.files);
}

void
ws_store_sweep_records(int directory, uint32_t maximum)
{
    listing list;
    uint32_t count = 0;

    if (list_files(directory, &list) == 0) {
        for (uint32_t i = 0; i < list.count; i++) {
            list.files[i].chosen = list.files[i].kind == KIND_RECORD;
            count += list.files[i].chosen;
        }
        while (count > maximum && remove_oldest(&list) != NULL) count--;
    }
    free(list.files);
}

int
ws_store_remove_all(int directory, uint64_t *removed_size)
{
    listing list;
    uint64_t size = 0;
    int result = list_files(directory, &list);

    for (uint32_t i = 0; i < list.count; i++) {
        int error_number = ws_file_remove_at(directory, list.files[i].name);
        if (error_number == 0) size += list.files[i].size;
        else if (result == 0) result = error_number;
    }
    free(list.files);
    if (result == 0) result = ws_file_remove_at(directory, WS_LOCK_NAME);
    if (result == 0 && (result = ws_file_remove_at(directory, WS_CLIENT_NAME)) == ENOENT) result = 0;
    if (removed_size != NULL) *removed_size = size;
    return result;
}
