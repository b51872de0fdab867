/* The scanner: see core/index/scanner.h. Every test runs with getdents64 and with readdir. Run also as an unprivileged
 * user, for whom there are folders that cannot be read. */
#include "test.h"

#include <pthread.h>
#include <sys/resource.h>

#include "core/file_system/file_system.h"
#include "core/index/scanner.h"

/* The same listing with readdir, as other systems have it, and a scanner on top of it. */
int readdir_folder_list(ws_folder folder, ws_listing *listing);
ws_code
readdir_scan(const char *root, const ws_scan_options *options, ws_scan_callback callback, void *data, ws_error *error);
bool readdir_scan_covers(const char *name, size_t name_size);
extern const char *const readdir_without_code[];

#define WS_FILE_SYSTEM_READDIR
#define ws_folder_list readdir_folder_list
#define ws_scan readdir_scan
#define ws_scan_covers readdir_scan_covers
#define ws_scan_without_code readdir_without_code
#include "../../ext/warmstart/core/file_system/file_system_readdir.c"
#include "../../ext/warmstart/core/index/scanner.c"
#undef ws_folder_list
#undef ws_scan
#undef ws_scan_covers
#undef ws_scan_without_code

typedef ws_code (*scan_function)(const char *, const ws_scan_options *, ws_scan_callback, void *, ws_error *);

static const scan_function scans[] = { ws_scan, readdir_scan };

/* What a scan reported, one line each: "dir a", "rb a/x.rb", "so a/y.so", "skip tmp", "racy a". */
typedef struct report {
    char lines[400][300];
    size_t count, limit;
    ws_stat root;
} report;

static bool
collect(void *data, ws_scan_kind kind, const char *name, size_t name_size, const ws_stat *stat, bool racy)
{
    report *self = data;
    const char *word = kind == WS_SCAN_RB        ? "rb"
                       : kind == WS_SCAN_LIBRARY ? "so"
                       : !stat                   ? "skip"
                       : racy                    ? "racy"
                                                 : "dir";

    if (strlen(name) != name_size || self->count >= 400 || (kind != WS_SCAN_DIRECTORY && (stat || racy))) abort();
    if (name_size == 0 && stat) self->root = *stat;
    snprintf(self->lines[self->count++], sizeof(self->lines[0]), "%s %s", word, name);
    return self->count != self->limit;
}

static int
compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

static report *
scan_with(scan_function scan, const ws_scan_options *options, ws_code expected)
{
    static report result;
    ws_error error;

    memset(&result, 0, sizeof(result));
    CHECK_EQUAL(scan(test_folder(), options, collect, &result, &error), expected);
    return &result;
}

/* The whole report, sorted, as one string. */
static const char *
sorted(report *result)
{
    static char text[400 * 300];

    text[0] = '\0';
    qsort(result->lines, result->count, sizeof(result->lines[0]), compare_lines);
    for (size_t index = 0; index < result->count; index++) {
        strcat(text, result->lines[index]);
        strcat(text, "\n");
    }
    return text;
}

static const ws_scan_options plain_options = { .dlext = "so" };

#define CHECK_SCAN(options, expected)                                                \
    do {                                                                             \
        for (int which = 0; which < 2; which++)                                      \
            CHECK_STRING(sorted(scan_with(scans[which], options, WS_OK)), expected); \
    } while (0)

static void
test_symlink(const char *target, const char *name)
{
    if (symlink(target, test_path(name)) != 0) test_fail(__FILE__, __LINE__, "cannot link %s", name);
}

static void
touch(const char *name)
{
    test_write(name, "", 0);
}

TEST("an empty folder is its root alone")
{
    CHECK_SCAN(&plain_options, "dir \n");
}

TEST("folders and requirable files are reported, other files are not")
{
    test_mkdir("a");
    test_mkdir("a/b");
    test_mkdir("empty");
    touch("x.rb");
    touch("README");
    touch("rb");
    touch("x.rbs");
    touch("a/y.so");
    touch("a/y.bundle");
    touch("a/y.o");
    touch("a/b/z.RB");
    touch("a/b/\xC3\xA9 z.rb");
    CHECK_SCAN(&plain_options, "dir \ndir a\ndir a/b\ndir empty\nrb a/b/\xC3\xA9 z.rb\nrb x.rb\nso a/y.so\n");
}

TEST("the library extension is the caller's")
{
    ws_scan_options options = { .dlext = "bundle" };

    touch("y.so");
    touch("y.bundle");
    touch("bundle");
    CHECK_SCAN(&options, "dir \nso y.bundle\n");
}

TEST("names that begin with a dot are neither entered nor reported")
{
    test_mkdir(".git");
    test_mkdir(".hidden");
    touch(".hidden/x.rb");
    touch(".rb");
    touch(".x.rb");
    touch("..rb");
    touch("x..rb");
    CHECK_SCAN(&plain_options, "dir \nrb x..rb\n");
}

TEST("a scan covers no name with a component that begins with a dot")
{
    CHECK(ws_scan_covers("a/b.rb", 6));
    CHECK(ws_scan_covers("", 0));
    CHECK(ws_scan_covers("a./b", 4));
    CHECK(!ws_scan_covers(".a", 2));
    CHECK(!ws_scan_covers("a/.b/c", 6));
    CHECK(!ws_scan_covers("a/..", 4));
    CHECK(ws_scan_covers("a/.b", 2));
}

TEST("a folder comes before what is in it, a folder's files before its folders")
{
    test_mkdir("a");
    test_mkdir("a/b");
    touch("a/b/z.rb");
    touch("a/y.rb");
    for (int which = 0; which < 2; which++) {
        report *result = scan_with(scans[which], &plain_options, WS_OK);
        CHECK_SIZE(result->count, 5);
        CHECK_STRING(result->lines[0], "dir ");
        CHECK_STRING(result->lines[1], "dir a");
        CHECK_STRING(result->lines[2], "rb a/y.rb");
        CHECK_STRING(result->lines[3], "dir a/b");
        CHECK_STRING(result->lines[4], "rb a/b/z.rb");
    }
}

TEST("a folder's metadata are those of stat")
{
    ws_stat stat;

    touch("x.rb");
    CHECK_EQUAL(ws_file_stat(test_folder(), &stat), 0);
    for (int which = 0; which < 2; which++) {
        report *result = scan_with(scans[which], &plain_options, WS_OK);
        CHECK(result->root.inode == stat.inode && result->root.device == stat.device);
        CHECK(result->root.mtime == stat.mtime && result->root.ctime == stat.ctime);
    }
}

TEST("ignored folders are said to exist and never entered")
{
    static const char *const none[] = { NULL }, *const own[] = { "vendor", NULL };
    ws_scan_options everything = { .dlext = "so", .ignored = none }, options = { .dlext = "so", .ignored = own };

    test_mkdir("node_modules");
    test_mkdir("lib");
    test_mkdir("lib/vendor");
    touch("node_modules/x.rb");
    touch("lib/vendor/y.rb");
    CHECK_SCAN(&plain_options, "dir \ndir lib\ndir lib/vendor\nrb lib/vendor/y.rb\nskip node_modules\n");
    CHECK_SCAN(&options, "dir \ndir lib\ndir node_modules\nrb node_modules/x.rb\nskip lib/vendor\n");
    CHECK_SCAN(&everything,
               "dir \ndir lib\ndir lib/vendor\ndir node_modules\nrb lib/vendor/y.rb\nrb node_modules/x.rb\n");
}

TEST("links to files and folders are followed, and may lead to the other kind tomorrow")
{
    test_mkdir("real");
    touch("real/x.rb");
    touch("plain");
    test_symlink("real", "link");
    test_symlink("real/x.rb", "y.rb");
    test_symlink("plain", "z.rb");
    test_symlink("plain", "nothing_to_require");
    test_symlink("real", "folder.rb");
    CHECK_SCAN(
        &plain_options,
        "dir \ndir folder.rb\ndir link\ndir real\nrb folder.rb\nrb folder.rb/x.rb\nrb link/x.rb\nrb real/x.rb\nrb y.rb\nrb z.rb\n"
        "skip nothing_to_require\nskip y.rb\nskip z.rb\n");
}

TEST("links that lead nowhere are reported, for their target may come")
{
    test_symlink("nowhere", "x.rb");
    test_symlink("nowhere", "y.so");
    test_symlink("nowhere", "folder");
    test_symlink("self", "self");
    CHECK_SCAN(&plain_options, "dir \nrb x.rb\nskip folder\nskip self\nskip x.rb\nskip y.so\nso y.so\n");
}

TEST("a folder whose name ends like a file is a folder")
{
    test_mkdir("x.rb");
    touch("x.rb/y.rb");
    CHECK_SCAN(&plain_options, "dir \ndir x.rb\nrb x.rb/y.rb\n");
}

TEST("what Ruby would open is reported, though it is no regular file")
{
    CHECK_EQUAL(mkfifo(test_path("fifo.rb"), 0600), 0);
    CHECK_EQUAL(mkfifo(test_path("fifo"), 0600), 0);
    test_symlink("/dev/null", "null.rb");
    test_symlink("fifo.rb", "link.rb");
    CHECK_SCAN(&plain_options, "dir \nrb fifo.rb\nrb link.rb\nrb null.rb\nskip link.rb\nskip null.rb\n");
}

TEST("a link back to an ancestor is said to exist and not entered")
{
    test_mkdir("a");
    test_mkdir("a/b");
    touch("a/x.rb");
    test_symlink("..", "a/up");
    test_symlink("../..", "a/b/root");
    test_symlink(".", "a/b/here");
    CHECK_SCAN(&plain_options, "dir \ndir a\ndir a/b\nrb a/x.rb\nskip a/b/here\nskip a/b/root\nskip a/up\n");
}

TEST("a link to a folder beside is entered, even when both link to each other")
{
    test_mkdir("a");
    test_mkdir("b");
    test_symlink("../b", "a/to_b");
    test_symlink("../a", "b/to_a");
    CHECK_SCAN(&plain_options, "dir \ndir a\ndir a/to_b\ndir b\ndir b/to_a\nskip a/to_b/to_a\nskip b/to_a/to_b\n");
}

TEST("a scan enters 32 folders into the depth, and says of those below that they exist")
{
    char name[200] = "d";

    for (int depth = 1; depth <= 34; depth++) {
        test_mkdir(name);
        strcat(name, "/d");
    }
    for (int which = 0; which < 2; which++) {
        report *result = scan_with(scans[which], &plain_options, WS_OK);
        CHECK_SIZE(result->count, 34);
        CHECK(strncmp(result->lines[32], "dir ", 4) == 0);
        CHECK(strncmp(result->lines[33], "skip ", 5) == 0);
    }
}

static bool
count_only(void *data, ws_scan_kind kind, const char *name, size_t name_size, const ws_stat *stat, bool racy)
{
    (void)kind, (void)name, (void)name_size, (void)stat, (void)racy;
    ++*(size_t *)data;
    return true;
}

static void
check_full_scans(ws_code expected)
{
    for (int which = 0; which < 2; which++) {
        size_t count = 0;
        CHECK_EQUAL(scans[which](test_folder(), &plain_options, count_only, &count, NULL), expected);
        CHECK_SIZE(count, WS_SCAN_DIRECTORIES_MAXIMUM);
    }
}

TEST("too many folders end the scan")
{
    char name[32];
    for (int i = 1; i < WS_SCAN_DIRECTORIES_MAXIMUM; i++) {
        snprintf(name, sizeof name, "%d", i);
        test_mkdir(name);
    }
    check_full_scans(WS_OK);
    test_mkdir("one more");
    check_full_scans(WS_FULL);
}

TEST("the callback can stop the scan anywhere, and no descriptor stays open")
{
    int before = test_descriptor_count();

    test_mkdir("a");
    test_mkdir("a/b");
    touch("a/x.rb");
    touch("a/b/y.rb");
    for (size_t limit = 1; limit <= 5; limit++) {
        for (int which = 0; which < 2; which++) {
            report result = { .limit = limit };
            ws_error error;
            CHECK_EQUAL(scans[which](test_folder(), &plain_options, collect, &result, &error), WS_OK);
            CHECK_SIZE(result.count, limit);
        }
    }
    CHECK_EQUAL(test_descriptor_count(), before);
}

TEST("a root that cannot be scanned is an error and reports nothing")
{
    report result = { .count = 0 };
    ws_error error;

    touch("file");
    test_symlink("nowhere", "link");
    for (int which = 0; which < 2; which++) {
        CHECK_EQUAL(scans[which](test_path("nothing"), &plain_options, collect, &result, &error), WS_MISSING);
        CHECK_STRING(error.path, test_path("nothing"));
        CHECK_EQUAL(scans[which](test_path("link"), &plain_options, collect, &result, &error), WS_MISSING);
        CHECK_EQUAL(scans[which](test_path("file"), &plain_options, collect, &result, &error), WS_NOT_REGULAR);
    }
    CHECK_SIZE(result.count, 0);
}

TEST("a root that is a link is followed")
{
    report result = { .count = 0 };
    ws_error error;

    test_mkdir("real");
    touch("real/x.rb");
    test_symlink("real", "link");
    CHECK_EQUAL(ws_scan(test_path("link"), &plain_options, collect, &result, &error), WS_OK);
    CHECK_STRING(sorted(&result), "dir \nrb x.rb\n");
}

TEST("a folder that cannot be read is said to exist")
{
    if (geteuid() == 0) SKIP("root may read everything");
    test_mkdir("closed");
    test_mkdir("open");
    test_mkdir("only_listed");
    test_mkdir("only_listed/inner");
    touch("only_listed/x.rb");
    touch("only_listed/inner/y.rb");
    test_symlink("inner", "only_listed/link");
    CHECK_EQUAL(chmod(test_path("closed"), 0), 0);
    CHECK_EQUAL(chmod(test_path("only_listed"), 0400), 0);
    CHECK_SCAN(
        &plain_options,
        "dir \ndir only_listed\ndir open\nrb only_listed/x.rb\nskip closed\nskip only_listed/inner\nskip only_listed/link\n");
}

TEST("a root that cannot be read is a system error")
{
    report result = { .count = 0 };
    ws_error error;

    if (geteuid() == 0) SKIP("root may read everything");
    test_mkdir("closed");
    CHECK_EQUAL(chmod(test_path("closed"), 0), 0);
    CHECK_EQUAL(ws_scan(test_path("closed"), &plain_options, collect, &result, &error), WS_SYSTEM);
    CHECK_EQUAL(error.error_number, EACCES);
    CHECK_SIZE(result.count, 0);
}

TEST("running out of descriptors is an error, not an unreadable folder")
{
    struct rlimit before, low;
    report result = { .count = 0 };
    ws_error error;
    ws_code code;

    test_mkdir("a");
    test_mkdir("a/b");
    test_mkdir("a/b/c");
    int next = open(test_folder(), O_RDONLY | O_CLOEXEC);
    close(next);
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = before;
    low.rlim_cur = (rlim_t)next + 2;
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &low), 0);
    code = ws_scan(test_folder(), &plain_options, collect, &result, &error);
    setrlimit(RLIMIT_NOFILE, &before);
    CHECK_EQUAL(code, WS_SYSTEM);
    CHECK_EQUAL(error.error_number, EMFILE);
}

TEST("a folder that changed meanwhile is told by its times or its size")
{
    ws_stat before = { .mtime = 1, .ctime = 2, .size = 3 }, after = before;

    CHECK(!ws_scan_changed(&before, &after));
    after.mtime++;
    CHECK(ws_scan_changed(&before, &after));
    after = before;
    after.ctime++;
    CHECK(ws_scan_changed(&before, &after));
    after = before;
    after.size++;
    CHECK(ws_scan_changed(&before, &after));
}

/* Makes and removes a file all the time. The many links slow the listing down, so that it meets a change soon. */
static char busy_name[600];

static void *
keep_changing(void *flag)
{
    while (!__atomic_load_n((bool *)flag, __ATOMIC_RELAXED)) {
        int descriptor = open(busy_name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        if (descriptor >= 0) close(descriptor);
        unlink(busy_name);
    }
    return NULL;
}

static bool
saw_racy(void)
{
    report *result = scan_with(ws_scan, &plain_options, WS_OK);

    for (size_t index = 0; index < result->count; index++) {
        if (strcmp(result->lines[index], "racy ") == 0) return true;
    }
    return false;
}

TEST("a folder that somebody keeps changing is reported as racy sooner or later")
{
    pthread_t thread;
    bool stop = false, seen = false;

    for (int index = 0; index < 100; index++) {
        char name[20];
        snprintf(name, sizeof(name), "link%d.rb", index);
        test_symlink("nowhere", name);
    }
    snprintf(busy_name, sizeof(busy_name), "%s/busy", test_folder());
    CHECK_EQUAL(pthread_create(&thread, NULL, keep_changing, &stop), 0);
    for (int round = 0; round < 500 && !seen; round++) seen = saw_racy();
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    CHECK(seen);
}

TEST("a folder with thousands of files costs no metadata call for any of them")
{
    char name[100];
    ws_error error;

    for (int index = 0; index < 3000; index++) {
        snprintf(name, sizeof(name), "a_name_that_is_long_enough_to_fill_several_blocks_%d.rb", index);
        touch(name);
    }
    for (int which = 0; which < 2; which++) {
        size_t count = 0;
        uint64_t before = ws_stat_calls;
        CHECK_EQUAL(scans[which](test_folder(), &plain_options, count_only, &count, &error), WS_OK);
        CHECK_SIZE(count, 3001);
        CHECK_EQUAL(ws_stat_calls - before, 2);
    }
}

TEST("names as long as the file system allows are reported whole")
{
    char name[256], path[800] = "", expected[900];

    memset(name, 'n', 255);
    name[255] = '\0';
    test_mkdir(name);
    snprintf(path, sizeof(path), "%s/%.252s.rb", name, name);
    touch(path);
    snprintf(expected, sizeof(expected), "rb %s", path);
    for (int which = 0; which < 2; which++) {
        report *result = scan_with(scans[which], &plain_options, WS_OK);
        CHECK_SIZE(result->count, 3);
        CHECK(strncmp(result->lines[2], expected, 299) == 0);
    }
}
