/* Segments to test with: made by the writer, opened from exact-size copies (so that the sanitizer sees an over-read),
 * and sealed again after a test has damaged them. Who includes: tests of segment, writer, image and store,
 * make_sample.c, and fuzz/segment_fuzz.c, which has no test.h. */
#ifndef WARMSTART_IMAGE_FIXTURE_H
#define WARMSTART_IMAGE_FIXTURE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef _WIN32
#include <io.h>
#endif

#include "core/bytes/hash.h"
#include "core/image/image.h"
#include "core/image/segment.h"
#include "core/image/segment_writer.h"

#define FIXTURE __attribute__((unused)) static

static const char fixture_key[] = "engine ruby\nversion 3.3.8\nplatform x86_64-linux\n";

FIXTURE uint64_t
fixture_key_hash(void)
{
    return ws_hash64(fixture_key, sizeof fixture_key - 1, WS_SEED_KEY);
}

FIXTURE ws_segment_writer *
fixture_writer(uint32_t flags)
{
    return ws_segment_writer_new(fixture_key, sizeof fixture_key - 1, flags);
}

/* An entry with something different in every field, derived from a number. */
FIXTURE ws_entry
fixture_entry(uint32_t number)
{
    ws_entry entry;

    memset(&entry, 0, sizeof entry);
    entry.device = 2049;
    entry.inode = 1000 + number;
    entry.size = 300 + number;
    entry.mtime = INT64_C(1700000000123456789) + number;
    entry.ctime = INT64_C(1700000001987654321) + number;
    entry.content_low = UINT64_C(0x1111111111111111) * (number % 15 + 1);
    entry.content_high = ~entry.content_low;
    entry.flags = number % 2 ? WS_ENTRY_LATE : WS_ENTRY_LATE | WS_ENTRY_UNFINISHED;
    entry.warning_level = 1 | WS_WARNING_DEPRECATED;
    entry.order = number;
    return entry;
}

FIXTURE bool
fixture_add(ws_segment_writer *writer, uint32_t number, const char *path, const void *payload, size_t size)
{
    ws_entry entry = fixture_entry(number);
    return ws_segment_writer_add(writer, &entry, path, strlen(path), path, strlen(path), payload, size);
}

/* A load-path index of one entry "/lib" that holds "json" as .rb; well-formed, and no more than that. */
FIXTURE bool
fixture_add_index(ws_segment_writer *writer)
{
    uint32_t lib = ws_segment_writer_string(writer, "/lib", 4), json = ws_segment_writer_string(writer, "json", 4);
    uint32_t empty = ws_segment_writer_string(writer, "", 0), list = 0, table_size;
    uint64_t name_hash = ws_hash64("/lib", 4, WS_SEED_NAME), feature_hash = ws_hash64("json", 4, WS_SEED_NAME);
    ws_load_path_entry entry = { lib, 4, 2049, 77, WS_LOAD_PATH_STABLE, 0 };
    ws_load_path_name name = { name_hash, lib, 4, 0, 0 };
    ws_index_directory directory = { empty, 0, 0, 0, 1, 0 };
    ws_index_holder holder = { 0, 0, INT64_C(1700000000000000001), INT64_C(1700000000000000002), 78 };
    ws_index_feature feature = { feature_hash, json, 4, 0, 0, 1, 0 };

    uint32_t *table = ws_segment_writer_table(&feature_hash, 1, &table_size);
    bool good = table != NULL && ws_segment_writer_section(writer, WS_SECTION_LOAD_PATH, &entry, sizeof entry) &&
                ws_segment_writer_section(writer, WS_SECTION_LOAD_PATH_NAMES, &name, sizeof name) &&
                ws_segment_writer_section(writer, WS_SECTION_DIRECTORIES, &directory, sizeof directory) &&
                ws_segment_writer_section(writer, WS_SECTION_HOLDERS, &holder, sizeof holder) &&
                ws_segment_writer_section(writer, WS_SECTION_FEATURES, &feature, sizeof feature) &&
                ws_segment_writer_section(writer, WS_SECTION_FEATURE_TABLE, table, table_size * sizeof *table) &&
                ws_segment_writer_section(writer, WS_SECTION_FEATURE_LISTS, &list, sizeof list);
    free(table);
    return good;
}

static const char fixture_statistics[] = "files 3\nwall 0.5\n";
static const char *const fixture_paths[] = { "/srv/shop/config/boot.rb", "/srv/shop/app/models/order.rb",
                                             "/lib/json.rb" };
static const char *const fixture_payloads[] = { "YARB first payload", "YARB the second payload, longer than sixteen",
                                                "YARB 16 bytes 16" };
enum { FIXTURE_FILES = 3 };

/* Every section, three entries. */
FIXTURE ws_segment_writer *
fixture_sample(uint32_t flags)
{
    ws_segment_writer *writer = fixture_writer(flags);

    if (!fixture_add_index(writer) ||
        !ws_segment_writer_section(writer, WS_SECTION_STATISTICS, fixture_statistics, sizeof fixture_statistics - 1))
        abort();
    for (uint32_t i = 0; i < FIXTURE_FILES; i++)
        if (!fixture_add(writer, i, fixture_paths[i], fixture_payloads[i], strlen(fixture_payloads[i]))) abort();
    return writer;
}

typedef struct fixture_bytes {
    uint8_t *bytes;
    size_t size;
} fixture_bytes;

FIXTURE fixture_bytes
fixture_read(int descriptor)
{
    off_t size = lseek(descriptor, 0, SEEK_END);
    fixture_bytes result = { malloc((size_t)size + 1), (size_t)size };
    if (result.bytes == NULL || pread(descriptor, result.bytes, result.size, 0) != (ssize_t)size) abort();
    return result;
}

/* The core's descriptor of a file that the C library has opened: on Windows its handle (core/system/file.h). */
FIXTURE int
fixture_descriptor(int descriptor)
{
#ifdef _WIN32
    return (int)_get_osfhandle(descriptor);
#else
    return descriptor;
#endif
}

/* What the writer writes; frees the writer. */
FIXTURE fixture_bytes
fixture_written(ws_segment_writer *writer, ws_segment_header *header)
{
    FILE *file = tmpfile();
    ws_segment_header own;
    ws_error error;

    if (file == NULL || ws_segment_writer_write(writer, fixture_descriptor(fileno(file)), header ? header : &own,
                                                "sample", &error) != WS_OK)
        abort();
    fixture_bytes result = fixture_read(fileno(file));
    fclose(file);
    ws_segment_writer_free(writer);
    return result;
}

/* Opens an exact-size copy of bytes[0, size). */
FIXTURE ws_code
fixture_open(ws_segment *segment, const uint8_t *bytes, size_t size, uint64_t key, ws_error *error)
{
    ws_mapping mapping = { NULL, size, true };
    void *copy = NULL;

    if (posix_memalign(&copy, 64, size > 0 ? size : 1) != 0) abort();
    if (size > 0) memcpy(copy, bytes, size);
    mapping.bytes = copy;
    return ws_segment_open(segment, mapping, key, "sample", error);
}

/* Makes all checksums right again, as a writer with a bug or a malicious one would. Whatever lies outside stays as it
 * is. */
FIXTURE void
fixture_seal(uint8_t *bytes, size_t size)
{
    ws_segment_header header;

    if (size < sizeof header) return;
    memcpy(&header, bytes, sizeof header);
    for (unsigned i = 0; i < WS_SECTION_COUNT; i++) {
        ws_section_header *section = &header.sections[i];
        bool inside = section->offset <= size && section->size <= size - section->offset;
        if (!inside || section->size == 0) continue;
        section->checksum =
            i == WS_SECTION_PAYLOADS ? 0 : ws_hash64(bytes + section->offset, section->size, WS_SEED_SECTION);
        if (i == WS_SECTION_KEY) header.key_hash = ws_hash64(bytes + section->offset, section->size, WS_SEED_KEY);
    }
    header.header_checksum = ws_hash64(&header, offsetof(ws_segment_header, header_checksum), WS_SEED_HEADER);
    memcpy(bytes, &header, sizeof header);
}

/* An image of one segment in memory, to ask for payloads. */
FIXTURE void
fixture_image(ws_image *image, const ws_segment *segment)
{
    memset(image, 0, sizeof *image);
    image->manifest.segment_count = 1;
    image->segments[0] = *segment;
}

#endif
