/* Windows path rules as the index uses them, and their buffers under the sanitizers; what they answer is compared with
 * Ruby's answers in test/paths_test.rb. */
#include "test.h"

#include "core/path/path.h"
#include "core/path/path_case.h"
#include "core/bytes/utf8.h"

static const ws_path_rules *const rules = &ws_path_rules_windows;
#include "path_fixture.h"

static ws_text
text(const char *bytes)
{
    return (ws_text){ bytes, strlen(bytes) };
}

TEST("a path is absolute when it begins with a drive and a separator, or with two separators")
{
    CHECK(rules->is_absolute("C:/", 3));
    CHECK(rules->is_absolute("z:\\a", 4));
    CHECK(rules->is_absolute("\\/host", 6));
    CHECK(!rules->is_absolute("/a", 2));
    CHECK(!rules->is_absolute("C:a", 3));
    CHECK(!rules->is_absolute("1:/", 3));
    CHECK(!rules->is_absolute("C:/", 2));
}

TEST("names that the system reads as something else are no canonical features")
{
    static const char *const wrong[] = {
        "",    "/a",   "a/",    "a//b", "./a",    "a/..",      "a\\b",        "C:a",          "a:b",
        "a.",  "a ",   "a. /b", "nul",  "NUL.rb", "x/com1.so", "lib/con/x",   "~a",           "a*",
        "a?b", "a\tb", "a\"",   "a|b",  "<a",     "conin$",    "com\xC2\xB9", "LPT\xC2\xB3.x"
    };

    for (size_t index = 0; index < sizeof(wrong) / sizeof(wrong[0]); index++) {
        if (is_feature(wrong[index])) test_fail(__FILE__, __LINE__, "\"%s\" is a feature", wrong[index]);
    }
    CHECK(is_feature("json/ext"));
    CHECK(is_feature("json/ext.so"));
    CHECK(is_feature("console"));
    CHECK(is_feature("nul_object"));
    CHECK(is_feature("com0"));
    CHECK(is_feature("com10"));
    CHECK(is_feature("com\xC2\xB4"));
    CHECK(!rules->feature_name("a\0b", 3, "so", &(ws_feature_name){ 0, WS_EXTENSION_NONE }));
}

TEST("a canonical path has the form that Ruby gives its own")
{
    CHECK(is_canonical("C:/"));
    CHECK(is_canonical("c:/a/b.rb"));
    CHECK(is_canonical("//host/share"));
    CHECK(is_canonical("//host/share/a.rb"));
    CHECK(is_canonical("C:/\xC3\xA9.rb"));
    CHECK(!is_canonical("C:"));
    CHECK(!is_canonical("C:/a/"));
    CHECK(!is_canonical("C:\\a"));
    CHECK(!is_canonical("C:/a\\b"));
    CHECK(!is_canonical("C:/a./b"));
    CHECK(!is_canonical("C:/a.rb::$DATA"));
    CHECK(!is_canonical("C:/a/nul"));
    CHECK(!is_canonical("//host"));
    CHECK(!is_canonical("//host/share/"));
    CHECK(!is_canonical("//?/C:/a"));
    CHECK(!is_canonical("/a"));
}

TEST("the directory of a path keeps its root")
{
    CHECK_SIZE(rules->directory_size("C:/a/b.rb", 9), 4);
    CHECK_SIZE(rules->directory_size("C:/b.rb", 7), 3);
    CHECK_SIZE(rules->directory_size("C:\\\\b.rb", 8), 3);
    CHECK_SIZE(rules->directory_size("C:b.rb", 6), 2);
    CHECK_SIZE(rules->directory_size("//host/share/b", 14), 12);
    CHECK_SIZE(rules->directory_size("b.rb", 4), 0);
    CHECK_SIZE(rules->directory_size("", 0), 0);
}

TEST("joining puts one separator between, and none behind a drive")
{
    char buffer[7] = "xxxxxx";

    CHECK_STRING(join("C:/a", "b"), "C:/a/b");
    CHECK_STRING(join("C:/", "b"), "C:/b");
    CHECK_STRING(join("C:\\", "b"), "C:\\b");
    CHECK_STRING(join("C:", "b"), "C:b");
    CHECK_STRING(join("", "b"), "b");
    CHECK_STRING(join("a", ""), "a");
    CHECK_SIZE(rules->join(buffer, 6, "C:/a", 4, "b", 1), 0);
    CHECK_STRING(buffer, "xxxxxx");
}

TEST("inside a directory means by components, whatever the case")
{
    CHECK(is_within("c:\\App\\x", "C:/app"));
    CHECK(is_within("C:/app", "c:/APP"));
    CHECK(is_within("C:/\xC3\x89/x", "C:/\xC3\xA9"));
    CHECK(is_within("C:/x", "C:/"));
    CHECK(!is_within("C:/apple", "C:/app"));
    CHECK(!is_within("C:/ap", "C:/app"));
    CHECK(!is_within("C:/a", ""));
}

TEST("expanding for the index leaves to Ruby what depends on more than a base")
{
    CHECK_STRING(expand("b", "C:/a"), "C:/a/b");
    CHECK_STRING(expand("..\\b", "C:/a"), "C:/b");
    CHECK_STRING(expand("C:/x/../y", "/"), "C:/y");
    CHECK_STRING(expand("/b", "C:/a"), "C:/b");
    CHECK_STRING(expand("c:b", "C:/a"), "C:/a/b");
    CHECK_STRING(expand("D:b", "C:/a"), "(nothing)");
    CHECK_STRING(expand("~", "C:/a"), "(nothing)");
    CHECK_STRING(expand("b", "a"), "(nothing)");
    CHECK_STRING(expand("b", "C:a"), "(nothing)");
}

TEST("a character that Windows does not know as a capital is none")
{
    CHECK(ws_path_capital('a') == 'A' && ws_path_capital('[') == '[');
    CHECK(ws_path_capital(0xE9) == 0xC9 && ws_path_capital(0xF7) == 0xF7 && ws_path_capital(0xFF) == 0x178);
    CHECK(ws_path_capital(0x101) == 0x100 && ws_path_capital(0x100) == 0x100);
    CHECK(ws_path_capital(0x131) == 0x131 && ws_path_capital(0xB5) == 0xB5 && ws_path_capital(0x10428) == 0x10428);
    CHECK(rules->is_same(text("C:\\\xC3\xA9"), text("c:/\xC3\x89")));
    CHECK(!rules->is_same(text("C:/a"), text("C:/ab")));
}

TEST("an invalid sequence is as many replacement characters as Windows makes of it")
{
    static const struct {
        const char *bytes;
        size_t size;
    } sequences[] = {
        { "\xFF", 1 },         { "\xC0\xAF", 1 },         { "\xE3\x81x", 2 },
        { "\xE3\x81", 2 },     { "\xED\xA0\x80", 2 },     { "\xE0\x80\xAF", 2 },
        { "\xF0\x9F\x98", 3 }, { "\xF4\x90\x80\x80", 2 }, { "\x80", 1 },
    };
    uint32_t character;

    for (size_t index = 0; index < sizeof(sequences) / sizeof(sequences[0]); index++) {
        CHECK_SIZE(ws_utf8_decode(sequences[index].bytes, strlen(sequences[index].bytes), &character),
                   sequences[index].size);
        CHECK(character == WS_REPLACEMENT_CHARACTER);
    }
    CHECK_SIZE(ws_utf8_decode("\xF0\x9F\x98\x80", 4, &character), 4);
    CHECK(character == 0x1F600);
}

static bool
visited_drive(void *context, ws_text drive, ws_text *directory)
{
    if (drive.bytes[0] != 'D') return false;
    *directory = text(context);
    return true;
}

/* Exact copies, so that reading or writing beside one traps. */
static ws_text
exact(const char *bytes, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);

    memcpy(copy, bytes, size);
    return (ws_text){ copy, size };
}

static void
check_full(ws_text path, ws_text base, size_t capacity, const ws_path_surroundings *surroundings)
{
    for (int variant = 0; variant < 8; variant++) {
        const ws_path_rules *flavour = variant & 1 ? &ws_path_rules_posix : rules;
        char *buffer = malloc(capacity > 0 ? capacity : 1);
        size_t size = 0;
        ws_path_answer answer =
            flavour->full(buffer, capacity, &size, path, variant & 2 ? &base : NULL, variant & 4, surroundings);
        CHECK(answer != WS_PATH_ANSWERED || (size < capacity && buffer[size] == '\0'));
        CHECK(answer != WS_PATH_TOO_LONG || capacity < path.size + base.size + 80);
        free(buffer);
    }
}

static void
check_others(ws_text path, ws_text other)
{
    for (int flavour = 0; flavour < 2; flavour++) {
        const ws_path_rules *chosen = flavour ? rules : &ws_path_rules_posix;
        CHECK(chosen->directory_size(path.bytes, path.size) <= path.size);
        chosen->is_canonical(path.bytes, path.size);
        chosen->is_settled(path.bytes, path.size);
        chosen->is_same(path, other);
        chosen->is_within(path.bytes, path.size, other.bytes, other.size);
    }
}

TEST("no rule reads or writes beside what it was given")
{
    static const char bytes[] = "/\\/\\..  ::CDa~N$\xC3\xA9\xFF\xE3*";
    ws_path_surroundings surroundings = { { "C:/w", 4 }, { "C:\\home/", 8 }, visited_drive, (void *)"D:\\a" };
    uint64_t state = 7;

    for (int round = 0; round < 20000; round++) {
        char path[24], base[24];
        size_t path_size = (test_random(&state) >> 33) % 24, base_size = (test_random(&state) >> 33) % 24;
        for (size_t index = 0; index < path_size; index++)
            path[index] = bytes[(test_random(&state) >> 33) % (sizeof(bytes) - 1)];
        for (size_t index = 0; index < base_size; index++)
            base[index] = bytes[(test_random(&state) >> 33) % (sizeof(bytes) - 1)];
        ws_text exact_path = exact(path, path_size), exact_base = exact(base, base_size);
        check_full(exact_path, exact_base, (test_random(&state) >> 33) % 60, &surroundings);
        check_full(exact_path, exact_base, path_size + base_size + 100, &surroundings);
        check_others(exact_path, exact_base);
        free((char *)exact_path.bytes);
        free((char *)exact_base.bytes);
    }
}

/* ---- Names that need no work ---- */

static bool
is_settled(const char *path)
{
    return rules->is_settled(path, strlen(path));
}

TEST("a settled name is absolute and plain, of whatever length")
{
    static const char *const settled[] = { "C:/a",
                                           "z:/a.b/c",
                                           "C:/.a/..b",
                                           "C:/nulls",
                                           "C:/nul/a",
                                           "C:/com/x",
                                           "C:/com0",
                                           "C:/a b/c ~",
                                           "C:/PROGRA~1/x.rb",
                                           "C:/\xC3\xA9.rb",
                                           "C:/a/rather/long/name/of/many/parts/which/has/no/dots.html.erb" };
    static const char *const others[] = { "",
                                          "C:",
                                          "C:/",
                                          "C:a",
                                          "/a",
                                          "//h/s/a",
                                          "1:/a",
                                          "C:\\a",
                                          "C://a",
                                          "C:/a//b",
                                          "C:/a/",
                                          "C:/a.",
                                          "C:/a ",
                                          "C:/.",
                                          "C:/..",
                                          "C:/./a",
                                          "C:/a/../b",
                                          "C:/a./b",
                                          "C:/a../b",
                                          "C:/a:b",
                                          "C:/a::$DATA",
                                          "C:/nul",
                                          "C:/x/Con.txt",
                                          "C:/COM1",
                                          "C:/lpt9 .x",
                                          "C:/conIN$",
                                          "C:/a_name_that_is_long_enough/for_two_words/a\\b",
                                          "C:/a_name_that_is_long_enough/for_two_words/b/." };
    char name[80] = "C:/";

    for (size_t index = 0; index < sizeof(settled) / sizeof(settled[0]); index++) {
        if (!is_settled(settled[index])) test_fail(__FILE__, __LINE__, "\"%s\" is not settled", settled[index]);
    }
    for (size_t index = 0; index < sizeof(others) / sizeof(others[0]); index++) {
        if (is_settled(others[index])) test_fail(__FILE__, __LINE__, "\"%s\" is settled", others[index]);
    }
    for (size_t size = 4; size < 60; size++) {
        memset(name + 3, 'x', size - 3);
        CHECK(rules->is_settled(name, size));
        for (size_t wrong = 3; wrong < size; wrong++) {
            name[wrong] = "\\:\0"[wrong % 3];
            CHECK(!rules->is_settled(name, size));
            name[wrong] = 'x';
        }
    }
}

/* What the rules say when no name seems settled to them: with "\" behind the drive they do all that they do to a name.
 */
static size_t
work_out(char *buffer, size_t buffer_size, const char *path, const char *base)
{
    static const ws_path_surroundings nothing = { { NULL, 0 }, { NULL, 0 }, NULL, NULL };
    char slow_path[200], slow_base[200];
    size_t size = 0;

    snprintf(slow_path, sizeof slow_path, "%s", path);
    snprintf(slow_base, sizeof slow_base, "%s", base);
    if (strncmp(slow_path, "C:/", 3) == 0) slow_path[2] = '\\';
    if (strncmp(slow_base, "C:/", 3) == 0) slow_base[2] = '\\';
    ws_text base_text = text(slow_base);
    return rules->full(buffer, buffer_size, &size, text(slow_path), &base_text, true, &nothing) == WS_PATH_ANSWERED
               ? size
               : 0;
}

TEST("the quick way answers what the long way does")
{
    static const char *const pieces[] = { "a",
                                          "lib",
                                          "spec.rb",
                                          ".",
                                          "..",
                                          "..",
                                          "..",
                                          "...",
                                          "a.",
                                          ".x",
                                          " ",
                                          "a ",
                                          "nul",
                                          "com1",
                                          "aux.x",
                                          "con",
                                          "n:s",
                                          "::$DATA",
                                          "~",
                                          "",
                                          "\\",
                                          "\xC3\xA9",
                                          "a_rather_long_name.html.erb",
                                          "active_support",
                                          "$DATA",
                                          "x",
                                          "y",
                                          "z",
                                          "q.so" };
    enum { PIECES = sizeof pieces / sizeof *pieces, ROUNDS = 300000 };
    static const ws_path_surroundings nothing = { { NULL, 0 }, { NULL, 0 }, NULL, NULL };
    uint64_t state = 11;
    int settled = 0, others = 0;

    for (int round = 0; round < ROUNDS; round++) {
        char path[200] = "", buffer[500], expected[500];
        bool absolute = round % 2 == 0;
        if (absolute) strcpy(path, "C:/");
        for (size_t count = 1 + (test_random(&state) >> 33) % 5; count > 0; count--) {
            strcat(path, pieces[(test_random(&state) >> 33) % PIECES]);
            if (count > 1) strcat(path, "/");
        }
        static const char *const bases[] = { "C:/app/bin", "C:/app/x.", "C:/nul/com1/.x", "C:/" };
        const char *base = bases[round / 2 % 4];
        ws_text base_text = text(base);
        size_t size = 0, expected_size = work_out(expected, sizeof expected, path, base);
        if (is_settled(path)) {
            settled++;
            CHECK_SIZE(expected_size, strlen(path));
            CHECK(memcmp(expected, path, expected_size) == 0);
        }
        else others++;
        if (rules->full(buffer, sizeof buffer, &size, text(path), &base_text, true, &nothing) != WS_PATH_ANSWERED)
            size = 0;
        CHECK_SIZE(size, expected_size);
        CHECK(memcmp(buffer, expected, size) == 0);
    }
    CHECK(settled > ROUNDS / 10 && others > ROUNDS / 10);
}
