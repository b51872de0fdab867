/* Interned strings: an open-addressed hash table over one growing block of bytes. Who calls: segment_writer.c, for the
 * strings of a segment and to know which paths it has already. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "core/bytes/string_pool.h"

void
ws_string_pool_free(ws_string_pool *pool)
{
    free(pool->bytes);
    free(pool->items);
    free(pool->table);
    memset(pool, 0, sizeof *pool);
}

const char *
ws_string_pool_get(const ws_string_pool *pool, uint32_t number)
{
    return pool->bytes + pool->items[number].offset;
}

static bool
grow_bytes(ws_string_pool *pool, size_t more)
{
    /* The offset UINT32_MAX is the error value, so the last byte must stay below it. */
    if (more > UINT32_MAX - 1 - pool->size) return false;
    size_t needed = pool->size + more;
    if (needed <= pool->capacity) return true;

    size_t capacity = pool->capacity ? pool->capacity : 4096;
    while (capacity < needed) capacity *= 2;
    char *bytes = realloc(pool->bytes, capacity);
    if (bytes == NULL) return false;
    pool->bytes = bytes;
    pool->capacity = capacity;
    return true;
}

static bool
grow_items(ws_string_pool *pool)
{
    if (pool->count < pool->item_capacity) return true;
    if (pool->item_capacity >= UINT32_C(1) << 28) return false;

    uint32_t capacity = pool->item_capacity ? pool->item_capacity * 2 : 64;
    ws_string_item *items = realloc(pool->items, capacity * sizeof *items);
    if (items == NULL) return false;
    pool->items = items;
    pool->item_capacity = capacity;
    return true;
}

static void
table_insert(uint32_t *table, uint32_t table_size, uint64_t hash, uint32_t number)
{
    uint32_t slot = (uint32_t)hash & (table_size - 1);
    while (table[slot] != 0) slot = (slot + 1) & (table_size - 1);
    table[slot] = number + 1;
}

/* Keeps the table at most half full. */
static bool
grow_table(ws_string_pool *pool)
{
    if (pool->table_size / 2 > pool->count) return true;

    uint32_t table_size = pool->table_size ? pool->table_size * 2 : 128;
    uint32_t *table = calloc(table_size, sizeof *table);
    if (table == NULL) return false;
    for (uint32_t number = 0; number < pool->count; number++)
        table_insert(table, table_size, pool->items[number].hash, number);
    free(pool->table);
    pool->table = table;
    pool->table_size = table_size;
    return true;
}

static uint32_t
lookup(const ws_string_pool *pool, const char *bytes, size_t size, uint64_t hash)
{
    if (pool->table_size == 0) return UINT32_MAX;
    uint32_t mask = pool->table_size - 1;
    for (uint32_t slot = (uint32_t)hash & mask; pool->table[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t number = pool->table[slot] - 1;
        const ws_string_item *item = &pool->items[number];
        if (item->hash == hash && item->size == size &&
            (size == 0 || memcmp(pool->bytes + item->offset, bytes, size) == 0))
            return number;
    }
    return UINT32_MAX;
}

uint32_t
ws_string_pool_intern(ws_string_pool *pool, const char *bytes, size_t size)
{
    if (size >= UINT32_MAX - 1) return UINT32_MAX;
    uint64_t hash = ws_hash64(bytes, size, 0);
    uint32_t number = lookup(pool, bytes, size, hash);
    if (number != UINT32_MAX) return number;
    if (!grow_bytes(pool, size + 1) || !grow_items(pool) || !grow_table(pool)) return UINT32_MAX;

    ws_string_item item = { hash, (uint32_t)pool->size, (uint32_t)size };
    if (size > 0) memcpy(pool->bytes + pool->size, bytes, size);
    pool->bytes[pool->size + size] = '\0';
    pool->size += size + 1;
    number = pool->count++;
    pool->items[number] = item;
    table_insert(pool->table, pool->table_size, hash, number);
    return number;
}
