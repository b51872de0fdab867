/* The manifest's text: printing it, parsing it without trusting any of it, and comparing a sealed image's fingerprint
 * with the application. Who calls: image.c at each open, store.c at each publication. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "core/image/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/file.h"
#include "core/image/image_format.h"

#define TITLE "warmstart manifest "
#define VERSION "1\n"
#define CHECKSUM_LINE "checksum %016" PRIx64 "\n"
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

bool
ws_manifest_names(const ws_manifest *manifest, uint64_t id)
{
    for (uint32_t i = 0; i < manifest->segment_count; i++)
        if (manifest->segments[i].id == id) return true;
    return false;
}

/* ---- printing ---- */

/* A text under construction. Once a piece did not fit, nothing more is added. */
typedef struct output {
    char *bytes;
    size_t size, capacity;
    bool full;
} output;

/* MinGW's printf is of one of two kinds, which its headers name. */
#ifdef __MINGW_PRINTF_FORMAT
#define PRINTF __MINGW_PRINTF_FORMAT
#else
#define PRINTF printf
#endif

__attribute__((format(PRINTF, 2, 3))) static void
put(output *out, const char *format, ...)
{
    va_list arguments;

    if (out->full) return;
    va_start(arguments, format);
    int size = vsnprintf(out->bytes + out->size, out->capacity - out->size, format, arguments);
    va_end(arguments);
    out->full = size < 0 || (size_t)size >= out->capacity - out->size;
    if (!out->full) out->size += (size_t)size;
}

static void
put_name(output *out, const char *name)
{
    for (; *name != '\0'; name++) {
        if (*name == '\n') put(out, "%s", "%0A");
        else if (*name == '%') put(out, "%s", "%25");
        else put(out, "%c", *name);
    }
}

size_t
ws_manifest_print(const ws_manifest *manifest, char *buffer, size_t buffer_size)
{
    output out = { buffer, 0, buffer_size, false };

    put(&out, TITLE VERSION "key %016" PRIx64 "\ngeneration %" PRIu64 "\n", manifest->key_hash, manifest->generation);
    if (manifest->flags != 0) {
        put(&out, "flags");
        for (unsigned i = 0; i < FLAG_COUNT; i++)
            if (manifest->flags & flag_names[i].flag) put(&out, " %s", flag_names[i].name);
        put(&out, "\n");
    }
    if (manifest->root[0] != '\0') {
        put(&out, "root ");
        put_name(&out, manifest->root);
        put(&out, "\n");
    }
    for (uint32_t i = 0; i < manifest->fingerprint_count; i++) {
        const ws_manifest_fingerprint *fingerprint = &manifest->fingerprints[i];
        put(&out, "fingerprint ");
        put_name(&out, fingerprint->name);
        put(&out, " %016" PRIx64 "%016" PRIx64 "\n", fingerprint->hash.high, fingerprint->hash.low);
    }
    for (uint32_t i = 0; i < manifest->segment_count; i++) {
        const ws_manifest_segment *segment = &manifest->segments[i];
        put(&out, "segment %016" PRIx64 " %" PRIu64 " %016" PRIx64 "\n", segment->id, segment->file_size,
            segment->header_checksum);
    }
    if (manifest->origin.high != 0 || manifest->origin.low != 0)
        put(&out, "origin %016" PRIx64 "%016" PRIx64 "\n", manifest->origin.high, manifest->origin.low);
    put(&out, CHECKSUM_LINE, ws_hash64(out.bytes, out.size, WS_SEED_MANIFEST));
    return out.full ? 0 : out.size;
}

/* ---- parsing ---- */

/* The first line says whether this is a manifest of ours that these rules can read. Then the checksum is verified. */
static ws_code
check_frame(const char *text, size_t size)
{
    char expected[CHECKSUM_LINE_SIZE + 1];

    if (size > WS_MANIFEST_SIZE_MAXIMUM) return WS_BOUNDS;
    if (size < strlen(TITLE) || memcmp(text, TITLE, strlen(TITLE)) != 0) return WS_MAGIC;
    if (size < strlen(TITLE VERSION) || memcmp(text, TITLE VERSION, strlen(TITLE VERSION)) != 0) return WS_FORMAT;
    if (size < strlen(TITLE VERSION) + CHECKSUM_LINE_SIZE) return WS_CHECKSUM;
    const char *last = text + size - CHECKSUM_LINE_SIZE;
    snprintf(expected, sizeof expected, CHECKSUM_LINE, ws_hash64(text, (size_t)(last - text), WS_SEED_MANIFEST));
    return memcmp(last, expected, CHECKSUM_LINE_SIZE) == 0 ? WS_OK : WS_CHECKSUM;
}

static ws_code
parse_name(const char *text, char *buffer, size_t buffer_size)
{
    size_t size = 0;

    for (; *text != '\0'; text++) {
        if (size + 1 >= buffer_size) return WS_BOUNDS;
        bool newline = strncmp(text, "%0A", 3) == 0, percent = strncmp(text, "%25", 3) == 0;
        buffer[size++] = *text;
        if (newline) buffer[size - 1] = '\n';
        if (newline || percent) text += 2;
    }
    buffer[size] = '\0';
    return size > 0 ? WS_OK : WS_FORMAT;
}

/* The name may contain spaces, so the place of the hash is counted from the end of the line. */
static ws_code
parse_fingerprint(char *text, ws_manifest *manifest)
{
    size_t size = strlen(text);

    if (size < 33) return WS_FORMAT;
    if (manifest->fingerprint_count == WS_FINGERPRINTS_MAXIMUM) return WS_BOUNDS;
    ws_manifest_fingerprint *fingerprint = &manifest->fingerprints[manifest->fingerprint_count++];
    char *hash = text + size - 33;
    if (sscanf(hash, " %16" SCNx64 "%16" SCNx64, &fingerprint->hash.high, &fingerprint->hash.low) != 2)
        return WS_FORMAT;
    *hash = '\0';
    return parse_name(text, fingerprint->name, sizeof fingerprint->name);
}

static ws_code
parse_segment(const char *text, ws_manifest *manifest)
{
    ws_manifest_segment segment;

    if (sscanf(text, "%" SCNx64 " %" SCNu64 " %" SCNx64, &segment.id, &segment.file_size, &segment.header_checksum) !=
        3)
        return WS_FORMAT;
    if (manifest->segment_count == WS_SEGMENTS_MAXIMUM) return WS_BOUNDS;
    if (segment.id == 0 || ws_manifest_names(manifest, segment.id)) return WS_FORMAT;
    manifest->segments[manifest->segment_count++] = segment;
    return WS_OK;
}

/* Takes more than ws_manifest_print writes. ws_manifest_parse compares afterwards. */
static ws_code
parse_line(char *line, ws_manifest *manifest)
{
    char *text = strchr(line, ' ');

    if (text == NULL) return WS_FORMAT;
    *text++ = '\0';
    if (strcmp(line, "root") == 0) return parse_name(text, manifest->root, sizeof manifest->root);
    if (strcmp(line, "fingerprint") == 0) return parse_fingerprint(text, manifest);
    if (strcmp(line, "segment") == 0) return parse_segment(text, manifest);
    if (strcmp(line, "key") == 0) return sscanf(text, "%" SCNx64, &manifest->key_hash) == 1 ? WS_OK : WS_FORMAT;
    if (strcmp(line, "generation") == 0)
        return sscanf(text, "%" SCNu64, &manifest->generation) == 1 ? WS_OK : WS_FORMAT;
    if (strcmp(line, "origin") == 0)
        return sscanf(text, "%16" SCNx64 "%16" SCNx64, &manifest->origin.high, &manifest->origin.low) == 2 ? WS_OK
                                                                                                           : WS_FORMAT;
    if (strcmp(line, "flags") != 0) return WS_FORMAT;
    for (unsigned i = 0; i < FLAG_COUNT; i++)
        if (strstr(text, flag_names[i].name) != NULL) manifest->flags |= flag_names[i].flag;
    return WS_OK;
}

/* Parses the lines between the first and the last one. copy: of the text, followed by a NUL; lines are cut in it. */
static ws_code
parse_lines(char *copy, size_t size, ws_manifest *manifest)
{
    ws_code code = WS_OK;
    char *line = copy + strlen(TITLE VERSION), *end = copy + size - CHECKSUM_LINE_SIZE;

    while (code == WS_OK && line < end) {
        char *line_end = memchr(line, '\n', (size_t)(end - line));
        if (line_end == NULL) return WS_FORMAT;
        *line_end = '\0';
        code = parse_line(line, manifest);
        line = line_end + 1;
    }
    return code == WS_OK && manifest->segment_count == 0 ? WS_FORMAT : code;
}

ws_code
ws_manifest_parse(ws_manifest *manifest, const char *text, size_t size, const char *path, ws_error *error)
{
    memset(manifest, 0, sizeof *manifest);
    ws_code code = check_frame(text, size);
    char *copy = code == WS_OK ? malloc(size + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, size);
        code = parse_lines(copy, size, manifest);
        /* What is printed must be what was read, so nothing else passes. */
        if (code == WS_OK && (ws_manifest_print(manifest, copy, size + 1) != size || memcmp(copy, text, size) != 0))
            code = WS_FORMAT;
        free(copy);
    }
    else if (code == WS_OK) code = WS_MEMORY;
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
