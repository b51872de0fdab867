/* Opens the boot image (manifest, trust rules, segments), looks up entries and hands out verified payloads. */
#include "core/image/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "core/image/origin.h"
#include "core/system/clock.h"

/* A debug build reads a copy of exactly the file's size, so that a sanitizer detects reads beyond its end. */
#ifdef WS_DEBUG
#define FORCE_COPY true
#else
#define FORCE_COPY false
#endif

/* How often the manifest is read, since another process may compact after we read it and before we open a segment. */
enum { MANIFEST_READS = 3 };

/* Makes "directory/name" for messages. A path that is too long loses its end. */
static const char *
describe_path(char *buffer, size_t buffer_size, const char *directory, const char *name)
{
    snprintf(buffer, buffer_size, "%s/%s", directory, name);
    return buffer;
}

static ws_code
read_text(int descriptor, char *buffer, size_t capacity, size_t *size, const char *path, ws_error *error)
{
    int error_number = ws_file_read(descriptor, buffer, capacity, size);
    if (error_number != 0) return ws_error_set(error, WS_SYSTEM, error_number, "read", path);
    return *size < capacity ? WS_OK : ws_error_set(error, WS_BOUNDS, 0, "read", path);
}

/* Reads image->manifest and checks that it belongs to this key. */
static ws_code
read_manifest(ws_image *image, int directory, const ws_image_options *options, ws_error *error)
{
    char name[64], path[sizeof error->path];
    size_t size;

    ws_manifest_name(name, options->key_hash);
    describe_path(path, sizeof path, options->directory, name);
    char *text = malloc(WS_MANIFEST_SIZE_MAXIMUM + 1);
    if (text == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "read", path);

    int descriptor = ws_trust_open_file(directory, options->directory, name, &options->trust, NULL, error);
    if (descriptor < 0) {
        free(text);
        return error->code;
    }
    ws_code code = read_text(descriptor, text, WS_MANIFEST_SIZE_MAXIMUM + 1, &size, path, error);
    ws_file_close(descriptor);
    if (code == WS_OK) code = ws_manifest_parse(&image->manifest, text, size, path, error);
    free(text);
    if (code == WS_OK && image->manifest.key_hash != options->key_hash)
        code = ws_error_set(error, WS_KEY, 0, "parse", path);
    if (code == WS_OK && options->trust.secret != NULL && image->manifest.origin.high == 0 &&
        image->manifest.origin.low == 0)
        code = ws_error_set(error, WS_ELSEWHERE, 0, "parse", path);
    if (code == WS_OK && options->trust.secret == NULL)
        code = ws_manifest_check_fingerprint(&image->manifest, options->root, error);
    return code;
}

/* The payloads that were handed out since pages were last given back. They lie in one segment, between two
 * addresses. */
struct ws_handed_out {
    const ws_segment *segment;
    const uint8_t *from, *to;
    uint64_t size;
};

/* This boot reads a payload once. When so many bytes have been handed out, their pages leave resident memory. */
#define HANDED_OUT_MAXIMUM (UINT64_C(4) << 20)

/* Called with each payload just before its use, when all earlier ones have been used. In the order of the boot, all
 * pages of the range belong to used payloads. In another order some pages are still needed and are read again from the
 * page cache. */
static void
forget_used_payloads(struct ws_handed_out *used, const ws_segment *segment, const uint8_t *payload, uint64_t size)
{
    if (used == NULL) return;
    if (used->size >= HANDED_OUT_MAXIMUM || (used->size > 0 && used->segment != segment)) {
        ws_mapping_forget(&used->segment->mapping, used->from, used->to);
        used->size = 0;
    }
    if (used->size == 0) *used = (struct ws_handed_out){ segment, payload, payload, 0 };
    if (payload < used->from) used->from = payload;
    if (payload + size > used->to) used->to = payload + size;
    used->size += size;
}

static ws_code
open_segment(ws_segment *segment, const ws_manifest_segment *line, ws_identity *identity, int directory, bool copy,
             const ws_image_options *options, ws_error *error)
{
    char name[64], path[sizeof error->path];
    ws_mapping mapping = { NULL, 0, false };
    ws_stat stat;

    ws_segment_name(name, options->key_hash, line->id);
    describe_path(path, sizeof path, options->directory, name);
    int descriptor = ws_trust_open_file(directory, options->directory, name, &options->trust, &stat, error);
    if (descriptor < 0) return error->code;
    ws_code code = WS_OK;
    *identity = ws_identity_of(&stat);
    if (stat.size != line->file_size) {
        code = ws_error_set(error, stat.size < line->file_size ? WS_TRUNCATED : WS_BOUNDS, 0, "fstat", path);
    }
    else if (stat.size > WS_SEGMENT_SIZE_MAXIMUM || stat.size > SIZE_MAX / 2) {
        code = ws_error_set(error, WS_BOUNDS, 0, "map", path);
    }
    else {
        code = ws_mapping_open(&mapping, descriptor, (size_t)stat.size, copy, path, error);
    }
    ws_file_close(descriptor);
    if (code == WS_OK) code = ws_segment_open(segment, mapping, options->key_hash, path, error);
    /* The manifest names each segment's header checksum, so that parts of different images never mix. */
    if (code == WS_OK && segment->header->segment_id != line->id)
        code = ws_error_set(error, WS_CHECKSUM, 0, "segment id", path);
    if (code == WS_OK && segment->header->header_checksum != line->header_checksum)
        code = ws_error_set(error, WS_CHECKSUM, 0, "header", path);
    if (code != WS_OK) ws_segment_close(segment);
    return code;
}

/* Opens everything, in one attempt. *changed: a segment that the manifest names is gone or about to go, so it may help
 * to read the manifest again. */
static ws_code
open_once(ws_image *image, int directory, const ws_image_options *options, bool *changed, ws_error *error)
{
    ws_identity identities[WS_SEGMENTS_MAXIMUM];

    *changed = false;
    memset(image, 0, sizeof *image);
    ws_code code = read_manifest(image, directory, options, error);
    if (code != WS_OK) return code;

    bool copy = options->copy || FORCE_COPY || ws_file_is_remote(directory);
    for (uint32_t i = 0; i < image->manifest.segment_count; i++) {
        code = open_segment(&image->segments[i], &image->manifest.segments[i], &identities[i], directory, copy, options,
                            error);
        if (code != WS_OK) {
            *changed = code == WS_MISSING;
            return code;
        }
        image->mapped_size += image->segments[i].mapping.size;
    }
    if (options->trust.secret != NULL) {
        char name[64], path[sizeof error->path];
        ws_manifest_name(name, options->key_hash);
        describe_path(path, sizeof path, options->directory, name);
        code = ws_origin_check(&image->manifest, identities, options->trust.secret, path, error);
        /* A segment that is being replaced has a new mtime (ws_store_retire), so this check may fail for it. */
        *changed = code == WS_ELSEWHERE;
        /* With a secret the seal is checked last, because it matters only for an image that was made here. An image
         * from elsewhere is replaced whether it is sealed or not. */
        if (code == WS_OK) code = ws_manifest_check_fingerprint(&image->manifest, options->root, error);
        if (code != WS_OK) return code;
    }
    image->handed_out = calloc(1, sizeof *image->handed_out); /* if this fails, no pages are given back */
    return WS_OK;
}

ws_code
ws_image_open_at(ws_image *image, int directory, const ws_image_options *options, ws_error *error)
{
    bool changed = true, same = false;
    uint64_t generation = 0, newest = 0;

    for (int reads = 0; changed && !same && reads < MANIFEST_READS; reads++) {
        ws_code code = open_once(image, directory, options, &changed, error);
        if (code == WS_OK) return WS_OK;
        uint64_t generation_before = generation, newest_before = newest;
        uint32_t count = image->manifest.segment_count;
        generation = image->manifest.generation;
        newest = count > 0 ? image->manifest.segments[count - 1].id : 0;
        ws_image_close(image);
        if (!changed) break;
        /* A segment is removed only after a new manifest has replaced the one that names it. */
        same = reads > 0 && generation == generation_before && newest == newest_before;
        error->code = !same ? WS_CHANGED : code == WS_MISSING ? WS_INCOMPLETE : code;
    }
    return error->code;
}

ws_code
ws_image_open(ws_image *image, const ws_image_options *options, ws_error *error)
{
    memset(image, 0, sizeof *image);
    int directory = ws_trust_open_directory(options->directory, &options->trust, NULL, error);
    if (directory < 0) return error->code;
    ws_code code = ws_image_open_at(image, directory, options, error);
    ws_file_close(directory);
    return code;
}

void
ws_image_unmap(ws_image *image)
{
    for (uint32_t i = 0; i < WS_SEGMENTS_MAXIMUM; i++) ws_mapping_close(&image->segments[i].mapping);
}

void
ws_image_close(ws_image *image)
{
    for (uint32_t i = 0; i < WS_SEGMENTS_MAXIMUM; i++) ws_segment_close(&image->segments[i]);
    free(image->handed_out);
    memset(image, 0, sizeof *image);
}

ws_found
ws_image_find(const ws_image *image, const char *path, size_t path_size)
{
    ws_found found = { NULL, NULL };
    uint64_t hash = ws_hash64(path, path_size, WS_SEED_NAME);

    for (uint32_t i = image->manifest.segment_count; i-- > 0 && found.entry == NULL;) {
        found.entry = ws_segment_find(&image->segments[i], path, path_size, hash);
        if (found.entry != NULL) found.segment = &image->segments[i];
    }
    return found;
}

bool
ws_image_is_newest(const ws_image *image, const ws_segment *segment, const ws_entry *entry)
{
    const char *path = ws_segment_string(segment, entry->path_offset, entry->path_size);
    return path != NULL && ws_image_find(image, path, entry->path_size).entry == entry;
}

uint32_t
ws_image_count(const ws_image *image)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < image->manifest.segment_count; i++)
        for (uint32_t j = 0; j < image->segments[i].entry_count; j++)
            count += ws_image_is_newest(image, &image->segments[i], &image->segments[i].entries[j]);
    return count;
}

const ws_segment *
ws_image_newest_with(const ws_image *image, ws_section section)
{
    for (uint32_t i = image->manifest.segment_count; i-- > 0;)
        if (ws_segment_section(&image->segments[i], section).size > 0) return &image->segments[i];
    return NULL;
}

const ws_segment *
ws_image_segment_by_id(const ws_image *image, uint64_t id)
{
    for (uint32_t i = 0; i < image->manifest.segment_count; i++)
        if (image->segments[i].header->segment_id == id) return &image->segments[i];
    return NULL;
}

/* Are the bytes up to the next multiple of 16 zero? They can be read safely: they lie in the payload's last block of
 * 16, so in a page that the guarded hash has just read, and inside the section, whose size is a multiple of 16. */
static bool
padding_is_zero(const uint8_t *payload, uint64_t size)
{
    for (const uint8_t *at = payload + size; at < payload + WS_ALIGN(size); at++)
        if (*at != 0) return false;
    return true;
}

ws_code
ws_image_payload(const ws_image *image, ws_found found, const uint8_t **payload, ws_error *error)
{
    const ws_entry *entry = found.entry;
    const ws_segment *segment =
        entry->payload_segment == 0 ? found.segment : ws_image_segment_by_id(image, entry->payload_segment);
    const char *path = ws_segment_string(found.segment, entry->path_offset, entry->path_size);
    uint64_t checksum;

    *payload = NULL;
    const uint8_t *bytes = segment == NULL ? NULL : ws_segment_payload(segment, entry);
    if (bytes == NULL) return ws_error_set(error, WS_BOUNDS, 0, "payload", path);
    ws_code code = ws_mapping_hash(bytes, (size_t)entry->payload_size, WS_SEED_PAYLOAD, &checksum);
    if (code != WS_OK) return ws_error_set(error, code, 0, "payload", path);
    if (checksum != entry->payload_checksum ||
        (entry->payload_size > 0 && !padding_is_zero(bytes, entry->payload_size)))
        return ws_error_set(error, WS_CHECKSUM, 0, "payload", path);
    forget_used_payloads(image->handed_out, segment, bytes, entry->payload_size);
    *payload = bytes;
    return WS_OK;
}

ws_freshness
ws_entry_freshness(const ws_entry *entry, bool portable, const ws_stat *stat, const char **reason)
{
    *reason = "type";
    if (stat->type != WS_TYPE_REGULAR) return WS_STALE_TYPE;
    *reason = "size";
    if (stat->size != entry->size) return WS_STALE_SIZE;
    *reason = "mtime";
    if (ws_whole_second(stat->mtime) != ws_whole_second(entry->mtime)) return WS_MAY_BE_STALE;
    if (!portable) {
        if (stat->mtime != entry->mtime) return WS_MAY_BE_STALE;
        *reason = "ctime";
        if (stat->ctime != entry->ctime) return WS_MAY_BE_STALE;
        *reason = "inode";
        if (!ws_stat_is_same_inode(stat->inode, entry->inode)) return WS_MAY_BE_STALE;
        *reason = "device";
        if (!ws_stat_is_same_inode(stat->device, entry->device)) return WS_MAY_BE_STALE;
    }
    *reason = NULL;
    return WS_FRESH;
}

bool
ws_warning_level_covers(uint32_t recorded, uint32_t current)
{
    if ((current & WS_WARNING_VERBOSE_MASK) > (recorded & WS_WARNING_VERBOSE_MASK)) return false;
    return (current & ~recorded & ~(uint32_t)WS_WARNING_VERBOSE_MASK) == 0;
}
