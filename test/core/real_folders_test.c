/* Which folders are no links: see core/index/real_folders.h. */
#include "test.h"

#include "core/system/file.h"
#include "core/index/real_folders.h"

#include <unistd.h>

static bool
is_real(const char *name)
{
    const char *path = *name ? test_path(name) : test_folder();
    return ws_is_real_folder(path, strlen(path));
}

TEST("folders are real, and no call is made twice for any of them")
{
    test_mkdir("a");
    test_mkdir("a/b");
    test_mkdir("a/c");
    ws_real_folders_forget();
    CHECK(is_real("a/b"));
    uint64_t before = ws_stat_calls;
    CHECK(is_real("a/b"));
    CHECK(is_real("a"));
    CHECK(is_real(""));
    CHECK_EQUAL(ws_stat_calls, before);
    CHECK(is_real("a/c"));
    CHECK_EQUAL(ws_stat_calls, before + 1);
    CHECK(ws_is_real_folder("/", 1));
}

#ifndef _WIN32
static void
rename_test(const char *from, const char *to)
{
    CHECK_EQUAL(rename(test_path(from), test_path(to)), 0);
}

TEST("a link anywhere on the way is found, once for all that lies below it")
{
    test_mkdir("a");
    test_mkdir("a/b");
    test_mkdir("a/b/c");
    CHECK_EQUAL(symlink("b", test_path("a/l")), 0);
    CHECK(!is_real("a/l"));
    CHECK(!is_real("a/l/c"));
    uint64_t before = ws_stat_calls;
    CHECK(!is_real("a/l/c"));
    CHECK(is_real("a"));
    CHECK_EQUAL(ws_stat_calls, before);
}

TEST("what was found out holds until it is forgotten")
{
    test_mkdir("a");
    test_mkdir("a/b");
    CHECK(is_real("a/b"));
    rename_test("a", "z");
    CHECK_EQUAL(symlink("z", test_path("a")), 0);
    CHECK(is_real("a/b"));
    ws_real_folders_forget();
    CHECK(!is_real("a/b"));
    CHECK(is_real("z/b"));
    CHECK_EQUAL(unlink(test_path("a")), 0);
    rename_test("z", "a");
    CHECK(!is_real("a/b"));
    ws_real_folders_forget();
    CHECK(is_real("a/b"));
}

TEST("a file, nothing, and a path that is too long are no folders")
{
    char path[5000];

    test_write("file", "x", 1);
    CHECK(!is_real("file"));
    CHECK(!is_real("file/below"));
    CHECK(!is_real("nothing"));
    CHECK(!ws_is_real_folder("relative", 8));
    memset(path, 'x', sizeof path);
    path[0] = '/';
    CHECK(!ws_is_real_folder(path, sizeof path - 1));
}

TEST("what somebody else has seen counts, for the name itself")
{
    test_mkdir("a");
    test_mkdir("a/b");
    ws_real_folders_forget();
    ws_real_folder_note(test_path("a/b"), strlen(test_path("a/b")), true);
    CHECK(ws_real_folder_is_known(test_path("a/b"), strlen(test_path("a/b"))));
    CHECK(is_real("a"));
    uint64_t before = ws_stat_calls;
    CHECK(is_real("a/b"));
    CHECK_EQUAL(ws_stat_calls, before);
    ws_real_folder_note(test_path("a"), strlen(test_path("a")), false);
    CHECK(!ws_real_folder_is_known(test_path("a"), strlen(test_path("a"))));
}

TEST("a file's call tells whether the name is a link")
{
    ws_stat stat;

    test_write("file", "four", 4);
    CHECK_EQUAL(symlink("file", test_path("link")), 0);
    CHECK_EQUAL(symlink("nothing", test_path("broken")), 0);
    uint64_t before = ws_stat_calls;
    CHECK_EQUAL(ws_file_stat_named(test_path("file"), &stat), 0);
    CHECK_EQUAL(ws_stat_calls, before + 1);
    CHECK(!stat.is_link);
    CHECK_EQUAL(ws_file_stat_named(test_path("link"), &stat), 0);
    CHECK(stat.is_link);
    CHECK_EQUAL(stat.type, WS_TYPE_REGULAR);
    CHECK_EQUAL(stat.size, 4);
    CHECK(ws_file_stat_named(test_path("broken"), &stat) != 0);
}
#endif
