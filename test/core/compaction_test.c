/* Many segments into one: when, what is kept, in which order, and what happens at the size limit. See
 * core/image/compaction.h. */
#include "test.h"

#include "core/image/compaction.h"
#include "store_fixture.h"

static void
text_of(char *buffer, size_t size, const char *word, int number)
{
    snprintf(buffer, size, "/app/%s_%d.rb", word, number);
}

/* A segment of `count` files of payload_size bytes each, all made of one letter. */
static ws_segment_writer *
letters(const char *word, int count, char letter, size_t payload_size)
{
    static char payloads[26][4096];
    ws_segment_writer *writer = fixture_writer(0);
    char path[64];

    memset(payloads[letter - 'a'], letter, sizeof payloads[0]);
    for (int i = 0; i < count; i++) {
        text_of(path, sizeof path, word, i);
        fixture_add(writer, (uint32_t)i, path, payloads[letter - 'a'], payload_size);
    }
    return writer;
}

static char
letter_of(const ws_image *image, const char *word, int number)
{
    const uint8_t *payload;
    char path[64];

    text_of(path, sizeof path, word, number);
    ws_found found = ws_image_find(image, path, strlen(path));
    if (found.entry == NULL) return '-';
    return ws_image_payload(image, found, &payload, NULL) == WS_OK ? (char)payload[0] : '!';
}

TEST("small deltas are left alone until there are seven of them")
{
    const char *folder = test_path("image");
    ws_published published;
    ws_image image;
    char word[32];

    CHECK_EQUAL(fixture_publish(folder, letters("base", 50, 'a', 4000), NULL), WS_OK);
    for (int i = 0; i < 6; i++) {
        snprintf(word, sizeof word, "delta%d", i);
        CHECK_EQUAL(fixture_publish(folder, letters(word, 1, (char)('b' + i), 100), &published), WS_OK);
        CHECK_EQUAL(published.segment_count, i + 2);
        CHECK(!published.compacted);
    }
    CHECK_EQUAL(fixture_publish(folder, letters("last", 1, 'z', 100), &published), WS_OK);
    CHECK(published.compacted);
    CHECK_EQUAL(published.segment_count, 1);
    CHECK_EQUAL(published.entry_count, 57);
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    CHECK_EQUAL(letter_of(&image, "base", 49), 'a');
    CHECK_EQUAL(letter_of(&image, "delta3", 0), 'e');
    CHECK_EQUAL(letter_of(&image, "last", 0), 'z');
    ws_image_close(&image);
}

TEST(
    "dead payloads of more than half of the live ones are compacted, the newest version is kept, the order is the boot's")
{
    const char *folder = test_path("image");
    ws_published published;
    ws_image image;

    CHECK_EQUAL(fixture_publish(folder, letters("file", 10, 'a', 1600), NULL), WS_OK);
    CHECK_EQUAL(fixture_publish(folder, letters("file", 5, 'b', 1600), &published), WS_OK);
    CHECK_EQUAL(published.segment_count, 2);
    CHECK_EQUAL(fixture_publish(folder, letters("file", 1, 'c', 2000), &published), WS_OK);
    CHECK(published.compacted);
    CHECK_EQUAL(published.generation, 4);
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    CHECK_EQUAL(image.manifest.segment_count, 1);
    CHECK_EQUAL(letter_of(&image, "file", 0), 'c');
    CHECK_EQUAL(letter_of(&image, "file", 1), 'b');
    CHECK_EQUAL(letter_of(&image, "file", 5), 'a');
    CHECK_EQUAL(image.segments[0].payloads_size, 9 * 1600 + 2000);
    for (uint32_t i = 0; i < 10; i++) CHECK_EQUAL(image.segments[0].entries[i].order, i);
    ws_image_close(&image);
}

TEST("a delta as large as the base is left alone while all of both is in use")
{
    const char *folder = test_path("image");
    ws_published published;

    CHECK_EQUAL(fixture_publish(folder, letters("first", 10, 'a', 1600), NULL), WS_OK);
    CHECK_EQUAL(fixture_publish(folder, letters("second", 10, 'b', 1600), &published), WS_OK);
    CHECK(!published.compacted);
    CHECK_EQUAL(published.segment_count, 2);
    CHECK_EQUAL(published.entry_count, 20);
}

TEST("an entry whose payload lies in an older segment brings it along")
{
    const char *folder = test_path("image");
    ws_store_options options = fixture_store_options(folder);
    ws_published published;
    ws_store *store;
    ws_image image;
    ws_error error;

    CHECK_EQUAL(fixture_publish(folder, letters("file", 10, 'a', 1600), NULL), WS_OK);
    CHECK_EQUAL(ws_store_open(&store, &options, &error), WS_OK);
    ws_found old = ws_image_find(ws_store_image(store), "/app/file_3.rb", 14);
    CHECK(old.entry != NULL);
    ws_entry revalidated = *old.entry;
    revalidated.payload_segment = old.segment->header->segment_id;
    revalidated.inode = 4242;
    ws_segment_writer *writer = fixture_writer(0);
    CHECK(ws_segment_writer_add(writer, &revalidated, "/app/file_3.rb", 14, "/app/file_3.rb", 14, NULL, 0));
    CHECK_EQUAL(ws_store_publish(store, writer, &published, &error), WS_OK);
    CHECK_EQUAL(published.segment_count, 2);
    ws_segment_writer_free(writer);
    ws_found now = ws_image_find(ws_store_image(store), "/app/file_3.rb", 14);
    CHECK_EQUAL(now.entry->inode, 4242);
    CHECK_EQUAL(letter_of(ws_store_image(store), "file", 3), 'a');
    for (int i = 0; i < 3; i++) {
        writer = letters("more", 6, 'b', 1600);
        CHECK_EQUAL(ws_store_publish(store, writer, &published, &error), WS_OK);
        CHECK_EQUAL(published.compacted, i == 2);
        ws_segment_writer_free(writer);
    }
    ws_store_close(store);

    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    now = ws_image_find(&image, "/app/file_3.rb", 14);
    CHECK_EQUAL(now.entry->inode, 4242);
    CHECK_EQUAL(now.entry->payload_segment, 0);
    CHECK_EQUAL(letter_of(&image, "file", 3), 'a');
    ws_image_close(&image);
}

TEST("payloads that newer entries use are alive: files of which only the times are others cause no compaction")
{
    const char *folder = test_path("image");
    ws_store_options options = fixture_store_options(folder);
    ws_published published;
    ws_store *store;
    ws_error error;
    char path[64];

    CHECK_EQUAL(fixture_publish(folder, letters("file", 10, 'a', 1600), NULL), WS_OK);
    for (int round = 0; round < 2; round++) {
        CHECK_EQUAL(ws_store_open(&store, &options, &error), WS_OK);
        ws_segment_writer *writer = fixture_writer(0);
        for (int i = 0; i < 10; i++) {
            text_of(path, sizeof path, "file", i);
            ws_entry touched = *ws_image_find(ws_store_image(store), path, strlen(path)).entry;
            touched.payload_segment = ws_store_image(store)->segments[0].header->segment_id;
            touched.mtime += 1 + round;
            CHECK(ws_segment_writer_add(writer, &touched, path, strlen(path), path, strlen(path), NULL, 0));
        }
        CHECK_EQUAL(ws_store_publish(store, writer, &published, &error), WS_OK);
        CHECK(!published.compacted);
        ws_segment_writer_free(writer);
        ws_store_close(store);
    }
    /* One that is replaced makes the old payload a dead one; so do six of ten. */
    CHECK_EQUAL(fixture_publish(folder, letters("file", 2, 'b', 1600), &published), WS_OK);
    CHECK(!published.compacted);
    CHECK_EQUAL(fixture_publish(folder, letters("file", 4, 'c', 1600), &published), WS_OK);
    CHECK(published.compacted);
}

TEST("the newest index and the newest statistics are carried over, the key stays")
{
    const char *folder = test_path("image");
    ws_published published;
    ws_image image;

    CHECK_EQUAL(fixture_publish(folder, letters("file", 2, 'a', 100), NULL), WS_OK);
    ws_segment_writer *indexed = letters("more", 1, 'b', 16);
    CHECK(fixture_add_index(indexed));
    CHECK(ws_segment_writer_section(indexed, WS_SECTION_STATISTICS, "wall 1\n", 7));
    CHECK_EQUAL(fixture_publish(folder, indexed, NULL), WS_OK);
    CHECK_EQUAL(fixture_publish(folder, letters("file", 2, 'c', 100), &published), WS_OK);
    CHECK(published.compacted);
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    const ws_segment *segment = &image.segments[0];
    const ws_index_feature *feature = ws_segment_section(segment, WS_SECTION_FEATURES).bytes;
    const ws_load_path_entry *entry = ws_segment_section(segment, WS_SECTION_LOAD_PATH).bytes;
    CHECK(feature != NULL && entry != NULL);
    CHECK_STRING(ws_segment_string(segment, feature->name_offset, feature->name_size), "json");
    CHECK_STRING(ws_segment_string(segment, entry->expanded_offset, entry->expanded_size), "/lib");
    CHECK_SIZE(ws_segment_section(segment, WS_SECTION_HOLDERS).size, sizeof(ws_index_holder));
    CHECK_SIZE(ws_segment_section(segment, WS_SECTION_STATISTICS).size, 7);
    CHECK_SIZE(ws_segment_section(segment, WS_SECTION_KEY).size, sizeof fixture_key - 1);
    ws_image_close(&image);
}

TEST("an index that a newer one has replaced counts as unused")
{
    const char *folder = test_path("image");
    ws_published published;
    static const char strings[20000];

    for (int i = 0; i < 3; i++) {
        ws_segment_writer *writer = letters(i == 0 ? "first" : i == 1 ? "second" : "third", 10, 'a', 1600);
        CHECK(fixture_add_index(writer));
        CHECK(ws_segment_writer_section(writer, WS_SECTION_FEATURE_LISTS, strings, sizeof strings));
        CHECK_EQUAL(fixture_publish(folder, writer, &published), WS_OK);
        CHECK_EQUAL(published.compacted, i == 2);
    }
    CHECK_EQUAL(published.entry_count, 30);
}

TEST("an index that points outside is left out")
{
    ws_segment_writer *bad = fixture_writer(0);
    ws_segment segment;
    ws_error error;

    CHECK(fixture_add_index(bad));
    ws_index_feature feature = { 1, 999999, 4, 0, 0, 1, 0 };
    CHECK(ws_segment_writer_section(bad, WS_SECTION_FEATURES, &feature, sizeof feature));
    fixture_bytes bytes = fixture_written(bad, NULL);
    CHECK_EQUAL(fixture_open(&segment, bytes.bytes, bytes.size, 0, &error), WS_OK);
    ws_segment_writer *copy = fixture_writer(0);
    CHECK(ws_segment_writer_copy_index(copy, &segment));
    ws_segment_close(&segment);
    free(bytes.bytes);
    bytes = fixture_written(copy, NULL);
    CHECK_EQUAL(fixture_open(&segment, bytes.bytes, bytes.size, 0, &error), WS_OK);
    for (unsigned i = WS_SECTION_LOAD_PATH; i <= WS_SECTION_FEATURE_LISTS; i++)
        CHECK_SIZE(ws_segment_section(&segment, (ws_section)i).size, 0);
    ws_segment_close(&segment);
    free(bytes.bytes);
}

TEST("paths that no longer exist go at compaction, and only then")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_published published;
    ws_error error;

    options.keep_gone = false;
    test_write("here.rb", "1", 1);
    CHECK_EQUAL(fixture_publish_with(&options, letters("gone", 10, 'a', 1600), &published, &error), WS_OK);
    CHECK(!published.compacted);
    CHECK_EQUAL(published.entry_count, 10);
    ws_segment_writer *writer = letters("gone", 9, 'b', 1600);
    CHECK(fixture_add(writer, 1, test_path("here.rb"), "x", 1));
    CHECK_EQUAL(fixture_publish_with(&options, writer, &published, &error), WS_OK);
    CHECK(published.compacted);
    CHECK_EQUAL(published.entry_count, 1);
}

/* Adds files in the test's folder, whose payloads have 1,600 bytes each. */
static void
add_files(ws_segment_writer *writer, const char *word, int count)
{
    static const char payload[1600] = "code";
    char name[64];

    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s_%d.rb", word, i);
        CHECK(fixture_add(writer, (uint32_t)i, test_path(name), payload, sizeof payload));
    }
}

static void
make_files(const char *word, int count)
{
    char name[64];

    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s_%d.rb", word, i);
        test_write(name, "1", 1);
    }
}

static void
remove_files(const char *word, int count)
{
    char name[64];

    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s_%d.rb", word, i);
        CHECK_EQUAL(remove(test_path(name)), 0);
    }
}

TEST(
    "of releases of which two are kept an image never has twice what is used; a file is looked for at most once a time")
{
    char folder[300];
    snprintf(folder, sizeof folder, "%s", test_path("image"));
    ws_store_options options = fixture_store_options(folder);
    ws_published published;
    ws_error error;
    char release[32];
    uint64_t used = 0;
    int compacted = 0;

    options.keep_gone = false;
    make_files("gem", 10);
    for (int number = 1; number <= 12; number++) {
        snprintf(release, sizeof release, "release%d", number);
        make_files(release, 20);
        ws_segment_writer *writer = fixture_writer(0);
        if (number == 1) add_files(writer, "gem", 10);
        add_files(writer, release, 20);
        if (number > 2) {
            snprintf(release, sizeof release, "release%d", number - 2);
            remove_files(release, 20);
        }
        uint64_t before = ws_stat_calls;
        CHECK_EQUAL(fixture_publish_with(&options, writer, &published, &error), WS_OK);
        /* (A compaction looks once more for each.) */
        if (!published.compacted) CHECK(ws_stat_calls - before < published.entry_count + 20);
        if (number == 2) used = published.image_size;
        if (number > 2) CHECK(published.image_size <= 2 * used);
        compacted += published.compacted;
    }
    CHECK(compacted >= 3);
}

TEST("while what is added is little, no file is looked for")
{
    char folder[300];
    snprintf(folder, sizeof folder, "%s", test_path("image"));
    ws_store_options options = fixture_store_options(folder);
    ws_published published;
    ws_error error;

    options.keep_gone = false;
    make_files("here", 9);
    ws_segment_writer *writer = fixture_writer(0);
    add_files(writer, "gone", 30);
    CHECK_EQUAL(fixture_publish_with(&options, writer, &published, &error), WS_OK);
    for (int count = 1; count <= 9; count += 8) {
        writer = fixture_writer(0);
        add_files(writer, "here", count);
        uint64_t before = ws_stat_calls;
        CHECK_EQUAL(fixture_publish_with(&options, writer, &published, &error), WS_OK);
        CHECK_EQUAL(published.compacted, count == 9);
        if (count == 1) CHECK(ws_stat_calls - before < 30); /* (those of the folder and its own files) */
    }
    CHECK_EQUAL(published.entry_count, 9);
}

TEST("a broken payload is left out and the rest is kept")
{
    const char *folder = test_path("image");
    ws_published published;
    ws_image image;

    CHECK_EQUAL(fixture_publish(folder, letters("file", 10, 'a', 1600), NULL), WS_OK);
    int descriptor = open(fixture_segment_name(folder), O_RDWR);
    CHECK(lseek(descriptor, -100, SEEK_END) > 0);
    CHECK_EQUAL(write(descriptor, "?", 1), 1);
    close(descriptor);
    CHECK_EQUAL(fixture_publish(folder, letters("file", 6, 'b', 1600), &published), WS_OK);
    CHECK(published.compacted);
    CHECK_EQUAL(published.entry_count, 9);
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    CHECK_EQUAL(letter_of(&image, "file", 8), 'a');
    CHECK_EQUAL(letter_of(&image, "file", 9), '-');
    ws_image_close(&image);
}

#ifndef _WIN32 /* (where a file that is mapped cannot be cut short) */
/* Publishes while payloads cannot be read: the mapped file was cut short after it was opened. */
static ws_code
publish_cut(const char *folder, ws_segment_writer *writer, off_t size, ws_published *published)
{
    ws_store_options options = fixture_store_options(folder);
    ws_store *store;
    ws_error error;

    ws_code code = ws_store_open(&store, &options, &error);
    if (code != WS_OK) return code;
    const char *segment = fixture_segment_name(folder);
    int descriptor = open(segment, O_RDWR);
    off_t whole = lseek(descriptor, 0, SEEK_END);
    char *bytes = malloc((size_t)whole);
    CHECK_EQUAL(pread(descriptor, bytes, (size_t)whole, 0), whole);
    CHECK_EQUAL(ftruncate(descriptor, size), 0);
    code = ws_store_publish(store, writer, published, &error);
    ws_store_close(store);
    CHECK_EQUAL(pwrite(descriptor, bytes, (size_t)whole, 0), whole);
    close(descriptor);
    free(bytes);
    ws_segment_writer_free(writer);
    return code;
}

TEST("a payload that cannot be read at the moment is not dropped: compaction waits")
{
    const char *folder = test_path("image");
    ws_published published;
    ws_image image;

    CHECK_EQUAL(fixture_publish(folder, letters("file", 40, 'a', 1600), NULL), WS_OK);
    CHECK_EQUAL(publish_cut(folder, letters("file", 30, 'b', 1600), 16384, &published), WS_OK);
    CHECK(!published.compacted);
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    for (int i = 0; i < 40; i++) CHECK_EQUAL(letter_of(&image, "file", i), i < 30 ? 'b' : 'a');
    ws_image_close(&image);
    CHECK_EQUAL(fixture_publish(folder, letters("last", 1, 'c', 1600), &published), WS_OK);
    CHECK(published.compacted);
    CHECK_EQUAL(published.entry_count, 41);
}
#endif

TEST("an image never stays above its limit; what is newest stays, and of the rest the boot's beginning")
{
    char folder[300];
    uint64_t newest_size = 0;

    snprintf(folder, sizeof folder, "%s", test_path("image"));
    ws_store_options options = fixture_store_options(folder);
    options.maximum_size = 40000;
    for (int round = 0; round < 20; round++) {
        ws_published published;
        ws_image image;
        ws_error error;
        char word[32];
        snprintf(word, sizeof word, "round%d", round);
        CHECK_EQUAL(fixture_publish_with(&options, letters(word, 5, (char)('a' + round), 1600), &published, &error),
                    WS_OK);
        CHECK(published.image_size <= options.maximum_size);
        CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
        for (int i = 0; i < 5; i++) CHECK_EQUAL(letter_of(&image, word, i), 'a' + round);
        CHECK_EQUAL(letter_of(&image, "round0", 0), 'a');
        if (round > 5) CHECK_EQUAL(letter_of(&image, "round4", 4), '-');
        newest_size = published.image_size;
        ws_image_close(&image);
    }
    CHECK(newest_size > options.maximum_size / 2);
}

TEST("a portable and an ordinary segment make an ordinary one")
{
    static const char *names[] = { "/1.rb", "/2.rb", "/3.rb", "/4.rb", "/5.rb", "/6.rb", "/7.rb", "/8.rb", "/9.rb" };
    const char *folder = test_path("image");
    ws_published published;
    ws_image image;

    CHECK_EQUAL(fixture_publish(folder, fixture_sample(WS_SEGMENT_PORTABLE), NULL), WS_OK);
    CHECK_EQUAL(fixture_publish(folder, letters("more", 6, 'b', 1600), NULL), WS_OK);
    CHECK_EQUAL(fixture_publish(folder, letters("more", 6, 'c', 1600), &published), WS_OK);
    CHECK(published.compacted);
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    CHECK_EQUAL(image.segments[0].header->flags, 0);
    ws_image_close(&image);

    const char *other = test_path("other");
    CHECK_EQUAL(fixture_publish(other, fixture_sample(WS_SEGMENT_PORTABLE), NULL), WS_OK);
    for (int round = 0; round < 2; round++) {
        ws_segment_writer *portable = fixture_writer(WS_SEGMENT_PORTABLE);
        for (uint32_t i = 0; i < 9; i++) CHECK(fixture_add(portable, i, names[i], fixture_key, sizeof fixture_key));
        CHECK_EQUAL(fixture_publish(other, portable, &published), WS_OK);
        CHECK_EQUAL(published.compacted, round == 1);
    }
    CHECK_EQUAL(fixture_open_image(&image, other, NULL), WS_OK);
    CHECK_EQUAL(image.segments[0].header->flags, WS_SEGMENT_PORTABLE);
    ws_image_close(&image);
}
