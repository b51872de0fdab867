/* Times in whole seconds: see core/system/clock.h. */
#include "test.h"

#include "core/system/clock.h"

enum { SECOND = 1000000000 };

TEST("a time is rounded down to a whole second, before 1970 too")
{
    CHECK_EQUAL(ws_whole_second(0), 0);
    CHECK_EQUAL(ws_whole_second(1), 0);
    CHECK_EQUAL(ws_whole_second(SECOND - 1), 0);
    CHECK_EQUAL(ws_whole_second(SECOND), SECOND);
    CHECK_EQUAL(ws_whole_second(INT64_C(5) * SECOND + 7), INT64_C(5) * SECOND);
    CHECK_EQUAL(ws_whole_second(-1), -SECOND);
    CHECK_EQUAL(ws_whole_second(-SECOND), -SECOND);
    CHECK_EQUAL(ws_whole_second(-SECOND - 1), INT64_C(-2) * SECOND);
}

TEST("the largest and the smallest time have a second of their own, without an overflow")
{
    CHECK_EQUAL(ws_whole_second(INT64_MAX), INT64_MAX / SECOND * SECOND);
    CHECK(ws_whole_second(INT64_MIN) == ws_whole_second(INT64_MIN + 1));
    CHECK(ws_whole_second(INT64_MIN) != ws_whole_second(INT64_MIN + SECOND));
    CHECK(ws_whole_second(INT64_MIN) != ws_whole_second(INT64_MAX));
}
