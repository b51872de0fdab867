/* What waits to be written: see core/recording/recording.h. */
#include "test.h"
#include "store_fixture.h"

#include "core/recording/recording.h"

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
    CHECK(ws_recording_pending_size(recording) <= MAXIMUM);
    ws_recording_commit(recording);
    CHECK(!ws_recording_wait(recording, 50, NULL));
    CHECK_EQUAL(add_until_full(recording, payload, SIZE), 0);
    ws_store_close(other);
    CHECK(ws_recording_wait(recording, 60000, NULL));
    CHECK_EQUAL(ws_recording_pending_size(recording), 0);
    CHECK_EQUAL(add_until_full(recording, payload, SIZE), count);
    ws_recording_free(recording);
    free(payload);
}
