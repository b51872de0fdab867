/* Validation ahead of use: see core/validation_ahead.h. Calls are slow where a clock of our own says so. */
#include "test.h"

#include "validation_ahead.h"

/* The code under test, with a clock that says that calls are slow when `slow` is set. */
static bool slow;
static int64_t fake_now;
static int64_t fake_clock(void);
static int64_t fake_clock(void)
{
    return fake_now += slow ? 200000 : 1000;
}

ws_ahead_counts own_counts_get(void);
bool own_add(ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size);
void own_offer(ws_ahead_source source, void *data);
void own_forget(void);
void own_end(void);
int own_stat(const char *path, ws_ahead_kind kind, ws_stat *stat);

#define ws_ahead_counts_get own_counts_get
#define ws_ahead_add own_add
#define ws_ahead_offer own_offer
#define ws_ahead_forget own_forget
#define ws_ahead_end own_end
#define ws_ahead_stat own_stat
#define ws_clock_now fake_clock
#include "../../ext/warmstart/core/validation_ahead.c"

enum { FILES = 300 };

static char path_buffer[600];

static const char *file_path(int number)
{
    snprintf(path_buffer, sizeof path_buffer, "%s/file%d", test_folder(), number);
    return path_buffer;
}

static void make_files(void)
{
    char name[20];

    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "file%d", i);
        test_write(name, "xxxxxxxxxx", (size_t)(i % 10));
    }
}

static int listed;

static void list_files(void *data, ws_ahead_list *list)
{
    listed++;
    CHECK(data == (void *)&slow);
    for (int i = 0; i < FILES; i++) {
        const char *path = file_path(i);
        CHECK(own_add(list, WS_AHEAD_FILE, path, strlen(path)));
        CHECK(own_add(list, WS_AHEAD_LINK, path, strlen(path)));
        CHECK(own_add(list, WS_AHEAD_FILE, path, strlen(path)));
    }
}

static uint64_t size_of(int number, ws_ahead_kind kind)
{
    ws_stat stat = { .size = 99 };
    char path[600];

    snprintf(path, sizeof path, "%s", file_path(number));      /* (the list is made with file_path, too) */
    CHECK_EQUAL(own_stat(path, kind, &stat), 0);
    return stat.size;
}

/* Begins, with slow calls for files 0 to 3, and waits until all is found out. */
static void begin(void)
{
    listed = 0;
    slow = true;
    fake_now = 0;
    own_offer(list_files, (void *)&slow);
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(phase, WATCHING);
        size_of(i, WS_AHEAD_FILE);
    }
}

static void wait_until_done(void)
{
    while (__atomic_load_n(&current->owners, __ATOMIC_ACQUIRE) > 1) usleep(100);
}

TEST("quick calls begin nothing")
{
    make_files();
    slow = false;
    uint64_t before = own_counts_get().threads;
    own_offer(list_files, (void *)&slow);
    listed = 0;
    for (int round = 0; round < 600; round++) CHECK_SIZE(size_of(5, WS_AHEAD_FILE), 5);
    CHECK_EQUAL(phase, QUICK);
    CHECK_EQUAL(listed, 0);
    CHECK_SIZE(own_counts_get().threads, before);
    own_end();
}

TEST("slow calls get threads, and what they found is used once")
{
    make_files();
    begin();
    CHECK_EQUAL(phase, RUNNING);
    CHECK_EQUAL(listed, 1);
    wait_until_done();
    uint64_t used = own_counts_get().used, calls = ws_stat_calls;
    CHECK_SIZE(size_of(17, WS_AHEAD_FILE), 7);
    CHECK_SIZE(own_counts_get().used, used + 1);
    CHECK_EQUAL(ws_stat_calls, calls);
    /* changed meanwhile: the second load sees it */
    test_write("file17", "x", 1);
    CHECK_SIZE(size_of(17, WS_AHEAD_FILE), 1);
    CHECK_EQUAL(ws_stat_calls, calls + 1);
    own_end();
}

TEST("files that were asked about before it began get a call of their own")
{
    make_files();
    begin();
    wait_until_done();
    test_write("file2", "xxxxxxxxxxxx", 12);
    CHECK_SIZE(size_of(2, WS_AHEAD_FILE), 12);
    own_end();
}

TEST("what is not on the list gets a call of its own, and what is not there its error")
{
    ws_stat stat;

    make_files();
    begin();
    CHECK_EQUAL(unlink(file_path(40)), 0);
    own_end();
    begin();
    wait_until_done();
    CHECK_EQUAL(own_stat(test_path("nothing"), WS_AHEAD_FILE, &stat), ENOENT);
    CHECK_EQUAL(own_stat(test_path("file40"), WS_AHEAD_LINK, &stat), ENOENT);
    CHECK_EQUAL(own_stat(test_folder(), WS_AHEAD_FOLDER, &stat), 0);
    CHECK_EQUAL(stat.type, WS_TYPE_DIRECTORY);
    own_end();
}

TEST("after forgetting it begins anew, with what the disk says then, and without files that were asked about")
{
    make_files();
    begin();
    wait_until_done();
    CHECK_SIZE(size_of(20, WS_AHEAD_FILE), 0);
    test_write("file21", "x", 1);
    test_write("file22", "xx", 2);
    own_forget();
    CHECK_EQUAL(phase, DUE);
    CHECK_SIZE(size_of(22, WS_AHEAD_LINK), 2);
    CHECK_EQUAL(listed, 2);
    wait_until_done();
    uint64_t used = own_counts_get().used;
    CHECK_SIZE(size_of(21, WS_AHEAD_FILE), 1);
    CHECK_SIZE(own_counts_get().used, used + 1);
    test_write("file20", "xxxxxxxxxxxxx", 13);
    CHECK_SIZE(size_of(20, WS_AHEAD_FILE), 13);
    own_end();
    test_write("file23", "x", 1);
    CHECK_SIZE(size_of(23, WS_AHEAD_FILE), 1);
}

TEST("asking while the threads still work gives the same answers")
{
    make_files();
    begin();
    for (int i = FILES - 1; i >= 4; i--) CHECK_SIZE(size_of(i, WS_AHEAD_FILE), (uint64_t)(i % 10));
    own_end();
}
