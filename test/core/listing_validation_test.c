/* Validation by listings: see core/validation/listing_validation.h. What a listing and a call take is what the clock of
 * our own says. */
#include "test.h"

#include "core/file_system/file_system.h"
#include "../../ext/warmstart/core/validation/listing_costs.c"
#include "core/validation/listing_validation.h"

/* The code under test, with such a clock. Nanoseconds: */
static int64_t fake_now, listing_cost, name_cost;

int64_t fake_clock(void);
int fake_list(ws_folder folder, ws_listing *listing);

int64_t
fake_clock(void)
{
    return fake_now;
}

/* With metadata, on every system. */
int
fake_list(ws_folder folder, ws_listing *listing)
{
    int error_number = ws_folder_list(folder, listing);

    fake_now += listing_cost + listing->count * name_cost;
    for (uint32_t row = 0; !ws_listings_tell_metadata && row < listing->count; row++) {
        ws_stat stat;
        if (ws_folder_stat_name(folder, ws_listing_name(listing, row), false, WS_FIELDS_OF_FILES, &stat) != 0) continue;
        ws_listing_fill(listing, row, &stat, WS_FIELDS_OF_FILES | (stat.type == WS_TYPE_SYMLINK ? 0 : WS_ROW_IS_PLAIN));
    }
    return error_number;
}

#define ws_expect_file own_expect_file
#define ws_listings_offer own_listings_offer
#define ws_listings_forget own_listings_forget
#define ws_listings_end own_listings_end
#define ws_listings_are_offered own_listings_are_offered
#define ws_listings_note_call own_listings_note_call
#define ws_listings_answer own_listings_answer
#define ws_listings_counts_get own_listings_counts_get
bool own_expect_file(ws_expectations *expectations, const char *path, size_t size, const ws_stat *stat);
void own_listings_offer(ws_expectation_source source);
void own_listings_forget(void);
void own_listings_end(void);
bool own_listings_are_offered(void);
void own_listings_note_call(int64_t nanoseconds);
bool own_listings_answer(const char *path, uint32_t threads, ws_stat *stat);
ws_listings_counts own_listings_counts_get(void);
#define ws_clock_now fake_clock
#define ws_folder_list fake_list
#include "../../ext/warmstart/core/validation/listing_validation.c"
#undef ws_folder_list

enum { FOLDERS = 3, FILES = 40, CALL = 20000 };

static char paths[FOLDERS][FILES][600];
static ws_stat known[FOLDERS][FILES];
static int sources;

static void
offer_files(ws_expectations *expectations)
{
    sources++;
    for (int folder = 0; folder < FOLDERS; folder++) {
        for (int i = 0; i < FILES; i++) {
            const char *path = paths[folder][i];
            CHECK(own_expect_file(expectations, path, strlen(path), &(ws_stat){ .size = 12345 }));
            CHECK(own_expect_file(expectations, path, strlen(path), &known[folder][i]));
        }
    }
}

/* Folders with files that an image knows, an offer, and three calls by name, which took CALL. */
static void
start_boot(int64_t listing, int64_t name)
{
    for (int folder = 0; folder < FOLDERS; folder++) {
        char directory[40];
        snprintf(directory, sizeof directory, "folder%d", folder);
        CHECK_EQUAL(mkdir(test_path(directory), 0755), 0);
        for (int i = 0; i < FILES; i++) {
            char path[60];
            snprintf(path, sizeof path, "%s/file%d.rb", directory, i);
            test_write(path, "xxxxxxxxxx", (size_t)(i % 10));
            snprintf(paths[folder][i], sizeof paths[folder][i], "%s/%s", test_folder(), path);
            CHECK_EQUAL(ws_file_stat(paths[folder][i], &known[folder][i]), 0);
        }
    }
    listing_cost = listing;
    name_cost = name;
    sources = 0;
    own_listings_offer(offer_files);
    for (int i = 0; i < 3; i++) own_listings_note_call(CALL);
}

static bool
answers(int folder, int file)
{
    ws_stat stat, by_name;

    if (!own_listings_answer(paths[folder][file], 1, &stat)) return false;
    CHECK_EQUAL(ws_file_stat(paths[folder][file], &by_name), 0);
    CHECK_EQUAL(stat.type, by_name.type);
    CHECK_SIZE(stat.size, by_name.size);
    CHECK(stat.mtime == by_name.mtime && stat.ctime == by_name.ctime && stat.mode == by_name.mode &&
          stat.owner == by_name.owner);
    CHECK(stat.inode == 0 && stat.device == 0); /* (not known: what Windows' call by name tells) */
    return true;
}

/* Writes another content of the same size, at another time by the file system's clock, which goes in steps. */
static void
edit(int folder, int file)
{
    char name[60];
    ws_stat now;

    snprintf(name, sizeof name, "folder%d/file%d.rb", folder, file);
    do {
        usleep(1000);
        test_write(name, "yyyyyyyyyy", (size_t)(file % 10));
        CHECK_EQUAL(ws_file_stat(paths[folder][file], &now), 0);
    } while (now.mtime == known[folder][file].mtime);
}

TEST("one listing answers for a folder's files, with what calls by name would tell")
{
    start_boot(2 * CALL, 10);
    uint64_t before = ws_stat_calls;
    ws_listings_counts counted = own_listings_counts_get();
    ws_stat stat;
    for (int i = 0; i < FILES; i++) CHECK(own_listings_answer(paths[1][i], 1, &stat));
    CHECK_SIZE(ws_stat_calls - before, WS_CALLS_OF_A_LISTING);
    CHECK_SIZE(own_listings_counts_get().listings - counted.listings, 1);
    CHECK_SIZE(own_listings_counts_get().names - counted.names, FILES);
    CHECK_SIZE(own_listings_counts_get().answers - counted.answers, FILES);
    for (int i = 0; i < FILES; i++) CHECK(answers(2, i));
    own_listings_end();
}

TEST("it answers once for a file, and for files that are expected only")
{
    ws_stat stat;

    start_boot(2 * CALL, 10);
    CHECK(answers(0, 7));
    CHECK(!answers(0, 7));
    CHECK(!own_listings_answer(test_path("folder0/unknown.rb"), 1, &stat));
    CHECK(!own_listings_answer(test_path("folder9/file0.rb"), 1, &stat));
    CHECK(!own_listings_answer("file0.rb", 1, &stat));
    CHECK(answers(0, 8));
    own_listings_end();
    CHECK(!answers(0, 9));
}

TEST("a file that is not as the image knows it gets its own call")
{
    start_boot(2 * CALL, 10);
    edit(0, 1);
    test_write("folder0/file2.rb", "longer than it was", 18);
    CHECK_EQUAL(unlink(paths[0][3]), 0);
    CHECK_EQUAL(unlink(paths[0][4]), 0);
    CHECK_EQUAL(mkdir(paths[0][4], 0755), 0);
    edit(0, 6);
    CHECK_EQUAL(unlink(paths[0][5]), 0);
    CHECK_EQUAL(rename(paths[0][6], paths[0][5]), 0);
    for (int i = 1; i <= 6; i++) CHECK(!answers(0, i));
    CHECK(answers(0, 0));
    CHECK(answers(0, 7));
    own_listings_end();
}

TEST("after forgetting, a folder is listed anew and tells what is there then")
{
    start_boot(2 * CALL, 10);
    CHECK(answers(0, 1));
    edit(0, 2);
    CHECK(own_listings_answer(paths[0][3], 1, &(ws_stat){ .size = 0 }));
    own_listings_forget();
    CHECK(!answers(0, 2));
    CHECK(answers(0, 4));
    CHECK_EQUAL(sources, 2);
    own_listings_end();
}

TEST("a program that pauses again and again is not offered for ever")
{
    start_boot(2 * CALL, 10);
    for (int i = 0; i < 100; i++) {
        answers(0, i % FILES);
        own_listings_forget();
    }
    CHECK(!own_listings_are_offered());
    CHECK(sources < 50);
    own_listings_end();
}

TEST("nothing is listed before calls were measured, and nothing more where listings proved dear")
{
    start_boot(2 * CALL * FILES, 10);
    uint64_t before = own_listings_counts_get().listings;
    CHECK(answers(0, 0)); /* (the trial) */
    CHECK_SIZE(own_listings_counts_get().listings, before + 1);
    for (int i = 0; i < FILES; i++) CHECK(!answers(1, i) && !answers(2, i));
    CHECK_SIZE(own_listings_counts_get().listings, before + 1);
    own_listings_end();

    own_listings_offer(offer_files);
    sources = 0;
    own_listings_note_call(CALL);
    CHECK(!answers(0, 0));
    CHECK_EQUAL(sources, 0);
    own_listings_end();
}

TEST("what lies behind a link only the call by name tells")
{
#ifdef _WIN32
    test_skip("links take a right there");
#else
    start_boot(2 * CALL, 10);
    CHECK_EQUAL(rename(paths[0][5], test_path("target")), 0);
    CHECK_EQUAL(symlink(test_path("target"), paths[0][5]), 0);
    CHECK(!answers(0, 5));
    CHECK(answers(0, 6));
    own_listings_end();
#endif
}

TEST("a folder that is gone ends it")
{
    start_boot(2 * CALL, 10);
    CHECK(answers(0, 0));
    for (int i = 0; i < FILES; i++) CHECK_EQUAL(unlink(paths[1][i]), 0);
    CHECK_EQUAL(rmdir(test_path("folder1")), 0);
    CHECK(!answers(1, 0));
    CHECK(!own_listings_are_offered());
    CHECK(!answers(2, 0));
    own_listings_end();
}

/* ---- The costs ---- */

static double
cost_of(const ws_listing_costs *costs, double names)
{
    double base, each;

    fit(costs, &base, &each);
    return base + each * names;
}

static ws_listing_costs
costs_of_calls(int64_t call)
{
    ws_listing_costs given;

    ws_listing_costs_forget(&given);
    for (int i = 0; i < 10; i++) ws_listing_costs_note_call(&given, call);
    return given;
}

TEST("a folder is worth a trial when its files are more than a listing's own calls, for each thread")
{
    ws_listing_costs given = costs_of_calls(1000);
    CHECK_EQUAL(ws_listing_costs_decide(&given, 4, 1), 0);
    CHECK(ws_listing_costs_decide(&given, 5, 1) >= 5);
    CHECK_EQUAL(ws_listing_costs_decide(&given, 100, 32), 0);
    CHECK(ws_listing_costs_decide(&given, 200, 32) >= 200);
}

TEST("the first call is not the measure, and one that waited for something else hardly")
{
    ws_listing_costs given = costs_of_calls(1000);
    CHECK_EQUAL((int)given.call, 1000);
    ws_listing_costs_note_call(&given, 1000000000);
    CHECK((int)given.call < 3000);
    ws_listing_costs_forget(&given);
    ws_listing_costs_note_call(&given, 1000000000);
    ws_listing_costs_note_call(&given, 1000);
    CHECK_EQUAL((int)given.call, 1000);
}

TEST("what listings cost is a line through those that were made")
{
    ws_listing_costs given = costs_of_calls(1000);
    ws_listing_costs_note(&given, 100, 100, 20000);
    CHECK_EQUAL((int)cost_of(&given, 100), 20000);
    CHECK_EQUAL((int)cost_of(&given, 200), 30000); /* (half of it is the names', as far as one tells) */
    ws_listing_costs_note(&given, 1000, 1000, 110000);
    CHECK_EQUAL((int)cost_of(&given, 0), 10000);
    CHECK_EQUAL((int)cost_of(&given, 500), 60000);
    CHECK_EQUAL(ws_listing_costs_decide(&given, 11, 1), 0);
    CHECK(ws_listing_costs_decide(&given, 12, 1) >= 12);
    CHECK_EQUAL(ws_listing_costs_decide(&given, 200, 20), 0); /* twenty threads make these calls in the time of ten */
}

TEST("names that nobody asks for count")
{
    ws_listing_costs given = costs_of_calls(1000);
    ws_listing_costs_note(&given, 100, 10, 20000);
    ws_listing_costs_note(&given, 1000, 100, 110000);
    CHECK_EQUAL(ws_listing_costs_decide(&given, 100, 1), 0); /* 1,000 names: 110 us for 100 calls of 1 us */
    given = costs_of_calls(2000);
    ws_listing_costs_note(&given, 100, 10, 20000);
    ws_listing_costs_note(&given, 1000, 100, 110000);
    uint32_t limit = ws_listing_costs_decide(&given, 100, 1);
    CHECK(limit > 1000 && limit < 2000); /* 1,900 names cost as much as 100 calls */
}
