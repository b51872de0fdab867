#include "core/bytes/vector.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 1024 /* bytes */

bool
ws_vector_grow(void *items, size_t item_size, size_t *capacity, size_t needed)
{
    void *old, *grown;
    size_t larger = *capacity ? *capacity * 2 : SMALLEST / item_size;

    if (larger < needed) larger = needed;
    if (needed >= UINT32_MAX || larger > SIZE_MAX / 2 / item_size) return false;
    memcpy(&old, items, sizeof old); /* the pointer may be of any type */
    grown = realloc(old, larger * item_size);
    if (!grown) return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = larger;
    return true;
}

void *
ws_bytes_copy(const void *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, bytes, size);
    copy[size] = 0;
    return copy;
}
