/* One open load-path index at a time, over folders that a test has made: for the tests of the index at run time.
 * Include after test.h. */
#ifndef WARMSTART_FEATURE_INDEX_SETUP_H
#define WARMSTART_FEATURE_INDEX_SETUP_H

#include "feature_index_fixture.h"

#define MAXIMUM 200

typedef struct setup {
    ws_segment segment;
    ws_feature_index *index;
    char texts[MAXIMUM][300];
    ws_load_path_item items[MAXIMUM];
} setup;

static setup *current;

/* Sources separated by blanks; one that begins with "!" is not stable. */
TEST_UNUSED static void
build_sources(ws_segment *segment, const char *names, const ws_index_build_options *options, uint32_t flags)
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

/* Names, separated by blanks, for which Ruby's own search found nothing: they go into the next index that is opened. */
static ws_string_pool missing_names;

TEST_UNUSED static void
remember_missing(const char *names)
{
    char copy[4000];

    snprintf(copy, sizeof(copy), "%s", names);
    for (char *name = strtok(copy, " "); name; name = strtok(NULL, " "))
        ws_string_pool_intern(&missing_names, name, strlen(name));
}

TEST_UNUSED static void
open_with(const char *names, bool sealed, bool portable)
{
    ws_index_build_options options = { .dlext = "so", .portable = portable, .missing = &missing_names };

    current = calloc(1, sizeof *current);
    age_folders(test_folder());
    build_sources(&current->segment, names, &options, portable ? WS_SEGMENT_PORTABLE : 0);
    current->index = ws_feature_index_new(&current->segment, sealed, "so", NULL);
    CHECK(current->index);
    ws_string_pool_free(&missing_names);
    memset(&missing_names, 0, sizeof missing_names);
}

TEST_UNUSED static void
open_index(const char *names)
{
    open_with(names, false, false);
}

TEST_UNUSED static void
close_index(void)
{
    ws_feature_index_free(current->index);
    ws_segment_close(&current->segment);
    free(current);
}

/* As another process sees it: nothing is remembered. */
TEST_UNUSED static void
reopen(bool sealed)
{
    ws_feature_index_free(current->index);
    current->index = ws_feature_index_new(&current->segment, sealed, "so", NULL);
    CHECK(current->index);
}

/* Entries separated by blanks: names in the test's folder, or "./x" for relative and "~" for opaque ones. */
TEST_UNUSED static void
load_path(const char *names)
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

TEST_UNUSED static const ws_feature_index_counters *
counters(void)
{
    return ws_feature_index_counters_get(current->index);
}

#define FINDS(feature, path) CHECK_STRING(find(current->index, feature), test_path(path))
#define LEFT_TO_RUBY(feature, reason) CHECK_STRING(find(current->index, feature), "search: " reason)

#endif
