/* The load-path index at run time: see core/feature_index.h. What it answers is compared with Ruby's search in
 * feature_index_oracle_test.c; here each rule has a test of its own, and what a look-up may cost. */
#include "test.h"

#include "feature_index_fixture.h"
#include "file.h"

#define MAXIMUM 200

typedef struct setup {
    ws_segment segment;
    ws_feature_index *index;
    char texts[MAXIMUM][300];
    ws_load_path_item items[MAXIMUM];
} setup;

static setup *current;

/* Sources separated by blanks; one that begins with "!" is not stable. */
static void build_sources(ws_segment *segment, const char *names, const ws_index_build_options *options, uint32_t flags)
{
    static char copy[4000], paths[MAXIMUM][300];
    ws_index_source sources[MAXIMUM];
    size_t count = 0;

    snprintf(copy, sizeof(copy), "%s", names);
    for (char *name = strtok(copy, " "); name; name = strtok(NULL, " "), count++) {
        bool stable = *name != '!';
        snprintf(paths[count], sizeof(paths[0]), "%s", test_path(name + !stable));
        sources[count] = source(paths[count], stable);
    }
    CHECK(build_segment(segment, sources, count, options, flags));
}

static void open_with(const char *names, bool sealed, bool portable)
{
    ws_index_build_options options = { .dlext = "so", .portable = portable };

    current = calloc(1, sizeof *current);
    age_folders(test_folder());
    build_sources(&current->segment, names, &options, portable ? WS_SEGMENT_PORTABLE : 0);
    current->index = ws_feature_index_new(&current->segment, sealed, "so", NULL);
    CHECK(current->index);
}

static void open_index(const char *names)
{
    open_with(names, false, false);
}

static void close_index(void)
{
    ws_feature_index_free(current->index);
    ws_segment_close(&current->segment);
    free(current);
}

/* As another process sees it: nothing is remembered. */
static void reopen(bool sealed)
{
    ws_feature_index_free(current->index);
    current->index = ws_feature_index_new(&current->segment, sealed, "so", NULL);
    CHECK(current->index);
}

/* Entries separated by blanks: names in the test's folder, or "./x" for relative and "~" for opaque ones. */
static void load_path(const char *names)
{
    char copy[4000];
    size_t count = 0;

    snprintf(copy, sizeof(copy), "%s", names);
    for (char *name = strtok(copy, " "); name; name = strtok(NULL, " "), count++) {
        bool as_it_is = *name == '.' || *name == '~';
        snprintf(current->texts[count], sizeof(current->texts[0]), "%s", as_it_is ? name : test_path(name));
        current->items[count] = item(current->texts[count]);
    }
    CHECK(ws_feature_index_set_load_path(current->index, current->items, count));
}

static const ws_feature_index_counters *counters(void)
{
    return ws_feature_index_counters_get(current->index);
}

#define FINDS(feature, path) CHECK_STRING(find(current->index, feature), test_path(path))
#define NATIVE(feature, reason) CHECK_STRING(find(current->index, feature), "native: " reason)

/* ---- Order ---- */

TEST("the .rb of the last entry beats the library of the first")
{
    make_file("one/x.so");
    make_file("two/x.rb");
    open_index("one two");
    load_path("one two");
    FINDS("x", "two/x.rb");
    FINDS("x.so", "one/x.so");
    FINDS("x.o", "one/x.so");
    FINDS("x.rb", "two/x.rb");
    load_path("one");
    FINDS("x", "one/x.so");
    close_index();
}

TEST("the first entry wins, wherever it is moved, and a duplicate counts where it stands first")
{
    make_file("one/x.rb");
    make_file("two/x.rb");
    open_index("one two");
    load_path("one two");
    FINDS("x", "one/x.rb");
    load_path("two one two");
    FINDS("x", "two/x.rb");
    load_path("one one two");
    FINDS("x", "one/x.rb");
    load_path("two");
    FINDS("x", "two/x.rb");
    close_index();
}

TEST("a missing x.so goes on to x.so.rb, so Ruby searches")
{
    make_file("one/x.so.rb");
    make_file("one/y.rb");
    open_index("one");
    load_path("one");
    NATIVE("x.so", "unknown_feature");
    FINDS("x.so.rb", "one/x.so.rb");
    NATIVE("y.so", "absent");
    close_index();
}

TEST("what is no extension belongs to the name")
{
    make_file("one/a.b.rb");
    make_file("one/c.rb.rb");
    open_index("one");
    load_path("one");
    FINDS("a.b", "one/a.b.rb");
    FINDS("a.b.rb", "one/a.b.rb");
    FINDS("c.rb.rb", "one/c.rb.rb");
    NATIVE("c.rb", "unknown_feature");
    close_index();
}

TEST("only canonical names are answered")
{
    make_file("one/a/x.rb");
    open_index("one");
    load_path("one");
    FINDS("a/x", "one/a/x.rb");
    NATIVE("a//x", "not_canonical");
    NATIVE("a/./x", "not_canonical");
    NATIVE("a/../a/x", "not_canonical");
    NATIVE("./a/x", "not_canonical");
    NATIVE("/a/x", "not_canonical");
    NATIVE("~/x", "not_canonical");
    NATIVE("a/", "not_canonical");
    NATIVE("", "not_canonical");
    NATIVE(".rb", "unknown_feature");
    NATIVE("a/.rb", "unknown_feature");
    close_index();
}

TEST("before there is a load path everything is Ruby's")
{
    make_file("one/x.rb");
    open_index("one");
    NATIVE("x", "load_path");
    load_path("");
    NATIVE("x", "absent");
    close_index();
}

TEST("another platform's DLEXT is the one that is looked for")
{
    ws_index_build_options options = { .dlext = "bundle" };

    make_file("one/x.bundle");
    make_file("one/y.so");
    current = calloc(1, sizeof *current);
    build_sources(&current->segment, "one", &options, 0);
    current->index = ws_feature_index_new(&current->segment, false, "bundle", NULL);
    load_path("one");
    FINDS("x", "one/x.bundle");
    FINDS("x.so", "one/x.bundle");
    FINDS("x.bundle", "one/x.bundle");
    NATIVE("y", "unknown_feature");
    close_index();
}

TEST("a path that does not fit is Ruby's")
{
    char path[8];

    make_file("one/x.rb");
    open_index("one");
    load_path("one");
    ws_feature_answer answer = ws_feature_index_find(current->index, "x", 1, path, sizeof(path));
    CHECK_EQUAL(answer.answer, WS_ANSWER_NATIVE);
    CHECK_STRING(answer.reason, "too_long");
    CHECK_EQUAL(answer.path_size, 0);
    close_index();
}

/* ---- Entries of which too little is known ---- */

TEST("an unknown entry in front is asked, one behind is not")
{
    make_file("one/x.rb");
    make_file("two/y.rb");
    open_index("one");
    load_path("two one");
    FINDS("x", "one/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 1);
    load_path("one two");
    FINDS("x", "one/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 1);
    make_file("two/x.rb");
    FINDS("x", "one/x.rb");
    load_path("two one");
    NATIVE("x", "unknown_entry");
    close_index();
}

TEST("anything of that name in an unknown entry is for Ruby to judge")
{
    make_file("one/x.rb");
    make_folders(test_path("two/x.rb"));
    open_index("one");
    load_path("two one");
    NATIVE("x", "unknown_entry");
    close_index();
}

TEST("before a library is answered every unknown entry is asked for a .rb")
{
    make_file("one/x.so");
    make_folders(test_path("two"));
    open_index("one");
    load_path("one two");
    FINDS("x", "one/x.so");
    CHECK_EQUAL(counters()->ask_calls, 1);
    make_file("two/x.so");
    FINDS("x", "one/x.so");
    make_file("two/x.rb");
    NATIVE("x", "unknown_entry");
    FINDS("x.so", "one/x.so");
    close_index();
}

TEST("a relative entry is asked in the current folder")
{
    make_file("one/x.rb");
    make_file("two/x.rb");
    make_folders(test_path("elsewhere"));
    open_index("one");
    load_path("./two one");
    CHECK_EQUAL(chdir(test_path("elsewhere")), 0);
    FINDS("x", "one/x.rb");
    CHECK_EQUAL(chdir(test_folder()), 0);
    NATIVE("x", "unknown_entry");
    CHECK_EQUAL(chdir("/"), 0);
    close_index();
}

TEST("an opaque entry matters where it would be asked")
{
    make_file("one/x.rb");
    make_file("one/y.so");
    open_index("one");
    load_path("one ~");
    FINDS("x", "one/x.rb");
    FINDS("y.so", "one/y.so");
    NATIVE("y", "opaque_entry");
    load_path("~ one");
    NATIVE("x", "opaque_entry");
    NATIVE("y.so", "opaque_entry");
    close_index();
}

TEST("an entry with a NUL, and an empty one, are opaque")
{
    ws_load_path_item items[2] = { { "a\0b", 3, WS_LOAD_PATH_RELATIVE }, { NULL, 0, WS_LOAD_PATH_ABSOLUTE } };

    make_file("one/x.rb");
    open_index("one");
    for (unsigned i = 0; i < 2; i++) {
        const char *path = test_path("one");
        ws_load_path_item both[2] = { items[i], item(path) };
        CHECK(ws_feature_index_set_load_path(current->index, both, 2));
        NATIVE("x", "opaque_entry");
    }
    close_index();
}

TEST("sixty-four unknown entries are asked, one more is too many")
{
    char names[4000] = "";

    make_file("one/x.rb");
    open_index("one");
    for (unsigned i = 0; i < WS_FEATURE_ASK_MAXIMUM; i++) snprintf(names + strlen(names), sizeof(names) - strlen(names), "no%u ", i);
    strcat(names, "one");
    load_path(names);
    FINDS("x", "one/x.rb");
    CHECK_EQUAL(counters()->ask_calls, WS_FEATURE_ASK_MAXIMUM);
    memmove(names + 5, names, strlen(names) + 1);
    memcpy(names, "more ", 5);
    load_path(names);
    NATIVE("x", "many_unknown_entries");
    CHECK_EQUAL(counters()->ask_calls, WS_FEATURE_ASK_MAXIMUM);
    close_index();
}

TEST("an entry that goes up from a missing folder is asked as Ruby reads it")
{
    make_file("one/x.rb");
    make_file("two/x.rb");
    open_index("one");
    load_path("missing/../two one");
    NATIVE("x", "unknown_entry");
    load_path("missing/../three one");
    FINDS("x", "one/x.rb");
    close_index();
}

TEST("a folder that a program writes into is asked each time, but not when it is the one")
{
    make_file("own/y.rb");
    make_file("one/x.rb");
    open_index("!own one");
    load_path("own one");
    FINDS("x", "one/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 1);
    FINDS("y", "own/y.rb");
    CHECK_EQUAL(counters()->ask_calls, 1);
    make_file("own/x.rb");
    NATIVE("x", "unknown_entry");
    CHECK(!ws_feature_index_outdated(current->index));
    close_index();
}

/* ---- Changes ---- */

TEST("a new file in front of the one that is known is seen")
{
    make_file("one/a/y.rb");
    make_file("two/a/x.rb");
    open_index("one two");
    make_file("one/a/x.rb");
    load_path("one two");
    NATIVE("a/x", "unknown_entry");
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
    NATIVE("a/b/x", "unknown_entry");
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
    CHECK_EQUAL(counters()->ask_calls, 1);           /* e0 */
    FINDS("d1/x", "last/d1/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 3);           /* e0, e1 */
    NATIVE("d2/x", "unknown_entry");
    CHECK_EQUAL(counters()->ask_calls, 6);           /* e0, e2, e3 */
    NATIVE("d3/x", "unknown_entry");
    CHECK_EQUAL(counters()->ask_calls, 8);           /* e0, e3 */
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
    NATIVE("a/x", "many_unknown_entries");
    NATIVE("a/y", "many_unknown_entries");
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
    NATIVE("x", "unknown_entry");
    load_path("one current");
    FINDS("x", "one/x.rb");
    CHECK(ws_feature_index_outdated(current->index));
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
    NATIVE("x", "absent");
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
    NATIVE("x", "absent");
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
    NATIVE("a/x", "unknown_entry");
    unlink(test_path("link"));
    CHECK_EQUAL(symlink("two", test_path("link")), 0);
    reopen(false);
    load_path("link");
    NATIVE("a/y", "absent");
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
    NATIVE("node_modules/x", "unknown_feature");
    NATIVE("a/a/y", "unknown_entry");
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
    CHECK_EQUAL(ws_stat_calls, before + 1);
    close_index();
}

/* ---- What it costs ---- */

TEST("what was validated once is not asked again, whatever becomes of the load path")
{
    make_file("one/a/y.rb");
    make_file("two/a/x.rb");
    make_file("three/z.rb");
    open_index("one two three");
    load_path("one two");
    FINDS("a/x", "two/a/x.rb");
    CHECK_EQUAL(counters()->folder_calls, 2);        /* one/a, two/a; the roots were seen with their entries */
    uint64_t before = ws_stat_calls;
    for (unsigned i = 0; i < 100; i++) {
        load_path(i % 2 ? "two one" : "one two");
        FINDS("a/x", "two/a/x.rb");
        FINDS("a/y", "one/a/y.rb");
    }
    CHECK_EQUAL(ws_stat_calls, before);
    load_path("three two one");
    FINDS("a/x", "two/a/x.rb");
    CHECK_EQUAL(ws_stat_calls, before + 1);          /* three, which shares the path in front */
    CHECK(!ws_feature_index_outdated(current->index));
    close_index();
}

TEST("counters add up")
{
    make_file("one/x.rb");
    make_file("one/y.so");
    open_index("one");
    load_path("one");
    find(current->index, "x");
    find(current->index, "y");
    find(current->index, "z");
    find(current->index, "/z");
    CHECK_EQUAL(counters()->load_paths, 1);
    CHECK_EQUAL(counters()->lookups, 4);
    CHECK_EQUAL(counters()->rb, 1);
    CHECK_EQUAL(counters()->library, 1);
    CHECK_EQUAL(counters()->reasons[WS_FEATURE_FOUND], 2);
    CHECK_EQUAL(counters()->reasons[WS_FEATURE_UNKNOWN], 1);
    CHECK_EQUAL(counters()->reasons[WS_FEATURE_NOT_CANONICAL], 1);
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
    make_file("two/x.rb");
    make_file("two/y.rb");
    open_index("missing two");
    load_path("missing two");
    CHECK_EQUAL(counters()->entry_calls > 0, 1);
    uint64_t before = counters()->entry_calls;
    FINDS("x", "two/x.rb");
    FINDS("y", "two/y.rb");
    load_path("two missing");
    load_path("missing two");
    FINDS("x", "two/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 0);
    CHECK_EQUAL(counters()->entry_calls, before);
    CHECK(!ws_feature_index_outdated(current->index));
    close_index();
}

TEST("a stable folder that exists by now is asked, and makes the index outdated")
{
    make_file("two/x.rb");
    open_index("missing two");
    make_file("missing/x.rb");
    load_path("missing two");
    NATIVE("x", "unknown_entry");
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
    NATIVE("x", "unknown_entry");
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

TEST("a portable image knows of missing folders, too")
{
    make_file("two/x.rb");
    open_with("missing two", false, true);
    load_path("missing two");
    FINDS("x", "two/x.rb");
    CHECK_EQUAL(counters()->ask_calls, 0);
    close_index();
}

TEST("every reason has a name")
{
    for (int reason = 0; reason < WS_FEATURE_REASON_COUNT; reason++) CHECK(ws_feature_reason_name((ws_feature_reason)reason)[0]);
    CHECK_STRING(ws_feature_reason_name(WS_FEATURE_REASON_COUNT), "unknown");
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
    CHECK(LACKS("a/z"));                 /* (there is no folder a) */
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
    make_file("one/a/b/d.rb");           /* (found out at once, though the folder was looked at before) */
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

/* ---- A segment whose checksums are right and whose numbers are not ---- */

/* Writes one 32-bit word of a section and says whether the index still opens. The mapping is a copy, so this is allowed. */
static bool opens_with(ws_section section, size_t offset, uint32_t value)
{
    uint32_t *word = (uint32_t *)((char *)(uintptr_t)ws_segment_section(&current->segment, section).bytes + offset), before = *word;
    ws_error error = { .code = WS_OK };

    *word = value;
    ws_feature_index *index = ws_feature_index_new(&current->segment, false, "so", &error);
    if (!index) CHECK_EQUAL(error.code, WS_BOUNDS);
    ws_feature_index_free(index);
    *word = before;
    return index != NULL;
}

#define OPENS(section, type, field, value) opens_with(section, offsetof(type, field), value)

TEST("numbers that point outside are refused")
{
    make_file("one/a/x.rb");
    open_index("one");
    CHECK(OPENS(WS_SECTION_LOAD_PATH, ws_load_path_entry, flags, 1));
    CHECK(!OPENS(WS_SECTION_LOAD_PATH, ws_load_path_entry, expanded_offset, 1u << 30));
    CHECK(!OPENS(WS_SECTION_LOAD_PATH, ws_load_path_entry, expanded_size, UINT32_MAX));
    CHECK(!OPENS(WS_SECTION_LOAD_PATH, ws_load_path_entry, expanded_size, 0));
    CHECK(!OPENS(WS_SECTION_LOAD_PATH_NAMES, ws_load_path_name, name_offset, UINT32_MAX));
    CHECK(!OPENS(WS_SECTION_LOAD_PATH_NAMES, ws_load_path_name, entry, 1));
    CHECK(!OPENS(WS_SECTION_DIRECTORIES, ws_index_directory, parent, 1));
    CHECK(!OPENS(WS_SECTION_DIRECTORIES, ws_index_directory, name_size, 1));
    CHECK(!OPENS(WS_SECTION_DIRECTORIES, ws_index_directory, holder_first, UINT32_MAX));
    CHECK(!OPENS(WS_SECTION_DIRECTORIES, ws_index_directory, holder_count, 3));
    CHECK(!opens_with(WS_SECTION_DIRECTORIES, sizeof(ws_index_directory) + offsetof(ws_index_directory, parent), 1));
    CHECK(!opens_with(WS_SECTION_DIRECTORIES, sizeof(ws_index_directory) + offsetof(ws_index_directory, name_size), 0));
    CHECK(!opens_with(WS_SECTION_DIRECTORIES, sizeof(ws_index_directory) + offsetof(ws_index_directory, name_size), 1001));
    CHECK(!OPENS(WS_SECTION_HOLDERS, ws_index_holder, load_path_entry, 1));
    CHECK(!OPENS(WS_SECTION_FEATURES, ws_index_feature, directory, 2));
    CHECK(!OPENS(WS_SECTION_FEATURES, ws_index_feature, list_first, 1));
    CHECK(!OPENS(WS_SECTION_FEATURES, ws_index_feature, rb_count, UINT32_MAX));
    CHECK(!OPENS(WS_SECTION_FEATURES, ws_index_feature, library_count, UINT32_MAX));
    CHECK(!opens_with(WS_SECTION_FEATURE_LISTS, 0, 1));
    CHECK(!opens_with(WS_SECTION_FEATURE_TABLE, 0, 2));
    close_index();
}

TEST("a full table is refused: a probe would not end")
{
    make_file("one/x.rb");
    open_index("one");
    uint32_t *table = (uint32_t *)(uintptr_t)ws_segment_section(&current->segment, WS_SECTION_FEATURE_TABLE).bytes;
    table[0] = table[1] = 1;
    CHECK(!ws_feature_index_new(&current->segment, false, "so", NULL));
    close_index();
}

TEST("random damage is refused or harmless")
{
    static const ws_section sections[] = { WS_SECTION_LOAD_PATH, WS_SECTION_LOAD_PATH_NAMES, WS_SECTION_DIRECTORIES, WS_SECTION_HOLDERS,
                                           WS_SECTION_FEATURES, WS_SECTION_FEATURE_TABLE, WS_SECTION_FEATURE_LISTS, WS_SECTION_STRINGS };
    uint64_t state = 42;
    unsigned opened = 0;

    make_file("one/a/x.rb");
    make_file("one/a/b/y.so");
    make_file("two/a/x.rb");
    make_file("two/x.rb");
    open_index("one !two");
    for (unsigned round = 0; round < 4000; round++) {
        ws_section_view view = ws_segment_section(&current->segment, sections[test_random(&state) % 8]);
        uint8_t *byte = (uint8_t *)(uintptr_t)view.bytes + test_random(&state) % view.size, before = *byte;
        *byte = (uint8_t)test_random(&state);
        ws_feature_index_free(current->index);
        current->index = ws_feature_index_new(&current->segment, round % 2, "so", NULL);
        if (current->index) {
            opened++;
            load_path("one two three");
            find(current->index, "a/x");
            find(current->index, "a/b/y");
            find(current->index, "x");
        }
        *byte = before;
    }
    CHECK(opened > 0);
    close_index();
}

TEST("under Windows' rules names are kept in small letters, under POSIX rules as they are")
{
    char buffer[WS_INDEX_NAME_MAXIMUM + 1];
    const char *name = "A/b_C.\xc3\x84";

    CHECK(ws_index_fold(&ws_path_rules_posix, name, strlen(name), buffer) == name);
    CHECK_STRING(ws_index_fold(&ws_path_rules_windows, name, strlen(name), buffer), "a/b_c.\xc3\x84");
    CHECK_STRING(ws_index_fold(&ws_path_rules_windows, "Za[`{", 3, buffer), "za[");
}

#ifdef _WIN32
TEST("a name is found in whatever letters, and answered as it was asked for")
{
    make_file("one/Folder/X.RB");
    make_file("two/folder/x.rb");
    open_index("one two");
    load_path("one two");
    CHECK_STRING(find(current->index, "folder/x"), test_path("one/folder/x.rb"));
    CHECK_STRING(find(current->index, "FOLDER/x"), test_path("one/FOLDER/x.rb"));
    CHECK(!ws_feature_index_lacks_rb(current->index, "folder/X", 8));
    close_index();
}

TEST("a name that may be a short one is Ruby's")
{
    make_file("one/longer_than_8.rb");
    open_index("one");
    load_path("one");
    CHECK_STRING(find(current->index, "longer~1"), "native: not_canonical");
    close_index();
}
#endif
