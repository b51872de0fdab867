/* The manifest's text: printing it, parsing it without trusting any of it, and comparing a sealed image's fingerprint
 * with the application. Who calls: image.c at each open, store.c at each publication. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "core/image/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/file.h"
#include "core/image/image_format.h"

#define TITLE "warmstart manifest "
#define VERSION "1\n"
#define CHECKSUM_LINE_SIZE (sizeof "checksum 0011223344556677\n" - 1)

static const struct flag_name {
    uint32_t flag;
    const char *name;
} flag_names[] = { { WS_IMAGE_SEALED, "sealed" },
                   { WS_IMAGE_PORTABLE, "portable" },
                   { WS_IMAGE_REPRODUCIBLE, "reproducible" } };
enum { FLAG_COUNT = sizeof flag_names / sizeof flag_names[0] };

void
ws_manifest_name(char name[64], uint64_t key_hash)
{
    snprintf(name, 64, "%016" PRIx64 ".manifest", key_hash);
}

void
ws_segment_name(char name[64], uint64_t key_hash, uint64_t segment_id)
{
    snprintf(name, 64, "%016" PRIx64 "-%016" PRIx64 ".segment", key_hash, segment_id);
}

/* ---- printing ---- */

/* A text under construction. Once a piece did not fit, nothing more is added. */
typedef struct output {
    char *bytes;
    size_t size, capacity;
    bool full;
} output;

static void
put(output *out, const char *bytes, size_t size)
{
    if (out->full || size > out->capacity - out->size) {
        out->full = true;
        return;
    }
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void
put_text(output *out, const char *text)
{
    put(out, text, strlen(text));
}

static void
put_hex(output *out, uint64_t number)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, number);
    put(out, text, 16);
}

static void
put_decimal(output *out, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    put_text(out, text);
}

static void
put_name(output *out, const char *name)
{
    for (; *name != '\0'; name++) {
        if (*name == '\n') put_text(out, "%0A");
        else if (*name == '%') put_text(out, "%25");
        else put(out, name, 1);
    }
}

static void
put_flags(output *out, uint32_t flags)
{
    if (flags == 0) return;
    put_text(out, "flags");
    for (unsigned i = 0; i < FLAG_COUNT; i++) {
        if ((flags & flag_names[i].flag) == 0) continue;
        put_text(out, " ");
        put_text(out, flag_names[i].name);
    }
    put_text(out, "\n");
}

static void
put_fingerprint(output *out, const ws_manifest_fingerprint *fingerprint)
{
    put_text(out, "fingerprint ");
    put_name(out, fingerprint->name);
    put_text(out, " ");
    put_hex(out, fingerprint->hash.high);
    put_hex(out, fingerprint->hash.low);
    put_text(out, "\n");
}

static void
put_segment(output *out, const ws_manifest_segment *segment)
{
    put_text(out, "segment ");
    put_hex(out, segment->id);
    put_text(out, " ");
    put_decimal(out, segment->file_size);
    put_text(out, " ");
    put_hex(out, segment->header_checksum);
    put_text(out, "\n");
}

size_t
ws_manifest_print(const ws_manifest *manifest, char *buffer, size_t buffer_size)
{
    output out = { buffer, 0, buffer_size, false };

    put_text(&out, TITLE VERSION "key ");
    put_hex(&out, manifest->key_hash);
    put_text(&out, "\ngeneration ");
    put_decimal(&out, manifest->generation);
    put_text(&out, "\n");
    put_flags(&out, manifest->flags);
    if (manifest->root[0] != '\0') {
        put_text(&out, "root ");
        put_name(&out, manifest->root);
        put_text(&out, "\n");
    }
    for (uint32_t i = 0; i < manifest->fingerprint_count; i++) put_fingerprint(&out, &manifest->fingerprints[i]);
    for (uint32_t i = 0; i < manifest->segment_count; i++) put_segment(&out, &manifest->segments[i]);

    if (manifest->origin.high != 0 || manifest->origin.low != 0) {
        put_text(&out, "origin ");
        put_hex(&out, manifest->origin.high);
        put_hex(&out, manifest->origin.low);
        put_text(&out, "\n");
    }

    uint64_t checksum = ws_hash64(out.bytes, out.size, WS_SEED_MANIFEST);
    put_text(&out, "checksum ");
    put_hex(&out, checksum);
    put_text(&out, "\n");
    return out.full ? 0 : out.size;
}

/* ---- parsing ---- */

/* The rest of the text. A taker consumes everything that it names and returns true, or it returns false. */
typedef struct input {
    const char *at, *end;
} input;

static bool
take(input *in, const char *text)
{
    size_t size = strlen(text);
    if ((size_t)(in->end - in->at) < size || memcmp(in->at, text, size) != 0) return false;
    in->at += size;
    return true;
}

/* Sixteen lower-case hexadecimal digits. */
static bool
take_hex(input *in, uint64_t *number)
{
    if (in->end - in->at < 16) return false;
    *number = 0;
    for (int i = 0; i < 16; i++) {
        char c = *in->at++;
        if (c >= '0' && c <= '9') *number = *number << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f') *number = *number << 4 | (uint64_t)(c - 'a' + 10);
        else return false;
    }
    return true;
}

static bool
take_decimal(input *in, uint64_t *number)
{
    const char *first = in->at;

    *number = 0;
    for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
        uint64_t digit = (uint64_t)(*in->at - '0');
        if (*number > (UINT64_MAX - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    ptrdiff_t digits = in->at - first;
    return digits == 1 || (digits > 1 && *first != '0');
}

/* Decodes a name that ends at `end` into the buffer. */
static ws_code
take_name(input *in, const char *end, char *buffer, size_t buffer_size)
{
    size_t size = 0;

    while (in->at < end) {
        char c = *in->at++;
        if (c == '\0') return WS_FORMAT;
        if (c == '%') {
            if (end - in->at < 2) return WS_FORMAT;
            if (memcmp(in->at, "0A", 2) == 0) c = '\n';
            else if (memcmp(in->at, "25", 2) != 0) return WS_FORMAT;
            in->at += 2;
        }
        if (size + 1 >= buffer_size) return WS_BOUNDS;
        buffer[size++] = c;
    }
    buffer[size] = '\0';
    return size > 0 ? WS_OK : WS_FORMAT;
}

static const char *
line_end(const input *in)
{
    return memchr(in->at, '\n', (size_t)(in->end - in->at));
}

static ws_code
take_flags(input *in, uint32_t *flags)
{
    if (!take(in, "flags")) return WS_OK;
    for (unsigned i = 0; i < FLAG_COUNT; i++) {
        input before = *in;
        if (take(in, " ") && take(in, flag_names[i].name) && in->at < in->end && (*in->at == ' ' || *in->at == '\n'))
            *flags |= flag_names[i].flag;
        else *in = before;
    }
    return *flags != 0 && take(in, "\n") ? WS_OK : WS_FORMAT;
}

static ws_code
take_root(input *in, ws_manifest *manifest)
{
    if (!take(in, "root ")) return WS_OK;
    const char *end = line_end(in);
    if (end == NULL) return WS_FORMAT;
    ws_code code = take_name(in, end, manifest->root, sizeof manifest->root);
    if (code != WS_OK) return code;
    return take(in, "\n") ? WS_OK : WS_FORMAT;
}

/* The name may contain spaces, so the place of the hash is counted from the end of the line. */
static ws_code
take_fingerprints(input *in, ws_manifest *manifest)
{
    while (take(in, "fingerprint ")) {
        const char *end = line_end(in);
        if (end == NULL || end - in->at < 34) return WS_FORMAT;
        if (manifest->fingerprint_count == WS_FINGERPRINTS_MAXIMUM) return WS_BOUNDS;
        ws_manifest_fingerprint *fingerprint = &manifest->fingerprints[manifest->fingerprint_count++];
        ws_code code = take_name(in, end - 33, fingerprint->name, sizeof fingerprint->name);
        if (code != WS_OK) return code;
        if (!take(in, " ") || !take_hex(in, &fingerprint->hash.high) || !take_hex(in, &fingerprint->hash.low) ||
            !take(in, "\n"))
            return WS_FORMAT;
    }
    return WS_OK;
}

static bool
is_listed(const ws_manifest *manifest, uint64_t id)
{
    for (uint32_t i = 0; i < manifest->segment_count; i++)
        if (manifest->segments[i].id == id) return true;
    return false;
}

static ws_code
take_segments(input *in, ws_manifest *manifest)
{
    while (take(in, "segment ")) {
        ws_manifest_segment segment;
        if (!take_hex(in, &segment.id) || !take(in, " ") || !take_decimal(in, &segment.file_size) || !take(in, " ") ||
            !take_hex(in, &segment.header_checksum) || !take(in, "\n"))
            return WS_FORMAT;
        if (manifest->segment_count == WS_SEGMENTS_MAXIMUM) return WS_BOUNDS;
        if (segment.id == 0 || is_listed(manifest, segment.id)) return WS_FORMAT;
        manifest->segments[manifest->segment_count++] = segment;
    }
    return manifest->segment_count > 0 ? WS_OK : WS_FORMAT;
}

static ws_code
take_origin(input *in, ws_hash128 *origin)
{
    if (!take(in, "origin ")) return WS_OK;
    if (!take_hex(in, &origin->high) || !take_hex(in, &origin->low) || !take(in, "\n")) return WS_FORMAT;
    return origin->high != 0 || origin->low != 0 ? WS_OK : WS_FORMAT;
}

/* The first line says whether this is a manifest of ours that these rules can read. Then the checksum is verified. */
static ws_code
check_frame(input *in)
{
    const char *text = in->at;
    uint64_t checksum;

    if (!take(in, TITLE)) return WS_MAGIC;
    if (!take(in, VERSION)) return WS_FORMAT;
    if ((size_t)(in->end - in->at) < CHECKSUM_LINE_SIZE) return WS_CHECKSUM;
    input last = { in->end - CHECKSUM_LINE_SIZE, in->end };
    size_t covered = (size_t)(last.at - text);
    if (!take(&last, "checksum ") || !take_hex(&last, &checksum) || !take(&last, "\n")) return WS_CHECKSUM;
    if (checksum != ws_hash64(text, covered, WS_SEED_MANIFEST)) return WS_CHECKSUM;
    in->end = text + covered;
    return WS_OK;
}

static ws_code
parse_lines(ws_manifest *manifest, input *in)
{
    if (!take(in, "key ") || !take_hex(in, &manifest->key_hash) || !take(in, "\n")) return WS_FORMAT;
    if (!take(in, "generation ") || !take_decimal(in, &manifest->generation) || !take(in, "\n")) return WS_FORMAT;
    ws_code code = take_flags(in, &manifest->flags);
    if (code == WS_OK) code = take_root(in, manifest);
    if (code == WS_OK) code = take_fingerprints(in, manifest);
    if (code == WS_OK) code = take_segments(in, manifest);
    if (code == WS_OK) code = take_origin(in, &manifest->origin);
    if (code != WS_OK) return code;
    return in->at == in->end ? WS_OK : WS_FORMAT;
}

ws_code
ws_manifest_parse(ws_manifest *manifest, const char *text, size_t size, const char *path, ws_error *error)
{
    input in = { text, text + size };

    memset(manifest, 0, sizeof *manifest);
    ws_code code = size > WS_MANIFEST_SIZE_MAXIMUM ? WS_BOUNDS : check_frame(&in);
    if (code == WS_OK) code = parse_lines(manifest, &in);
    if (code == WS_OK) return WS_OK;
    memset(manifest, 0, sizeof *manifest);
    return ws_error_set(error, code, 0, "parse", path);
}

/* ---- fingerprint ---- */

/* Fails when the path does not fit, because a truncated path might name another file. */
static bool
join_path(char *buffer, size_t buffer_size, const char *root, const char *name)
{
    int size = name[0] == '/' ? snprintf(buffer, buffer_size, "%s", name)
                              : snprintf(buffer, buffer_size, "%s/%s", strcmp(root, "/") == 0 ? "" : root, name);
    return size >= 0 && (size_t)size < buffer_size;
}

static ws_code
check_root(const ws_manifest *manifest, const char *root, ws_error *error)
{
    if (root == NULL) return ws_error_set(error, WS_FINGERPRINT, 0, "realpath", manifest->root);
    char *real = ws_file_real_path(root);
    if (real == NULL) return ws_error_set(error, WS_FINGERPRINT, errno, "realpath", root);
    bool same = strcmp(real, manifest->root) == 0;
    free(real);
    return same ? WS_OK : ws_error_set(error, WS_FINGERPRINT, 0, "realpath", root);
}

ws_code
ws_manifest_check_fingerprint(const ws_manifest *manifest, const char *root, ws_error *error)
{
    char path[sizeof manifest->root + sizeof manifest->fingerprints[0].name + 1];

    if ((manifest->flags & WS_IMAGE_SEALED) == 0) return WS_OK;
    ws_code code = check_root(manifest, root, error);
    for (uint32_t i = 0; code == WS_OK && i < manifest->fingerprint_count; i++) {
        const ws_manifest_fingerprint *fingerprint = &manifest->fingerprints[i];
        ws_hash128 hash;
        if (!join_path(path, sizeof path, manifest->root, fingerprint->name))
            return ws_error_set(error, WS_FINGERPRINT, ENAMETOOLONG, "hash", fingerprint->name);
        ws_error cause = { WS_OK, 0, NULL, "" };
        if (ws_file_hash(path, &hash, NULL, &cause) != WS_OK)
            code = ws_error_set(error, WS_FINGERPRINT, cause.error_number, "hash", path);
        else if (hash.low != fingerprint->hash.low || hash.high != fingerprint->hash.high)
            code = ws_error_set(error, WS_FINGERPRINT, 0, "hash", path);
    }
    return code;
}
