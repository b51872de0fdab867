/* Arrays that grow: see core/bytes/vector.h. */
#include "test.h"

#include <stdlib.h>

#include "core/bytes/vector.h"

typedef struct triple {
    uint32_t values[3];
} triple;

TEST("items stay as they are while the array grows, and it grows seldom")
{
    triple *items = NULL;
    size_t capacity = 0, grown = 0;
    for (uint32_t count = 0; count < 100000; count++) {
        size_t before = capacity;
        CHECK(WS_RESERVE(items, capacity, count + 1));
        CHECK(capacity > count);
        grown += capacity != before;
        items[count] = (triple){ { count, count + 1, count + 2 } };
    }
    for (uint32_t i = 0; i < 100000; i++) CHECK(items[i].values[0] == i && items[i].values[2] == i + 2);
    CHECK(grown > 1 && grown < 20);
    free(items);
}

TEST("what is asked for at once is there at once, and nothing is moved before it is needed")
{
    char *bytes = NULL;
    size_t capacity = 0;
    CHECK(WS_RESERVE(bytes, capacity, 5000));
    CHECK_EQUAL(capacity, 5000);
    memset(bytes, 1, 5000);
    const char *place = bytes;
    CHECK(WS_RESERVE(bytes, capacity, 5000));
    CHECK(bytes == place && capacity == 5000);
    free(bytes);
}

TEST("an item that is larger than the first room of most arrays")
{
    struct {
        char bytes[3000];
    } *items = NULL;
    size_t capacity = 0;
    CHECK(WS_RESERVE(items, capacity, 1));
    memset(items, 1, sizeof *items);
    CHECK(capacity >= 1);
    free(items);
}

TEST("too many are refused, and nothing changes")
{
    uint64_t *items = NULL;
    size_t capacity = 0;
    CHECK(WS_RESERVE(items, capacity, 1));
    items[0] = 42;
    uint64_t *before = items;
    size_t capacity_before = capacity;
    CHECK(!WS_RESERVE(items, capacity, UINT32_MAX));
    CHECK(!WS_RESERVE(items, capacity, SIZE_MAX));
    CHECK(!ws_vector_grow(&items, SIZE_MAX / 8, &capacity, UINT32_MAX - 1));
    CHECK(items == before && capacity == capacity_before && items[0] == 42);
    free(items);
}
