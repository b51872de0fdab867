/* Folders, segments and load paths for the tests of the load-path index. Include after test.h. */
#ifndef WARMSTART_FEATURE_INDEX_FIXTURE_H
#define WARMSTART_FEATURE_INDEX_FIXTURE_H

#include "core/index/feature_index.h"
#include "core/index/feature_index_builder.h"
#include "core/index/feature_index_internal.h"
#include "core/index/feature_index_tables.h"
#include "core/validation/folder_watch.h"
#include "image_fixture.h"

/* ---- Folders ---- */

TEST_UNUSED static void
make_folders(const char *path)
{
    char buffer[2048];

    snprintf(buffer, sizeof(buffer), "%s", path);
    for (char *at = buffer + 1; *at; at++) {
        if (*at != '/') continue;
        *at = '\0';
        mkdir(buffer, 0755);
        *at = '/';
    }
    mkdir(buffer, 0755);
}

/* An empty file, with the folders that it needs. */
TEST_UNUSED static void
make_file(const char *name)
{
    char folder[2048];

    snprintf(folder, sizeof(folder), "%s", test_path(name));
    *strrchr(folder, '/') = '\0';
    make_folders(folder);
    test_write(name, "", 0);
}

static int64_t fixture_time = INT64_C(1500000000);

static void
fixture_age_folder(const char *path)
{
    struct timespec times[2] = { { fixture_time, 123456700 }, { fixture_time, 123456700 } };
    struct stat found;

    if (stat(path, &found) == 0 && found.st_mtime < fixture_time) return; /* has its own, and has not changed since */
    fixture_time += 2;
    if (utimensat(AT_FDCWD, path, times, 0) != 0) perror(path);
}

/* Gives each folder below an mtime of its own, long ago: a change right after is noticed however coarse the clock of
 * the file system is, and no two folders can be taken for each other. (Of 100 ns: Windows keeps no finer ones.) */
TEST_UNUSED static void
age_folders(const char *path)
{
    test_each_folder(path, fixture_age_folder);
}

/* ---- Segments ---- */

/* Builds, writes, and opens what was written. False when the builder found nothing changed (then *segment is
 * untouched). */
TEST_UNUSED static bool
build_segment(ws_segment *segment, const ws_index_source *sources, size_t count, const ws_index_build_options *options,
              uint32_t flags)
{
    static unsigned number;
    char name[64];
    ws_error error = { .code = WS_OK };
    ws_segment_header header;
    ws_mapping mapping;
    bool changed = false;
    ws_segment_writer *writer = ws_segment_writer_new("key", 3, flags);

    CHECK(writer);
    CHECK_EQUAL(ws_feature_index_build(writer, sources, count, options, &changed, &error), WS_OK);
    snprintf(name, sizeof(name), "segment-%u", number++);
    if (changed) {
        int file = open(test_path(name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        CHECK(file >= 0);
        int descriptor = fixture_descriptor(file);
        CHECK_EQUAL(ws_segment_writer_write(writer, descriptor, &header, name, &error), WS_OK);
        CHECK_EQUAL(ws_mapping_open(&mapping, descriptor, (size_t)header.file_size, true, name, &error), WS_OK);
        close(file);
        CHECK_EQUAL(ws_segment_open(segment, mapping, 0, name, &error), WS_OK);
    }
    ws_segment_writer_free(writer);
    return changed;
}

TEST_UNUSED static ws_index_source
source(const char *given, bool stable)
{
    return (ws_index_source){ .given = given, .given_size = strlen(given), .stable = stable };
}

TEST_UNUSED static ws_load_path_item
item(const char *given)
{
    bool absolute = ws_path_rules_native()->is_absolute(given, strlen(given));
    ws_load_path_kind kind = absolute          ? WS_LOAD_PATH_ABSOLUTE
                             : given[0] == '~' ? WS_LOAD_PATH_OPAQUE
                                               : WS_LOAD_PATH_RELATIVE;
    return (ws_load_path_item){ .bytes = given, .size = strlen(given), .kind = kind };
}

/* The path that the index answers, or "search: " and the reason. In one of four buffers that take turns. */
TEST_UNUSED static const char *
find(ws_feature_index *index, const char *feature)
{
    static char buffers[4][4096];
    static unsigned turn;
    char *buffer = buffers[turn++ % 4];
    ws_feature_answer answer = ws_feature_index_find(index, feature, strlen(feature), buffer, sizeof(buffers[0]));

    if (answer.answer == WS_ANSWER_SEARCH) snprintf(buffer, sizeof(buffers[0]), "search: %s", answer.reason);
    else CHECK(answer.path_size >= strlen(buffer)); /* (damage may put a NUL into a name) */
    return buffer;
}

#endif
