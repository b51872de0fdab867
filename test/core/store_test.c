/* The store in one process: folder, modes, lock, publishing, limits, sweeping. See core/image/store.h. Several
 * processes: store_process_test.c; many segments into one: compaction_test.c. also as an unprivileged user */
#include "test.h"

#ifndef _WIN32
#include <sys/file.h>
#include <sys/wait.h>
#endif
#ifdef __linux__
#include <sys/mount.h>
#endif
#include <time.h>

#include "store_fixture.h"

static uint32_t
mode_of(const char *path)
{
    ws_stat stat;
    return ws_file_stat_path(path, false, &stat) == 0 ? stat.mode & 07777 : 0;
}

static ws_store *
open_store(const ws_store_options *options)
{
    ws_store *store;
    ws_error error;
    char text[700];

    if (ws_store_open(&store, options, &error) == WS_OK) return store;
    test_fail(__FILE__, __LINE__, "%s", ws_error_describe(&error, text, sizeof text));
}

TEST("what is published is what a reader finds")
{
    const char *folder = test_path("tmp/cache/warmstart");
    ws_published published;
    ws_image image;
    ws_error error;
    int descriptors = test_descriptor_count();

    CHECK_EQUAL(fixture_open_image(&image, folder, &error), WS_MISSING);
    CHECK_EQUAL(fixture_publish(folder, fixture_sample(0), &published), WS_OK);
    CHECK_EQUAL(published.generation, 1);
    CHECK_EQUAL(published.segment_count, 1);
    CHECK_EQUAL(published.entry_count, FIXTURE_FILES);
    CHECK(!published.compacted);
    CHECK_EQUAL(fixture_open_image(&image, folder, &error), WS_OK);
    CHECK_EQUAL(published.image_size, image.mapped_size);
    for (int i = 0; i < FIXTURE_FILES; i++) CHECK(fixture_holds(&image, fixture_paths[i], fixture_payloads[i]));
    ws_image_close(&image);
    CHECK_EQUAL(test_descriptor_count(), descriptors);
}

TEST("a second segment adds to the first and wins over it")
{
    const char *folder = test_path("image");
    char large[2000];
    ws_published published;
    ws_image image;
    ws_error error;
    ws_segment_writer *base = fixture_sample(0);

    memset(large, 'x', sizeof large);
    fixture_add(base, 9, "/large.rb", large, sizeof large);
    CHECK_EQUAL(fixture_publish(folder, base, NULL), WS_OK);
    CHECK_EQUAL(fixture_publish(folder, fixture_single(fixture_paths[1], "newer"), &published), WS_OK);
    CHECK_EQUAL(published.generation, 2);
    CHECK_EQUAL(published.segment_count, 2);
    CHECK_EQUAL(published.entry_count, FIXTURE_FILES + 1);
    CHECK_EQUAL(fixture_open_image(&image, folder, &error), WS_OK);
    CHECK(fixture_holds(&image, fixture_paths[0], fixture_payloads[0]));
    CHECK(fixture_holds(&image, fixture_paths[1], "newer"));
    ws_image_close(&image);
}

TEST("a segment of nothing but an index goes when a newer index comes, and not before")
{
    const char *folder = test_path("image");
    ws_published published;
    ws_segment_writer *index = fixture_writer(0), *both = fixture_single("/b.rb", "b");
    char large[8192]; /* so that the old indexes are too little for a compaction */

    memset(large, 'a', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    CHECK(fixture_add_index(index));
    CHECK_EQUAL(fixture_publish(folder, index, &published), WS_OK);
    CHECK_EQUAL(fixture_publish(folder, fixture_single("/a.rb", large), &published), WS_OK);
    CHECK_EQUAL(published.segment_count, 2);
    CHECK(fixture_add_index(both));
    CHECK_EQUAL(fixture_publish(folder, both, &published), WS_OK);
    CHECK_EQUAL(published.segment_count, 2);
    CHECK_EQUAL(published.entry_count, 2);
    CHECK_EQUAL(fixture_count(folder, ".segment"), 3); /* (a reader may still need it, for an hour) */

    ws_segment_writer *statistics = fixture_writer(0), *other = fixture_writer(0), *newest = fixture_writer(0);
    CHECK(ws_segment_writer_section(statistics, WS_SECTION_STATISTICS, "files 1\n", 8));
    CHECK_EQUAL(fixture_publish(folder, statistics, &published), WS_OK);
    CHECK_EQUAL(published.segment_count, 3);
    CHECK(fixture_add_index(other));
    CHECK_EQUAL(fixture_publish(folder, other, &published), WS_OK);
    CHECK_EQUAL(published.segment_count, 4);
    CHECK(ws_segment_writer_section(newest, WS_SECTION_STATISTICS, "files 2\n", 8));
    CHECK_EQUAL(fixture_publish(folder, newest, &published), WS_OK);
    CHECK_EQUAL(published.segment_count, 4);

    ws_image image;
    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    CHECK(fixture_holds(&image, "/a.rb", large));
    CHECK(fixture_holds(&image, "/b.rb", "b"));
    CHECK_EQUAL(ws_image_newest_with(&image, WS_SECTION_LOAD_PATH), &image.segments[2]);
    ws_image_close(&image);
}

TEST("replace leaves only the new segment in the manifest")
{
    const char *folder = test_path("image");
    ws_store_options options = fixture_store_options(folder);
    ws_published published;
    ws_image image;
    ws_error error;

    CHECK_EQUAL(fixture_publish(folder, fixture_sample(0), NULL), WS_OK);
    options.replace = true;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_single("/b.rb", "b"), &published, &error), WS_OK);
    CHECK_EQUAL(published.segment_count, 1);
    CHECK_EQUAL(fixture_open_image(&image, folder, &error), WS_OK);
    CHECK(!fixture_holds(&image, fixture_paths[0], fixture_payloads[0]));
    CHECK(fixture_holds(&image, "/b.rb", "b"));
    ws_image_close(&image);
    /* A reader between manifest and segment may still want it. */
    CHECK_EQUAL(fixture_count(folder, ".segment"), 2);
}

static void
check_modes(mode_t mask, bool public_read, uint32_t folder_mode, uint32_t file_mode)
{
    ws_store_options options = fixture_store_options(test_path("a/b/image"));
    ws_error error;

    options.public_read = public_read;
    mode_t before = umask(mask);
    ws_code code = fixture_publish_with(&options, fixture_sample(0), NULL, &error);
    umask(before);
    CHECK_EQUAL(code, WS_OK);
    CHECK_EQUAL(mode_of(test_path("a")), folder_mode);
    CHECK_EQUAL(mode_of(test_path("a/b")), folder_mode);
    CHECK_EQUAL(mode_of(options.directory), folder_mode);
    CHECK_EQUAL(mode_of(fixture_segment_name(options.directory)), file_mode);
    CHECK_EQUAL(mode_of(test_path("a/b/image/lock")), 0600);
}

TEST("folders are 0700 and files 0600 without a umask")
{
    check_modes(0, false, 0700, 0600);
}
TEST("folders are 0700 and files 0600 under a strict umask")
{
    check_modes(077, false, 0700, 0600);
}
TEST("folders are 0700 and files 0600 under a umask that leaves nothing")
{
    check_modes(0777, false, 0700, 0600);
}
TEST("for other readers folders are 0755 and files 0644 under a umask that leaves nothing")
{
    check_modes(0777, true, 0755, 0644);
}
TEST("for other readers folders are 0755 and files 0644 under a strict umask")
{
    check_modes(077, true, 0755, 0644);
}
TEST("for other readers folders are 0755 and files 0644 without a umask")
{
    check_modes(0, true, 0755, 0644);
}

TEST("an application's tmp and tmp/cache are as the umask wants them")
{
    ws_store_options options = fixture_store_options(test_path("tmp/cache/warmstart"));
    ws_error error;

    mode_t before = umask(002);
    ws_code code = fixture_publish_with(&options, fixture_sample(0), NULL, &error);
    umask(before);
    CHECK_EQUAL(code, WS_OK);
    CHECK_EQUAL(mode_of(test_path("tmp")), 0775);
    CHECK_EQUAL(mode_of(test_path("tmp/cache")), 0775);
    CHECK_EQUAL(mode_of(options.directory), 0700);
}

TEST("an application's tmp can be used by its owner, whatever the umask wants")
{
    ws_store_options options = fixture_store_options(test_path("tmp/cache/warmstart"));
    ws_error error;

    mode_t before = umask(0777);
    ws_code code = fixture_publish_with(&options, fixture_sample(0), NULL, &error);
    umask(before);
    CHECK_EQUAL(code, WS_OK);
    CHECK_EQUAL(mode_of(test_path("tmp")), 0700);
}

TEST("folders that exist keep their modes, but for the image's own when others shall read it")
{
    ws_store_options options = fixture_store_options(test_path("a/image"));
    ws_error error;

    test_mkdir("a");
    chmod(test_path("a"), 0750);
    test_mkdir("a/image");
    chmod(test_path("a/image"), 0700);
    options.public_read = true;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_OK);
    CHECK_EQUAL(mode_of(test_path("a")), 0750);
    CHECK_EQUAL(mode_of(test_path("a/image")), 0755);
}

TEST("a folder that others may write is refused")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_store *store;
    ws_error error;

    test_mkdir("image");
    chmod(options.directory, 0777);
    CHECK_EQUAL(ws_store_open(&store, &options, &error), WS_WRITABLE);
    CHECK(store == NULL);
}

TEST("a symlink in the image folder's place is refused")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_store *store;
    ws_error error;

    test_mkdir("elsewhere");
    CHECK_EQUAL(symlink(test_path("elsewhere"), options.directory), 0);
    CHECK_EQUAL(ws_store_open(&store, &options, &error), WS_NOT_REGULAR);
}

TEST("a file where a folder should be is an error, not a crash")
{
    ws_store_options options = fixture_store_options(test_path("file/image"));
    ws_store *store;
    ws_error error;

    test_write("file", "x", 1);
    CHECK(ws_store_open(&store, &options, &error) != WS_OK);
    CHECK_EQUAL(error.error_number, ENOTDIR);
}

/* As under sudo: root may read the user's image but must not leave files of its own in it. */
TEST("nothing is written into a folder that belongs to another user")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_store *store;
    uint64_t removed;
    ws_error error;

    if (geteuid() != 0) SKIP("needs root to give a folder away");
    test_mkdir("image");
    CHECK_EQUAL(chown(options.directory, 65534, 65534), 0);
    options.trust.application_owner = 65534;
    CHECK_EQUAL(ws_store_open(&store, &options, &error), WS_FOREIGN_OWNER);
    CHECK_EQUAL(access(test_path("image/lock"), F_OK), -1);
    CHECK_EQUAL(ws_store_clear(options.directory, &options.trust, &removed, &error), WS_FOREIGN_OWNER);
}

/* As under sudo that keeps HOME: the user could not remove what root made in his folder. */
TEST("nothing is made below a folder that belongs to another user")
{
    ws_store_options options = fixture_store_options(test_path("home/cache/image"));
    ws_store *store;
    ws_error error;

    if (geteuid() != 0) SKIP("needs root to give a folder away");
    test_mkdir("home");
    CHECK_EQUAL(chown(test_path("home"), 12345, 12345), 0);
    CHECK_EQUAL(ws_store_open(&store, &options, &error), WS_FOREIGN_OWNER);
    CHECK(strstr(error.path, "/home") != NULL);
    CHECK_EQUAL(access(test_path("home/cache"), F_OK), -1);
    /* A link of ours that leads there changes nothing. */
    CHECK_EQUAL(symlink("home", test_path("link")), 0);
    options.directory = test_path("link/image");
    CHECK_EQUAL(ws_store_open(&store, &options, &error), WS_FOREIGN_OWNER);
    CHECK_EQUAL(access(test_path("home/image"), F_OK), -1);
}

TEST("in a folder of root's that lets others write, as /tmp, folders are made")
{
    char path[300];
    struct stat tmp;

    if (stat("/tmp", &tmp) != 0 || tmp.st_uid != 0 || (tmp.st_mode & 01777) != 01777) SKIP("needs a /tmp as usual");
    snprintf(path, sizeof path, "/tmp/warmstart-store-%d/image", (int)getpid());
    ws_store_options options = fixture_store_options(path);
    ws_store *store = open_store(&options);
    ws_store_close(store);
    CHECK_EQUAL(mode_of(path), 0700);
    *strrchr(path, '/') = '\0';
    test_remove_tree(path);
}

TEST("whoever does not wait is told at once that somebody else is writing")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_store *store = open_store(&options), *second;
    ws_error error;
    char text[700];

    CHECK_EQUAL(ws_store_open(&second, &options, &error), WS_LOCK);
    CHECK_EQUAL(error.error_number, EWOULDBLOCK);
    CHECK(strstr(ws_error_describe(&error, text, sizeof text), "lock") != NULL);
    ws_store_close(store);
    store = open_store(&options);
    ws_store_close(store);
    CHECK(true);
}

TEST("a lock file that is no regular file is refused")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_store *store;
    ws_error error;

    test_mkdir("image");
    chmod(options.directory, 0700);
    CHECK_EQUAL(mkfifo(test_path("image/lock"), 0600), 0);
    CHECK_EQUAL(ws_store_open(&store, &options, &error), WS_NOT_REGULAR);
    unlink(test_path("image/lock"));
    CHECK_EQUAL(symlink(test_path("elsewhere"), test_path("image/lock")), 0);
    CHECK_EQUAL(ws_store_open(&store, &options, &error), WS_NOT_REGULAR);
    CHECK_EQUAL(access(test_path("elsewhere"), F_OK), -1);
}

TEST("a broken image is begun anew")
{
    const char *folder = test_path("image");
    char name[64], manifest[400];
    ws_published published;
    ws_image image;
    ws_error error;

    CHECK_EQUAL(fixture_publish(folder, fixture_sample(0), NULL), WS_OK);
    ws_manifest_name(name, fixture_key_hash());
    snprintf(manifest, sizeof manifest, "image/%s", name);
    test_write(manifest, "warmstart manifest 1\nkey", 24);
    CHECK_EQUAL(fixture_open_image(&image, folder, &error), WS_CHECKSUM);
    CHECK_EQUAL(fixture_publish(folder, fixture_single("/b.rb", "b"), &published), WS_OK);
    CHECK_EQUAL(published.segment_count, 1);
    CHECK_EQUAL(fixture_open_image(&image, folder, &error), WS_OK);
    ws_image_close(&image);
}

TEST("an image that was sealed or made portable meanwhile stays as it is")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_error error = { WS_OK, 0, NULL, "" };
    ws_image image;

    options.image_flags = WS_IMAGE_PORTABLE;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_OK);
    options.image_flags = 0;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_single("/b.rb", "b"), NULL, &error), WS_CHANGED);
    CHECK_EQUAL(fixture_open_image(&image, options.directory, NULL), WS_OK);
    CHECK(image.manifest.flags == WS_IMAGE_PORTABLE && image.manifest.segment_count == 1);
    ws_image_close(&image);
    options.replace = true;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_single("/b.rb", "b"), NULL, &error), WS_OK);
}

TEST("a refused image is replaced by a build only")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_error error = { WS_OK, 0, NULL, "" };
    char manifest[64], path[400];

    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_OK);
    ws_manifest_name(manifest, options.key_hash);
    snprintf(path, sizeof path, "%s/%s", options.directory, manifest);
    CHECK_EQUAL(chmod(path, 0666), 0);
    CHECK_EQUAL(fixture_publish_with(&options, fixture_single("/b.rb", "b"), NULL, &error), WS_WRITABLE);
    options.replace = true;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_single("/b.rb", "b"), NULL, &error), WS_OK);
}

TEST("a segment for another key is not published")
{
    const char *folder = test_path("image");

    CHECK_EQUAL(fixture_publish(folder, ws_segment_writer_new("other", 5, 0), NULL), WS_KEY);
    CHECK_EQUAL(fixture_count(folder, ""), 1);
}

TEST("the manifest says flags, root and fingerprints")
{
    ws_manifest_fingerprint fingerprint = { "Gemfile.lock", { 0, 0 } };
    char root[2048];
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_image_options reading = { options.directory, options.key_hash, options.trust, false, NULL };
    ws_image image;
    ws_error error;

    CHECK(realpath(test_folder(), root) != NULL);
    test_write("Gemfile.lock", "GEM\n", 4);
    fingerprint.hash = ws_hash128_bytes("GEM\n", 4);
    options.image_flags = WS_IMAGE_SEALED;
    options.root = root;
    options.fingerprints = &fingerprint;
    options.fingerprint_count = 1;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_OK);
    CHECK_EQUAL(ws_image_open(&image, &reading, &error), WS_FINGERPRINT);
    reading.root = root;
    CHECK_EQUAL(ws_image_open(&image, &reading, &error), WS_OK);
    CHECK_STRING(image.manifest.root, root);
    ws_image_close(&image);
    test_write("Gemfile.lock", "GEM 2\n", 6);
    CHECK_EQUAL(ws_image_open(&image, &reading, &error), WS_FINGERPRINT);
    CHECK(strstr(error.path, "Gemfile.lock") != NULL);
}

TEST("a segment larger than the limit is refused and leaves nothing behind")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    char large[9000];
    ws_error error;

    memset(large, 'x', sizeof large);
    options.maximum_size = 8192;
    ws_segment_writer *writer = fixture_sample(0);
    fixture_add(writer, 9, "/large.rb", large, sizeof large);
    CHECK_EQUAL(fixture_publish_with(&options, writer, NULL, &error), WS_FULL);
    CHECK_EQUAL(fixture_count(options.directory, ".temporary") + fixture_count(options.directory, ".segment"), 0);

    /* Payloads below the limit, tables above it: known only after the layout. */
    options.maximum_size = 600;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_FULL);
    CHECK_EQUAL(fixture_count(options.directory, ".temporary") + fixture_count(options.directory, ".segment"), 0);
}

static void
age(const char *path, time_t seconds)
{
    struct timespec times[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };
    if (utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) != 0)
        test_fail(__FILE__, __LINE__, "cannot age %s", path);
}

TEST("leftovers go when they are an hour old, and nothing that is not ours")
{
    char folder[300], ours[64], path[128];

    snprintf(folder, sizeof folder, "%s", test_path("image"));
    CHECK_EQUAL(fixture_publish(folder, fixture_sample(0), NULL), WS_OK);
    ws_segment_name(ours, fixture_key_hash(), 5);
    snprintf(path, sizeof path, "image/%s", ours);
    test_write(path, "x", 1);
    test_write("image/0000000000000001-0000000000000002.temporary", "x", 1);
    test_write("image/0000000000000001-0000000000000003.temporary", "x", 1);
    test_write("image/notes.txt", "x", 1);
    test_write("image/0000000000000001-0000000000000003.temporary.bak", "x", 1);
    age(test_path(path), 3590);
    age(test_path("image/0000000000000001-0000000000000002.temporary"), 3590);
    age(test_path("image/0000000000000001-0000000000000003.temporary"), 3700);
    age(test_path("image/notes.txt"), 999999);
    age(test_path("image/0000000000000001-0000000000000003.temporary.bak"), 999999);
    CHECK_EQUAL(fixture_publish(folder, fixture_single("/b.rb", "b"), NULL), WS_OK);
    CHECK_EQUAL(access(test_path(path), F_OK), 0);
    CHECK_EQUAL(fixture_count(folder, ".temporary"), 1);
    age(test_path(path), 3700);
    CHECK_EQUAL(fixture_publish(folder, fixture_single("/c.rb", "c"), NULL), WS_OK);
    CHECK_EQUAL(access(test_path(path), F_OK), -1);
    CHECK_EQUAL(access(test_path("image/notes.txt"), F_OK), 0);
    CHECK_EQUAL(access(test_path("image/0000000000000001-0000000000000003.temporary.bak"), F_OK), 0);
}

TEST("of leftovers that are more than the limit the oldest go at once")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    char waste[5000] = { 0 };
    ws_error error;

    options.maximum_size = 8192;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_OK);
    test_write("image/0000000000000001-0000000000000002.temporary", waste, sizeof waste);
    CHECK_EQUAL(fixture_publish_with(&options, fixture_single("/b.rb", "b"), NULL, &error), WS_OK);
    CHECK_EQUAL(fixture_count(options.directory, ".temporary"), 1);
    test_write("image/0000000000000001-0000000000000003.temporary", waste, sizeof waste);
    age(test_path("image/0000000000000001-0000000000000002.temporary"), 10);
    CHECK_EQUAL(fixture_publish_with(&options, fixture_single("/c.rb", "c"), NULL, &error), WS_OK);
    CHECK_EQUAL(fixture_count(options.directory, ".temporary"), 1);
    CHECK_EQUAL(access(test_path("image/0000000000000001-0000000000000003.temporary"), F_OK), 0);
}

/* An hour of edits and boots left 339 MB beside an image of 22. */
TEST("segments that nobody uses any more take no more than a few times the image's size")
{
    char folder[300], name[64], path[128];

    snprintf(folder, sizeof folder, "%s", test_path("image"));
    CHECK_EQUAL(fixture_publish(folder, fixture_sample(0), NULL), WS_OK);
    for (uint64_t id = 1; id <= 5; id++) {
        ws_segment_name(name, fixture_key_hash(), id);
        snprintf(path, sizeof path, "image/%s", name);
        test_write(path, "x", 1);
        if (truncate(test_path(path), 12 << 20) != 0) test_fail(__FILE__, __LINE__, "cannot make %s larger", path);
        age(test_path(path), (int)id);
    }
    CHECK_EQUAL(fixture_publish(folder, fixture_single("/b.rb", "b"), NULL), WS_OK);
    CHECK_EQUAL(fixture_count(folder, ".segment"), 4); /* two of the image, and the two latest: 24 of 32 MB */
    ws_segment_name(name, fixture_key_hash(), 2);
    snprintf(path, sizeof path, "image/%s", name);
    CHECK_EQUAL(access(test_path(path), F_OK), 0);
}

/* A segment's own time is when it was written: weeks ago, and a reader may still be about to open it. */
TEST("a segment's time of grace begins when it is no longer used")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_error error;

    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_OK);
    age(fixture_segment_name(options.directory), 1000000);
    options.replace = true;
    CHECK_EQUAL(fixture_publish_with(&options, fixture_single("/b.rb", "b"), NULL, &error), WS_OK);
    CHECK_EQUAL(fixture_count(options.directory, ".segment"), 2);
}

TEST("images of other keys go by age, this key's does not")
{
    ws_store_options options = fixture_store_options(test_path("image")), other = options;
    char name[64], path[128];
    ws_error error;

    other.key_hash = ws_hash64("other", 5, WS_SEED_KEY);
    CHECK_EQUAL(fixture_publish_with(&other, ws_segment_writer_new("other", 5, 0), NULL, &error), WS_OK);
    age(fixture_segment_name(options.directory), 1000);
    ws_manifest_name(name, other.key_hash);
    snprintf(path, sizeof path, "image/%s", name);
    age(test_path(path), 29 * 24 * 3600);
    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_OK);
    CHECK_EQUAL(fixture_count(options.directory, ".manifest"), 2);
    age(test_path(path), 31 * 24 * 3600);
    CHECK_EQUAL(fixture_publish_with(&options, fixture_single("/b.rb", "b"), NULL, &error), WS_OK);
    CHECK_EQUAL(fixture_count(options.directory, ".manifest"), 1);
    /* Its segment is not an hour old. */
    CHECK_EQUAL(fixture_count(options.directory, ".segment"), 3);
}

TEST("clear removes what is ours and nothing else")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    uint64_t removed = 1;
    ws_image image;
    ws_error error;

    CHECK_EQUAL(ws_store_clear(options.directory, &options.trust, &removed, &error), WS_OK);
    CHECK_EQUAL(removed, 0);
    CHECK_EQUAL(fixture_publish(options.directory, fixture_sample(0), NULL), WS_OK);
    test_write("image/notes.txt", "x", 1);
    CHECK_EQUAL(ws_store_clear(options.directory, &options.trust, &removed, &error), WS_OK);
    CHECK(removed > 1000);
    CHECK_EQUAL(fixture_count(options.directory, ""), 1);
    CHECK_EQUAL(fixture_open_image(&image, options.directory, &error), WS_MISSING);
    CHECK_EQUAL(fixture_publish(options.directory, fixture_sample(0), NULL), WS_OK);
}

TEST("a folder that is removed during the work is an error, not a crash")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    ws_store *store = open_store(&options);
    ws_segment_writer *writer = fixture_sample(0);
    ws_error error;

    CHECK_EQUAL(unlink(test_path("image/lock")), 0);
    CHECK_EQUAL(rmdir(options.directory), 0);
    CHECK_EQUAL(ws_store_publish(store, writer, NULL, &error), WS_SYSTEM);
    CHECK_EQUAL(error.error_number, ENOENT);
    ws_store_close(store);
    ws_segment_writer_free(writer);
    CHECK_EQUAL(fixture_publish(options.directory, fixture_sample(0), NULL), WS_OK);
}

#ifdef __linux__
static bool
mount_small(const char *path)
{
    return geteuid() == 0 && mount("none", path, "tmpfs", 0, "size=256k") == 0;
}

static void
unmount_small(const char *path)
{
    umount2(path, MNT_DETACH);
}
#else
static bool
mount_small(const char *path)
{
    (void)path;
    return false;
}

static void
unmount_small(const char *path)
{
    (void)path;
}
#endif

TEST("a full disk leaves the old image and no temporary file")
{
    const char *mount_point = test_path("small"), *folder = test_path("small/image");
    ws_published published;
    ws_image image;
    ws_error error = { WS_OK, 0, NULL, "" };

    test_mkdir("small");
    if (!mount_small(mount_point)) SKIP("needs the right to mount a small tmpfs");
    char *large = calloc(1, 400000);
    ws_code first = fixture_publish(folder, fixture_sample(0), &published);
    ws_segment_writer *writer = fixture_single("/b.rb", "b");
    fixture_add(writer, 2, "/large.rb", large, 400000);
    ws_store_options options = fixture_store_options(folder);
    ws_code second = fixture_publish_with(&options, writer, NULL, &error);
    int leftovers = fixture_count(folder, ".temporary"), segments = fixture_count(folder, ".segment");
    ws_code opened = fixture_open_image(&image, folder, NULL);
    bool holds = opened == WS_OK && fixture_holds(&image, fixture_paths[0], fixture_payloads[0]);
    if (opened == WS_OK) ws_image_close(&image);
    unmount_small(mount_point);
    free(large);

    CHECK_EQUAL(first, WS_OK);
    CHECK_EQUAL(second, WS_FULL);
    CHECK_EQUAL(error.error_number, ENOSPC);
    CHECK_EQUAL(leftovers, 0);
    CHECK_EQUAL(segments, 1);
    CHECK(holds);
}

TEST("publishing the same reproducible segment twice does not list it twice")
{
    const char *folder = test_path("image");
    ws_published published;

    CHECK_EQUAL(fixture_publish(folder, fixture_sample(WS_SEGMENT_REPRODUCIBLE), &published), WS_OK);
    uint64_t id = published.segment_id;
    CHECK_EQUAL(fixture_publish(folder, fixture_sample(WS_SEGMENT_REPRODUCIBLE), &published), WS_OK);
    CHECK(published.segment_id == id);
    CHECK_EQUAL(published.segment_count, 1);
    CHECK_EQUAL(published.generation, 2);
}

TEST("a forked child that abandons the store keeps neither its lock nor its descriptors")
{
    ws_store_options options = fixture_store_options(test_path("image"));
    int before = test_descriptor_count(), status;
    ws_store *store = open_store(&options);
    int pipe_ends[2];

    CHECK_EQUAL(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        ws_segment_writer *writer = fixture_single("/b.rb", "b");
        ws_store_abandon_after_fork();
        int left = test_descriptor_count() - before - 2;
        close(pipe_ends[1]);
        if (read(pipe_ends[0], &byte, 1) != 0) _exit(9);
        ws_error refused;
        if (ws_store_publish(store, writer, NULL, &refused) != WS_LOCK) _exit(8);
        ws_store_close(store);
        _exit(left == 0 ? 0 : 7);
    }
    ws_store_close(store);
    ws_error error;
    ws_store *again;
    ws_code code = ws_store_open(&again, &options, &error);
    if (code == WS_OK) ws_store_close(again);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    waitpid(child, &status, 0);
    CHECK_EQUAL(code, WS_OK);
    CHECK_EQUAL(WEXITSTATUS(status), 0);
}

TEST("no more stores than there are places, and a place is given back")
{
    ws_store *stores[WS_STORES_MAXIMUM], *extra;
    ws_error error;
    char name[32];
    int before = test_descriptor_count();

    for (int i = 0; i <= WS_STORES_MAXIMUM; i++) {
        snprintf(name, sizeof name, "image%d", i);
        ws_store_options options = fixture_store_options(test_path(name));
        CHECK_EQUAL(ws_store_open(i < WS_STORES_MAXIMUM ? &stores[i] : &extra, &options, &error),
                    i < WS_STORES_MAXIMUM ? WS_OK : WS_LOCK);
    }
    for (int i = 0; i < WS_STORES_MAXIMUM; i++) ws_store_close(stores[i]);
    CHECK_EQUAL(test_descriptor_count(), before);
    ws_store_options options = fixture_store_options(test_path("image9"));
    ws_store_close(open_store(&options));
}
