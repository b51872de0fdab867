/* Writing segments: strings, entries, tables, flags, reproducibility. See core/image/segment_writer.h. */
#include "test.h"

#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "image_fixture.h"
#include "core/bytes/string_pool.h"

static ws_segment
open_written(fixture_bytes sample)
{
    ws_segment segment;
    if (fixture_open(&segment, sample.bytes, sample.size, fixture_key_hash(), NULL) != WS_OK)
        test_fail(__FILE__, __LINE__, "does not open");
    return segment;
}

static const ws_entry *
find(const ws_segment *segment, const char *path)
{
    return ws_segment_find(segment, path, strlen(path), ws_hash64(path, strlen(path), WS_SEED_NAME));
}

TEST("equal strings share one place")
{
    ws_segment_writer *writer = fixture_writer(0);
    uint32_t a = ws_segment_writer_string(writer, "/a/b.rb", 7), empty = ws_segment_writer_string(writer, "", 0);

    CHECK(a != UINT32_MAX && empty != UINT32_MAX && a != empty);
    for (int i = 0; i < 10000; i++) {
        char name[32];
        size_t size = (size_t)snprintf(name, sizeof name, "/a/%d.rb", i);
        CHECK(ws_segment_writer_string(writer, name, size) != a);
    }
    CHECK_EQUAL(ws_segment_writer_string(writer, "/a/b.rb", 7), a);
    CHECK_EQUAL(ws_segment_writer_string(writer, NULL, 0), empty);
    CHECK(ws_segment_writer_string(writer, "/a/b.r", 6) != a);
    ws_segment_writer_free(writer);
}

TEST("strings stop before offsets that do not fit")
{
    ws_string_pool pool = { 0 };

    CHECK_EQUAL(ws_string_pool_intern(&pool, "", UINT32_MAX), UINT32_MAX);
    CHECK_EQUAL(ws_string_pool_intern(&pool, "a", 1), 0);
    /* As if 4 GiB were full already. */
    pool.size = UINT32_MAX - 4;
    CHECK_EQUAL(ws_string_pool_intern(&pool, "abcdef", 6), UINT32_MAX);
    pool.size = 2;
    CHECK_EQUAL(ws_string_pool_intern(&pool, "b", 1), 1);
    ws_string_pool_free(&pool);
}

TEST("every field of an entry is kept, and the writer fills the others")
{
    ws_segment_writer *writer = fixture_writer(0);
    ws_entry given = fixture_entry(5);

    CHECK(ws_segment_writer_add(writer, &given, "/current/a.rb", 13, "/releases/1/a.rb", 16, "payload", 7));
    CHECK_EQUAL(ws_segment_writer_count(writer), 1);
    CHECK_EQUAL(ws_segment_writer_payload_size(writer), 16);
    fixture_bytes sample = fixture_written(writer, NULL);
    ws_segment segment = open_written(sample);
    const ws_entry *entry = find(&segment, "/current/a.rb");
    CHECK(entry != NULL);
    CHECK_STRING(ws_segment_string(&segment, entry->realpath_offset, entry->realpath_size), "/releases/1/a.rb");
    CHECK(entry->device == given.device && entry->inode == given.inode && entry->size == given.size);
    CHECK(entry->mtime == given.mtime && entry->ctime == given.ctime);
    CHECK(entry->content_low == given.content_low && entry->content_high == given.content_high);
    CHECK(entry->flags == given.flags && entry->warning_level == given.warning_level && entry->order == 5);
    CHECK_EQUAL(entry->payload_size, 7);
    CHECK_EQUAL(entry->payload_segment, 0);
    CHECK(entry->payload_checksum == ws_hash64("payload", 7, WS_SEED_PAYLOAD));
    CHECK(memcmp(ws_segment_payload(&segment, entry), "payload\0\0\0\0\0\0\0\0\0", 16) == 0);
    ws_segment_close(&segment);
    free(sample.bytes);
}

TEST("a payload in another segment is kept as given")
{
    ws_segment_writer *writer = fixture_writer(0);
    ws_entry given = fixture_entry(1);

    given.payload_segment = 77;
    given.payload_offset = 160;
    given.payload_size = 9;
    given.payload_checksum = 1234;
    CHECK(ws_segment_writer_add(writer, &given, "/a", 2, "/a", 2, NULL, 0));
    CHECK_EQUAL(ws_segment_writer_payload_size(writer), 0);
    fixture_bytes sample = fixture_written(writer, NULL);
    ws_segment segment = open_written(sample);
    const ws_entry *entry = find(&segment, "/a");
    CHECK(entry->payload_segment == 77 && entry->payload_offset == 160 && entry->payload_size == 9 &&
          entry->payload_checksum == 1234);
    CHECK(ws_segment_payload(&segment, entry) == NULL);
    ws_segment_close(&segment);
    free(sample.bytes);
}

TEST("a path added twice replaces the first and keeps its place")
{
    ws_segment_writer *writer = fixture_writer(0);
    char large[100] = "large";

    CHECK(fixture_add(writer, 1, "/a", large, sizeof large));
    CHECK(fixture_add(writer, 2, "/b", "b", 1));
    CHECK_EQUAL(ws_segment_writer_payload_size(writer), 128);
    CHECK(fixture_add(writer, 3, "/a", "new", 3));
    CHECK_EQUAL(ws_segment_writer_count(writer), 2);
    CHECK_EQUAL(ws_segment_writer_payload_size(writer), 32);
    fixture_bytes sample = fixture_written(writer, NULL);
    ws_segment segment = open_written(sample);
    CHECK_EQUAL(segment.entry_count, 2);
    CHECK_EQUAL(segment.entries[0].order, 3);
    CHECK(memcmp(ws_segment_payload(&segment, find(&segment, "/a")), "new", 3) == 0);
    ws_segment_close(&segment);
    free(sample.bytes);
}

TEST("a path added twice with the same content keeps what its first load has shown")
{
    ws_segment_writer *writer = fixture_writer(0);
    ws_entry first = { .size = 9,
                       .content_low = 1,
                       .flags = WS_ENTRY_COMPILED_ONLY | WS_ENTRY_LATE | WS_ENTRY_UNFINISHED };
    ws_entry second = { .size = 9, .content_low = 1 }, other = { .size = 9, .content_low = 2 };
    CHECK(ws_segment_writer_add(writer, &first, "/a.rb", 5, "/a.rb", 5, "1", 1) &&
          ws_segment_writer_add(writer, &second, "/a.rb", 5, "/a.rb", 5, "2", 1));
    CHECK(ws_segment_writer_add(writer, &first, "/b.rb", 5, "/b.rb", 5, "1", 1) &&
          ws_segment_writer_add(writer, &other, "/b.rb", 5, "/b.rb", 5, "2", 1));

    fixture_bytes sample = fixture_written(writer, NULL);
    ws_segment segment = open_written(sample);
    CHECK(find(&segment, "/a.rb")->flags == (WS_ENTRY_LATE | WS_ENTRY_UNFINISHED));
    CHECK(find(&segment, "/b.rb")->flags == 0);
    ws_segment_close(&segment);
    free(sample.bytes);
}

TEST("an empty payload is found and is empty")
{
    ws_segment_writer *writer = fixture_writer(0);
    ws_image image;
    const uint8_t *payload;

    CHECK(fixture_add(writer, 1, "/a", "", 0));
    fixture_bytes sample = fixture_written(writer, NULL);
    ws_segment segment = open_written(sample);
    fixture_image(&image, &segment);
    CHECK_EQUAL(ws_image_payload(&image, ws_image_find(&image, "/a", 2), &payload, NULL), WS_OK);
    CHECK(payload != NULL);
    ws_segment_close(&segment);
    free(sample.bytes);
}

TEST("thousands of entries are all found, the table is at most half full")
{
    enum { COUNT = 5000 };
    ws_segment_writer *writer = fixture_writer(0);
    char path[64];

    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(path, sizeof path, "/gems/%u/lib/file.rb", i);
        CHECK(fixture_add(writer, i, path, fixture_key, i % sizeof fixture_key));
    }
    fixture_bytes sample = fixture_written(writer, NULL);
    ws_segment segment = open_written(sample);
    CHECK_EQUAL(segment.entry_table_mask + 1, 16384);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(path, sizeof path, "/gems/%u/lib/file.rb", i);
        const ws_entry *entry = find(&segment, path);
        CHECK(entry != NULL && entry->order == i);
        CHECK(entry == &segment.entries[i]);
        CHECK(memcmp(ws_segment_payload(&segment, entry), fixture_key, entry->payload_size) == 0);
    }
    ws_segment_close(&segment);
    free(sample.bytes);
}

TEST("a table holds each number once, also where hashes are equal, and is a power of two")
{
    uint64_t hashes[100];
    uint32_t size = 0, seen = 0;

    for (int i = 0; i < 100; i++) hashes[i] = (uint64_t)(i % 3);
    uint32_t *table = ws_segment_writer_table(hashes, 100, &size);
    CHECK_EQUAL(size, 256);
    for (uint32_t i = 0; i < size; i++) seen += table[i];
    CHECK_EQUAL(seen, 100 * 101 / 2);
    free(table);
    table = ws_segment_writer_table(NULL, 0, &size);
    CHECK(table != NULL && size == 2 && table[0] == 0);
    free(table);
}

TEST("portable drops inode, device, ctime and parts of a second, also before 1970")
{
    ws_segment_writer *writer = fixture_writer(WS_SEGMENT_PORTABLE);
    ws_entry old = fixture_entry(2), oldest = old;

    old.mtime = -1;
    oldest.mtime = INT64_MIN;
    CHECK(fixture_add(writer, 1, "/a", "a", 1));
    CHECK(ws_segment_writer_add(writer, &old, "/old", 4, "/old", 4, "b", 1));
    CHECK(ws_segment_writer_add(writer, &oldest, "/oldest", 7, "/oldest", 7, "b", 1));
    ws_segment_header header;
    fixture_bytes sample = fixture_written(writer, &header);
    ws_segment segment = open_written(sample);
    const ws_entry *entry = find(&segment, "/a");
    CHECK_EQUAL(header.flags, WS_SEGMENT_PORTABLE);
    CHECK_EQUAL(entry->mtime, INT64_C(1700000000000000000));
    CHECK(entry->ctime == 0 && entry->inode == 0 && entry->device == 0);
    CHECK_EQUAL(find(&segment, "/old")->mtime, -1000000000);
    ws_segment_close(&segment);
    free(sample.bytes);
}

static fixture_bytes
reproducible(const int *order, ws_segment_header *header)
{
    ws_segment_writer *writer = fixture_writer(WS_SEGMENT_REPRODUCIBLE);

    if (!fixture_add_index(writer)) abort();
    for (int i = 0; i < FIXTURE_FILES; i++) {
        ws_entry entry = fixture_entry((uint32_t)order[i]);
        const char *path = fixture_paths[order[i]], *payload = fixture_payloads[order[i]];
        /* What differs from machine to machine. */
        entry.inode = (uint64_t)i;
        entry.ctime = i;
        entry.device = (uint64_t)(i + 9);
        entry.mtime += i;
        if (!ws_segment_writer_add(writer, &entry, path, strlen(path), path, strlen(path), payload, strlen(payload)))
            abort();
    }
    return fixture_written(writer, header);
}

TEST("reproducible gives the same bytes whatever the order in which files were added")
{
    static const int orders[][FIXTURE_FILES] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 }, { 2, 0, 1 } };
    ws_segment_header header, other;
    fixture_bytes first = reproducible(orders[0], &header);
    ws_segment segment = open_written(first);

    CHECK_EQUAL(header.created, 0);
    CHECK_EQUAL(header.flags, WS_SEGMENT_REPRODUCIBLE | WS_SEGMENT_PORTABLE);
    CHECK(header.segment_id == ws_hash64(header.sections, sizeof header.sections, WS_SEED_SECTION));
    for (uint32_t i = 1; i < segment.entry_count; i++) {
        const ws_entry *entries = segment.entries;
        CHECK(strcmp(ws_segment_string(&segment, entries[i - 1].path_offset, entries[i - 1].path_size),
                     ws_segment_string(&segment, entries[i].path_offset, entries[i].path_size)) < 0);
    }
    for (size_t i = 1; i < sizeof orders / sizeof orders[0]; i++) {
        fixture_bytes again = reproducible(orders[i], &other);
        CHECK(again.size == first.size && memcmp(again.bytes, first.bytes, first.size) == 0);
        free(again.bytes);
    }
    ws_segment_close(&segment);
    free(first.bytes);
}

TEST("other content gives another reproducible id, and ordinary ids are random")
{
    ws_segment_header a, b;
    ws_segment_writer *writer = fixture_writer(WS_SEGMENT_REPRODUCIBLE);

    CHECK(fixture_add(writer, 1, "/a", "a", 1));
    free(fixture_written(writer, &a).bytes);
    writer = fixture_writer(WS_SEGMENT_REPRODUCIBLE);
    CHECK(fixture_add(writer, 1, "/a", "b", 1));
    free(fixture_written(writer, &b).bytes);
    CHECK(a.segment_id != b.segment_id);
    free(fixture_written(fixture_sample(0), &a).bytes);
    free(fixture_written(fixture_sample(0), &b).bytes);
    CHECK(a.segment_id != 0 && b.segment_id != 0 && a.segment_id != b.segment_id);
    CHECK(a.created > 1700000000);
}

TEST("the sections that the writer makes cannot be set")
{
    static const ws_section own[] = { WS_SECTION_KEY, WS_SECTION_STRINGS, WS_SECTION_ENTRIES, WS_SECTION_ENTRY_TABLE,
                                      WS_SECTION_PAYLOADS };
    ws_segment_writer *writer = fixture_writer(0);

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) CHECK(!ws_segment_writer_section(writer, own[i], "x", 1));
    CHECK(ws_segment_writer_section(writer, WS_SECTION_STATISTICS, "x", 1));
    CHECK(ws_segment_writer_section(writer, WS_SECTION_STATISTICS, NULL, 0));
    ws_segment_writer_free(writer);
}

/* Pipes take what fits: every kind of short write. The reader takes odd amounts. */
TEST("short writes lose nothing")
{
    enum { SIZE = 300000 };
    ws_segment_writer *writer = fixture_writer(WS_SEGMENT_REPRODUCIBLE);
    ws_segment_header header;
    char *payload = malloc(SIZE), path[32];
    int ends[2], status;

    for (int i = 0; i < SIZE; i++) payload[i] = (char)(i * 7);
    for (uint32_t i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "/%u", i);
        CHECK(fixture_add(writer, i, path, payload + i, i < 98 ? i * 5 : SIZE - i));
    }
    CHECK_EQUAL(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        _exit(ws_segment_writer_write(writer, ends[1], &header, "pipe", NULL) != WS_OK);
    }
    close(ends[1]);
    uint8_t *received = malloc(4 * SIZE);
    size_t size = 0, step = 1;
    for (ssize_t count; (count = read(ends[0], received + size, step)) > 0; step = (step * 31 + 7) % 9001 + 1)
        size += (size_t)count;
    close(ends[0]);
    waitpid(child, &status, 0);
    CHECK_EQUAL(status, 0);
    fixture_bytes direct = fixture_written(writer, NULL);
    CHECK(direct.size == size && memcmp(direct.bytes, received, size) == 0);
    free(direct.bytes);
    free(received);
    free(payload);
}

TEST("errors of writing are told with their errno")
{
    ws_segment_writer *writer = fixture_sample(0);
    ws_segment_header header;
    ws_error error;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    CHECK_EQUAL(ws_segment_writer_write(writer, -1, &header, "/image", &error), WS_SYSTEM);
    CHECK_EQUAL(error.error_number, EBADF);
    CHECK_STRING(error.path, "/image");
    if (full >= 0) {
        CHECK_EQUAL(ws_segment_writer_write(writer, fixture_descriptor(full), &header, "/image", &error), WS_FULL);
        CHECK_EQUAL(error.error_number, ENOSPC);
        close(full);
    }
#ifdef EDQUOT
    CHECK_EQUAL(ws_write_failure(EDQUOT), WS_FULL);
#endif
    CHECK_EQUAL(ws_write_failure(EFBIG), WS_FULL);
    CHECK_EQUAL(ws_write_failure(EIO), WS_SYSTEM);
    ws_segment_writer_free(writer);
}
