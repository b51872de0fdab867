/* The hash table of numbers: see core/bytes/table.h. */
#include "test.h"

#include <stdlib.h>

#include "core/bytes/table.h"

enum { COUNT = 5000 };

/* How many of the numbers that have this hash are this one; *others: how many are not. */
static int
find(const ws_table *table, uint64_t hash, uint32_t wanted, int *others)
{
    int found = 0;
    uint32_t number;
    *others = 0;
    for (ws_probe probe = ws_table_probe(table, hash); (number = ws_table_next(&probe)) != WS_NO_NUMBER;)
        number == wanted ? found++ : (*others)++;
    return found;
}

TEST("an empty table has nothing")
{
    ws_table table = { 0 };
    ws_probe probe = ws_table_probe(&table, 1);
    CHECK(ws_table_next(&probe) == WS_NO_NUMBER);
    CHECK(ws_table_next(&probe) == WS_NO_NUMBER);
    ws_table_free(&table);
}

TEST("every number is found by its hash, however often the table has grown, and no other is")
{
    ws_table table = { 0 };
    int others;
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK(ws_table_reserve(&table, 1));
        ws_table_add(&table, i * UINT64_C(0x9e3779b97f4a7c15) >> 11, i);
        CHECK(table.count == i + 1 && table.count <= table.size / 2);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK(find(&table, i * UINT64_C(0x9e3779b97f4a7c15) >> 11, i, &others) == 1);
        CHECK(others < 2); /* (32 bits of 5,000 hashes) */
    }
    CHECK(find(&table, 12345, 0, &others) == 0 && others == 0);
    ws_table_free(&table);
    CHECK(table.size == 0 && table.count == 0);
}

TEST("numbers with one hash are all found, also where their places run over the end")
{
    ws_table table = { 0 };
    int others;
    for (uint32_t i = 0; i < 100; i++) {
        CHECK(ws_table_reserve(&table, 1));
        ws_table_add(&table, UINT32_MAX, i);
    }
    CHECK(ws_table_reserve(&table, 1));
    ws_table_add(&table, 3, 100); /* where those of the others' stand */
    for (uint32_t i = 0; i < 100; i++) CHECK(find(&table, UINT32_MAX, i, &others) == 1 && others == 99);
    CHECK(find(&table, 3, 100, &others) == 1 && others == 0);
    ws_table_free(&table);
}

TEST("what was reserved at once is there without a further allocation; more than there can be is refused")
{
    ws_table table = { 0 };
    CHECK(ws_table_reserve(&table, COUNT));
    const ws_table_slot *slots = table.slots;
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK(ws_table_reserve(&table, 1));
        ws_table_add(&table, i, i);
    }
    CHECK(table.slots == slots);
    CHECK(!ws_table_reserve(&table, UINT32_MAX));
    CHECK(table.slots == slots && table.count == COUNT);
    ws_table_free(&table);
}
