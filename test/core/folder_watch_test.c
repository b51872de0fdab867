/* What the kernel tells of a watched folder: see core/validation/folder_watch.h. What follows from it for names:
 * feature_index_cost_test.c and, beside a slow reference, feature_index_oracle_test.c. */
#include "test.h"

#include "core/validation/folder_watch.h"

#ifdef __linux__
#include <sys/stat.h>

static char paths[8][2048];

/* A path in the test's folder that stays as it is (test_path has one buffer). */
static const char *
at(const char *name)
{
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s%s%s", test_folder(), *name ? "/" : "", name);
    return path;
}

static void
make_folder(const char *name)
{
    CHECK_EQUAL(mkdir(at(name), 0755), 0);
}

static void
make_file(const char *name)
{
    int descriptor = open(at(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    CHECK(descriptor >= 0);
    close(descriptor);
}

/* Watches folder/lib, in which there is a file. */
static int
begin(void)
{
    bool changed = true;
    make_folder("folder");
    make_folder("folder/lib");
    make_file("folder/lib/old.rb");
    ws_watch_begin();
    int number = ws_watch_folder(at("folder/lib"), &changed);
    CHECK(number != WS_NOT_WATCHED && !changed);
    return number;
}

static ws_watch_news
news(void)
{
    int number;
    return ws_watch_next(&number);
}

static void
end(void)
{
    ws_watch_end();
    news();
}

/* Everything of a folder and of what is in it that is no name. */
static void
change_rights_and_times(const char *folder, const char *file)
{
    struct timespec long_ago[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    CHECK_EQUAL(chmod(at(file), 0600), 0);
    CHECK_EQUAL(utimensat(AT_FDCWD, at(file), long_ago, 0), 0);
    CHECK_EQUAL(chmod(at(folder), 0), 0);
    CHECK_EQUAL(chmod(at(folder), 0755), 0);
    CHECK_EQUAL(utimensat(AT_FDCWD, at(folder), long_ago, 0), 0);
}
#endif

TEST("a name that appears is told, and one that goes changes nothing")
{
#ifdef __linux__
    int watched = begin(), number = WS_NOT_WATCHED;
    bool changed;
    CHECK_EQUAL(news(), WS_WATCH_QUIET);
    unlink(at("folder/lib/old.rb"));
    CHECK_EQUAL(news(), WS_WATCH_QUIET);
    make_file("folder/lib/new.rb");
    CHECK_EQUAL(ws_watch_next(&number), WS_WATCH_CHANGED);
    CHECK_EQUAL(number, watched);
    CHECK_EQUAL(news(), WS_WATCH_QUIET);
    CHECK_EQUAL(ws_watch_folder(at("folder/lib"), &changed), watched);
    CHECK(changed);
    make_file("moved.rb");
    CHECK_EQUAL(rename(at("moved.rb"), at("folder/lib/moved.rb")), 0);
    CHECK_EQUAL(news(), WS_WATCH_CHANGED);
    end();
#else
    SKIP("folders are watched on Linux only");
#endif
}

/* Each event costs a look, and a watch on these costs the kernel a walk through all children. */
TEST("rights and times, the folder's own and those in it, are not told: they make no name appear")
{
#ifdef __linux__
    for (int place = 0; place < 2; place++) {
        begin();
        if (place) CHECK(ws_watch_place(at("folder/lib"), strlen(at("folder/lib"))));
        change_rights_and_times("folder/lib", "folder/lib/old.rb");
        change_rights_and_times("folder", "folder/lib/old.rb");
        CHECK_EQUAL(news(), WS_WATCH_QUIET);
        make_file("folder/lib/new.rb"); /* (and the watch goes on) */
        CHECK_EQUAL(news(), WS_WATCH_CHANGED);
        end();
        test_remove_tree(at("folder"));
    }
#else
    SKIP("folders are watched on Linux only");
#endif
}

TEST("a folder that is renamed or removed is told, and so is one above it if its place is watched")
{
#ifdef __linux__
    for (int change = 0; change < 6; change++) {
        begin();
        bool place = change >= 2;
        /* While somebody has it open, only its parent tells at once that it has been removed. */
        int open_folder = change == 3 || change == 5 ? open(at(change == 3 ? "folder/lib" : "folder"), O_RDONLY) : -1;
        if (place) CHECK(ws_watch_place(at("folder/lib"), strlen(at("folder/lib"))));
        CHECK_EQUAL(news(), WS_WATCH_QUIET);
        if (change == 0 || change == 2) CHECK_EQUAL(rename(at("folder/lib"), at("away")), 0);
        if (change == 1 || change == 3) test_remove_tree(at("folder/lib"));
        if (change == 4) CHECK_EQUAL(rename(at("folder"), at("away")), 0);
        if (change == 5) test_remove_tree(at("folder"));
        CHECK_EQUAL(news(), WS_WATCH_LOST);
        end();
        if (open_folder >= 0) close(open_folder);
        test_remove_tree(at("folder"));
        test_remove_tree(at("away"));
    }
#else
    SKIP("folders are watched on Linux only");
#endif
}
