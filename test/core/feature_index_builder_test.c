/* Making the load-path index: see core/index/feature_index_builder.h. */
#include "test.h"

#ifdef __linux__
#include <sys/inotify.h>
#endif

#include "feature_index_fixture.h"
#include "core/index/feature_index_draft.h"
#include "core/system/file.h"
#include "core/bytes/hash.h"

#define MAXIMUM 64

/* Sources separated by blanks; one that begins with "!" is not stable, one that begins with "=" is given as it is. */
static size_t
read_sources(const char *names, ws_index_source *sources)
{
    static char copy[4000], paths[2 * MAXIMUM][300];
    static unsigned turn;
    size_t count = 0;

    snprintf(copy, sizeof(copy), "%s", names);
    for (char *name = strtok(copy, " "); name; name = strtok(NULL, " "), count++) {
        char *path = paths[turn++ % (2 * MAXIMUM)];
        bool stable = *name != '!';
        snprintf(path, sizeof(paths[0]), "%s", *name == '=' ? name + 1 : test_path(name + !stable));
        sources[count] = source(path, stable);
    }
    return count;
}

static bool
build(ws_segment *segment, const char *names, const ws_index_build_options *options)
{
    ws_index_source sources[MAXIMUM];
    size_t count = read_sources(names, sources);
    uint32_t flags = options->portable ? WS_SEGMENT_PORTABLE | (options->sorted ? WS_SEGMENT_REPRODUCIBLE : 0u) : 0u;

    return build_segment(segment, sources, count, options, flags);
}

static ws_index_tables
tables_of(const ws_segment *segment)
{
    ws_index_tables tables;
    CHECK_EQUAL(ws_index_tables_load(&tables, segment, NULL), WS_OK);
    return tables;
}

/* Paths below the test's folder, one line each: "number flags path". */
static const char *
entries_of(const ws_segment *segment)
{
    static char buffer[8000];
    ws_index_tables tables = tables_of(segment);

    buffer[0] = '\0';
    for (uint32_t i = 0; i < tables.entry_count; i++) {
        snprintf(buffer + strlen(buffer), sizeof(buffer) - strlen(buffer), "%s%s%s", i ? " " : "",
                 tables.entries[i].flags & WS_LOAD_PATH_STABLE ? "" : "!",
                 ws_index_tables_expanded(&tables, i) + strlen(test_folder()) + 1);
    }
    return buffer;
}

/* "one two" for the .rb, "| three" for the libraries; the entries' order is the load path's numbers. */
static const char *
holders_of(const ws_segment *segment, const char *stem)
{
    static char buffer[2000];
    ws_index_tables tables = tables_of(segment);
    uint32_t number = ws_index_tables_feature(&tables, stem, strlen(stem));

    buffer[0] = '\0';
    if (number == UINT32_MAX) return "none";
    const ws_index_feature *feature = &tables.features[number];
    for (uint32_t i = 0; i < feature->rb_count + feature->library_count; i++) {
        const char *expanded = ws_index_tables_expanded(&tables, tables.lists[feature->list_first + i]);
        if (i == feature->rb_count) strcat(buffer, "| ");
        strcat(strcat(buffer, strrchr(expanded, '/') + 1), " ");
    }
    return buffer;
}

/* The holder of a folder in an entry, or NULL. */
static const ws_index_holder *
holder_of(const ws_segment *segment, const char *directory, uint32_t entry)
{
    ws_index_tables tables = tables_of(segment);
    for (uint32_t i = 0; i < tables.directory_count; i++) {
        const ws_index_directory *row = &tables.directories[i];
        if (strcmp(ws_segment_string(segment, row->name_offset, row->name_size), directory) != 0) continue;
        for (uint32_t j = row->holder_first; j < row->holder_first + row->holder_count; j++) {
            if (tables.holders[j].load_path_entry == entry) return &tables.holders[j];
        }
    }
    return NULL;
}

static const ws_index_build_options plain = { .dlext = "so" };

TEST("features have their entries in order, .rb before libraries")
{
    ws_segment segment;

    make_file("one/a/x.so");
    make_file("two/a/x.rb");
    make_file("three/a/x.rb");
    make_file("three/a/x.so");
    make_file("three/a/x.txt");
    CHECK(build(&segment, "one two three", &plain));
    CHECK_STRING(entries_of(&segment), "one two three");
    CHECK_STRING(holders_of(&segment, "a/x"), "two three | one three ");
    CHECK_STRING(holders_of(&segment, "x"), "none");
    ws_index_tables tables = tables_of(&segment);
    CHECK_EQUAL(tables.feature_count, 1);
    CHECK_EQUAL(tables.directory_count, 2);
    CHECK_EQUAL(tables.features[0].directory, 1);
    ws_segment_close(&segment);
}

TEST("names of one folder make one entry, which is stable only if all say so")
{
    ws_segment segment;

    make_file("one/x.rb");
    make_file("two/y.rb");
    CHECK_EQUAL(symlink("one", test_path("link")), 0);
    CHECK_EQUAL(symlink("two", test_path("other")), 0);
    CHECK(build(&segment, "link one two/../one two !other one", &plain));
    CHECK_STRING(entries_of(&segment), "one !two");
    ws_index_tables tables = tables_of(&segment);
    CHECK_EQUAL(tables.name_count, 5);
    const char *names[] = { "link", "one", "two/../one", "two", "other" };
    for (unsigned i = 0; i < 5; i++) {
        uint32_t name = ws_index_tables_name(&tables, test_path(names[i]), strlen(test_path(names[i])));
        CHECK(name != UINT32_MAX);
        CHECK_EQUAL(tables.names[name].entry, i > 2);
    }
    ws_segment_close(&segment);
}

#ifdef _WIN32
#define BELOW_A_FILE ""
#else
#define BELOW_A_FILE "one/x.rb/y "
#endif

TEST("what is no absolute path to a folder is left out")
{
    ws_segment segment;
    ws_index_source sources[] = { { "/a\0b", 4, true }, { "", 0, true } };

    make_file("one/x.rb");
    /* (To Windows a path through a file is one that is not there yet.) */
    CHECK(build(&segment, BELOW_A_FILE "=relative !missing nowhere/../one one/x.rb one", &plain));
    CHECK_STRING(entries_of(&segment), "one");
    ws_segment_close(&segment);
    CHECK(!build_segment(&segment, sources, 2, &plain, 0));
}

TEST("nothing to index is no change, and nothing is written")
{
    ws_segment segment;
    ws_index_build_options portable = { .dlext = "so", .portable = true };

    CHECK(!build(&segment, "", &plain));
    CHECK(!build(&segment, "!missing", &portable));
}

TEST("a stable folder that does not exist is an entry that holds nothing")
{
    ws_segment first, second, third;

    make_file("one/x.rb");
    CHECK(build(&first, "missing one", &plain));
    CHECK_STRING(entries_of(&first), "missing one");
    ws_index_tables tables = tables_of(&first);
    CHECK_EQUAL(tables.entries[0].flags, WS_LOAD_PATH_STABLE | WS_LOAD_PATH_MISSING);
    CHECK_EQUAL(tables.entries[1].flags, WS_LOAD_PATH_STABLE);
    CHECK_STRING(holders_of(&first, "x"), "one ");

    ws_index_build_options again = { .dlext = "so", .previous = &first };
    CHECK(!build(&second, "one missing", &again));
    CHECK(!build(&second, "one", &again));
    CHECK(build(&second, "one !missing", &again));
    CHECK_STRING(entries_of(&second), "one");
    ws_segment_close(&second);

    make_file("missing/x.rb");
    CHECK(build(&second, "one", &again));
    CHECK_STRING(entries_of(&second), "one");
    CHECK(build(&third, "one missing", &again));
    CHECK_STRING(entries_of(&third), "missing one");
    CHECK_STRING(holders_of(&third, "x"), "missing one ");
    CHECK_EQUAL(tables_of(&third).entries[0].flags, WS_LOAD_PATH_STABLE);
    ws_segment_close(&first);
    ws_segment_close(&second);
    ws_segment_close(&third);
}

TEST("an index of nothing but missing folders can be read")
{
    ws_segment segment;

    CHECK(build(&segment, "missing", &plain));
    CHECK_STRING(entries_of(&segment), "missing");
    ws_segment_close(&segment);
}

TEST("an unchanged index is not written again, whatever the order of the load path")
{
    ws_segment segment, other;

    make_file("one/a/x.rb");
    make_file("two/a/x.rb");
    CHECK(build(&segment, "one two", &plain));
    ws_index_build_options again = { .dlext = "so", .previous = &segment };
    CHECK(!build(&other, "one two", &again));
    CHECK(!build(&other, "two one", &again));
    CHECK(!build(&other, "two", &again));
    CHECK(!build(&other, "", &again));
    ws_segment_close(&segment);
}

TEST("every kind of change is one")
{
    static const char *const changed_sources[] = { "one two three", "one !two", "one two link" };
    ws_segment segment, other;

    make_file("one/a/x.rb");
    make_file("two/a/x.rb");
    make_file("three/z.rb");
    CHECK_EQUAL(symlink("one", test_path("link")), 0);
    age_folders(test_folder());
    CHECK(build(&segment, "one two", &plain));
    ws_index_build_options again = { .dlext = "so", .previous = &segment };
    for (unsigned i = 0; i < 3; i++) {
        CHECK(build(&other, changed_sources[i], &again));
        ws_segment_close(&other);
    }
    make_folders(test_path("two/a/b"));
    CHECK(build(&other, "one two", &again));
    ws_segment_close(&other);
    CHECK(!build(&other, "one", &again)); /* two is carried over as it was */
    make_file("one/a/y.rb");
    CHECK(build(&other, "one two", &again));
    CHECK_STRING(holders_of(&other, "a/y"), "one ");
    ws_segment_close(&other);
    ws_segment_close(&segment);
}

TEST("entries that are not among the sources are carried over with all that they hold")
{
    ws_segment first, second;

    make_file("one/a/x.rb");
    make_file("one/.hg/x.rb");
    make_file("one/node_modules/x.rb");
    make_file("two/a/x.rb");
    make_file("two/a/y.so");
    make_file("three/a/x.rb");
    CHECK_EQUAL(symlink("two", test_path("link")), 0);
    CHECK(build(&first, "!one link", &plain));
    ws_index_build_options again = { .dlext = "so", .previous = &first };
    CHECK(build(&second, "three", &again));
    CHECK_STRING(entries_of(&second), "!one two three");
    CHECK_STRING(holders_of(&second, "a/x"), "one two three ");
    CHECK_STRING(holders_of(&second, "a/y"), "| two ");
    CHECK(holder_of(&second, "node_modules", 0)->flags & WS_HOLDER_UNREAD);
    CHECK_EQUAL(holder_of(&second, "a", 0)->mtime, holder_of(&first, "a", 0)->mtime);
    CHECK_EQUAL(holder_of(&second, "", 1)->inode, holder_of(&first, "", 1)->inode);
    ws_index_tables tables = tables_of(&second);
    uint32_t name = ws_index_tables_name(&tables, test_path("link"), strlen(test_path("link")));
    CHECK_EQUAL(tables.names[name].entry, 1);
    ws_segment_close(&first);
    ws_segment_close(&second);
}

TEST("what is carried over is not read anew: a look-up finds out")
{
    ws_segment first, second;

    make_file("one/x.rb");
    make_file("two/x.rb");
    age_folders(test_folder());
    CHECK(build(&first, "one", &plain));
    make_file("one/y.rb");
    ws_index_build_options again = { .dlext = "so", .previous = &first };
    CHECK(build(&second, "two", &again));
    CHECK_STRING(holders_of(&second, "y"), "none");
    CHECK_EQUAL(holder_of(&second, "", 0)->mtime, holder_of(&first, "", 0)->mtime);
    ws_segment_close(&first);
    ws_segment_close(&second);
}

#ifdef __linux__
/* Which of the folders "one", "one/a" and "two" are listed by a build, as "one one/a two ". */
static const char *
listed_by(ws_segment *segment, const char *names, const ws_index_build_options *options)
{
    static const char *const folders[] = { "one", "one/a", "two" };
    static char text[100];
    char events[4096];
    int queue = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), watches[3];
    bool listed[3] = { false, false, false };
    for (int i = 0; i < 3; i++) watches[i] = inotify_add_watch(queue, test_path(folders[i]), IN_OPEN | IN_ONLYDIR);
    CHECK(build(segment, names, options));
    ssize_t size = read(queue, events, sizeof events);
    for (ssize_t at = 0; at < size;) {
        struct inotify_event event;
        memcpy(&event, events + at, sizeof event);
        for (int i = 0; i < 3; i++)
            if (event.wd == watches[i] && event.mask & IN_ISDIR && event.len == 0) listed[i] = true;
        at += (ssize_t)(sizeof event + event.len);
    }
    close(queue);
    *text = '\0';
    for (int i = 0; i < 3; i++)
        if (listed[i]) sprintf(text + strlen(text), "%s ", folders[i]);
    return text;
}

TEST("a stable folder that is as the older index says is not read again, and the index is what it would be")
{
    ws_segment first, second, fresh;

    make_file("one/a/x.rb");
    make_file("one/y.rb");
    make_file("two/x.rb");
    CHECK_STRING(listed_by(&first, "one two", &plain), "one one/a two ");
    ws_index_build_options again = { .dlext = "so", .previous = &first };
    make_file("two/z.rb");
    CHECK_STRING(listed_by(&second, "one two three", &again), "two ");
    CHECK(build(&fresh, "one two three", &plain));
    ws_index_tables tables = tables_of(&second), fresh_tables = tables_of(&fresh);
    CHECK(ws_index_tables_equal(&tables, &fresh_tables));
    ws_segment_close(&second);
    ws_segment_close(&fresh);

    make_file("one/a/w.rb");
    CHECK_STRING(listed_by(&second, "one two", &again), "one one/a two ");
    CHECK_STRING(holders_of(&second, "a/w"), "one ");
    ws_segment_close(&second);
    make_file("two/v.rb");
    CHECK_STRING(listed_by(&second, "!one two", &again), "one one/a two ");
    ws_segment_close(&second);
    ws_segment_close(&first);
}
#endif

TEST("a folder that is gone, or another one by now, is not carried over")
{
    ws_segment first, second;

    make_file("one/x.rb");
    make_file("two/x.rb");
    make_file("three/x.rb");
    CHECK(build(&first, "one two three", &plain));
    rename(test_path("one"), test_path("gone"));
    rename(test_path("two"), test_path("aside"));
    make_file("two/x.rb");
    ws_index_build_options again = { .dlext = "so", .previous = &first };
    CHECK(build(&second, "", &again));
    CHECK_STRING(entries_of(&second), "three");
    CHECK_STRING(holders_of(&second, "x"), "three ");
    ws_segment_close(&first);
    ws_segment_close(&second);
}

TEST("a name that leads elsewhere now belongs to the new folder, and an entry without names goes")
{
    ws_segment first, second;

    make_file("one/x.rb");
    make_file("two/x.rb");
    CHECK_EQUAL(symlink("one", test_path("current")), 0);
    CHECK(build(&first, "current", &plain));
    unlink(test_path("current"));
    CHECK_EQUAL(symlink("two", test_path("current")), 0);
    ws_index_build_options again = { .dlext = "so", .previous = &first };
    CHECK(build(&second, "current", &again));
    CHECK_STRING(entries_of(&second), "two");
    ws_segment_close(&second);
    CHECK(build(&second, "two", &again));
    ws_index_tables tables = tables_of(&second);
    CHECK_STRING(entries_of(&second), "two");
    CHECK_EQUAL(tables.name_count, 1);
    ws_segment_close(&first);
    ws_segment_close(&second);
}

TEST("of four thousand entries the oldest that nobody asked for go first")
{
    static char names[WS_INDEX_ENTRY_MAXIMUM + 2][300];
    static ws_index_source sources[WS_INDEX_ENTRY_MAXIMUM + 2];
    ws_segment first, second;

    for (unsigned i = 0; i < WS_INDEX_ENTRY_MAXIMUM + 2; i++) {
        snprintf(names[i], sizeof(names[0]), "%s", test_path(""));
        snprintf(names[i] + strlen(names[i]), 16, "e%u", i);
        CHECK_EQUAL(mkdir(names[i], 0755), 0);
        sources[i] = source(names[i], true);
    }
    CHECK(build_segment(&first, sources, WS_INDEX_ENTRY_MAXIMUM, &plain, 0));
    ws_index_build_options again = { .dlext = "so", .previous = &first };
    ws_index_source three[3] = { sources[0], sources[WS_INDEX_ENTRY_MAXIMUM], sources[WS_INDEX_ENTRY_MAXIMUM + 1] };
    CHECK(build_segment(&second, three, 3, &again, 0));
    ws_index_tables tables = tables_of(&second);
    CHECK_EQUAL(tables.entry_count, WS_INDEX_ENTRY_MAXIMUM);
    CHECK_STRING(ws_index_tables_expanded(&tables, 0), names[0]);
    CHECK_STRING(ws_index_tables_expanded(&tables, 1), names[3]);
    CHECK_STRING(ws_index_tables_expanded(&tables, WS_INDEX_ENTRY_MAXIMUM - 1), names[WS_INDEX_ENTRY_MAXIMUM + 1]);
    ws_segment_close(&first);
    ws_segment_close(&second);
}

TEST("a young folder is unread, with its times")
{
    ws_stat one, a;
    ws_segment segment;

    make_file("one/a/x.rb");
    age_folders(test_folder());
    CHECK_EQUAL(ws_file_stat(test_path("one"), &one), 0);
    CHECK_EQUAL(ws_file_stat(test_path("one/a"), &a), 0);
    int64_t a_mtime = a.mtime, one_ctime = one.ctime;
    ws_index_build_options racy = { .dlext = "so", .young_at = one_ctime + INT64_C(3600000000000) };
    CHECK(build(&segment, "one", &racy));
    CHECK_EQUAL(holder_of(&segment, "a", 0)->flags, 0);
    ws_segment_close(&segment);
    racy.young_at = one_ctime; /* mtimes are old, ctimes are not */
    CHECK(build(&segment, "one", &racy));
    CHECK_EQUAL(holder_of(&segment, "", 0)->flags, WS_HOLDER_UNREAD);
    CHECK_EQUAL(holder_of(&segment, "a", 0)->flags, WS_HOLDER_UNREAD);
    CHECK_EQUAL(holder_of(&segment, "a", 0)->mtime, a_mtime);
    CHECK_STRING(holders_of(&segment, "a/x"), "one ");

    ws_feature_index *index = ws_feature_index_new(&segment, false, "so", NULL);
    const char *given = test_path("one");
    ws_load_path_item items[] = { item(given) };
    CHECK(ws_feature_index_set_load_path(index, items, 1));
    CHECK(!ws_feature_index_outdated(index));
    CHECK_STRING(find(index, "a/x"), test_path("one/a/x.rb"));
    CHECK(ws_feature_index_outdated(index)); /* it would be read by now */
    ws_feature_index_free(index);
    ws_segment_close(&segment);
}

TEST("a gem's own log, tmp and storage folders are looked into")
{
    ws_index_build_options options = { .dlext = "so" };
    ws_segment segment;

    make_file("one/storage/x.rb");
    make_file("one/node_modules/x.rb");
    CHECK(build(&segment, "one", &options));
    CHECK_STRING(holders_of(&segment, "storage/x"), "one ");
    CHECK_EQUAL(holder_of(&segment, "node_modules", 0)->flags, WS_HOLDER_UNREAD);
    ws_segment_close(&segment);
}

TEST("a folder that is ignored, or cannot be read, is unread without times (also as an unprivileged user)")
{
    static const char *const ignored[] = { "vendor", NULL };
    ws_index_build_options options = { .dlext = "so", .ignored = ignored };
    ws_segment segment;

    make_file("one/vendor/x.rb");
    make_file("one/node_modules/x.rb");
    make_file("one/secret/x.rb");
    CHECK_EQUAL(chmod(test_path("one/secret"), 0), 0);
    CHECK(build(&segment, "!one", &options));
    CHECK_EQUAL(holder_of(&segment, "vendor", 0)->flags, WS_HOLDER_UNREAD);
    CHECK_EQUAL(holder_of(&segment, "vendor", 0)->mtime, 0);
    CHECK_EQUAL(holder_of(&segment, "node_modules", 0)->flags, 0);
    CHECK_STRING(holders_of(&segment, "node_modules/x"), "one ");
    CHECK_STRING(holders_of(&segment, "vendor/x"), "none");
    if (geteuid() != 0) CHECK_EQUAL(holder_of(&segment, "secret", 0)->flags, WS_HOLDER_UNREAD);
    ws_segment_close(&segment);
}

TEST("an entry that cannot be listed is there, and nothing is known of it (also as an unprivileged user)")
{
    ws_segment segment;

    if (geteuid() == 0) SKIP("root may read everything");
    make_file("one/x.rb");
    make_file("two/x.rb");
    CHECK_EQUAL(chmod(test_path("one"), 0111), 0);
    CHECK(build(&segment, "one two", &plain));
    CHECK_EQUAL(holder_of(&segment, "", 0)->flags, WS_HOLDER_UNREAD);
    CHECK_STRING(holders_of(&segment, "x"), "two ");
    ws_feature_index *index = ws_feature_index_new(&segment, false, "so", NULL);
    char one[300];
    snprintf(one, sizeof(one), "%s", test_path("one"));
    const char *two = test_path("two");
    ws_load_path_item items[] = { item(one), item(two) };
    CHECK(ws_feature_index_set_load_path(index, items, 2));
    CHECK_STRING(find(index, "x"), "search: unknown_entry");
    ws_feature_index_free(index);
    ws_segment_close(&segment);
}

TEST("a portable index holds whole seconds, no inodes, devices or ctimes")
{
    ws_index_build_options options = { .dlext = "so", .portable = true };
    ws_segment segment, other;

    make_file("one/a/x.rb");
    age_folders(test_folder());
    CHECK(build(&segment, "one", &options));
    ws_index_tables tables = tables_of(&segment);
    CHECK_EQUAL(tables.entries[0].device, 0);
    CHECK_EQUAL(tables.entries[0].inode, 0);
    CHECK_EQUAL(tables.holder_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(tables.holders[i].mtime > 0);
        CHECK_EQUAL(tables.holders[i].mtime % 1000000000, 0);
        CHECK_EQUAL(tables.holders[i].ctime, 0);
        CHECK_EQUAL(tables.holders[i].inode, 0);
    }
    /* One that is not portable cannot be carried over into one that is, nor the reverse. */
    make_file("two/x.rb");
    ws_index_build_options again = { .dlext = "so", .previous = &segment };
    CHECK(build(&other, "two", &again));
    CHECK_STRING(entries_of(&other), "two");
    ws_segment_close(&other);
    ws_segment_close(&segment);
}

TEST("same inputs give the same bytes, whatever the order of sources and of listings")
{
    ws_index_build_options options = { .dlext = "so", .portable = true, .sorted = true };
    ws_segment first, second;
    char name[64];

    for (unsigned i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "%s/a%u/x%u.%s", i % 3 ? "one" : "two", i % 7, i, i % 5 ? "rb" : "so");
        make_file(name);
    }
    CHECK_EQUAL(symlink("one", test_path("link")), 0);
    fixture_time = INT64_C(1500000000);
    CHECK(build(&first, "one two link", &options));
    /* The same names made anew in another order, with the same times. */
    for (unsigned i = 100; i-- > 0;) {
        snprintf(name, sizeof(name), "%s/a%u/x%u.%s", i % 3 ? "one" : "two", i % 7, i, i % 5 ? "rb" : "so");
        CHECK_EQUAL(unlink(test_path(name)), 0);
        make_file(name);
    }
    struct timespec times[2] = { { 1500000000, 0 }, { 1500000000, 0 } };
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 16; i++) {
            if (i < 14) snprintf(name, sizeof(name), "%s/a%u", i % 2 ? "one" : "two", i / 2);
            else snprintf(name, sizeof(name), "%s", i % 2 ? "one" : "two");
            CHECK_EQUAL(utimensat(AT_FDCWD, test_path(name), times, 0), 0);
        }
        if (round == 0) ws_segment_close(&first);
        CHECK(build(round ? &second : &first, round ? "link two one" : "one two link", &options));
    }
    CHECK_EQUAL(first.mapping.size, second.mapping.size);
    CHECK(memcmp(first.mapping.bytes, second.mapping.bytes, first.mapping.size) == 0);
    ws_segment_close(&first);
    ws_segment_close(&second);
}

TEST("stems that are no canonical names, or too long, are left out")
{
    char name[1200];
    ws_segment segment;

    make_file("one/.rb");
    make_file("one/a/.so");
    make_file("one/.hidden/x.rb");
    make_file("one/~x.rb");
    strcpy(name, "one");
    for (unsigned i = 0; i < 5; i++) {
        strcat(name, "/");
        memset(name + strlen(name), 'd', 199);
        name[3 + (i + 1) * 200] = '\0';
    }
    name[3 + 1000 - 1] = '\0'; /* the folders and the file come to 998 bytes */
    strcat(name, ".rb");
    make_file(name);
    CHECK(build(&segment, "one", &plain));
    ws_index_tables tables = tables_of(&segment);
    for (uint32_t i = 0; i < tables.feature_count; i++) CHECK(tables.features[i].name_size <= 1000);
    CHECK_STRING(holders_of(&segment, ""), "none");
    CHECK_STRING(holders_of(&segment, "a/"), "none");
    CHECK_STRING(holders_of(&segment, "~x"), "none");
    CHECK_STRING(holders_of(&segment, ".hidden/x"), "none");
    ws_segment_close(&segment);
}

TEST("a damaged older index is as none")
{
    ws_segment first, second;

    make_file("one/x.rb");
    make_file("two/x.rb");
    CHECK(build(&first, "one", &plain));
    uint32_t *parent = (uint32_t *)((char *)(uintptr_t)ws_segment_section(&first, WS_SECTION_DIRECTORIES).bytes +
                                    offsetof(ws_index_directory, parent));
    *parent = 7;
    ws_index_build_options again = { .dlext = "so", .previous = &first };
    CHECK(build(&second, "two", &again));
    CHECK_STRING(entries_of(&second), "two");
    ws_segment_close(&first);
    ws_segment_close(&second);
}

TEST("a build leaves no descriptor open")
{
    ws_segment segment;
    int before = test_descriptor_count();

    make_file("one/a/b/x.rb");
    CHECK(build(&segment, "one", &plain));
    CHECK_EQUAL(test_descriptor_count(), before);
    ws_segment_close(&segment);
}
