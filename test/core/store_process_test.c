/* The store among processes: many writers at once, a reader beside them, and writers killed anywhere. See
 * core/image/store.h. */
#include "test.h"

#include <sys/wait.h>
#include <time.h>

#include "store_fixture.h"

static void
path_of(char *buffer, size_t size, int number)
{
    snprintf(buffer, size, "/app/file_%d.rb", number);
}

/* One file, whose payload is its path over and over. */
static ws_segment_writer *
numbered(int number, char *payload, size_t payload_size)
{
    char path[64];
    ws_segment_writer *writer = fixture_writer(0);

    path_of(path, sizeof path, number);
    for (size_t i = 0; i < payload_size; i++) payload[i] = path[i % strlen(path)];
    if (!fixture_add(writer, (uint32_t)number, path, payload, payload_size)) abort();
    return writer;
}

static bool
holds_number(const ws_image *image, int number)
{
    char path[64];
    const uint8_t *payload;

    path_of(path, sizeof path, number);
    ws_found found = ws_image_find(image, path, strlen(path));
    return found.entry != NULL && ws_image_payload(image, found, &payload, NULL) == WS_OK && payload[5] == path[5];
}

/* Every entry of the image, verified. */
static bool
is_whole(const ws_image *image)
{
    for (uint32_t i = 0; i < image->manifest.segment_count; i++) {
        for (uint32_t j = 0; j < image->segments[i].entry_count; j++) {
            const uint8_t *payload;
            ws_found found = { &image->segments[i].entries[j], &image->segments[i] };
            if (ws_image_payload(image, found, &payload, NULL) != WS_OK) return false;
        }
    }
    return true;
}

/* Opens the image again and again until its parent closes the pipe. The first version may be missing, nothing else. */
static void
read_until_closed(const char *folder, int pipe_end)
{
    unsigned opened = 0;
    char byte;

    fcntl(pipe_end, F_SETFL, O_NONBLOCK);
    while (read(pipe_end, &byte, 1) != 0) {
        ws_image image;
        ws_error error;
        ws_code code = fixture_open_image(&image, folder, &error);
        if (code == WS_MISSING && opened == 0) continue;
        if (code != WS_OK || !is_whole(&image)) {
            char text[700];
            if (code != WS_OK) fprintf(stderr, "    reader: %s\n", ws_error_describe(&error, text, sizeof text));
            _exit(1);
        }
        opened++;
        ws_image_close(&image);
    }
    _exit(opened > 0 ? 0 : 2);
}

/* A reader in a process of its own, and the pipe that ends it. */
typedef struct reader {
    pid_t process;
    int pipe_end;
} reader;

static reader
start_reader(const char *folder)
{
    reader started;
    int ends[2];

    if (pipe(ends) != 0) test_fail(__FILE__, __LINE__, "no pipe");
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    started.process = fork();
    if (started.process == 0) {
        close(ends[1]);
        read_until_closed(folder, ends[0]);
    }
    close(ends[0]);
    started.pipe_end = ends[1];
    return started;
}

static int
stop_reader(reader started)
{
    int status;
    close(started.pipe_end);
    waitpid(started.process, &status, 0);
    return status;
}

/* Exit status: 0 published, 1 somebody else was writing, 2 anything else. */
static pid_t
start_writer(const ws_store_options *options, int number, size_t payload_size, int close_in_child)
{
    pid_t child = fork();
    if (child != 0) return child;
    close(close_in_child);
    char *payload = malloc(payload_size);
    ws_error error;
    ws_code code = fixture_publish_with(options, numbered(number, payload, payload_size), NULL, &error);
    free(payload);
    if (code != WS_OK && (code != WS_LOCK || error.error_number != EWOULDBLOCK)) {
        char text[700];
        fprintf(stderr, "    writer %d: %s\n", number, ws_error_describe(&error, text, sizeof text));
        _exit(2);
    }
    _exit(code == WS_OK ? 0 : 1);
}

enum { WRITERS = 50 };

static void
publish_at_once(bool wait)
{
    char folder[300];
    pid_t writers[WRITERS];
    int statuses[WRITERS], published = 0;
    ws_image image;

    snprintf(folder, sizeof folder, "%s", test_path("image"));
    ws_store_options options = fixture_store_options(folder);
    options.wait = wait;
    reader beside = start_reader(folder);
    for (int i = 0; i < WRITERS; i++) writers[i] = start_writer(&options, i, 3000, beside.pipe_end);
    for (int i = 0; i < WRITERS; i++) waitpid(writers[i], &statuses[i], 0);
    CHECK_EQUAL(stop_reader(beside), 0);

    CHECK_EQUAL(fixture_open_image(&image, folder, NULL), WS_OK);
    CHECK(is_whole(&image));
    for (int i = 0; i < WRITERS; i++) {
        CHECK(WIFEXITED(statuses[i]) && WEXITSTATUS(statuses[i]) < 2);
        CHECK_EQUAL(holds_number(&image, i), WEXITSTATUS(statuses[i]) == 0);
        published += WEXITSTATUS(statuses[i]) == 0;
    }
    CHECK_EQUAL(ws_image_count(&image), published);
    if (wait) CHECK_EQUAL(published, WRITERS);
    CHECK(published >= 1);
    CHECK_EQUAL(fixture_count(folder, ".temporary"), 0);
    ws_image_close(&image);
}

TEST("fifty writers that wait all publish, and a reader beside them always finds a whole image")
{
    publish_at_once(true);
}
TEST("of fifty writers that do not wait each publishes or gives up, and nothing of the winners is lost")
{
    publish_at_once(false);
}

TEST("a writer killed anywhere leaves a whole image")
{
    char folder[300];
    ws_image image;
    ws_error error;
    uint64_t state = 3;
    int killed = 0;

    snprintf(folder, sizeof folder, "%s", test_path("image"));
    ws_store_options options = fixture_store_options(folder);
    char payload[100];
    CHECK_EQUAL(fixture_publish(folder, numbered(0, payload, sizeof payload), NULL), WS_OK);
    for (int round = 1; round <= 150; round++) {
        int status;
        pid_t child = start_writer(&options, round, 400000, -1);
        struct timespec pause = { 0, (long)(test_random(&state) % 6000000) };
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) killed++;
        CHECK_EQUAL(fixture_open_image(&image, folder, &error), WS_OK);
        CHECK(holds_number(&image, 0));
        CHECK(is_whole(&image));
        if (!WIFSIGNALED(status)) CHECK(holds_number(&image, round));
        ws_image_close(&image);
    }
    CHECK(killed > 10);
    /* The next writer is not kept out by the dead ones' lock. */
    CHECK_EQUAL(fixture_publish(folder, numbered(1000, payload, sizeof payload), NULL), WS_OK);
    CHECK_EQUAL(fixture_open_image(&image, folder, &error), WS_OK);
    CHECK(holds_number(&image, 1000));
    ws_image_close(&image);
}

/* rm -rf tmp/cache while boots are recorded: errors and new folders, but never a broken image or a crash. */
TEST("writers and readers survive a folder that is removed again and again")
{
    char folder[300], command[700];
    pid_t writers[4];
    int status;

    snprintf(folder, sizeof folder, "%s", test_path("image"));
    snprintf(command, sizeof command, "rm -rf %s 2>/dev/null", folder);
    ws_store_options options = fixture_store_options(folder);
    options.wait = true;
    for (int i = 0; i < 4; i++) {
        writers[i] = fork();
        if (writers[i] != 0) continue;
        for (int round = 0; round < 100; round++) {
            char payload[2000];
            ws_image image;
            ws_error error;
            fixture_publish_with(&options, numbered(i * 100 + round, payload, sizeof payload), NULL, &error);
            if (fixture_open_image(&image, folder, &error) == WS_OK) {
                if (!is_whole(&image)) _exit(1);
                ws_image_close(&image);
            }
        }
        _exit(0);
    }
    for (int i = 0; i < 20; i++) CHECK(system(command) != -1);
    for (int i = 0; i < 4; i++) {
        waitpid(writers[i], &status, 0);
        CHECK_EQUAL(status, 0);
    }
}
