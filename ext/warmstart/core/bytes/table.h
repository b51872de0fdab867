/* A hash table of numbers, with open addressing. A number stands for one of the caller's items. The table answers which
 * numbers were added with a given hash, and the caller compares their items.
 *
 *     for (ws_probe probe = ws_table_probe(&table, hash); (number = ws_table_next(&probe)) != WS_NO_NUMBER;)
 *         if (is_wanted(&items[number])) return number; */
#ifndef WARMSTART_CORE_TABLE_H
#define WARMSTART_CORE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define WS_NO_NUMBER UINT32_MAX

typedef struct ws_table_slot {
    uint32_t hash;
    uint32_t next; /* number + 1; 0: the slot is free */
} ws_table_slot;

/* An empty table is all zeroes. */
typedef struct ws_table {
    ws_table_slot *slots;
    uint32_t size, count; /* size is a power of two or 0; at most half of the slots are taken */
} ws_table;

typedef struct ws_probe {
    const ws_table *table;
    uint32_t place, hash;
} ws_probe;

void ws_table_free(ws_table *table);
/* Makes room for `more` more numbers. false: out of memory, and the table is unchanged. */
bool ws_table_reserve(ws_table *table, uint32_t more);
/* Adds a number, for which the caller has reserved room. */
void ws_table_add(ws_table *table, uint64_t hash, uint32_t number);

static inline ws_probe
ws_table_probe(const ws_table *table, uint64_t hash)
{
    return (ws_probe){ table, (uint32_t)hash, (uint32_t)hash };
}

/* Returns the next number that was added with this hash, or WS_NO_NUMBER. Compares the lower 32 bits of the hash
 * only. */
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
