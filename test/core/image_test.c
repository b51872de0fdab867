/* Opening an image and using it: trust, manifest and segments together, look-up, payloads, freshness, warning levels.
 * See core/image/image.h. also as an unprivileged user */
#include "test.h"

#include "store_fixture.h"

static char folder[300];

/* A published sample in the test's own folder. */
static void
publish_sample(void)
{
    snprintf(folder, sizeof folder, "%s", test_path("image"));
    if (fixture_publish(folder, fixture_sample(0), NULL) != WS_OK) test_fail(__FILE__, __LINE__, "not published");
}

static ws_code
open_code(void)
{
    ws_image image;
    int descriptors = test_descriptor_count();
    ws_code code = fixture_open_image(&image, folder, NULL);

    if (code == WS_OK) ws_image_close(&image);
    CHECK_EQUAL(test_descriptor_count(), descriptors);
    return code;
}

static const char *
manifest_path(void)
{
    static char path[400];
    char name[64];

    ws_manifest_name(name, fixture_key_hash());
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

TEST("no folder, no manifest: missing")
{
    snprintf(folder, sizeof folder, "%s", test_path("image"));
    CHECK_EQUAL(open_code(), WS_MISSING);
    test_mkdir("image");
    CHECK_EQUAL(open_code(), WS_MISSING);
}

TEST("folder and files must be one's own and closed to other writers")
{
    publish_sample();
    CHECK_EQUAL(open_code(), WS_OK);
    chmod(folder, 0770);
    CHECK_EQUAL(open_code(), WS_WRITABLE);
    chmod(folder, 0755);
    CHECK_EQUAL(open_code(), WS_OK);
    chmod(fixture_segment_name(folder), 0602);
    CHECK_EQUAL(open_code(), WS_WRITABLE);
    chmod(fixture_segment_name(folder), 0600);
    chmod(manifest_path(), 0620);
    CHECK_EQUAL(open_code(), WS_WRITABLE);
    chmod(manifest_path(), 0600);
    if (geteuid() != 0) SKIP("needs root to give files away");
    CHECK_EQUAL(chown(fixture_segment_name(folder), 65534, 65534), 0);
    CHECK_EQUAL(open_code(), WS_FOREIGN_OWNER);
    CHECK_EQUAL(chown(fixture_segment_name(folder), 0, 0), 0);
    CHECK_EQUAL(chown(folder, 65534, 65534), 0);
    CHECK_EQUAL(open_code(), WS_FOREIGN_OWNER);
}

TEST("symlinks, FIFOs and folders in the place of files are refused")
{
    char segment[400], moved[410];

    publish_sample();
    snprintf(segment, sizeof segment, "%s", fixture_segment_name(folder));
    snprintf(moved, sizeof moved, "%s.moved", segment);
    CHECK_EQUAL(rename(segment, moved), 0);
    CHECK_EQUAL(symlink(moved, segment), 0);
    CHECK_EQUAL(open_code(), WS_NOT_REGULAR);
    unlink(segment);
    CHECK_EQUAL(mkfifo(segment, 0600), 0);
    CHECK_EQUAL(open_code(), WS_NOT_REGULAR);
    unlink(segment);
    CHECK_EQUAL(mkdir(segment, 0700), 0);
    CHECK_EQUAL(open_code(), WS_NOT_REGULAR);
    rmdir(segment);
    CHECK_EQUAL(rename(moved, segment), 0);
    CHECK_EQUAL(open_code(), WS_OK);
}

TEST("a segment of the right name, size and id that is not the one the manifest means is refused")
{
    char segment[400];
    ws_segment_header header;

    publish_sample();
    snprintf(segment, sizeof segment, "%s", fixture_segment_name(folder));
    int descriptor = open(segment, O_RDWR);
    CHECK(descriptor >= 0);
    fixture_bytes written = fixture_read(descriptor);
    memcpy(&header, written.bytes, sizeof header);
    written.bytes[header.sections[WS_SECTION_STRINGS].offset] ^= 1; /* as in another image, which is whole as well */
    fixture_seal(written.bytes, written.size);
    CHECK_EQUAL(pwrite(descriptor, written.bytes, written.size, 0), written.size);
    close(descriptor);
    free(written.bytes);
    CHECK_EQUAL(open_code(), WS_CHECKSUM);
}

TEST("a manifest for another key, too long a one, and a cut one are refused")
{
    char name[64], path[400], large[WS_MANIFEST_SIZE_MAXIMUM + 10];
    ws_image_options options = { folder, 42, fixture_trust(), false, NULL };
    ws_image image;
    ws_error error;

    publish_sample();
    ws_manifest_name(name, 42);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_EQUAL(link(manifest_path(), path), 0);
    CHECK_EQUAL(ws_image_open(&image, &options, &error), WS_KEY);
    unlink(path);
    CHECK_EQUAL(truncate(manifest_path(), 40), 0);
    CHECK_EQUAL(open_code(), WS_CHECKSUM);
    CHECK_EQUAL(truncate(manifest_path(), 0), 0);
    CHECK_EQUAL(open_code(), WS_MAGIC);
    memset(large, 'x', sizeof large);
    int descriptor = open(manifest_path(), O_WRONLY);
    CHECK_EQUAL(write(descriptor, large, sizeof large), sizeof large);
    close(descriptor);
    CHECK_EQUAL(open_code(), WS_BOUNDS);
}

TEST("a segment that is gone makes the image incomplete; a cut or exchanged one is refused")
{
    char segment[400];
    ws_segment_header header;
    ws_error error;
    ws_image image;

    publish_sample();
    snprintf(segment, sizeof segment, "%s", fixture_segment_name(folder));
    fixture_bytes other = fixture_written(fixture_sample(0), &header);
    int descriptor = open(segment, O_RDWR);
    CHECK_EQUAL(pwrite(descriptor, other.bytes, other.size, 0), other.size);
    CHECK_EQUAL(open_code(), WS_CHECKSUM);
    CHECK_EQUAL(ftruncate(descriptor, (off_t)other.size - 1), 0);
    CHECK_EQUAL(open_code(), WS_TRUNCATED);
    CHECK_EQUAL(ftruncate(descriptor, (off_t)other.size + 1), 0);
    CHECK_EQUAL(open_code(), WS_BOUNDS);
    close(descriptor);
    unlink(segment);
    CHECK_EQUAL(fixture_open_image(&image, folder, &error), WS_INCOMPLETE);
    CHECK_STRING(error.path, segment);
    free(other.bytes);
}

TEST("a segment truncated while it is mapped is refused at the payload, not by SIGBUS")
{
    enum { SIZE = 100000 };
    char *large = malloc(SIZE);
    ws_image image;
    const uint8_t *payload;

    memset(large, 'x', SIZE);
    snprintf(folder, sizeof folder, "%s", test_path("image"));
    ws_segment_writer *writer = fixture_single("/a.rb", "a");
    CHECK(fixture_add(writer, 2, "/large.rb", large, SIZE));
    CHECK_EQUAL(fixture_publish(folder, writer, NULL), WS_OK);
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    ws_found found = ws_image_find(&image, "/large.rb", 9);
    CHECK_EQUAL(ws_image_payload(&image, found, &payload, NULL), WS_OK);
    CHECK_EQUAL(truncate(fixture_segment_name(folder), 50000), 0);
    CHECK_EQUAL(ws_image_payload(&image, found, &payload, NULL), WS_UNREADABLE);
    CHECK(payload == NULL);
    CHECK(fixture_holds(&image, "/a.rb", "a"));
    ws_image_close(&image);
    free(large);
}

TEST("used payloads leave memory, in any order, and can be had again")
{
    enum { COUNT = 24, SIZE = 1 << 20 };
    char *large = malloc(SIZE), path[32];
    ws_image image;
    const uint8_t *payload;

    snprintf(folder, sizeof folder, "%s", test_path("image"));
    for (int segment = 0; segment < 2; segment++) {
        ws_segment_writer *writer = fixture_writer(0);
        char *payloads[COUNT / 2];
        for (int i = 0; i < COUNT / 2; i++) {
            payloads[i] = memset(malloc(SIZE), 'a' + segment * COUNT / 2 + i, SIZE);
            snprintf(path, sizeof path, "/%d.rb", segment * COUNT / 2 + i);
            CHECK(fixture_add(writer, (uint32_t)i, path, payloads[i], SIZE));
        }
        CHECK_EQUAL(fixture_publish(folder, writer, NULL), WS_OK);
        for (int i = 0; i < COUNT / 2; i++) free(payloads[i]);
    }
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    for (int i = 0; i < 4 * COUNT; i++) {
        int number = i < COUNT ? i : i * 7 % COUNT;
        snprintf(path, sizeof path, "/%d.rb", number);
        CHECK_EQUAL(ws_image_payload(&image, ws_image_find(&image, path, strlen(path)), &payload, NULL), WS_OK);
        memset(large, 'a' + number, SIZE);
        CHECK(memcmp(payload, large, SIZE) == 0);
    }
    ws_image_close(&image);
    free(large);
}

TEST("with copy the image survives truncation")
{
    ws_image_options options = { folder, fixture_key_hash(), fixture_trust(), true, NULL };
    ws_image image;
    ws_error error;

    publish_sample();
    CHECK_EQUAL(ws_image_open(&image, &options, &error), WS_OK);
    CHECK(image.segments[0].mapping.copied);
    CHECK_EQUAL(truncate(fixture_segment_name(folder), 0), 0);
    for (int i = 0; i < FIXTURE_FILES; i++) CHECK(fixture_holds(&image, fixture_paths[i], fixture_payloads[i]));
    ws_image_close(&image);
}

TEST("a reference to a segment that the image does not have, or outside of one, is out of bounds")
{
    ws_image image;
    const uint8_t *payload;
    ws_error error;

    publish_sample();
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    ws_found found = ws_image_find(&image, fixture_paths[0], strlen(fixture_paths[0]));
    ws_entry entry = *found.entry;
    ws_found changed = { &entry, found.segment };
    entry.payload_segment = 12345;
    CHECK_EQUAL(ws_image_payload(&image, changed, &payload, &error), WS_BOUNDS);
    CHECK_STRING(error.path, fixture_paths[0]);
    entry.payload_segment = found.segment->header->segment_id;
    CHECK_EQUAL(ws_image_payload(&image, changed, &payload, &error), WS_OK);
    entry.payload_offset = 8;
    CHECK_EQUAL(ws_image_payload(&image, changed, &payload, &error), WS_BOUNDS);
    entry.payload_offset = found.segment->payloads_size;
    CHECK_EQUAL(ws_image_payload(&image, changed, &payload, &error), WS_BOUNDS);
    entry.payload_offset = UINT64_MAX - 15;
    CHECK_EQUAL(ws_image_payload(&image, changed, &payload, &error), WS_BOUNDS);
    entry.payload_offset = 0;
    entry.payload_size = UINT64_MAX;
    CHECK_EQUAL(ws_image_payload(&image, changed, &payload, &error), WS_BOUNDS);
    entry.payload_size = found.entry->payload_size;
    entry.payload_checksum++;
    CHECK_EQUAL(ws_image_payload(&image, changed, &payload, &error), WS_CHECKSUM);
    ws_image_close(&image);
}

static ws_stat
stat_of(const ws_entry *entry)
{
    ws_stat stat = { .device = entry->device,
                     .inode = entry->inode,
                     .size = entry->size,
                     .mtime = entry->mtime,
                     .ctime = entry->ctime,
                     .mode = 0100644,
                     .type = WS_TYPE_REGULAR };
    return stat;
}

TEST("freshness names the first thing that differs")
{
    ws_entry entry = fixture_entry(3);
    ws_stat stat = stat_of(&entry);
    const char *reason = "";

    CHECK_EQUAL(ws_entry_freshness(&entry, false, &stat, &reason), WS_FRESH);
    CHECK(reason == NULL);
    stat.device++;
    CHECK_EQUAL(ws_entry_freshness(&entry, false, &stat, &reason), WS_MAY_BE_STALE);
    CHECK_STRING(reason, "device");
    stat.inode++;
    CHECK_EQUAL(ws_entry_freshness(&entry, false, &stat, &reason), WS_MAY_BE_STALE);
    CHECK_STRING(reason, "inode");
    stat.ctime++;
    CHECK_EQUAL(ws_entry_freshness(&entry, false, &stat, &reason), WS_MAY_BE_STALE);
    CHECK_STRING(reason, "ctime");
    stat.mtime++;
    CHECK_EQUAL(ws_entry_freshness(&entry, false, &stat, &reason), WS_MAY_BE_STALE);
    CHECK_STRING(reason, "mtime");
    stat.size++;
    CHECK_EQUAL(ws_entry_freshness(&entry, false, &stat, &reason), WS_STALE_SIZE);
    CHECK_STRING(reason, "size");
    stat.type = WS_TYPE_DIRECTORY;
    CHECK_EQUAL(ws_entry_freshness(&entry, false, &stat, &reason), WS_STALE_TYPE);
    CHECK_STRING(reason, "type");
}

TEST("a portable entry is compared by size and whole seconds only")
{
    ws_entry entry = fixture_entry(3);
    const char *reason;

    entry.mtime = INT64_C(1700000000000000000);
    ws_stat stat = stat_of(&entry);
    stat.device++, stat.inode++, stat.ctime++;
    stat.mtime += 999999999;
    CHECK_EQUAL(ws_entry_freshness(&entry, true, &stat, &reason), WS_FRESH);
    stat.mtime++;
    CHECK_EQUAL(ws_entry_freshness(&entry, true, &stat, &reason), WS_MAY_BE_STALE);
    CHECK_STRING(reason, "mtime");
    entry.mtime = -1000000000;
    stat.mtime = -1;
    CHECK_EQUAL(ws_entry_freshness(&entry, true, &stat, &reason), WS_FRESH);
    stat.mtime = 0;
    CHECK_EQUAL(ws_entry_freshness(&entry, true, &stat, &reason), WS_MAY_BE_STALE);
}

TEST("a warning level covers what is not above it in any part")
{
    CHECK(ws_warning_level_covers(1, 1));
    CHECK(ws_warning_level_covers(2, 0));
    CHECK(!ws_warning_level_covers(1, 2));
    CHECK(ws_warning_level_covers(2 | WS_WARNING_DEPRECATED, 1));
    CHECK(!ws_warning_level_covers(2, 1 | WS_WARNING_DEPRECATED));
    CHECK(!ws_warning_level_covers(2 | WS_WARNING_DEPRECATED, WS_WARNING_STRICT_UNUSED_BLOCK));
    CHECK(ws_warning_level_covers(0, 0));
    CHECK(!ws_warning_level_covers(0, 0x80000000u));
}

TEST("the newest segment with a section is found")
{
    ws_image image;

    publish_sample();
    ws_segment_writer *plain = fixture_single("/b.rb", "b");
    CHECK_EQUAL(fixture_publish(folder, plain, NULL), WS_OK);
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    CHECK(ws_image_newest_with(&image, WS_SECTION_LOAD_PATH) == &image.segments[0]);
    CHECK(ws_image_newest_with(&image, WS_SECTION_KEY) == &image.segments[image.manifest.segment_count - 1]);
    CHECK(ws_image_newest_with(&image, (ws_section)15) == NULL);
    ws_image_close(&image);
}
