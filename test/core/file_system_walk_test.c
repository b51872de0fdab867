/* Operations on the file system: see core/file_system/file_system_walk.h. What they find is compared with Ruby's
 * answers in test/file_system_test.rb; here: threads, cancelling, the order, lists of paths. */
#include "test.h"

#include "core/file_system/file_system_walk.h"

static void
make_tree(int folders, int files)
{
    char name[100];

    for (int folder = 0; folder < folders; folder++) {
        snprintf(name, sizeof name, "folder%d", folder);
        test_mkdir(name);
        for (int file = 0; file < files; file++) {
            snprintf(name, sizeof name, "folder%d/file%d", folder, file);
            test_write(name, "xxxxxxxx", (size_t)(file % 8));
        }
    }
}

/* "path size;" of every row, in order. */
static char *
text_of(const ws_walk *walk)
{
    size_t capacity = (size_t)walk->place_count * 200 + 1, at = 0;
    char *text = calloc(capacity, 1);

    for (uint32_t i = 0; i < walk->place_count; i++) {
        char *path = ws_walk_path(walk, walk->folders[walk->places[i].folder], walk->places[i].row);
        const ws_row *row = &walk->folders[walk->places[i].folder]->listing.rows[walk->places[i].row];
        at += (size_t)snprintf(text + at, capacity - at, "%s %d;", path + (walk->root ? strlen(walk->root) : 0),
                               row->type == WS_LISTED_DIRECTORY ? -1 : (int)row->size);
        free(path);
    }
    return text;
}

static char *
scan_text(uint32_t threads)
{
    ws_walk walk;
    ws_walk_options options = { .fields = WS_FIELDS_IN_ROW, .threads = threads, .recursive = true };

    CHECK_EQUAL(ws_walk_init(&walk, test_folder(), &options), 0);
    CHECK_EQUAL(ws_walk_run(&walk), 0);
    CHECK(ws_walk_finish(&walk));
    char *text = text_of(&walk);
    ws_walk_free(&walk);
    return text;
}

TEST("any number of threads finds the same in the same order, and leaves no descriptor open")
{
    int before = test_descriptor_count();

    make_tree(40, 30);
    char *expected = scan_text(1);
    CHECK(strstr(expected, "/folder7/file9 1;") != NULL);
    for (uint32_t threads = 0; threads <= 16; threads += 4) {
        char *text = scan_text(threads);
        CHECK_STRING(text, expected);
        free(text);
    }
    free(expected);
    CHECK_EQUAL(test_descriptor_count(), before);
}

TEST("folders that one thread finds do not disturb the others at work")
{
    char name[100];

    for (int part = 0; part < 15; part++) {
        snprintf(name, sizeof name, "part%d", part);
        test_mkdir(name);
        for (int folder = 0; folder < 15; folder++) {
            snprintf(name, sizeof name, "part%d/folder%d", part, folder);
            test_mkdir(name);
            for (int file = 0; file < 30; file++) {
                snprintf(name, sizeof name, "part%d/folder%d/file%d", part, folder, file);
                test_write(name, "x", (size_t)(file % 2));
            }
        }
    }
    char *expected = scan_text(1);
    for (int round = 0; round < 30; round++) {
        char *text = scan_text(2 + (uint32_t)round % 6);
        CHECK_STRING(text, expected);
        free(text);
    }
    free(expected);
}

static void *
cancel_soon(void *walk)
{
    for (int i = 0; i < 200; i++) {
        usleep(50);
        ws_walk_cancel(walk);
    }
    return NULL;
}

TEST("a cancelled operation goes on where it stopped")
{
    make_tree(60, 60);
    char *expected = scan_text(1);
    int cancelled = 0;

    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        ws_walk walk;
        ws_walk_options options = { .fields = WS_FIELDS_IN_ROW, .threads = threads, .recursive = true };
        pthread_t thread;
        int result;
        CHECK_EQUAL(ws_walk_init(&walk, test_folder(), &options), 0);
        CHECK_EQUAL(pthread_create(&thread, NULL, cancel_soon, &walk), 0);
        while ((result = ws_walk_run(&walk)) == EINTR) {
            cancelled++;
            ws_walk_continue(&walk);
        }
        pthread_join(thread, NULL);
        CHECK_EQUAL(result, 0);
        CHECK(ws_walk_finish(&walk));
        char *text = text_of(&walk);
        CHECK_STRING(text, expected);
        free(text);
        ws_walk_free(&walk);
    }
    free(expected);
    CHECK(cancelled > 0);
}

TEST("one that was cancelled before it began does nothing")
{
    ws_walk walk;
    ws_walk_options options = { .fields = WS_FIELDS_IN_ROW };

    test_write("file", "", 0);
    CHECK_EQUAL(ws_walk_init(&walk, test_folder(), &options), 0);
    ws_walk_cancel(&walk);
    CHECK_EQUAL(ws_walk_run(&walk), EINTR);
    CHECK_SIZE(walk.folders[0]->listing.count, 0);
    ws_walk_continue(&walk);
    CHECK_EQUAL(ws_walk_run(&walk), 0);
    CHECK(ws_walk_finish(&walk));
    CHECK_SIZE(walk.place_count, 1);
    ws_walk_free(&walk);
}

TEST("paths that are the same share a row")
{
    const char *paths[] = { test_path("b"), NULL, NULL, "/nothing/at/all" };
    size_t sizes[4];
    uint32_t rows[4];
    ws_walk walk;
    ws_walk_options options = { .fields = WS_FIELD_SIZE, .keep_vanished = true };
    char a[600], b[600];

    test_write("a", "1", 1);
    test_write("b", "22", 2);
    snprintf(a, sizeof a, "%s", test_path("a"));
    snprintf(b, sizeof b, "%s", test_path("b"));
    paths[0] = paths[2] = b;
    paths[1] = a;
    for (int i = 0; i < 4; i++) sizes[i] = strlen(paths[i]);
    CHECK_EQUAL(ws_walk_init_paths(&walk, paths, sizes, 4, &options, rows), 0);
    uint64_t before = ws_stat_calls;
    CHECK_EQUAL(ws_walk_run(&walk), 0);
    CHECK_SIZE(ws_stat_calls - before, 3);
    CHECK_EQUAL(rows[0], rows[2]);
    const ws_row *found = walk.folders[0]->listing.rows;
    CHECK(found[rows[0]].size == 2 && found[rows[1]].size == 1 && found[rows[3]].error_number == ENOENT);
    ws_walk_free(&walk);
}

TEST("the first error ends an operation that does not keep them")
{
    ws_walk walk;
    ws_walk_options options = { .fields = WS_FIELDS_IN_ROW };

    CHECK_EQUAL(ws_walk_init(&walk, test_path("nothing"), &options), 0);
    CHECK_EQUAL(ws_walk_run(&walk), 0);
    CHECK(walk.failed);
    CHECK_EQUAL(walk.failed_at.row, UINT32_MAX);
    CHECK_EQUAL(walk.folders[0]->error_number, ENOENT);
    ws_walk_free(&walk);
}

#define US INT64_C(1000)

TEST("threads are as many as waiting calls are worth")
{
    ws_pace unknown = { 1, 900 * US, 900 * US }, quick = { 10, US, US }, hiccup = { 10, 5000 * US, US },
            slow = { 2, 1000 * US, 1200 * US }, medium = { 2, 200 * US, 200 * US };

    CHECK_EQUAL(ws_walk_threads_for(unknown, 3000, 8), 1);
    CHECK_EQUAL(ws_walk_threads_for(quick, 999, 8), 1);
    CHECK_EQUAL(ws_walk_threads_for(quick, 1500, 8), 2);
    CHECK_EQUAL(ws_walk_threads_for(quick, 100000, 8), 4);
    CHECK_EQUAL(ws_walk_threads_for(quick, 100000, 1), 1);
    CHECK_EQUAL(ws_walk_threads_for(hiccup, 500, 8), 1);
    CHECK_EQUAL(ws_walk_threads_for(slow, 3000, 1), 32);
    CHECK_EQUAL(ws_walk_threads_for(slow, 1, 8), 1);
    CHECK_EQUAL(ws_walk_threads_for(slow, 4, 8), 4);
    CHECK_EQUAL(ws_walk_threads_for(medium, 9, 8), 7);
}

TEST("a listing is used like a stack")
{
    ws_listing listing = { .fields = WS_FIELD_TYPE | WS_FIELD_ACL };

    for (int i = 0; i < 500; i++) CHECK(ws_listing_add(&listing, "name", 4, WS_LISTED_FILE) != NULL);
    size_t size = listing.names_size;
    CHECK(ws_listing_add(&listing, "another", 7, WS_LISTED_UNKNOWN) != NULL);
    listing.accesses[500].acl = strdup("freed with its row");
    CHECK_STRING(ws_listing_name(&listing, 500), "another");
    CHECK(ws_row_lacks(&listing, &listing.rows[500]) && !ws_row_lacks(&listing, &listing.rows[499]));
    ws_listing_truncate(&listing, 500);
    CHECK_SIZE(listing.count, 500);
    CHECK_SIZE(listing.names_size, size);
    ws_listing_free(&listing);
}
