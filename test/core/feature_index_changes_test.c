/* The load-path index when folders change after it was made: new, moved and replaced ones, links, portable and sealed
 * images. */
#include "test.h"

#include "feature_index_setup.h"
#include "core/system/file.h"

TEST("a new file in front of the one that is known is seen")
{
    make_file("one/a/y.rb");
    make_file("two/a/x.rb");
    open_index("one two");
    make_file("one/a/x.rb");
    load_path("one two");
    LEFT_TO_RUBY("a/x", "unknown_entry");
    FINDS("a/y", "one/a/y.rb");
    CHECK(ws_feature_index_outdated(current->index));
    close_index();
}

TEST("a new folder is seen by its parent's time")
{
    make_file("one/a/y.rb");
    make_file("two/a/b/x.rb");
    open_index("one two");
    make_file("one/a/b/x.rb");
    load_path("one two");
    LEFT_TO_RUBY("a/b/x", "unknown_entry");
    close_index();
}

TEST("a changed folder makes nothing else unknown")
{
    make_file("one/a/y.rb");
    make_file("one/b/y.rb");
    make_file("two/a/x.rb");
    make_file("two/b/x.rb");
    open_index("one two");
    make_file("one/a/z.rb");
    load_path("one two");
    FINDS("b/x", "two/b/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 0);
    FINDS("a/x", "two/a/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 1);
    close_index();
}

/* Lists of unknown entries are shared between a folder and its children until they differ. */
TEST("sibling folders have lists of their own")
{
    for (unsigned entry = 0; entry < 4; entry++) {
        for (unsigned folder = 0; folder < 4; folder++) {
            char name[64];
            snprintf(name, sizeof(name), "e%u/d%u/y.rb", entry, folder);
            make_file(name);
            snprintf(name, sizeof(name), "last/d%u/x.rb", folder);
            make_file(name);
        }
    }
    open_index("e0 e1 e2 e3 last");
    make_file("e0/new.rb");
    make_file("e1/d1/new.rb");
    make_file("e2/d2/new.rb");
    make_file("e3/d2/x.rb");
    make_file("e3/d3/x.rb");
    load_path("e0 e1 e2 e3 last");
    FINDS("d0/x", "last/d0/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 1); /* e0 */
    FINDS("d1/x", "last/d1/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 3); /* e0, e1 */
    LEFT_TO_RUBY("d2/x", "unknown_entry");
    CHECK_EQUAL(counters()->ask_calls, 6); /* e0, e2, e3 */
    LEFT_TO_RUBY("d3/x", "unknown_entry");
    CHECK_EQUAL(counters()->ask_calls, 8); /* e0, e3 */
    FINDS("d1/x", "last/d1/x.rb");
    FINDS("d0/x", "last/d0/x.rb");
    close_index();
}

TEST("many changed entries are Ruby's to search")
{
    char names[4000] = "", name[64];

    for (unsigned i = 0; i <= WS_FEATURE_ASK_MAXIMUM; i++) {
        snprintf(name, sizeof(name), "e%u ", i);
        strcat(names, name);
        snprintf(name, sizeof(name), "e%u/a/y.rb", i);
        make_file(name);
    }
    make_file("last/x.rb");
    make_file("last/a/x.rb");
    strcat(names, "last");
    open_index(names);
    for (unsigned i = 0; i <= WS_FEATURE_ASK_MAXIMUM; i++) {
        snprintf(name, sizeof(name), "e%u/a/new.rb", i);
        make_file(name);
    }
    load_path(names);
    LEFT_TO_RUBY("a/x", "many_unknown_entries");
    LEFT_TO_RUBY("a/y", "many_unknown_entries");
    FINDS("x", "last/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 0);
    close_index();
}

TEST("a link that was pointed elsewhere is another entry")
{
    make_file("one/x.rb");
    make_file("two/x.rb");
    CHECK_EQUAL(symlink("one", test_path("current")), 0);
    open_index("current one");
    load_path("current");
    FINDS("x", "one/x.rb");
    unlink(test_path("current"));
    CHECK_EQUAL(symlink("two", test_path("current")), 0);
    reopen(false);
    load_path("current one");
    LEFT_TO_RUBY("x", "opaque_entry"); /* Ruby may have expanded it before or after */
    load_path("one current");
    FINDS("x", "one/x.rb");
    CHECK(ws_feature_index_outdated(current->index));
    close_index();
}

TEST("a link that has become a folder is seen with the next load path, as Ruby expands it again then")
{
    make_file("one/x.rb");
    make_file("two/x.rb");
    CHECK_EQUAL(symlink("one", test_path("current")), 0);
    open_index("current two");
    load_path("current two");
    FINDS("x", "one/x.rb");
    unlink(test_path("current"));
    make_file("current/none.rb");
    FINDS("x", "one/x.rb");
    load_path("current two");
    LEFT_TO_RUBY("x", "opaque_entry");
    close_index();
}

TEST("a link that has become a folder is not asked: Ruby may still use what it led to")
{
    make_file("one/x.rb");
    make_file("two/x.rb");
    CHECK_EQUAL(symlink("one", test_path("current")), 0);
    open_index("current two");
    load_path("current two");
    FINDS("x", "one/x.rb");
    unlink(test_path("current"));
    make_file("current/none.rb");
    ws_feature_index_forget(current->index);
    for (int i = 0; i < 2; i++) {
        load_path("current two");
        LEFT_TO_RUBY("x", "opaque_entry");
    }
    close_index();
}

TEST("a folder above that was moved, with a link in its place, is not its own realpath any more")
{
    make_file("app/releases/lib/x.rb");
    open_index("app/releases/lib");
    load_path("app/releases/lib");
    FINDS("x", "app/releases/lib/x.rb");
    rename(test_path("app/releases"), test_path("app/moved"));
    CHECK_EQUAL(symlink("moved", test_path("app/releases")), 0);
    reopen(false);
    load_path("app/releases/lib");
    LEFT_TO_RUBY("x", "absent");
    CHECK(ws_feature_index_outdated(current->index));
    close_index();
}

TEST("a folder that was replaced is unknown")
{
    make_file("one/x.rb");
    make_file("other/y.rb");
    open_index("one");
    rename(test_path("one"), test_path("aside"));
    rename(test_path("other"), test_path("one"));
    load_path("one");
    LEFT_TO_RUBY("x", "absent");
    close_index();
}

TEST("a portable image compares realpaths and seconds")
{
    make_file("one/a/y.rb");
    make_file("two/a/x.rb");
    CHECK_EQUAL(symlink("one", test_path("link")), 0);
    open_with("link two", false, true);
    load_path("link two");
    FINDS("a/y", "one/a/y.rb");
    FINDS("a/x", "two/a/x.rb");
    CHECK(!ws_feature_index_outdated(current->index));
    make_file("one/a/x.rb");
    reopen(false);
    load_path("link two");
    LEFT_TO_RUBY("a/x", "unknown_entry");
    unlink(test_path("link"));
    CHECK_EQUAL(symlink("two", test_path("link")), 0);
    reopen(false);
    load_path("link");
    LEFT_TO_RUBY("a/y", "absent");
    close_index();
}

TEST("nothing is concluded from a folder that was not looked into")
{
    make_file("one/node_modules/x.rb");
    make_file("one/a/y.rb");
    make_file("two/a/x.rb");
    CHECK_EQUAL(symlink(".", test_path("one/a/a")), 0);
    CHECK_EQUAL(symlink("a", test_path("two/a/a")), 0);
    make_file("three/a/a/y.rb");
    open_index("one two three");
    load_path("one two three");
    LEFT_TO_RUBY("node_modules/x", "unknown_feature");
    LEFT_TO_RUBY("a/a/y", "unknown_entry");
    close_index();
}

TEST("a sealed image believes everything that it knows")
{
    make_file("own/y.rb");
    make_file("one/a/y.rb");
    make_file("two/a/x.rb");
    open_with("!own one two", true, false);
    make_file("one/a/x.rb");
    uint64_t before = ws_stat_calls;
    load_path("own one two");
    FINDS("a/x", "two/a/x.rb");
    CHECK_EQUAL(ws_stat_calls, before);
    CHECK(!ws_feature_index_outdated(current->index));
    load_path("unknown own one two");
    FINDS("a/x", "two/a/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 1);
    close_index();
}
