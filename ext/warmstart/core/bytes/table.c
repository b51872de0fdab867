#include "core/bytes/table.h"

#include <stdlib.h>

#define SMALLEST UINT32_C(128)
#define LARGEST (UINT32_C(1) << 29)

void
ws_table_free(ws_table *table)
{
    free(table->slots);
    *table = (ws_table){ 0 };
}

static void
put(ws_table *table, ws_table_slot slot)
{
    uint32_t place = slot.hash & (table->size - 1);
    while (table->slots[place].next != 0) place = (place + 1) & (table->size - 1);
    table->slots[place] = slot;
}

bool
ws_table_reserve(ws_table *table, uint32_t more)
{
    if (more <= table->size / 2 - table->count) return true;
    ws_table grown = { .size = table->size ? table->size : SMALLEST, .count = table->count };
    while (grown.size / 2 - grown.count < more && grown.size < LARGEST) grown.size *= 2;
    if (grown.size / 2 - grown.count < more) return false;
    grown.slots = calloc(grown.size, sizeof *grown.slots);
    if (grown.slots == NULL) return false;
    for (uint32_t i = 0; i < table->size; i++)
        if (table->slots[i].next != 0) put(&grown, table->slots[i]);
    free(table->slots);
    *table = grown;
    return true;
}

void
ws_table_add(ws_table *table, uint64_t hash, uint32_t number)
{
    put(table, (ws_table_slot){ (uint32_t)hash, number + 1 });
    table->count++;
}
