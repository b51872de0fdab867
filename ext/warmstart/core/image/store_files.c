/* Temporary files, which become segments and manifests, and the removal of files that nobody needs. Who calls: store.c,
 * with the folder's lock held, so there may be readers meanwhile but no other writer. */
#include "core/image/store_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/system/file.h"
#include "core/image/segment_writer.h"
#include "core/image/store_directory.h"

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

/* ---- names ---- */

typedef enum file_kind { KIND_OTHER, KIND_MANIFEST, KIND_SEGMENT, KIND_TEMPORARY, KIND_RECORD } file_kind;
typedef struct file_name {
    file_kind kind;
    uint64_t key_hash, id;
} file_name;

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
static file_name
parse_name(const char *text)
{
    const file_name other = { KIND_OTHER, 0, 0 };
    file_name name = other;

    if (!parse_hex(&text, &name.key_hash)) return other;
    if (strcmp(text, ".manifest") == 0) {
        name.kind = KIND_MANIFEST;
        return name;
    }
    if (*text++ != '-' || !parse_hex(&text, &name.id)) return other;
    if (strcmp(text, ".segment") == 0) name.kind = KIND_SEGMENT;
    else if (strcmp(text, ".temporary") == 0) name.kind = KIND_TEMPORARY;
    else if (strcmp(text, ".record") == 0) name.kind = KIND_RECORD;
    else return other;
    return name;
}

/* ---- walking the folder ---- */

typedef void (*visit)(void *data, int directory, const char *text, file_name name, const ws_stat *stat);

typedef struct walk {
    int directory;
    visit call;
    void *data;
} walk;

static void
visit_name(void *data, const char *text)
{
    const walk *state = data;
    file_name name = parse_name(text);
    ws_stat stat;

    if (name.kind == KIND_OTHER || ws_file_stat_at(state->directory, text, false, &stat) != 0) return;
    if (stat.type == WS_TYPE_REGULAR) state->call(state->data, state->directory, text, name, &stat);
}

/* Calls `call` for each regular file that has a name of ours. Returns 0 or errno. */
static int
each_file(int directory, visit call, void *data)
{
    walk state = { directory, call, data };
    return ws_file_each_name(directory, visit_name, &state);
}

static bool
is_used(const ws_manifest *manifest, uint64_t id)
{
    for (uint32_t i = 0; i < manifest->segment_count; i++)
        if (manifest->segments[i].id == id) return true;
    return false;
}

/* ---- retiring and sweeping ---- */

#define REMOVALS_MAXIMUM 256 /* in one sweep, in addition to the files that are old */

/* A segment's mtime says when it was written, perhaps weeks ago. Touching it makes its time of grace begin now. */
void
ws_store_retire(int directory, const ws_manifest *before, const ws_manifest *after)
{
    char name[64];

    for (uint32_t i = 0; i < before->segment_count; i++) {
        if (is_used(after, before->segments[i].id)) continue;
        ws_segment_name(name, before->key_hash, before->segments[i].id);
        ws_file_touch_at(directory, name);
    }
}

typedef struct sweeping {
    const ws_sweep *rules;
    uint64_t waste; /* bytes */
    struct {
        char name[64];
        int64_t mtime;
    } oldest; /* the oldest waste; name "": there is none */
} sweeping;

static bool
older_than(const sweeping *state, const ws_stat *stat, uint32_t seconds)
{
    return stat->mtime < state->rules->now - (int64_t)seconds * 1000000000;
}

/* Is this one of our files that nothing refers to? Other keys' segments do not count, since we do not read their
 * manifests. */
static bool
is_waste(const sweeping *state, file_name name)
{
    if (name.kind == KIND_TEMPORARY) return true;
    const ws_manifest *manifest = state->rules->manifest;
    return name.kind == KIND_SEGMENT && name.key_hash == manifest->key_hash && !is_used(manifest, name.id);
}

/* First round: removes manifests of other keys that nobody has used for long. */
static void
sweep_manifests(void *data, int directory, const char *text, file_name name, const ws_stat *stat)
{
    sweeping *state = data;

    if (name.kind == KIND_MANIFEST && name.key_hash != state->rules->manifest->key_hash &&
        older_than(state, stat, state->rules->maximum_age))
        ws_file_remove_at(directory, text);
}

/* Second round: removes files that no manifest names. */
static void
sweep_leftovers(void *data, int directory, const char *text, file_name name, const ws_stat *stat)
{
    sweeping *state = data;
    bool old = older_than(state, stat, WS_STORE_GRACE);

    if (is_waste(state, name)) {
        if (old) ws_file_remove_at(directory, text);
    }
    else if (name.kind == KIND_SEGMENT && name.key_hash != state->rules->manifest->key_hash && old) {
        char manifest[64];
        ws_stat ignored;
        ws_manifest_name(manifest, name.key_hash);
        if (ws_file_stat_at(directory, manifest, false, &ignored) == ENOENT) ws_file_remove_at(directory, text);
    }
}

static void
weigh(void *data, int directory, const char *text, file_name name, const ws_stat *stat)
{
    sweeping *state = data;

    (void)directory;
    if (!is_waste(state, name)) return;
    state->waste += stat->size;
    if (*state->oldest.name && stat->mtime >= state->oldest.mtime) return;
    snprintf(state->oldest.name, sizeof state->oldest.name, "%s", text);
    state->oldest.mtime = stat->mtime;
}

void
ws_store_sweep(int directory, const ws_sweep *sweep)
{
    sweeping state = { .rules = sweep };

    if (each_file(directory, sweep_manifests, &state) != 0) return;
    each_file(directory, sweep_leftovers, &state);
    /* The oldest waste goes until the rest is small enough. Otherwise a writer that is killed at every boot would fill
     * the disk, and so would an hour of edits, each of which makes another image. A reader can cope with a segment that
     * vanished, and it wants one of the latest. On Windows a removed file may stay in the listing while somebody has it
     * open. */
    for (int removals = 0; removals < REMOVALS_MAXIMUM; removals++) {
        state.waste = 0;
        *state.oldest.name = '\0';
        if (each_file(directory, weigh, &state) != 0 || state.waste <= sweep->maximum_waste) return;
        if (ws_file_remove_at(directory, state.oldest.name) != 0) return;
    }
}

/* ---- records ---- */

void
ws_record_name(char name[64], uint64_t key_hash, uint64_t id)
{
    snprintf(name, 64, "%016" PRIx64 "-%016" PRIx64 ".record", key_hash, id);
}

typedef struct oldest {
    uint32_t count;
    int64_t mtime;
    char name[64];
} oldest;

static void
find_oldest(void *data, int directory, const char *text, file_name name, const ws_stat *stat)
{
    oldest *state = data;

    (void)directory;
    (void)text;
    if (name.kind != KIND_RECORD) return;
    if (state->count++ > 0 && stat->mtime >= state->mtime) return;
    state->mtime = stat->mtime;
    ws_record_name(state->name, name.key_hash, name.id);
}

void
ws_store_sweep_records(int directory, uint32_t maximum)
{
    oldest state;

    /* Each write adds one record, so usually one is removed. There are more when another version has left them. */
    do {
        state = (oldest){ 0, 0, "" };
        if (each_file(directory, find_oldest, &state) != 0 || state.count <= maximum) return;
    } while (ws_file_remove_at(directory, state.name) == 0);
}

/* ---- everything ---- */

typedef struct removal {
    uint64_t size;
    int error_number;
} removal;

static void
remove_file(void *data, int directory, const char *text, file_name name, const ws_stat *stat)
{
    removal *state = data;

    (void)name;
    int error_number = ws_file_remove_at(directory, text);
    if (error_number == 0) state->size += stat->size;
    else if (state->error_number == 0) state->error_number = error_number;
}

int
ws_store_remove_all(int directory, uint64_t *removed_size)
{
    removal state = { 0, 0 };

    int error_number = each_file(directory, remove_file, &state);
    if (error_number == 0) error_number = state.error_number;
    if (error_number == 0) error_number = ws_file_remove_at(directory, WS_LOCK_NAME);
    if (removed_size != NULL) *removed_size = state.size;
    return error_number;
}
