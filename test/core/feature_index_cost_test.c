/* What a look-up in the load-path index costs: what is asked of the file system once, each time, or never; and what the
 * index says of itself (counters, lacks). */
#include "test.h"

#include "feature_index_setup.h"
#include "core/system/file.h"

/* With so many entries, which hold nothing, a load path is long enough to be watched. */
static const char *
with_many(const char *names)
{
    static char text[2000];
    size_t size = (size_t)snprintf(text, sizeof text, "%s", names);
    for (unsigned i = 0; i <= WS_SHORT_LOAD_PATH; i++) {
        char name[20];
        snprintf(name, sizeof name, "many/%u", i);
        make_folders(test_path(name));
        size += (size_t)snprintf(text + size, sizeof text - size, " %s", name);
    }
    return text;
}

TEST("a short load path: the folders before the answer are looked at each time")
{
    make_file("one/a/y.rb");
    make_file("two/a/x.rb");
    open_index("one two");
    load_path("one two");
    FINDS("a/x", "two/a/x.rb");
#ifdef __linux__
    CHECK_EQUAL(counters()->folder_calls, 3); /* one/a, two/a, and one/a once more; the roots came with their entries */
    FINDS("a/x", "two/a/x.rb");
    CHECK_EQUAL(counters()->folder_calls, 4);
    FINDS("a/y", "one/a/y.rb");
    CHECK_EQUAL(counters()->folder_calls, 4); /* there is none before */
#endif
    close_index();
}

TEST("what was validated once is not asked again, whatever becomes of the load path")
{
    make_file("one/a/y.rb");
    make_file("two/a/x.rb");
    make_file("three/z.rb");
    with_many("");
    ws_watch_begin();
    open_index(with_many("one two three"));
    load_path(with_many("one two"));
    FINDS("a/x", "two/a/x.rb");
    CHECK_EQUAL(counters()->folder_calls, 2); /* one/a, two/a; the roots were seen with their entries */
    uint64_t before = ws_stat_calls;
    for (unsigned i = 0; i < 100; i++) {
        CHECK(ws_feature_index_notice(current->index));
        load_path(with_many(i % 2 ? "two one" : "one two"));
        FINDS("a/x", "two/a/x.rb");
        FINDS("a/y", "one/a/y.rb");
    }
    CHECK_EQUAL(ws_stat_calls, before);
    load_path(with_many("three two one"));
    FINDS("a/x", "two/a/x.rb");
    CHECK_EQUAL(ws_stat_calls, before + 1); /* three, which shares the path in front */
    CHECK(!ws_feature_index_outdated(current->index));
    bool watching = ws_watch_is_possible();
    ws_watch_end();
    CHECK_EQUAL(ws_feature_index_notice(current->index), !watching);
    CHECK(ws_feature_index_notice(current->index));
    close_index();
}

TEST("an entry that is not in the index makes it outdated, if it is a folder")
{
    make_file("one/x.rb");
    make_folders(test_path("two"));
    open_index("one");
    load_path("one missing");
    CHECK(!ws_feature_index_outdated(current->index));
    load_path("one two");
    CHECK(ws_feature_index_outdated(current->index));
    load_path("one");
    CHECK(!ws_feature_index_outdated(current->index));
    close_index();
}

TEST("a stable folder that does not exist is looked at once, not for each name")
{
    for (int portable = 0; portable < 2; portable++) {
        make_file("two/x.rb");
        make_file("two/y.rb");
        with_many("");
        ws_watch_begin();
        open_with(with_many("missing two"), false, portable);
        load_path(with_many("missing two"));
        CHECK_EQUAL(counters()->entry_calls > 0, 1);
        uint64_t before = counters()->entry_calls;
        FINDS("x", "two/x.rb");
        FINDS("y", "two/y.rb");
        load_path(with_many("two missing"));
        load_path(with_many("missing two"));
        FINDS("x", "two/x.rb");
#ifdef __linux__
        CHECK_EQUAL(counters()->ask_calls, 0);
#endif
        CHECK_EQUAL(counters()->entry_calls, before);
        CHECK(!ws_feature_index_outdated(current->index));
        ws_watch_end();
        ws_feature_index_notice(current->index);
        close_index();
    }
}

#ifdef __linux__
/* Somebody has the folder open, so the kernel does not yet tell that it has gone; the parent's watch does. */
static void
remove_while_open(const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s", test_path(name));
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(descriptor >= 0); /* (stays open until the test's process ends) */
    unlink(test_path("own/lib/y.rb"));
    rmdir(test_path("own/lib"));
    rmdir(test_path(name));
}
#endif

TEST("an application's own folder is believed while it is watched, and not when it is another one")
{
#ifdef __linux__
    for (int change = 0; change < 4; change++) {
        char away[2048];
        make_file("own/lib/y.rb");
        make_file("two/x.rb");
        with_many("");
        ws_watch_begin();
        open_index(with_many("!own/lib two"));
        load_path(with_many("own/lib two"));
        FINDS("x", "two/x.rb");
        CHECK_EQUAL(counters()->ask_calls, 0);
        snprintf(away, sizeof away, "%s", test_path("away"));
        if (change == 0) remove_while_open("own/lib");
        if (change == 1) remove_while_open("own");
        if (change == 2) CHECK_EQUAL(rename(test_path("own"), away), 0);
        make_file("own/lib/x.rb");
        CHECK_EQUAL(ws_feature_index_notice(current->index), change == 3);
        if (change < 3) ws_feature_index_forget(current->index);
        load_path(with_many("own/lib two"));
        LEFT_TO_RUBY("x", "unknown_entry");
        ws_watch_end();
        ws_feature_index_notice(current->index);
        close_index();
        test_remove_tree(test_path("own"));
        test_remove_tree(away);
    }
#else
    SKIP("folders are watched on Linux only");
#endif
}

TEST("a missing folder that is made later is seen at once")
{
#ifdef __linux__
    for (int many = 0; many < 2; many++) {
        make_file("two/x.rb");
        with_many("");
        ws_watch_begin();
        open_index(with_many("missing/lib two"));
        const char *names = many ? with_many("missing/lib two") : "missing/lib two";
        load_path(names);
        FINDS("x", "two/x.rb");
        make_file("missing/lib/x.rb");
        CHECK_EQUAL(ws_feature_index_notice(current->index), !many);
        if (many) ws_feature_index_forget(current->index);
        load_path(names);
        LEFT_TO_RUBY("x", "unknown_entry");
        ws_watch_end();
        ws_feature_index_notice(current->index);
        close_index();
        test_remove_tree(test_path("missing"));
    }
#else
    SKIP("folders are watched on Linux only");
#endif
}

TEST("a stable folder that exists by now is asked, and makes the index outdated")
{
    make_file("two/x.rb");
    open_index("missing two");
    make_file("missing/x.rb");
    load_path("missing two");
    LEFT_TO_RUBY("x", "unknown_entry");
    CHECK(ws_feature_index_outdated(current->index));
    reopen(true);
    load_path("missing two");
    FINDS("x", "two/x.rb");
    close_index();
}

TEST("a missing folder that is made later is seen after a pause")
{
    make_file("two/x.rb");
    open_index("missing two");
    load_path("missing two");
    FINDS("x", "two/x.rb");
    make_file("missing/x.rb");
    ws_feature_index_forget(current->index);
    load_path("missing two");
    LEFT_TO_RUBY("x", "unknown_entry");
    close_index();
}

TEST("a missing folder that is not stable, or whose name goes up, is asked for each name")
{
    make_file("two/x.rb");
    open_index("!missing nowhere/../gone two");
    load_path("missing two");
    FINDS("x", "two/x.rb");
    FINDS("x", "two/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 2);
    load_path("nowhere/../gone two");
    FINDS("x", "two/x.rb");
    CHECK(counters()->ask_calls > 2);
    close_index();
}

TEST("a lack of a .rb is claimed where everything is known or was asked")
{
    make_file("one/x.rb");
    make_file("one/y.so");
    make_file("one/.h.rb");
    open_index("one");
#define LACKS(name) ws_feature_index_lacks_rb(current->index, name, strlen(name))
    CHECK(!LACKS("y"));
    load_path("one");
    CHECK(LACKS("y"));
    CHECK(LACKS("z"));
    CHECK(!LACKS("x"));
    CHECK(!LACKS(".h"));
    CHECK(!LACKS("./z"));
    CHECK(!LACKS("z.rb"));
    CHECK(LACKS("a/z")); /* (there is no folder a) */
    make_file("two/y.rb");
    load_path("one two");
    CHECK(!LACKS("y"));
    CHECK(LACKS("z"));
    load_path("one ~");
    CHECK(!LACKS("z"));
    make_file("one/z.rb");
    reopen(false);
    load_path("one");
    CHECK(!LACKS("z"));
    close_index();
}

TEST("a lack of any file is claimed where everything is known or was asked")
{
    make_file("one/x.rb");
    make_file("one/y.so");
    make_file("one/a/b/c.rb");
    make_file("one/log/hidden.rb");
    remember_missing("z a/b/d a/c a/x/y/z b/c log/hidden a/d b/e b/d x");
    open_index("one");
    load_path("one");
#define LACKS_ALL(name) ws_feature_index_lacks(current->index, name, strlen(name))
    CHECK(!LACKS_ALL("x"));
    CHECK(!LACKS_ALL("y"));
    CHECK(LACKS_ALL("z"));
    CHECK(!LACKS_ALL("a/b/c"));
    CHECK(LACKS_ALL("a/b/d"));
    CHECK(LACKS_ALL("a/c"));
    CHECK(LACKS_ALL("a/x/y/z"));
    CHECK(LACKS_ALL("b/c"));
    CHECK(!LACKS_ALL("log/hidden"));
    make_file("one/a/b/d.rb"); /* (found out at once, though the folder was looked at before) */
    CHECK(!LACKS_ALL("a/b/d"));
    CHECK(LACKS_ALL("a/d"));
    make_file("one/z.so");
    CHECK(!LACKS_ALL("z"));
    reopen(false);
    make_file("two/b/c.so");
    load_path("one two");
    CHECK(!LACKS_ALL("b/c"));
    CHECK(LACKS_ALL("b/e"));
    load_path("one ~");
    CHECK(!LACKS_ALL("b/d"));
    close_index();
}

/* Ruby loads some names without a file: extensions that are linked into it. */
TEST("a lack of any file is claimed for names only for which Ruby's own search found nothing")
{
    make_file("one/a/x.rb");
    remember_missing("known a/known none/of/these z.so z.rb ./z /z");
    open_index("one");
    load_path("one");
    CHECK(LACKS_ALL("known") && LACKS_ALL("a/known") && LACKS_ALL("none/of/these"));
    CHECK(!LACKS_ALL("unknown") && !LACKS_ALL("a/unknown") && !LACKS_ALL("none/of") && !LACKS_ALL("known/x"));
    CHECK(!LACKS_ALL("z.so") && !LACKS_ALL("z.rb") && !LACKS_ALL("z") && !LACKS_ALL("./z") && !LACKS_ALL("/z"));
    CHECK(ws_feature_index_knows_missing(current->index, "a/known", 7) &&
          !ws_feature_index_knows_missing(current->index, "a/x", 3));
    make_file(
        "one/none/of/these.rb"); /* (its folder is made anew; the deepest one that was there is the entry's own) */
    CHECK(!LACKS_ALL("none/of/these") && LACKS_ALL("a/known"));
    reopen(true); /* a sealed image is believed, in what it has recorded */
    load_path("one");
    CHECK(LACKS_ALL("known") && !LACKS_ALL("unknown"));
    close_index();
}
