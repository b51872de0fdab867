/* Interned strings: a hash table over one growing block of bytes. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "core/bytes/string_pool.h"
#include "core/bytes/vector.h"

void
ws_string_pool_free(ws_string_pool *pool)
{
    free(pool->bytes);
    free(pool->items);
    ws_table_free(&pool->table);
    memset(pool, 0, sizeof *pool);
}

const char *
ws_string_pool_get(const ws_string_pool *pool, uint32_t number)
{
    return pool->bytes + pool->items[number].offset;
}

static uint32_t
find(const ws_string_pool *pool, const char *bytes, size_t size, uint64_t hash)
{
    uint32_t number;
    for (ws_probe probe = ws_table_probe(&pool->table, hash); (number = ws_table_next(&probe)) != WS_NO_NUMBER;) {
        const ws_string_item *item = &pool->items[number];
        if (item->size == size && (size == 0 || memcmp(pool->bytes + item->offset, bytes, size) == 0)) break;
    }
    return number;
}

uint32_t
ws_string_pool_find(const ws_string_pool *pool, const char *bytes, size_t size)
{
    return find(pool, bytes, size, ws_hash64(bytes, size, 0));
}

uint32_t
ws_string_pool_intern(ws_string_pool *pool, const char *bytes, size_t size)
{
    if (size >= UINT32_MAX - 1) return UINT32_MAX;
    uint64_t hash = ws_hash64(bytes, size, 0);
    uint32_t number = find(pool, bytes, size, hash);
    if (number != WS_NO_NUMBER) return number;
    if (!WS_RESERVE(pool->bytes, pool->capacity, pool->size + size + 1) ||
        !WS_RESERVE(pool->items, pool->item_capacity, pool->count + 1) || !ws_table_reserve(&pool->table, 1))
        return UINT32_MAX;

    ws_string_item item = { hash, (uint32_t)pool->size, (uint32_t)size };
    if (size > 0) memcpy(pool->bytes + pool->size, bytes, size);
    pool->bytes[pool->size + size] = '\0';
    pool->size += size + 1;
    number = pool->count++;
    pool->items[number] = item;
    ws_table_add(&pool->table, hash, number);
    return number;
}
