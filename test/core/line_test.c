/* Text for one line: see core/system/line.h. */
#include "test.h"

#include "core/system/line.h"

static void
check(const char *text, size_t size, const char *expected)
{
    char line[200];
    CHECK_EQUAL(ws_line_escape(line, sizeof line, text, size), strlen(expected));
    CHECK_STRING(line, expected);
}

#define CHECK_LINE(text, expected) check(text, sizeof(text) - 1, expected)

TEST("ordinary text stays as it is")
{
    CHECK_LINE("", "");
    CHECK_LINE("/a b/\\c%s.rb", "/a b/\\c%s.rb");
    CHECK_LINE("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xEF\xBF\xBD",
               "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xEF\xBF\xBD");
}

TEST("what would make another line, or talk to a terminal, is written out")
{
    CHECK_LINE("a\nwarmstart: b", "a\\nwarmstart: b");
    CHECK_LINE("\r\t\0\x7F", "\\x0D\\x09\\x00\\x7F");
    CHECK_LINE("\x1B[31m", "\\x1B[31m");
    CHECK_LINE("\xC2\x85\xC2\x9B", "\\xC2\\x85\\xC2\\x9B");
    CHECK_LINE("\xE2\x80\xA8", "\\xE2\\x80\\xA8");
    CHECK_LINE("\xE2\x80\xAEtxt", "\\xE2\\x80\\xAEtxt");
}

TEST("bytes that are no UTF-8 are written out")
{
    CHECK_LINE("\xFF", "\\xFF");
    CHECK_LINE("a\xC3", "a\\xC3");
    CHECK_LINE("\xED\xA0\x80", "\\xED\\xA0\\x80");
    CHECK_LINE("\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
}

TEST("a line is cut where its buffer ends, never inside a character")
{
    char line[6];
    CHECK_EQUAL(ws_line_escape(line, sizeof line, "abc\xE2\x82\xAC", 6), 3);
    CHECK_STRING(line, "abc");
    CHECK_EQUAL(ws_line_escape(line, sizeof line, "ab\n", 3), 4);
    CHECK_STRING(line, "ab\\n");
    CHECK_EQUAL(ws_line_escape(line, 0, "ab", 2), 0);
    for (int byte = 0; byte < 256; byte++) {
        char text = (char)byte, whole[8];
        CHECK(ws_line_escape(whole, sizeof whole, &text, 1) <= WS_LINE_GROWTH);
    }
}
