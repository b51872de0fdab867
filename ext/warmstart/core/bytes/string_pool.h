/* Strings, each stored once and numbered in the order of their first appearance. They lie one after the other, each
 * followed by a NUL; in a segment these bytes become the section STRINGS. */
#ifndef WARMSTART_CORE_STRING_POOL_H
#define WARMSTART_CORE_STRING_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "core/bytes/table.h"

typedef struct ws_string_item {
    uint64_t hash;
    uint32_t offset, size;
} ws_string_item;

/* An empty pool is all zeroes. */
typedef struct ws_string_pool {
    char *bytes;
    size_t size, capacity;
    ws_string_item *items;
    uint32_t count;
    size_t item_capacity;
    ws_table table;
} ws_string_pool;

void ws_string_pool_free(ws_string_pool *pool);
/* Returns the string's number and adds the string if it is new. UINT32_MAX: out of memory, or 4 GiB are reached. */
uint32_t ws_string_pool_intern(ws_string_pool *pool, const char *bytes, size_t size);
/* Returns the string's number, or WS_NO_NUMBER. */
uint32_t ws_string_pool_find(const ws_string_pool *pool, const char *bytes, size_t size);
/* The address of a string. It is valid until the next string is added. */
const char *ws_string_pool_get(const ws_string_pool *pool, uint32_t number);

#endif
