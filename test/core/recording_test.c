/* What waits to be written: see core/recording/recording.h. */
#include "test.h"
#include "store_fixture.h"

#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "core/recording/recording.h"
#include "core/system/clock.h"
#include "core/system/file.h"

static ws_recording_options
recording_options(const char *folder, uint64_t maximum_size)
{
    ws_recording_options options;

    memset(&options, 0, sizeof options);
    options.store = fixture_store_options(folder);
    options.store.maximum_size = maximum_size;
    options.store.wait = true;
    options.key = fixture_key;
    options.key_size = strlen(fixture_key);
    options.dlext = "so";
    options.trusting_times = true;
    return options;
}

/* Adds files until one is not taken; how many were. */
static int
add_until_full(ws_recording *recording, const void *payload, size_t size)
{
    int count = 0;
    ws_recorded_file file;

    memset(&file, 0, sizeof file);
    file.path = file.realpath = "/nothing/here.rb";
    file.path_size = file.realpath_size = strlen(file.path);
    file.payload = payload;
    file.payload_size = size;
    while (count < 1000 && ws_recording_add(recording, &file) != UINT32_MAX) count++;
    return count;
}

TEST("what waits in memory is bounded, also while a part of it is being written")
{
    enum { SIZE = 10000, MAXIMUM = 200000 };
    ws_recording_options options = recording_options(test_path("image"), MAXIMUM);
    char *payload = calloc(1, SIZE);
    ws_store *other;
    ws_error error;

    ws_recording *recording = ws_recording_new(&options);
    CHECK_EQUAL(ws_store_open(&other, &options.store, &error), WS_OK); /* (its lock keeps the recording from writing) */
    int count = add_until_full(recording, payload, SIZE);
    CHECK(count > 10 && count < MAXIMUM / SIZE);
    ws_recording_request_commit(recording);
    CHECK(!ws_recording_wait(recording, 50));
    CHECK_EQUAL(add_until_full(recording, payload, SIZE), 0);
    ws_store_close(other);
    CHECK(ws_recording_wait(recording, 60000));
    CHECK_EQUAL(add_until_full(recording, payload, SIZE), count);
    ws_recording_free(recording);
    free(payload);
}

/* The number that the program's next file would get. */
static int
next_descriptor(void)
{
    int descriptor = dup(0);

    close(descriptor);
    return descriptor;
}

static bool
has_newest_an_index(const char *folder)
{
    ws_image image;

    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    const ws_segment *newest = &image.segments[image.manifest.segment_count - 1];
    bool has = ws_segment_section(newest, WS_SECTION_LOAD_PATH).size > 0;
    ws_image_close(&image);
    return has;
}

TEST("an index of the same load path is made once, unless there are new names that nobody has")
{
    const char *folder = test_path("image");
    ws_recording_options options = recording_options(folder, 0);
    const char *paths[] = { test_path("lib/a.rb"), test_path("lib/b.rb"), test_path("lib/c.rb"),
                            test_path("lib/d.rb") };
    const char *lib = test_path("lib"), *own = test_path("own");
    ws_index_source sources[] = { { lib, strlen(lib), true }, { own, strlen(own), true } };

    test_mkdir("lib");
    test_mkdir("own");
    ws_recording *recording = ws_recording_new(&options);
    for (int i = 0; i < 4; i++) {
        ws_recorded_file file;
        test_write(paths[i] + strlen(test_folder_path) + 1, "1", 1);
        memset(&file, 0, sizeof file);
        file.path = file.realpath = paths[i];
        file.path_size = file.realpath_size = strlen(paths[i]);
        file.payload = "code";
        file.payload_size = 4;
        CHECK_EQUAL(ws_file_stat(paths[i], &file.stat), 0);
        CHECK(ws_recording_add(recording, &file) != UINT32_MAX);
        if (i == 2) ws_recording_missing(recording, "nobody/has", 10);
        ws_recording_load_path(recording, sources, i == 3 ? 2 : 1);
        ws_recording_request_commit(recording);
        CHECK(ws_recording_wait(recording, 60000));
        CHECK_EQUAL(ws_recording_last(recording).published.entry_count, i + 1);
        CHECK_EQUAL(has_newest_an_index(folder), i != 1);
    }
    ws_recording_free(recording);
}

TEST("what is written takes no descriptor's number from the program")
{
#if defined(__APPLE__)
    test_skip("here the threads of a process have one table of descriptors");
#elif defined(__SANITIZE_THREAD__)
    test_skip("ThreadSanitizer knows one table of descriptors");
#endif
    ws_recording_options options = recording_options(test_path("image"), 1 << 20);
    ws_store *other;
    ws_error error;

    ws_recording *recording = ws_recording_new(&options);
    CHECK_EQUAL(ws_store_open(&other, &options.store, &error), WS_OK); /* (its lock is what the thread will wait for) */
    int next = next_descriptor();
    add_until_full(recording, "payload", 7);
    ws_recording_request_commit(recording);
    for (int i = 0; i < 200; i++) {
        CHECK(!ws_recording_wait(recording, 1));
        CHECK_EQUAL(next_descriptor(), next);
    }
    ws_store_close(other);
    CHECK(ws_recording_wait(recording, 60000));
    CHECK_EQUAL(ws_recording_last(recording).error.code, WS_OK);
    ws_recording_free(recording);
}

#ifndef _WIN32
TEST("the child of a fork in the middle of writing keeps its own files, and not the lock")
{
    ws_recording_options options = recording_options(test_path("image"), 1 << 20);
    ws_store *other;
    ws_error error;
    int status;

    ws_recording *recording = ws_recording_new(&options);
    CHECK_EQUAL(ws_store_open(&other, &options.store, &error), WS_OK);
    add_until_full(recording, "payload", 7);
    ws_recording_request_commit(recording);
    CHECK(!ws_recording_wait(recording, 200));
    int next = next_descriptor();
    pid_t child = fork();
    if (child == 0) {
        ws_recording_abandon_after_fork(recording); /* closes what it has of `other`, and of the thread's */
        for (int i = 0; i < 3; i++)
            if (fcntl(i, F_GETFD) < 0) _exit(1);
        _exit(next_descriptor() < next ? 0 : 2);
    }
    waitpid(child, &status, 0);
    CHECK_EQUAL(status, 0);
    ws_store_close(other);
    CHECK(ws_recording_wait(recording, 60000));
    CHECK_EQUAL(ws_recording_last(recording).error.code, WS_OK);
    ws_recording_free(recording);
}
#endif

/* Records a file that was changed at most so many nanoseconds before the recording began, and at least as many. Returns
 * how many files were too young to be believed: 0 or 1. */
static uint64_t
young_files(int64_t least, int64_t most)
{
    ws_recording_options options = recording_options(test_path("image"), 1 << 20);
    options.trusting_times = false;

    for (;;) {
        ws_recorded_file file;
        memset(&file, 0, sizeof file);
        test_write("file.rb", "FILE = 1\n", 9);
        CHECK_EQUAL(ws_file_stat(test_path("file.rb"), &file.stat), 0);
        while (ws_clock_wall() - file.stat.ctime < least) usleep(1000);
        ws_recording *recording = ws_recording_new(&options);
        if (ws_clock_wall() - file.stat.ctime > most) { /* (the machine was busy) */
            ws_recording_free(recording);
            continue;
        }
        file.path = file.realpath = test_path("file.rb");
        file.path_size = file.realpath_size = strlen(file.path);
        file.payload = "payload";
        file.payload_size = 7;
        CHECK(ws_recording_add(recording, &file) != UINT32_MAX);
        ws_recording_request_commit(recording);
        CHECK(ws_recording_wait(recording, 60000));
        ws_recording_result result = ws_recording_last(recording);
        CHECK_EQUAL(result.error.code, WS_OK);
        CHECK_EQUAL(result.racy + result.written, 1);
        ws_recording_free(recording);
        return result.racy;
    }
}

TEST("a file that was changed a moment before the recording began is not believed: it may change within the same tick")
{
    CHECK_EQUAL(young_files(0, INT64_C(15000000)), 1);
    CHECK_EQUAL(young_files(INT64_C(60000000), INT64_MAX), 0);
}
