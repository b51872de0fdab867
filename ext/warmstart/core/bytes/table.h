/* A hash table of numbers, with open addressing. The items that the numbers stand for are the caller's: the table
 * answers which of them have the hash that is looked for, and the caller compares them.
 *
 *     for (ws_probe probe = ws_table_probe(&table, hash); (number = ws_table_next(&probe)) != WS_NO_NUMBER;)
 *         if (is_wanted(&items[number])) return number;
 */
#ifndef WARMSTART_CORE_TABLE_H
#define WARMSTART_CORE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define WS_NO_NUMBER UINT32_MAX

typedef struct ws_table_slot {
    uint32_t hash;
    uint32_t next; /* number + 1; 0: the slot is free */
} ws_table_slot;

/* All zeroes is an empty table. */
typedef struct ws_table {
    ws_table_slot *slots;
    uint32_t size, count; /* size: a power of two, or 0; at most half of the slots are taken */
} ws_table;

typedef struct ws_probe {
    const ws_table *table;
    uint32_t place, hash;
} ws_probe;

void ws_table_free(ws_table *table);
/* Makes room for so many more numbers. false: there is no memory for them, and the table is as it was. */
bool ws_table_reserve(ws_table *table, uint32_t more);
/* Room has to have been reserved. */
void ws_table_add(ws_table *table, uint64_t hash, uint32_t number);

static inline ws_probe
ws_table_probe(const ws_table *table, uint64_t hash)
{
    return (ws_probe){ table, (uint32_t)hash, (uint32_t)hash };
}

/* The next number that was added with this hash (its lower 32 bits are compared); WS_NO_NUMBER: there is none. */
static inline uint32_t
ws_table_next(ws_probe *probe)
{
    const ws_table *table = probe->table;
    if (table->size == 0) return WS_NO_NUMBER;
    for (;;) {
        const ws_table_slot *slot = &table->slots[probe->place & (table->size - 1)];
        if (slot->next == 0) return WS_NO_NUMBER;
        probe->place++;
        if (slot->hash == probe->hash) return slot->next - 1;
    }
}

#endif
