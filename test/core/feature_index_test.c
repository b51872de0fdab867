/* The load-path index at run time: see core/index/feature_index.h. What it answers is compared with Ruby's search in
 * feature_index_oracle_test.c; here each rule has a test of its own. Changes of folders: feature_index_changes_test.c;
 * what a look-up may cost: feature_index_cost_test.c. */
#include "test.h"

#include "feature_index_setup.h"
#include "core/system/file.h"

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
    LEFT_TO_RUBY("x.so", "unknown_feature");
    FINDS("x.so.rb", "one/x.so.rb");
    LEFT_TO_RUBY("y.so", "absent");
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
    LEFT_TO_RUBY("c.rb", "unknown_feature");
    close_index();
}

TEST("only canonical names are answered")
{
    make_file("one/a/x.rb");
    open_index("one");
    load_path("one");
    FINDS("a/x", "one/a/x.rb");
    LEFT_TO_RUBY("a//x", "not_canonical");
    LEFT_TO_RUBY("a/./x", "not_canonical");
    LEFT_TO_RUBY("a/../a/x", "not_canonical");
    LEFT_TO_RUBY("./a/x", "not_canonical");
    LEFT_TO_RUBY("/a/x", "not_canonical");
    LEFT_TO_RUBY("~/x", "not_canonical");
    LEFT_TO_RUBY("a/", "not_canonical");
    LEFT_TO_RUBY("", "not_canonical");
    LEFT_TO_RUBY(".rb", "unknown_feature");
    LEFT_TO_RUBY("a/.rb", "unknown_feature");
    close_index();
}

TEST("before there is a load path everything is Ruby's")
{
    make_file("one/x.rb");
    open_index("one");
    LEFT_TO_RUBY("x", "load_path");
    load_path("");
    LEFT_TO_RUBY("x", "absent");
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
    LEFT_TO_RUBY("y", "unknown_feature");
    close_index();
}

TEST("a path that does not fit is Ruby's")
{
    char path[8];

    make_file("one/x.rb");
    open_index("one");
    load_path("one");
    ws_feature_answer answer = ws_feature_index_find(current->index, "x", 1, path, sizeof(path));
    CHECK_EQUAL(answer.answer, WS_ANSWER_SEARCH);
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
    LEFT_TO_RUBY("x", "unknown_entry");
    close_index();
}

TEST("anything of that name in an unknown entry is for Ruby to judge")
{
    make_file("one/x.rb");
    make_folders(test_path("two/x.rb"));
    open_index("one");
    load_path("two one");
    LEFT_TO_RUBY("x", "unknown_entry");
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
    LEFT_TO_RUBY("x", "unknown_entry");
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
    LEFT_TO_RUBY("x", "unknown_entry");
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
    LEFT_TO_RUBY("y", "opaque_entry");
    load_path("~ one");
    LEFT_TO_RUBY("x", "opaque_entry");
    LEFT_TO_RUBY("y.so", "opaque_entry");
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
        LEFT_TO_RUBY("x", "opaque_entry");
    }
    close_index();
}

TEST("sixty-four unknown entries are asked, one more is too many")
{
    char names[4000] = "";

    make_file("one/x.rb");
    open_index("one");
    for (unsigned i = 0; i < WS_FEATURE_ASK_MAXIMUM; i++)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "no%u ", i);
    strcat(names, "one");
    load_path(names);
    FINDS("x", "one/x.rb");
    CHECK_EQUAL(counters()->ask_calls, WS_FEATURE_ASK_MAXIMUM);
    memmove(names + 5, names, strlen(names) + 1);
    memcpy(names, "more ", 5);
    load_path(names);
    LEFT_TO_RUBY("x", "many_unknown_entries");
    CHECK_EQUAL(counters()->ask_calls, WS_FEATURE_ASK_MAXIMUM);
    close_index();
}

TEST("an entry that goes up from a missing folder is asked as Ruby reads it")
{
    make_file("one/x.rb");
    make_file("two/x.rb");
    open_index("one");
    load_path("missing/../two one");
    LEFT_TO_RUBY("x", "unknown_entry");
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
    LEFT_TO_RUBY("x", "unknown_entry");
    CHECK(!ws_feature_index_outdated(current->index));
    close_index();
}

/* ---- A segment whose checksums are right and whose numbers are not ---- */

/* Writes one 32-bit word of a section and says whether the index still opens. The mapping is a copy, so this is
 * allowed. */
static bool
opens_with(ws_section section, size_t offset, uint32_t value)
{
    uint32_t *word = (uint32_t *)((char *)(uintptr_t)ws_segment_section(&current->segment, section).bytes + offset),
             before = *word;
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
    CHECK(!opens_with(WS_SECTION_DIRECTORIES, sizeof(ws_index_directory) + offsetof(ws_index_directory, name_size),
                      1001));
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
    static const ws_section sections[] = { WS_SECTION_LOAD_PATH,     WS_SECTION_LOAD_PATH_NAMES,
                                           WS_SECTION_DIRECTORIES,   WS_SECTION_HOLDERS,
                                           WS_SECTION_FEATURES,      WS_SECTION_FEATURE_TABLE,
                                           WS_SECTION_FEATURE_LISTS, WS_SECTION_STRINGS };
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
    CHECK_STRING(find(current->index, "longer~1"), "search: not_canonical");
    close_index();
}
#endif
