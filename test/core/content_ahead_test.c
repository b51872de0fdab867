/* Contents compared ahead of use: see core/validation/content_ahead.h. The clock is our own, since the files have just
 * been written; threads can be held while they read. */
#include "test.h"

#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "core/file_system/file_system.h"
#include "core/system/clock.h"
#include "core/system/thread.h"
#include "core/validation/content_ahead.h"

/* ---- The code under test, and what stands between it and the system ---- */

static int64_t wall; /* what the threads' clock says; 0: an hour from now */
static int64_t
fake_wall(void)
{
    return wall ? wall : ws_clock_wall() + INT64_C(3600) * 1000000000;
}

/* Threads that read a file wait while `held` is set, each with the file open. */
static bool held;
static int holding;
static ws_code
fake_hash(const char *path, ws_hash128 *hash, ws_stat *stat, ws_error *error)
{
    int descriptor;
    if (__atomic_load_n(&held, __ATOMIC_ACQUIRE) && ws_file_open(path, WS_OPEN_FILE, &descriptor) == 0) {
        __atomic_add_fetch(&holding, 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&held, __ATOMIC_ACQUIRE)) usleep(100);
        ws_file_close(descriptor);
        __atomic_sub_fetch(&holding, 1, __ATOMIC_RELEASE);
    }
    return ws_file_hash(path, hash, stat, error);
}

static void
hold(bool on)
{
    __atomic_store_n(&held, on, __ATOMIC_RELEASE);
}

static uint32_t idle; /* threads that wait for the window; needs the list's lock */
static void
fake_wait(ws_condition *condition, ws_mutex *mutex, uint32_t milliseconds)
{
    idle++;
    ws_condition_wait(condition, mutex, milliseconds);
    idle--;
}

static bool remote;
TEST_UNUSED static bool
fake_remote(const char *path)
{
    (void)path;
    return remote;
}

/* How many threads there are. */
static int running;
static void *(*thread_function)(void *);
static void *
counted(void *argument)
{
    thread_function(argument);
    __atomic_sub_fetch(&running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static bool
fake_start(ws_thread *thread, void *(*function)(void *), void *argument, size_t stack_size)
{
    if (!thread_function) thread_function = function; /* (it is always the same) */
    __atomic_add_fetch(&running, 1, __ATOMIC_RELEASE);
    if (ws_thread_start(thread, counted, argument, stack_size)) return true;
    __atomic_sub_fetch(&running, 1, __ATOMIC_RELEASE);
    return false;
}

static void
wait_until_ended(void)
{
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) > 0) usleep(100);
}

/* ThreadSanitizer takes descriptors of the same number for the same one, whose table they are in. */
#ifdef __SANITIZE_THREAD__
#define ws_thread_own_descriptors() true
#endif

static uint32_t processors = 3;
#define ws_clock_wall fake_wall
#define ws_file_hash fake_hash
#define ws_condition_wait fake_wait
#define ws_thread_start fake_start
#define ws_file_is_remote_path fake_remote
#define ws_processor_count() processors
#include "../../ext/warmstart/core/validation/content_ahead.c"
#include "../../ext/warmstart/core/validation/job_list.c"
#undef ws_clock_wall
#undef ws_file_hash
#undef ws_condition_wait
#undef ws_thread_start

enum { FILES = 600, BYTES = 10 };
enum { FIRST = 8 + LEAD }; /* the first file that threads read */

static const char *
name_of(int number)
{
    static char name[20];
    snprintf(name, sizeof name, "file%d", number);
    return name;
}

static void
write_file(int number)
{
    char text[BYTES + 10];
    snprintf(text, sizeof text, "%010d", number);
    test_write(name_of(number), text, BYTES);
}

static ws_hash128
hash_of(int number)
{
    char text[BYTES + 10];
    snprintf(text, sizeof text, "%010d", number);
    return ws_hash128_bytes(text, BYTES);
}

static int listed, fresh; /* fresh: this file is as the image knows it */

static void
list_files(ws_content_list *list)
{
    listed++;
    for (int i = 0; i < FILES; i++) {
        ws_stat known = { .size = BYTES, .type = WS_TYPE_REGULAR };
        if (i == fresh) CHECK_EQUAL(ws_file_stat_named(test_path(name_of(i)), &known), 0);
        CHECK(ws_content_ahead_add(list, test_path(name_of(i)), &known, false));
        CHECK(ws_content_ahead_add(list, test_path(name_of(i)), &known, false));
    }
}

static void
offer(void)
{
#ifndef __linux__
    test_skip("threads have descriptors of their own on Linux only");
#endif
    for (int i = 0; i < FILES; i++) write_file(i);
    ws_content_ahead_end();
    hold(false);
    wait_until_ended();
    listed = 0;
    fresh = -1;
    wall = 0;
    remote = false;
    processors = 3;
    ws_content_ahead_offer(list_files);
}

/* The boot compares files 0 to 7 itself. */
static void
begin(void)
{
    for (int i = 0; i < 8; i++) {
        char path[600]; /* (the list is made with test_path, too) */
        snprintf(path, sizeof path, "%s", test_path(name_of(i)));
        CHECK(!content.current);
        ws_content_ahead_note_same(path);
    }
    CHECK(content.current);
}

static uint32_t
reads(void)
{
    return ws_content_ahead_counts().read;
}

static void
wait_until_idle(void)
{
    ws_content_list *list = content.current;
    for (bool done = false; !done; usleep(100)) {
        ws_mutex_lock(&list->base.lock);
        done = idle + 1 == __atomic_load_n(&list->base.owners, __ATOMIC_ACQUIRE) &&
               (list->base.next >= list->base.limit || list->base.next >= list->base.names.count);
        ws_mutex_unlock(&list->base.lock);
    }
}

static void
wait_until_held(void)
{
    while (__atomic_load_n(&holding, __ATOMIC_ACQUIRE) == 0) usleep(100);
}

/* (An old kernel has no close_range.) */
static void
run_ahead(void)
{
    begin();
    wait_until_idle();
    if (reads() == 0 && __atomic_load_n(&content.current->base.owners, __ATOMIC_ACQUIRE) == 1) {
        ws_content_ahead_end();
        test_skip("the kernel has no close_range");
    }
}

/* Does a thread's answer hold for the file as it is now? */
static bool
confirms(int number)
{
    ws_stat stat;
    CHECK_EQUAL(ws_file_stat_named(test_path(name_of(number)), &stat), 0);
    return ws_content_ahead_confirms(test_path(name_of(number)), &stat, hash_of(number));
}

/* ---- When ---- */

TEST("a few files begin nothing, nor do more with others in between; eight in a row begin it once")
{
    offer();
    for (int i = 0; i < 40; i++) {
        CHECK(!confirms(i));
        ws_content_ahead_note_same(test_path(name_of(i)));
        if (i % 7 == 6) ws_content_ahead_break_row();
    }
    CHECK_EQUAL(listed, 0);
    ws_content_ahead_break_row();
    begin();
    CHECK_EQUAL(listed, 1);
    for (int i = 8; i < 40; i++) ws_content_ahead_note_same(test_path(name_of(i)));
    CHECK_EQUAL(listed, 1);
    ws_content_ahead_end();
}

TEST("nothing begins with one processor, without an offer, and after the end")
{
    offer();
    processors = 1;
    for (int i = 0; i < 20; i++) ws_content_ahead_note_same(test_path(name_of(i)));
    CHECK(!content.current);
    processors = 2;
    for (int i = 0; i < 20; i++) ws_content_ahead_note_same(test_path(name_of(i)));
    CHECK(!content.current);
    ws_content_ahead_offer(list_files);
    ws_content_ahead_end();
    for (int i = 0; i < 20; i++) ws_content_ahead_note_same(test_path(name_of(i)));
    CHECK_EQUAL(listed, 0);
}

TEST("threads stay within the window, which moves with the boot")
{
    offer();
    uint32_t before = reads();
    run_ahead();
    CHECK_EQUAL(reads() - before, 128 - LEAD);
    for (int i = FIRST; i < 8 + 128; i++) CHECK(confirms(i));
    wait_until_idle();
    CHECK(reads() - before > 2 * 128 - 32 - LEAD && reads() - before <= 2 * 128 - LEAD);
    ws_content_ahead_end();
    CHECK(!confirms(140));
}

TEST("a file far behind does not move the window, several do, and what was passed is not read")
{
    offer();
    uint32_t before = reads();
    run_ahead();
    CHECK(!confirms(500));
    wait_until_idle();
    CHECK_EQUAL(reads() - before, 128 - LEAD);
    CHECK(confirms(FIRST));
    for (int i = 500; i < 508; i++) CHECK(!confirms(i));
    wait_until_idle();
    CHECK(!confirms(508));
    for (int i = 520; i < FILES; i++) CHECK(confirms(i));
    CHECK(!confirms(300));
    CHECK(confirms(20));
    ws_content_ahead_end();
}

/* ---- What ---- */

TEST("what threads have read is used for a file that is as they saw it")
{
    offer();
    uint32_t used = content.used;
    run_ahead();
    for (int i = FIRST; i < FILES; i++) {
        CHECK(confirms(i));
        if (i % 20 == 0) wait_until_idle();
    }
    CHECK_EQUAL(content.used - used, FILES - FIRST);
    CHECK(!ws_content_ahead_confirms(test_path("nothing"), &(ws_stat){ .size = BYTES }, hash_of(1)));
    ws_content_ahead_end();
}

static void
set_mtime(const char *path, const ws_stat *from)
{
    struct timespec times[2] = { { from->mtime / 1000000000, from->mtime % 1000000000 },
                                 { from->mtime / 1000000000, from->mtime % 1000000000 } };
    CHECK_EQUAL(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST("a file that was changed after it was read is not believed, whatever its size and mtime say")
{
    ws_stat before;

    offer();
    run_ahead();
    CHECK_EQUAL(ws_file_stat(test_path("file30"), &before), 0);
    test_write("file30", "other text", BYTES);
    CHECK(!confirms(30));
    set_mtime(test_path("file30"), &before);
    CHECK(!confirms(30));

    CHECK_EQUAL(ws_file_stat(test_path("file31"), &before), 0);
    test_write("new", "other text", BYTES);
    set_mtime(test_path("new"), &before);
    CHECK_EQUAL(rename(test_path("new"), test_path("file31")), 0);
    CHECK(!confirms(31));

    test_write("file32", "longer than before", 18);
    CHECK(!confirms(32));
    CHECK_EQUAL(chmod(test_path("file33"), 0600), 0);
    CHECK(!confirms(33));
    CHECK(confirms(34));
    ws_content_ahead_end();
}

TEST("each of a file's metadata counts")
{
    ws_stat stat, other;

    offer();
    run_ahead();
    const char *path = test_path("file30");
    CHECK_EQUAL(ws_file_stat_named(path, &stat), 0);
    CHECK(ws_content_ahead_confirms(path, &stat, hash_of(30)));
    CHECK(!ws_content_ahead_confirms(path, &stat, hash_of(31)));
#define WITH(field) (other = stat, other.field++, ws_content_ahead_confirms(path, &other, hash_of(30)))
    CHECK(!WITH(device));
    CHECK(!WITH(inode));
    CHECK(!WITH(size));
    CHECK(!WITH(mtime));
    CHECK(!WITH(ctime));
    CHECK(!WITH(type));
    ws_content_ahead_end();
}

TEST("a file that was changed while it was read is not believed")
{
    offer();
    hold(true);
    begin();
    wait_until_held();
    for (int i = FIRST; i < FIRST + 4; i++) test_write(name_of(i), "other text", BYTES);
    hold(false);
    wait_until_idle();
    uint32_t used = content.used;
    for (int i = FIRST; i < FIRST + 4; i++) CHECK(!confirms(i));
    CHECK_EQUAL(content.used, used);
    ws_content_ahead_end();
}

/* How many files threads read when their clock says that file 100 was changed so long ago. */
static uint32_t
read_after(int64_t age)
{
    ws_stat stat;

    offer();
    uint32_t before = reads();
    CHECK_EQUAL(ws_file_stat_named(test_path("file100"), &stat), 0);
    wall = stat.ctime + age;
    begin();
    wait_until_idle();
    bool read = content.current->jobs[100].done;
    CHECK_EQUAL(confirms(100), read);
    ws_content_ahead_end();
    wait_until_ended();
    wall = 0;
    return read ? reads() - before : 0;
}

TEST("a young file is not read: it may be changed once more without a change of its times")
{
    CHECK_EQUAL(read_after(0), 0);
    CHECK_EQUAL(read_after(-INT64_C(1000000000)), 0);
    CHECK_EQUAL(read_after(INT64_C(20) * 1000000), 0);
    CHECK(read_after(INT64_C(3000) * 1000000) > 0);
}

TEST("a file that needs no comparison is not read, nor one of another size, nor any on another machine")
{
    offer();
    fresh = 20;
    test_write("file30", "longer than before", 18);
    run_ahead();
    CHECK(content.current->jobs[19].done);
    CHECK(!content.current->jobs[20].done);
    CHECK(!content.current->jobs[30].done);
    CHECK(!confirms(20));

    offer();
    remote = true;
    uint32_t before = reads();
    begin();
    wait_until_idle();
    CHECK_EQUAL(reads(), before);
    ws_content_ahead_end();
}

TEST("a portable image's files are read if the second of their mtime differs")
{
    ws_content_list list = { .asked = 0 };
    ws_stat known = { .size = BYTES, .mtime = INT64_C(5000000000), .ctime = 1, .inode = 1, .type = WS_TYPE_REGULAR };
    CHECK(ws_content_ahead_add(&list, "/a", &known, true));
    CHECK(ws_content_ahead_add(&list, "/b", &known, false));
    ws_stat now = { .size = BYTES, .mtime = INT64_C(5999999999), .ctime = 2, .inode = 2, .type = WS_TYPE_REGULAR };
    CHECK(!is_worth_reading(&list.jobs[0], &now));
    CHECK(is_worth_reading(&list.jobs[1], &now));
    now.mtime++;
    CHECK(is_worth_reading(&list.jobs[0], &now));
    now.type = WS_TYPE_OTHER;
    CHECK(!is_worth_reading(&list.jobs[0], &now));
    free(list.jobs);
    ws_string_pool_free(&list.base.names);
}

TEST("what is no file any more: a FIFO is not opened, a folder, a link to another file, nothing")
{
    offer();
    for (int i = 30; i < 35; i++) CHECK_EQUAL(unlink(test_path(name_of(i))), 0);
    CHECK_EQUAL(mkfifo(test_path("file30"), 0600), 0);
    CHECK_EQUAL(mkdir(test_path("file31"), 0700), 0);
    CHECK_EQUAL(symlink("file100", test_path("file32")), 0);
    CHECK_EQUAL(symlink("/dev/zero", test_path("file33")), 0);
    /* Whoever writes into the FIFO must not find a reader. */
    run_ahead();
    CHECK_EQUAL(open(test_path("file30"), O_WRONLY | O_NONBLOCK), -1);
    CHECK_EQUAL(errno, ENXIO);
    for (int i = 30; i < 35; i++) CHECK_EQUAL(content.current->jobs[i].done, i == 32);
    CHECK(!confirms(32));
    ws_stat stat;
    CHECK_EQUAL(ws_file_stat_named(test_path("file32"), &stat), 0);
    CHECK(ws_content_ahead_confirms(test_path("file32"), &stat, hash_of(100)));
    CHECK_EQUAL(unlink(test_path("file32")), 0);
    CHECK_EQUAL(symlink("file101", test_path("file32")), 0);
    CHECK_EQUAL(ws_file_stat_named(test_path("file32"), &stat), 0);
    CHECK(!ws_content_ahead_confirms(test_path("file32"), &stat, hash_of(100)));
    /* and after it was read */
    CHECK(confirms(40));
    CHECK_EQUAL(unlink(test_path("file40")), 0);
    CHECK_EQUAL(mkfifo(test_path("file40"), 0600), 0);
    CHECK(!confirms(40));
    ws_content_ahead_end();
}

/* ---- Nobody notices ---- */

TEST("nobody waits for a thread that is reading, not even at the end")
{
    offer();
    hold(true);
    begin();
    wait_until_held();
    for (int i = 8; i < FILES; i++) CHECK(!confirms(i));
    ws_content_ahead_end();
    CHECK(__atomic_load_n(&holding, __ATOMIC_ACQUIRE) > 0);
    hold(false);
    wait_until_ended();
}

TEST("a thread's descriptors take no numbers from the program, and it holds none of the program's")
{
    int ends[2];
    char byte;

#ifdef __SANITIZE_THREAD__
    test_skip("ThreadSanitizer knows one table of descriptors");
#endif
    offer();
    CHECK_EQUAL(pipe(ends), 0);
    int lowest = dup(0);
    hold(true);
    begin();
    wait_until_held();
    int next = dup(0);
    CHECK_EQUAL(next, lowest + 1);
    close(ends[1]);
    CHECK_EQUAL(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    close(next);
    close(lowest);
    hold(false);
    ws_content_ahead_end();
    wait_until_ended();
}

TEST("in a fork's child nothing is used and nothing begins again")
{
    int status;

    offer();
    run_ahead();
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        bool none = !confirms(FIRST) && !content.current;
        for (int i = 9; i < 40; i++) ws_content_ahead_note_same(test_path(name_of(i)));
        ws_content_ahead_end();
        _exit(none && !content.current && listed == 1 ? 0 : 1);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(confirms(FIRST));
    ws_content_ahead_end();
}

TEST("a child of a fork while a thread holds the lock does not wait for it")
{
    int status;

    offer();
    run_ahead();
    ws_mutex_lock(&content.current->base.lock);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        for (int i = 8; i < 200; i++)
            if (confirms(i)) _exit(1);
        ws_content_ahead_end();
        _exit(0);
    }
    ws_mutex_unlock(&content.current->base.lock);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ws_content_ahead_end();
}
