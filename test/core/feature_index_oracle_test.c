/* The load-path index against a slow reference: small random folder trees, random load paths, random changes between
 * build and look-up. The reference is Ruby's search as it stands in file.c: for each extension, for each expanded
 * entry, is there a file that can be loaded? (also as an unprivileged user, for whom a folder's rights count)
 *
 * The index may always leave a search to Ruby. But if it answers with a path, and a file is there (the caller looks),
 * it must be the reference's; and in a world of plain files, without a change, it must answer whatever the reference
 * finds in an entry that is indexed (but not once a link led to an entry that is not). A failure names its seed:
 *
 *     WARMSTART_ORACLE_SEED=123 WARMSTART_ORACLE_WORLDS=1 ...     that world alone
 *     WARMSTART_ORACLE_WORLDS=20000 ...                           more of them (default 100) */
#include "test.h"

#include <limits.h>

#include "feature_index_fixture.h"

#define ROOT_COUNT 6
#define LOAD_PATH_MAXIMUM 12
#define PADDING 17 /* empty entries, which make a load path so long that it is watched */

static uint64_t state; /* of the random numbers */
static uint64_t seed;  /* of the present world */

static unsigned
below(unsigned limit)
{
    return (unsigned)(test_random(&state) % limit);
}

static bool
chance(unsigned percent)
{
    return below(100) < percent;
}

#define PICK(list) (list)[below(sizeof(list) / sizeof *(list))]

static const char *const folder_names[] = { "", "", "a", "a", "b", "a/b", "a/b", "a/b/c" };
static const char *const file_names[] = { "x", "x", "y", "x.y" };
static const char *const file_extensions[] = { ".rb", ".rb", ".rb", ".so", ".so", ".o.rb", "" };
static const char *const feature_extensions[] = { "", "", "", ".rb", ".so", ".o", ".bundle", ".rb.rb" };

typedef struct oracle_world {
    bool plain; /* regular files and folders only */
    bool sealed, portable;
    bool padded;
    bool changed;                   /* since the index was built */
    char names[ROOT_COUNT * 3][64]; /* roots, links to roots, and roundabout names; relative to the test's folder */
    bool stable[ROOT_COUNT * 3];
    bool indexed[ROOT_COUNT * 3];
} oracle_world;

/* ---- Worlds ---- */

static const char *
random_node(const char *root, char *buffer, size_t size, bool plain)
{
    const char *folder = !plain && chance(10) ? "node_modules" : PICK(folder_names);

    snprintf(buffer, size, "%s/%s%s%s%s", root, folder, folder[0] ? "/" : "", PICK(file_names), PICK(file_extensions));
    return buffer;
}

static void
add_oddity(const char *name)
{
    char folder[2048];

    snprintf(folder, sizeof(folder), "%s", test_path(name));
    *strrchr(folder, '/') = '\0';
    make_folders(folder);
    switch (below(6)) {
        case 0: make_folders(test_path(name)); break;
        case 5: CHECK(symlink(".", strcat(folder, chance(50) ? "/a" : "/b")) == 0 || errno == EEXIST); break;
        case 1: CHECK(mkfifo(test_path(name), 0600) == 0 || errno == EEXIST); break;
        case 2: CHECK(symlink("nowhere", test_path(name)) == 0 || errno == EEXIST); break;
        case 3: CHECK(symlink("..", test_path(name)) == 0 || errno == EEXIST); break;
        default: CHECK(symlink("x.rb", test_path(name)) == 0 || errno == EEXIST); break;
    }
}

/* A file, unless something odd stands in its way. */
static void
add_file(const char *name)
{
    char path[2048];

    snprintf(path, sizeof(path), "%s", test_path(name));
    for (char *at = path + strlen(test_folder()) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0755);
        *at = '/';
    }
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor >= 0) close(descriptor);
}

static void
make_world(oracle_world *world)
{
    char name[256];

    memset(world, 0, sizeof *world);
    world->plain = chance(50);
    world->sealed = chance(25);
    world->portable = chance(25);
    world->padded = chance(50);
    make_folders(test_path("padding"));
    for (unsigned i = 0; i < ROOT_COUNT; i++) {
        snprintf(world->names[i], sizeof(world->names[0]), "%s/r%u", i % 2 ? "p" : "q", i);
        make_folders(test_path(world->names[i]));
        for (unsigned nodes = 2 + below(14); nodes > 0; nodes--) {
            random_node(world->names[i], name, sizeof(name), world->plain);
            if (!world->plain && chance(12)) add_oddity(name);
            else add_file(name);
        }
        snprintf(world->names[ROOT_COUNT + i], sizeof(world->names[0]), "l%u", i);
        CHECK_EQUAL(symlink(world->names[i], test_path(world->names[ROOT_COUNT + i])), 0);
        snprintf(world->names[2 * ROOT_COUNT + i], sizeof(world->names[0]), "%s/../r%u%s", world->names[i], i,
                 chance(50) ? "/" : "");
    }
    for (unsigned i = 0; i < 3 * ROOT_COUNT; i++) {
        /* Now and then the names of one folder disagree. */
        world->stable[i] = i < ROOT_COUNT ? chance(75) : chance(95) ? world->stable[i % ROOT_COUNT] : chance(50);
        world->indexed[i] = chance(i < ROOT_COUNT ? 75 : 30);
    }
}

/* ---- Changes ---- */

static void
move(const char *from, const char *to)
{
    char old_path[2048];

    snprintf(old_path, sizeof(old_path), "%s", test_path(from));
    if (rename(old_path, test_path(to)) != 0) CHECK(errno != EXDEV);
}

static void
remove_tree(const char *path)
{
    test_remove_tree(path);
}

/* Inside one root: what a program may do at any time in its own folders. */
static void
change_inside(const char *root, bool plain)
{
    char name[256], other[256];

    random_node(root, name, sizeof(name), plain);
    snprintf(other, sizeof(other), "%s/%s", root, PICK(folder_names));
    switch (below(5)) {
        case 0:
        case 1: add_file(name); break;
        case 2: unlink(test_path(name)); break;
        case 3:
            if (strlen(other) > strlen(root) + 1) remove_tree(test_path(other));
            break;
        default: {
            char from[256];
            snprintf(from, sizeof(from), "%s", name);
            random_node(root, name, sizeof(name), plain);
            move(from, name);
        }
    }
}

/* A folder in a root, or one above it, may be used or listed no more, or again. (The index is not told of that.) */
static void
change_rights(const char *root)
{
#ifndef _WIN32
    static const mode_t modes[] = { 0755, 0755, 0, 0444, 0311 };
    char name[256];

    if (chance(20)) snprintf(name, sizeof(name), "%c", *root);
    else snprintf(name, sizeof(name), "%s/%s", root, PICK(folder_names));
    chmod(test_path(name), PICK(modes));
#else
    (void)root;
#endif
}

/* To the folders above the roots, so that there is something to build an index of. */
static void
give_rights_back(void)
{
    chmod(test_path("p"), 0755);
    chmod(test_path("q"), 0755);
}

/* Between runs: anything. */
static void
change_outside(oracle_world *world)
{
    unsigned i = below(ROOT_COUNT), j = below(ROOT_COUNT);
    char folder[256], other[256];

    snprintf(folder, sizeof(folder), "%s/%s", world->names[i], PICK(folder_names));
    snprintf(other, sizeof(other), "%s/%s", world->names[j], PICK(folder_names));
    switch (below(16)) {
        case 6: change_rights(world->names[i]); break;
        case 0: remove_tree(test_path(world->names[i])); break;
        case 1:
            move(world->names[i], "aside");
            move(world->names[j], world->names[i]);
            break;
        case 2:
            unlink(test_path(world->names[ROOT_COUNT + i]));
            CHECK(symlink(world->names[j], test_path(world->names[ROOT_COUNT + i])) == 0);
            break;
        case 3:
            move("p", "p-moved");
            CHECK(symlink("p-moved", test_path("p")) == 0 || errno == EEXIST);
            break;
        case 4: move(folder, other); break;
        case 5:
            move(world->names[i], "aside");
            /* (EACCES: the folder above has lost its rights, which hold for all but root.) */
            CHECK(symlink("../aside", test_path(world->names[i])) == 0 || errno == EEXIST || errno == EACCES);
            break;
        default: change_inside(world->names[i], world->plain);
    }
    world->changed = true;
}

/* ---- The reference ---- */

static bool
is_loadable(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && (S_ISREG(found.st_mode) || S_ISFIFO(found.st_mode) || S_ISCHR(found.st_mode)) &&
           access(path, R_OK) == 0;
}

/* As rb_construct_expanded_load_path: the realpath, else the entry itself, which rb_file_expand_path makes lexical
 * later. */
static void
expand_item(const ws_load_path_item *entry, char *expanded)
{
    if (!realpath(entry->bytes, expanded)) {
        CHECK(ws_path_rules_native()->expand(expanded, PATH_MAX, entry->bytes, entry->size, test_folder(),
                                             strlen(test_folder())));
    }
}

/* The entries' expanded names. Ruby keeps them (rb_get_expanded_load_path) until $LOAD_PATH changes, or for a relative
 * entry the working directory: a link that becomes a folder meanwhile makes no difference. */
static char expanded_entries[LOAD_PATH_MAXIMUM + PADDING][PATH_MAX];

static void
expand_load_path(const ws_load_path_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].kind != WS_LOAD_PATH_OPAQUE) expand_item(&items[i], expanded_entries[i]);
}

/* Position of the entry that holds stem + suffix, or -1; -2: an entry that only Ruby understands comes first. */
static int
search_entries(const ws_load_path_item *items, size_t count, const char *stem, const char *suffix, char *path)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind == WS_LOAD_PATH_OPAQUE) return -2;
        snprintf(path, 2 * PATH_MAX, "%s/%s%s", expanded_entries[i], stem, suffix);
        if (is_loadable(path)) return (int)i;
    }
    return -1;
}

static int
reference(const ws_load_path_item *items, size_t count, const char *feature, char *path)
{
    char stem[256];
    const char *dot = strrchr(feature, '.');
    bool rb = dot && strcmp(dot, ".rb") == 0, library = dot && (strcmp(dot, ".so") == 0 || strcmp(dot, ".o") == 0);
    int position;

    snprintf(stem, sizeof(stem), "%.*s", (int)(rb || library ? dot - feature : (long)strlen(feature)), feature);
    if (!library) {
        position = search_entries(items, count, stem, ".rb", path);
        if (rb || position != -1) return position;
    }
    position = search_entries(items, count, stem, ".so", path);
    if (!library || position != -1) return position;
    return -2; /* Ruby goes on with x.so.rb: the index never answers that */
}

/* ---- Comparing ---- */

static char texts[LOAD_PATH_MAXIMUM + PADDING][512];

static size_t
choose_load_path(const oracle_world *world, ws_load_path_item *items, bool *indexed)
{
    size_t count = below(LOAD_PATH_MAXIMUM + 1);
    bool roundabout = false;

    for (size_t i = 0; i < count; i++) {
        unsigned which = below(chance(55) ? ROOT_COUNT : 3 * ROOT_COUNT);
        bool relative = chance(4);
        if (chance(1)) snprintf(texts[i], sizeof(texts[0]), "~/lib");
        else if (chance(1)) snprintf(texts[i], sizeof(texts[0]), "%s", test_path("missing/../q/r0"));
        else if (relative) snprintf(texts[i], sizeof(texts[0]), "%s", world->names[which]);
        else snprintf(texts[i], sizeof(texts[0]), "%s", test_path(world->names[which]));
        items[i] = item(texts[i]);
        indexed[i] = items[i].kind == WS_LOAD_PATH_ABSOLUTE && !strstr(texts[i], "missing") && world->indexed[which];
        roundabout = roundabout || (items[i].kind == WS_LOAD_PATH_RELATIVE && strstr(texts[i], ".."));
    }
    for (size_t i = 0; world->padded && i < PADDING; i++, count++) {
        snprintf(texts[count], sizeof(texts[0]), "%s", test_path("padding"));
        items[count] = item(texts[count]);
        indexed[count] = false;
    }
    /* Only Ruby knows what "a/../b" means if it is missing: nothing is demanded beside such an entry. */
    if (roundabout) memset(indexed, 0, count * sizeof *indexed);
    return count;
}

static void
compare(const oracle_world *world, ws_feature_index *index, const char *feature, const ws_load_path_item *items,
        const bool *indexed, size_t count)
{
    static char expected[2 * PATH_MAX];
    const char *path = find(index, feature);
    int position = reference(items, count, feature, expected);
    bool answered = path[0] == '/';
    struct stat found;

    test_assertion_count++;
    if (answered && stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, R_OK) == 0 &&
        (position < 0 || strcmp(path, expected) != 0)) {
        test_fail(__FILE__, __LINE__, "seed %" PRIu64 ": %s: the index says %s, the reference %s (at %d)", seed,
                  feature, path, expected, position);
    }
    if (answered || !world->plain || world->changed || index->met_links) return;
    if (position < 0 || !indexed[position]) return;
    test_fail(__FILE__, __LINE__, "seed %" PRIu64 ": %s: %s instead of %s (at %d)", seed, feature, path, expected,
              position);
}

static unsigned lacks_claimed;

/* "There is no such .rb" must be true wherever it is said. */
static void
compare_lack(ws_feature_index *index, const char *stem, const ws_load_path_item *items, size_t count)
{
    static char expected[2 * PATH_MAX];

    test_assertion_count++;
    if (ws_feature_index_lacks_rb(index, stem, strlen(stem)) &&
        search_entries(items, count, stem, ".rb", expected) != -1)
        test_fail(__FILE__, __LINE__, "seed %" PRIu64 ": %s.rb: the index says there is none, the reference %s", seed,
                  stem, expected);
    if (!ws_feature_index_lacks(index, stem, strlen(stem))) return;
    lacks_claimed++;
    if (search_entries(items, count, stem, ".rb", expected) != -1 ||
        search_entries(items, count, stem, ".so", expected) != -1)
        test_fail(__FILE__, __LINE__, "seed %" PRIu64 ": %s: the index says there is nothing, the reference %s", seed,
                  stem, expected);
}

/* Is the root a stable entry of the index, under any name? */
static bool
is_stable_root(const oracle_world *world, unsigned root)
{
    char path[PATH_MAX], entry[PATH_MAX];

    if (!realpath(test_path(world->names[root]), path)) return true;
    for (unsigned name = 0; name < 3 * ROOT_COUNT; name++) {
        if (!world->indexed[name] || !world->stable[name]) continue;
        if (realpath(test_path(world->names[name]), entry) && strcmp(entry, path) == 0) return true;
    }
    return false;
}

/* What a program may do while it boots: write into any folder. A stable one is believed to stay as it is where the
 * index neither watches nor looks each time. */
static void
change_while_running(oracle_world *world, const ws_feature_index *index)
{
    unsigned i = below(ROOT_COUNT);
    bool stable = is_stable_root(world, i);

    if (stable && !index->watching && !ws_index_looks_each_time(index)) return;
    world->changed = true;
    if (chance(25)) {
        change_rights(world->names[i]);
        return;
    }
    if (stable || chance(90)) {
        change_inside(world->names[i], world->plain);
        return;
    }
    /* Its own folder goes, and perhaps there is another one of that name, while somebody still has the old one open. */
    give_rights_back();
    int open_folder = open(test_path(world->names[i]), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (chance(50)) move(world->names[i], chance(50) ? "aside" : "padding/aside");
    else remove_tree(test_path(world->names[i]));
    if (chance(70)) {
        make_folders(test_path(world->names[i]));
        change_inside(world->names[i], world->plain);
    }
    if (open_folder >= 0) close(open_folder);
}

/* A link to a root leads elsewhere, becomes a folder, or goes. Whoever makes a link is noticed (File.symlink,
 * File.rename, a child process), and whoever removes one is not. */
static void
change_link(ws_feature_index *index, oracle_world *world)
{
    const char *name = world->names[ROOT_COUNT + below(ROOT_COUNT)];
    ws_stat stat;
    char target[128];

    if (ws_file_stat_path(test_path(name), false, &stat) == 0 && stat.type == WS_TYPE_DIRECTORY)
        remove_tree(test_path(name));
    else unlink(test_path(name));
    switch (below(4)) {
        case 0: break;
        case 1:
            snprintf(target, sizeof(target), "%s/%s%s", name, PICK(file_names), PICK(file_extensions));
            add_file(target);
            break;
        default:
            CHECK_EQUAL(symlink(world->names[below(ROOT_COUNT)], test_path(name)), 0);
            ws_feature_index_forget(index);
    }
    world->changed = true;
}

/* As ruby/load_path/load_path.c does before each look-up. */
static void
notice(ws_feature_index *index, const ws_load_path_item *items, size_t count)
{
    if (ws_feature_index_notice(index) && index->load_path_known) return;
    ws_feature_index_forget(index);
    CHECK(ws_feature_index_set_load_path(index, items, count));
}

static void
compare_load_path(oracle_world *world, ws_feature_index *index)
{
    ws_load_path_item items[LOAD_PATH_MAXIMUM + PADDING];
    bool indexed[LOAD_PATH_MAXIMUM + PADDING];
    size_t count = choose_load_path(world, items, indexed);

    CHECK(ws_feature_index_set_load_path(index, items, count));
    expand_load_path(items, count);
    for (unsigned looks = 25; looks > 0; looks--) {
        char feature[128];
        if (!world->sealed && chance(10)) change_while_running(world, index);
        if (!world->sealed && chance(5)) change_link(index, world);
        if (chance(5)) { /* another load path of the same entries */
            expand_load_path(items, count);
            CHECK(ws_feature_index_set_load_path(index, items, count));
        }
        notice(index, items, count);
        const char *folder = !world->plain && chance(10) ? "node_modules" : PICK(folder_names);
        const char *file_name = chance(95) ? PICK(file_names) : "log";
        snprintf(feature, sizeof(feature), "%s%s%s%s", folder, folder[0] ? "/" : "", file_name,
                 PICK(feature_extensions));
        compare(world, index, feature, items, indexed, count);
        if (!strchr(file_name, '.')) {
            const char *missing = chance(10) ? "/none" : "";
            snprintf(feature, sizeof(feature), "%s%s%s%s", folder, missing, folder[0] || missing[0] ? "/" : "",
                     file_name);
            compare_lack(index, feature, items, count);
        }
    }
}

/* Every name that is looked up may have been missing when the boot was recorded, whatever there is now. */
static void
name_missing(ws_string_pool *pool)
{
    for (size_t i = 0; i < sizeof folder_names / sizeof *folder_names; i++) {
        for (size_t j = 0; j < sizeof file_names / sizeof *file_names; j++) {
            for (int none = 0; none < 2; none++) {
                char name[128];
                int size = snprintf(name, sizeof(name), "%s%s%s%s", folder_names[i], none ? "/none" : "",
                                    folder_names[i][0] || none ? "/" : "", file_names[j]);
                if (chance(90)) CHECK(ws_string_pool_intern(pool, name, (size_t)size) != UINT32_MAX);
            }
        }
    }
}

static bool
build_world(const oracle_world *world, ws_segment *segment, const ws_segment *previous)
{
    ws_string_pool missing = { 0 };
    ws_index_source sources[3 * ROOT_COUNT];
    char paths[3 * ROOT_COUNT][512];
    ws_index_build_options options = {
        .dlext = "so", .portable = world->portable, .sorted = chance(30), .previous = previous, .missing = &missing
    };
    size_t count = 0;

    name_missing(&missing);
    for (unsigned i = 0; i < 3 * ROOT_COUNT; i++) {
        snprintf(paths[count], sizeof(paths[0]), "%s", test_path(world->names[i]));
        if (world->indexed[i]) sources[count] = source(paths[count], world->stable[i]), count++;
    }
    bool changed = build_segment(segment, sources, count, &options, world->portable ? WS_SEGMENT_PORTABLE : 0);
    ws_string_pool_free(&missing);
    return changed;
}

static void
run_index(oracle_world *world, const ws_segment *segment)
{
    ws_feature_index *index = ws_feature_index_new(segment, world->sealed, "so", NULL);

    CHECK(index);
    ws_watch_begin();
    for (unsigned paths = 6; paths > 0; paths--) compare_load_path(world, index);
    ws_watch_end();
    ws_feature_index_notice(index);
    ws_feature_index_free(index);
}

/* One life: build, perhaps change, run; then build upon the older index with other sources, and run again. */
static void
live(void)
{
    oracle_world world;
    ws_segment segments[2];
    bool built[2] = { false, false };

    make_world(&world);
    age_folders(test_folder());
    built[0] = build_world(&world, &segments[0], NULL);
    for (unsigned changes = !world.sealed && chance(60) ? 1 + below(5) : 0; changes > 0; changes--)
        change_outside(&world);
    if (built[0]) run_index(&world, &segments[0]);

    if (built[0] && !world.sealed) {
        bool before[3 * ROOT_COUNT];
        memcpy(before, world.indexed, sizeof(before));
        for (unsigned i = 0; i < 3 * ROOT_COUNT; i++) world.indexed[i] = chance(40);
        give_rights_back();
        age_folders(test_folder()); /* a folder that is too young would not be read */
        built[1] = build_world(&world, &segments[1], &segments[0]);
        world.changed = true; /* what is carried over may be out of date */
        for (unsigned i = 0; i < 3 * ROOT_COUNT; i++) {
            /* An entry that is carried over keeps the word of the first build. */
            world.indexed[i] = world.indexed[i] || before[i];
            if (before[i]) world.stable[i] = true;
        }
        if (built[1]) run_index(&world, &segments[1]);
    }
    for (unsigned i = 0; i < 2; i++)
        if (built[i]) ws_segment_close(&segments[i]);
}

static uint64_t
setting(const char *name, uint64_t fallback)
{
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 10) : fallback;
}

TEST("the index never answers anything but what Ruby's own search finds")
{
    uint64_t first = setting("WARMSTART_ORACLE_SEED", 1), count = setting("WARMSTART_ORACLE_WORLDS", 100);

    for (seed = first; seed < first + count; seed++) {
        alarm(TEST_SECONDS_MAXIMUM); /* (for each world) */
        state = seed * UINT64_C(0x9E3779B97F4A7C15);
        CHECK_EQUAL(chdir(test_folder()), 0);
        live();
        CHECK_EQUAL(chdir("/"), 0);
        test_remove_tree(test_folder());
        test_make_folder();
    }
    CHECK(count < 100 || lacks_claimed > count); /* (the claim is made, and so compared) */
}
