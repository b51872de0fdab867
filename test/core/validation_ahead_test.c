/* Validation ahead of use: see core/validation/validation_ahead.h. Calls are slow where a clock of our own says so. */
#include "test.h"

#include "core/file_system/file_system.h"
#include "core/validation/validation_ahead.h"

/* The code under test, with a clock that says that calls are slow when `slow` is set. Each thread has its own, so that
 * what one measures does not depend on what the others do meanwhile. */
static bool slow;
static __thread int64_t fake_now;
static int64_t fake_clock(void);
static int64_t
fake_clock(void)
{
    return fake_now += __atomic_load_n(&slow, __ATOMIC_RELAXED) ? 200000 : 1000;
}

/* ... and listings that take long by it, when they are `dear`. */
static bool dear;
static int
slow_list(ws_folder folder, ws_listing *listing)
{
    if (dear) fake_now += INT64_C(1000000000);
    return ws_folder_list(folder, listing);
}
#define ws_clock_now fake_clock
#define ws_folder_list slow_list
#include "../../ext/warmstart/core/validation/validation_ahead.c"
#undef ws_folder_list

enum { FILES = 300 };

static char path_buffer[600];

static const char *
file_path(int number)
{
    snprintf(path_buffer, sizeof path_buffer, "%s/file%d", test_folder(), number);
    return path_buffer;
}

static void
make_files(void)
{
    char name[20];

    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "file%d", i);
        test_write(name, "xxxxxxxxxx", (size_t)(i % 10));
    }
}

static int listed;

static void
list_files(ws_ahead_list *list)
{
    listed++;
    for (int i = 0; i < FILES; i++) {
        const char *path = file_path(i);
        CHECK(ws_ahead_add(list, WS_AHEAD_FILE, path, strlen(path)));
        CHECK(ws_ahead_add(list, WS_AHEAD_LINK, path, strlen(path)));
        CHECK(ws_ahead_add(list, WS_AHEAD_FILE, path, strlen(path)));
    }
}

static uint64_t
size_of(int number, ws_ahead_kind kind)
{
    ws_stat stat = { .size = 99 };
    char path[600];

    snprintf(path, sizeof path, "%s", file_path(number)); /* (the list is made with file_path, too) */
    CHECK_EQUAL(ws_ahead_stat(path, kind, &stat), 0);
    return stat.size;
}

/* Begins, with slow calls for files 0 to 3, and waits until all is found out. */
static void
begin(void)
{
    listed = 0;
    slow = true;
    fake_now = 0;
    ws_ahead_offer(list_files);
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(ahead.phase, WATCHING);
        size_of(i, WS_AHEAD_FILE);
    }
}

static void
wait_until_done(void)
{
    while (__atomic_load_n(&ahead.current->base.owners, __ATOMIC_ACQUIRE) > 1) usleep(100);
}

TEST("quick calls begin nothing")
{
    make_files();
    slow = false;
    uint64_t before = ws_ahead_counts_get().threads;
    ws_ahead_offer(list_files);
    listed = 0;
    for (int round = 0; round < 600; round++) CHECK_SIZE(size_of(5, WS_AHEAD_FILE), 5);
    CHECK_EQUAL(ahead.phase, QUICK);
    CHECK_EQUAL(listed, 0);
    CHECK_SIZE(ws_ahead_counts_get().threads, before);
    ws_ahead_end();
}

TEST("slow calls get threads, and what they found is used once")
{
    make_files();
    begin();
    CHECK_EQUAL(ahead.phase, RUNNING);
    CHECK_EQUAL(listed, 1);
    wait_until_done();
    uint64_t used = ws_ahead_counts_get().used, calls = ws_stat_calls;
    CHECK_SIZE(size_of(17, WS_AHEAD_FILE), 7);
    CHECK_SIZE(ws_ahead_counts_get().used, used + 1);
    CHECK_EQUAL(ws_stat_calls, calls);
    /* changed meanwhile: the second load sees it */
    test_write("file17", "x", 1);
    CHECK_SIZE(size_of(17, WS_AHEAD_FILE), 1);
    CHECK_EQUAL(ws_stat_calls, calls + 1);
    ws_ahead_end();
}

TEST("files that were asked about before it began get a call of their own")
{
    make_files();
    begin();
    wait_until_done();
    test_write("file2", "xxxxxxxxxxxx", 12);
    CHECK_SIZE(size_of(2, WS_AHEAD_FILE), 12);
    ws_ahead_end();
}

TEST("what is not on the list gets a call of its own, and what is not there its error")
{
    ws_stat stat;

    make_files();
    begin();
    CHECK_EQUAL(unlink(file_path(40)), 0);
    ws_ahead_end();
    begin();
    wait_until_done();
    CHECK_EQUAL(ws_ahead_stat(test_path("nothing"), WS_AHEAD_FILE, &stat), ENOENT);
    CHECK_EQUAL(ws_ahead_stat(test_path("file40"), WS_AHEAD_LINK, &stat), ENOENT);
    CHECK_EQUAL(ws_ahead_stat(test_folder(), WS_AHEAD_FOLDER, &stat), 0);
    CHECK_EQUAL(stat.type, WS_TYPE_DIRECTORY);
    ws_ahead_end();
}

TEST("after forgetting it begins anew, with what the disk says then, and without files that were asked about")
{
    make_files();
    begin();
    wait_until_done();
    CHECK_SIZE(size_of(20, WS_AHEAD_FILE), 0);
    test_write("file21", "x", 1);
    test_write("file22", "xx", 2);
    ws_ahead_forget();
    CHECK_EQUAL(ahead.phase, DUE);
    CHECK_SIZE(size_of(22, WS_AHEAD_LINK), 2);
    CHECK_EQUAL(listed, 2);
    wait_until_done();
    uint64_t used = ws_ahead_counts_get().used;
    CHECK_SIZE(size_of(21, WS_AHEAD_FILE), 1);
    CHECK_SIZE(ws_ahead_counts_get().used, used + 1);
    test_write("file20", "xxxxxxxxxxxxx", 13);
    CHECK_SIZE(size_of(20, WS_AHEAD_FILE), 13);
    ws_ahead_end();
    test_write("file23", "x", 1);
    CHECK_SIZE(size_of(23, WS_AHEAD_FILE), 1);
}

TEST("asking while the threads still work gives the same answers")
{
    make_files();
    begin();
    for (int i = FILES - 1; i >= 4; i--) CHECK_SIZE(size_of(i, WS_AHEAD_FILE), (uint64_t)(i % 10));
    ws_ahead_end();
}

/* ---- Listings by threads ---- */

enum { FOLDERS = 40, IN_FOLDER = 25 };

static const char *
path_in(int folder, int number)
{
    snprintf(path_buffer, sizeof path_buffer, "%s/folder%d/file%d", test_folder(), folder, number);
    return path_buffer;
}

static void
list_folders(ws_ahead_list *list)
{
    for (int i = 0; i < FOLDERS * IN_FOLDER; i++) {
        const char *path = path_in(i / IN_FOLDER, i % IN_FOLDER);
        CHECK(ws_ahead_add(list, WS_AHEAD_FILE, path, strlen(path)));
    }
}

/* Slow calls; the threads have done what they can. How many folders they listed. */
static uint32_t
listings_of_folders(void)
{
    ws_stat stat;

    for (int folder = 0; folder < FOLDERS; folder++) {
        char name[40];
        snprintf(name, sizeof name, "folder%d", folder);
        CHECK_EQUAL(mkdir(test_path(name), 0755), 0);
        for (int i = 0; i < IN_FOLDER; i++) {
            snprintf(name, sizeof name, "folder%d/file%d", folder, i);
            test_write(name, "xxxxxxxxxx", (size_t)(i % 10));
        }
    }
    slow = true;
    ws_ahead_offer(list_folders);
    for (int i = 0; i < 4; i++) CHECK_EQUAL(ws_ahead_stat(path_in(0, i), WS_AHEAD_FILE, &stat), 0);
    wait_until_done();
    return ahead.current->listings;
}

static void
check_all_used(void)
{
    uint64_t used = ws_ahead_counts_get().used;

    for (int i = 4; i < FOLDERS * IN_FOLDER; i++) {
        ws_stat stat, now;
        const char *path = path_in(i / IN_FOLDER, i % IN_FOLDER);
        CHECK_EQUAL(ws_ahead_stat(path, WS_AHEAD_FILE, &stat), 0);
        CHECK_EQUAL(ws_file_stat(path, &now), 0);
        CHECK(stat.size == now.size && stat.mtime == now.mtime && stat.ctime == now.ctime && stat.type == now.type &&
              stat.mode == now.mode);
        CHECK(ws_stat_is_same_inode(stat.inode, now.inode) && ws_stat_is_same_inode(stat.device, now.device));
    }
    CHECK_SIZE(ws_ahead_counts_get().used - used, FOLDERS * IN_FOLDER - 4);
}

TEST("what was found out by a listing is what calls by name tell")
{
    dear = false;
    CHECK(listings_of_folders() >= 1);
    check_all_used();
    ws_ahead_end();
}

/* A list as a thread finds it: calls by name took 1,000 ns; `listing` is what a folder's listing took with its calls,
 * 0: none was made. */
static ws_ahead_list *
measured_list(int64_t listing)
{
    ws_ahead_list *list = calloc(1, sizeof *list);

    CHECK(list != NULL);
    ws_job_list_begin(&list->base, free_jobs);
    list_folders(list);
    for (int i = 0; i < 10; i++) ws_listing_costs_note_call(&list->costs, 1000);
    if (listing > 0) ws_listing_costs_note(&list->costs, IN_FOLDER, IN_FOLDER, listing);
    return list;
}

TEST(
    "a folder is listed when that costs a third of its files' calls, once, and not when threads have most of its files")
{
    ws_ahead_list *list = measured_list(1000 * IN_FOLDER / 4);
    CHECK(claim_listing(list, 1));
    CHECK(!claim_listing(list, 1));
    for (int i = 0; i < IN_FOLDER - 3; i++) claim_listing(list, 1);
    list->costs.listings = 0; /* (so that nothing is claimed while they are taken) */
    list->is_trying = true;
    for (int i = 0; i < IN_FOLDER - 2; i++) CHECK(!claim_listing(list, 2));
    list->costs.listings = 1;
    list->is_trying = false;
    CHECK(!claim_listing(list, 2));
    CHECK(claim_listing(list, 3));
    CHECK(!claim_listing(list, UINT32_MAX));
    ws_job_list_release(&list->base);

    list = measured_list(1000 * IN_FOLDER / 2);
    for (int folder = 0; folder < FOLDERS; folder++) CHECK(!claim_listing(list, (uint32_t)folder));
    ws_job_list_release(&list->base);
}

TEST("one thread makes the trial, once calls by name were measured")
{
    ws_ahead_list *list = measured_list(0);
    CHECK(claim_listing(list, 1));
    CHECK(!claim_listing(list, 2));
    ws_job_list_release(&list->base);
    list = measured_list(0);
    ws_listing_costs_forget(&list->costs);
    CHECK(!claim_listing(list, 1));
    ws_job_list_release(&list->base);
}

TEST("where listings prove dear, one is made, for a trial")
{
    dear = true;
    CHECK_EQUAL(listings_of_folders(), 1);
    check_all_used();
    ws_ahead_end();
    dear = false;
}
