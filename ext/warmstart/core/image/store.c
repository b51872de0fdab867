/* The image's folder for writers: opening and locking, publishing, compacting. A publication is two renames, first of
 * the segment, then of the manifest. So a process that is killed at any point leaves the old image valid, and at most a
 * file that is swept later. */
#include "core/image/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/image/compaction.h"
#include "core/image/origin.h"
#include "core/image/store_directory.h"
#include "core/image/store_files.h"

#define MAXIMUM_SIZE_DEFAULT (UINT64_C(512) << 20)
/* Old segments may stay beside an image for an hour, because a reader may still need them. Together they may have this
 * many times the image's size, and always at least WASTE_LEAST bytes. */
#define WASTE_RATIO 2
#define WASTE_LEAST (UINT64_C(32) << 20)

/* The descriptors that a forked child must close, unless they are in the table of a thread alone, of which the child
 * has no copy. They lie outside ws_store, so that the child finds them without a pointer to the store. */
typedef struct open_descriptors {
    int taken, directory, lock;
    bool own_table;
    ws_temporary temporary;
} open_descriptors;
static open_descriptors open_stores[WS_STORES_MAXIMUM];

struct ws_store {
    const ws_store_options *options;
    uint64_t maximum_size;
    open_descriptors *descriptors;
    pid_t process;
    ws_image *image; /* NULL: there is no valid one */
    bool unknown;    /* we have published an image and could not open it afterwards */
};

/* ---- descriptors and forks ---- */

static open_descriptors *
take_descriptors(bool own_table)
{
    for (int i = 0; i < WS_STORES_MAXIMUM; i++) {
        int expected = 0;
        if (!__atomic_compare_exchange_n(&open_stores[i].taken, &expected, -1, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        open_stores[i].directory = open_stores[i].lock = open_stores[i].temporary.descriptor = -1;
        open_stores[i].own_table = own_table;
        /* Set to 1 only after the descriptors: a child that is forked in between must not close unset ones. */
        __atomic_store_n(&open_stores[i].taken, 1, __ATOMIC_RELEASE);
        return &open_stores[i];
    }
    return NULL;
}

static void
close_descriptor(int *descriptor)
{
    if (*descriptor >= 0) ws_file_close(*descriptor);
    *descriptor = -1;
}

static void
release_descriptors(open_descriptors *descriptors)
{
    close_descriptor(&descriptors->temporary.descriptor);
    close_descriptor(&descriptors->lock);
    close_descriptor(&descriptors->directory);
    __atomic_store_n(&descriptors->taken, 0, __ATOMIC_RELEASE);
}

void
ws_store_abandon_after_fork(void)
{
    for (int i = 0; i < WS_STORES_MAXIMUM; i++) {
        int taken = __atomic_load_n(&open_stores[i].taken, __ATOMIC_ACQUIRE);
        if (taken == 1 && !open_stores[i].own_table) release_descriptors(&open_stores[i]);
        /* The thread that had this store, or was opening it, does not exist in the child. */
        else if (taken != 0) __atomic_store_n(&open_stores[i].taken, 0, __ATOMIC_RELEASE);
    }
}

/* ---- open and close ---- */

/* May a publication replace an image that cannot be used for this reason? Yes if the image is proven to be useless, and
 * for `build`, which makes it completely anew. A failure that may pass must not cost what others have recorded. */
static bool
may_replace(const ws_store *store, ws_code code)
{
    switch (ws_error_failure(code)) {
        case WS_FAILURE_MISSING:
        case WS_FAILURE_DAMAGED:
        case WS_FAILURE_FOREIGN_KEY: return true;
        case WS_FAILURE_REFUSED: return store->options->replace;
        default: return false;
    }
}

/* Reads the image that is in the folder now. store->image is NULL where a new one is to be begun. */
static ws_code
load_image(ws_store *store, ws_error *error)
{
    const ws_store_options *own = store->options;
    ws_image_options options = { own->directory, own->key_hash, own->trust, false, own->root };

    if (store->image != NULL) ws_image_close(store->image);
    else if ((store->image = calloc(1, sizeof *store->image)) == NULL)
        return ws_error_set(error, WS_MEMORY, ENOMEM, "open", store->options->directory);
    ws_code code = ws_image_open_at(store->image, store->descriptors->directory, &options, error);
    if (code == WS_OK) return WS_OK;
    free(store->image);
    store->image = NULL;
    return may_replace(store, code) ? WS_OK : code;
}

/* An image that was sealed or made portable meanwhile is no longer the image to which the caller adds. */
static ws_code
check_flags(const ws_store *store, ws_error *error)
{
    if (store->options->replace || store->image == NULL ||
        ((store->image->manifest.flags ^ store->options->image_flags) & (WS_IMAGE_SEALED | WS_IMAGE_PORTABLE)) == 0)
        return WS_OK;
    return ws_error_set(error, WS_CHANGED, 0, "open", store->options->directory);
}

static ws_code
open_locked(ws_store *store, ws_error *error)
{
    const ws_store_options *options = store->options;
    open_descriptors *descriptors = store->descriptors;

    ws_code code =
        ws_store_directory_make(options->directory, &options->trust, options->public_read, &options->anchor, error);
    if (code != WS_OK) return code;
    descriptors->directory = ws_store_directory_open(options->directory, &options->trust, options->public_read, error);
    if (descriptors->directory < 0) return error->code;
    code = ws_store_lock(descriptors->directory, options->directory, &options->trust, options->wait, &descriptors->lock,
                         error);
    if (code == WS_OK) code = load_image(store, error);
    return code == WS_OK ? check_flags(store, error) : code;
}

static void
free_store(ws_store *store)
{
    if (store->image != NULL) ws_image_close(store->image);
    free(store->image);
    free(store);
}

ws_code
ws_store_open(ws_store **result, const ws_store_options *options, ws_error *error)
{
    *result = NULL;
    bool is_long = options->root != NULL && strlen(options->root) >= sizeof((ws_manifest *)NULL)->root;
    if (is_long || options->fingerprint_count > WS_FINGERPRINTS_MAXIMUM)
        return ws_error_set(error, WS_BOUNDS, ENAMETOOLONG, "open", options->directory);
    ws_store *store = calloc(1, sizeof *store);
    if (store == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "open", options->directory);
    store->options = options;
    store->maximum_size = options->maximum_size ? options->maximum_size : MAXIMUM_SIZE_DEFAULT;
    store->process = getpid();
    store->descriptors = take_descriptors(options->own_descriptors);
    ws_code code = WS_LOCK;
    if (store->descriptors == NULL) ws_error_set(error, WS_LOCK, EMFILE, "open", options->directory);
    else {
        code = open_locked(store, error);
        if (code != WS_OK) release_descriptors(store->descriptors);
    }
    if (code == WS_OK) *result = store;
    else free_store(store);
    return code;
}

const ws_image *
ws_store_image(const ws_store *store)
{
    return store->image;
}

/* Unlocking counts for all processes that have a copy of the descriptor, so a child that did not abandon the store
 * cannot keep the lock. For the same reason a child must not unlock. It must not close the descriptors either, because
 * their numbers may belong to other files by now. */
void
ws_store_close(ws_store *store)
{
    if (store == NULL) return;
    if (store->process == getpid()) {
        ws_file_unlock(store->descriptors->lock);
        release_descriptors(store->descriptors);
    }
    free_store(store);
}

/* ---- publishing ---- */

static bool
is_too_large(const ws_store *store, const ws_segment_header *header)
{
    return header->file_size > store->maximum_size || header->file_size > WS_SEGMENT_SIZE_MAXIMUM ||
           header->sections[WS_SECTION_PAYLOADS].offset > WS_TABLES_SIZE_MAXIMUM;
}

/* Writes a segment under its final name. *line: its line for the manifest. */
static ws_code
write_segment(ws_store *store, ws_segment_writer *writer, ws_manifest_segment *line, ws_error *error)
{
    ws_temporary *temporary = &store->descriptors->temporary;
    int directory = store->descriptors->directory;
    ws_segment_header header;
    char name[64];

    ws_code code = ws_temporary_create(temporary, directory, store->options->key_hash, store->options->public_read,
                                       store->options->directory, error);
    if (code != WS_OK) return code;
    code = ws_segment_writer_write(writer, temporary->descriptor, &header, store->options->directory, error);
    if (code == WS_OK && is_too_large(store, &header))
        code = ws_error_set(error, WS_FULL, 0, "publish", store->options->directory);
    if (code == WS_OK && header.key_hash != store->options->key_hash)
        code = ws_error_set(error, WS_KEY, 0, "publish", store->options->directory);
    if (code != WS_OK) {
        ws_temporary_discard(temporary, directory);
        return code;
    }
    *line = (ws_manifest_segment){ header.segment_id, header.file_size, header.header_checksum };
    ws_segment_name(name, store->options->key_hash, header.segment_id);
    return ws_temporary_rename(temporary, directory, name, NULL, store->options->directory, error);
}

/* Adds the check that proves that we have made the manifest and its segments, if this folder needs one. */
static ws_code
sign(const ws_store *store, ws_manifest *manifest, ws_error *error)
{
    ws_identity identities[WS_SEGMENTS_MAXIMUM];
    ws_stat stat;
    char name[64];

    if (store->options->trust.secret == NULL) return WS_OK;
    for (uint32_t i = 0; i < manifest->segment_count; i++) {
        ws_segment_name(name, manifest->key_hash, manifest->segments[i].id);
        int descriptor = ws_trust_open_file(store->descriptors->directory, store->options->directory, name,
                                            &store->options->trust, &stat, error);
        if (descriptor < 0) return error->code;
        ws_file_close(descriptor);
        identities[i] = ws_identity_of(&stat);
    }
    return ws_origin_sign(manifest, identities, store->options->trust.secret, store->options->directory, error);
}

/* *now: the file system's clock when the manifest was written. *renamed: the new manifest may be in its place. This can
 * be so after an error too: the server of a network file system may have done the rename although the client got no
 * answer. */
static ws_code
write_manifest(ws_store *store, ws_manifest *manifest, int64_t *now, bool *renamed, ws_error *error)
{
    ws_temporary *temporary = &store->descriptors->temporary;
    int directory = store->descriptors->directory;
    char name[64];

    *renamed = false;
    char *text = malloc(WS_MANIFEST_SIZE_MAXIMUM);
    if (text == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "publish", store->options->directory);
    ws_code code = sign(store, manifest, error);
    size_t size = code == WS_OK ? ws_manifest_print(manifest, text, WS_MANIFEST_SIZE_MAXIMUM) : 0;
    if (code == WS_OK && size == 0) code = ws_error_set(error, WS_BOUNDS, 0, "publish", store->options->directory);
    if (code == WS_OK)
        code = ws_temporary_create(temporary, directory, store->options->key_hash, store->options->public_read,
                                   store->options->directory, error);
    if (code == WS_OK) code = ws_temporary_write(temporary, directory, text, size, store->options->directory, error);
    free(text);
    if (code != WS_OK) return code;
    *renamed = true;
    ws_manifest_name(name, store->options->key_hash);
    return ws_temporary_rename(temporary, directory, name, now, store->options->directory, error);
}

/* Does an image need nothing more of this segment, once what the writer holds is behind it? So it is with the segment
 * that a first boot writes for its index alone. */
static bool
is_superseded(const ws_segment *segment, const ws_segment_writer *newer)
{
    static const ws_section newest_counts[] = { WS_SECTION_LOAD_PATH, WS_SECTION_STATISTICS };

    if (segment->entry_count > 0) return false;
    for (size_t i = 0; i < sizeof newest_counts / sizeof *newest_counts; i++)
        if (ws_segment_section(segment, newest_counts[i]).size > 0 && !ws_segment_writer_has(newer, newest_counts[i]))
            return false;
    return true;
}

/* Prepares the next manifest: our identity and, if there is a writer, the present segments of which an image needs
 * anything beside what it holds. */
static void
next_manifest(const ws_store *store, const ws_segment_writer *newer, ws_manifest *next)
{
    const ws_store_options *options = store->options;

    memset(next, 0, sizeof *next);
    next->key_hash = options->key_hash;
    next->flags = options->image_flags;
    if (options->root != NULL) strcpy(next->root, options->root);
    next->fingerprint_count = options->fingerprint_count;
    for (uint32_t i = 0; i < options->fingerprint_count; i++) next->fingerprints[i] = options->fingerprints[i];
    next->generation = store->image == NULL ? 1 : store->image->manifest.generation + 1;
    if (newer == NULL || store->image == NULL) return;
    for (uint32_t i = 0; i < store->image->manifest.segment_count; i++)
        if (!is_superseded(&store->image->segments[i], newer))
            next->segments[next->segment_count++] = store->image->manifest.segments[i];
}

/* A reproducible segment that is published again has the same id as before, so its old line is removed. */
static void
append_segment(ws_manifest *manifest, const ws_manifest_segment *line)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < manifest->segment_count; i++)
        if (manifest->segments[i].id != line->id) manifest->segments[kept++] = manifest->segments[i];
    manifest->segments[kept] = *line;
    manifest->segment_count = kept + 1;
}

/* Publishes the manifest that names the new segment. On failure the segment is removed if certainly no manifest names
 * it. After a success the publication stands, even if the image cannot be opened at the moment. */
static ws_code
publish_manifest(ws_store *store, ws_manifest *next, const ws_manifest_segment *line, int64_t *now, ws_error *error)
{
    int directory = store->descriptors->directory;
    char name[64];
    bool renamed;

    append_segment(next, line);
    ws_code code = write_manifest(store, next, now, &renamed, error);
    if (code != WS_OK) {
        bool used = renamed || (store->image != NULL && ws_manifest_names(&store->image->manifest, line->id));
        ws_segment_name(name, store->options->key_hash, line->id);
        if (!used) ws_file_remove_at(directory, name);
        return code;
    }
    if (store->image != NULL) ws_store_retire(directory, &store->image->manifest, next);
    ws_error ignored;
    store->unknown = load_image(store, &ignored) != WS_OK;
    return WS_OK;
}

/* Replaces all segments by one. */
static ws_code
compact(ws_store *store, int64_t *now, ws_error *error)
{
    ws_segment_writer *writer;
    ws_manifest_segment line;
    ws_manifest next;

    ws_code code = ws_compaction_writer(store->image, store->options->keep_gone, store->maximum_size, &writer);
    if (code != WS_OK) return ws_error_set(error, code, 0, "compact", store->options->directory);
    next_manifest(store, NULL, &next);
    code = write_segment(store, writer, &line, error);
    ws_segment_writer_free(writer);
    return code == WS_OK ? publish_manifest(store, &next, &line, now, error) : code;
}

/* Keeps only the newest segment, when even compaction could not make the image small enough. */
static void
begin_anew(ws_store *store, int64_t *now)
{
    const ws_manifest *manifest = &store->image->manifest;
    ws_manifest_segment line = manifest->segments[manifest->segment_count - 1];
    ws_manifest next;
    ws_error ignored;

    next_manifest(store, NULL, &next);
    publish_manifest(store, &next, &line, now, &ignored);
}

/* A failed compaction does not undo the publication; it is tried again after the next one. The old segments are given
 * up only if the compacted segment would always be too large. */
static bool
compact_when_due(ws_store *store, int64_t *now)
{
    ws_error cause = { WS_OK, 0, NULL, "" };

    const ws_store_options *options = store->options;
    if (store->image == NULL ||
        !ws_compaction_due(store->image, options->keep_gone, options->began, store->maximum_size))
        return false;
    if (compact(store, now, &cause) == WS_OK) return true;
    bool too_large = cause.code == WS_FULL && cause.error_number == 0;
    if (too_large && store->image->mapped_size > store->maximum_size) begin_anew(store, now);
    return false;
}

static void
describe_publication(const ws_store *store, uint64_t segment_id, bool compacted, ws_published *published)
{
    memset(published, 0, sizeof *published);
    published->segment_id = segment_id;
    published->compacted = compacted;
    if (store->image == NULL) return;
    const ws_manifest *manifest = &store->image->manifest;
    published->generation = manifest->generation;
    published->segment_count = manifest->segment_count;
    published->segment_id = manifest->segments[manifest->segment_count - 1].id;
    published->image_size = store->image->mapped_size;
    published->entry_count = ws_image_count(store->image);
}

/* When writers are killed in each compaction, deltas accumulate until the manifest is full. Then the image is compacted
 * before the publication. If that fails, nothing is published and the old segments stay, because it may succeed the
 * next time. If the image could never be made small enough, its segments are given up (*keep_segments = false). In both
 * cases, entries of the new segment whose payloads lie in the old segments are misses, and the next boot records them
 * again. */
static ws_code
make_room(ws_store *store, int64_t *now, bool *keep_segments, ws_error *error)
{
    if (store->image == NULL || store->image->manifest.segment_count < WS_SEGMENTS_MAXIMUM) return WS_OK;
    ws_code code = compact(store, now, error);
    if (code == WS_FULL && error->error_number == 0) {
        *keep_segments = false;
        return WS_OK;
    }
    return store->unknown ? load_image(store, error) : code;
}

static uint64_t
maximum_waste(const ws_store *store, const ws_manifest *current)
{
    uint64_t waste = 0;
    for (uint32_t i = 0; i < current->segment_count; i++) waste += current->segments[i].file_size * WASTE_RATIO;
    if (waste < WASTE_LEAST) waste = WASTE_LEAST;
    return waste < store->maximum_size ? waste : store->maximum_size;
}

ws_code
ws_store_publish(ws_store *store, ws_segment_writer *writer, ws_published *published, ws_error *error)
{
    ws_manifest_segment line;
    ws_manifest next;
    int64_t now = 0;

    if (store->process != getpid()) return ws_error_set(error, WS_LOCK, EBADF, "publish", store->options->directory);
    if (ws_segment_writer_payload_size(writer) > store->maximum_size)
        return ws_error_set(error, WS_FULL, 0, "publish", store->options->directory);
    bool keep_segments = !store->options->replace;
    ws_code code = store->unknown ? load_image(store, error) : WS_OK;
    if (code == WS_OK && keep_segments) code = make_room(store, &now, &keep_segments, error);
    if (code != WS_OK) return code;
    next_manifest(store, keep_segments ? writer : NULL, &next);
    code = write_segment(store, writer, &line, error);
    if (code == WS_OK) code = publish_manifest(store, &next, &line, &now, error);
    if (code != WS_OK) return code;

    bool compacted = compact_when_due(store, &now);
    const ws_manifest *current = store->image == NULL ? &next : &store->image->manifest;
    if (!store->unknown) ws_store_sweep(store->descriptors->directory, current, now, maximum_waste(store, current));
    if (published != NULL) describe_publication(store, line.id, compacted, published);
    return WS_OK;
}

/* ---- clearing ---- */

ws_code
ws_store_clear(const char *directory, const ws_trust *trust, uint64_t *removed_size, ws_error *error)
{
    int lock = -1;

    *removed_size = 0;
    int descriptor = ws_store_directory_open(directory, trust, false, error);
    if (descriptor < 0) return error->code == WS_MISSING ? WS_OK : error->code;
    ws_code code = ws_store_lock(descriptor, directory, trust, true, &lock, error);
    if (code == WS_OK) {
        int error_number = ws_store_remove_all(descriptor, removed_size);
        if (error_number != 0) code = ws_error_set(error, WS_SYSTEM, error_number, "remove", directory);
        ws_file_close(lock);
    }
    ws_file_close(descriptor);
    return code;
}
