/* Arrays that grow, and copies of bytes. The caller has a pointer to the items, their count, and a size_t that says for
 * how many there is room. All are zero at first. The items are released by free().
 *
 *     if (!WS_RESERVE(list->jobs, list->capacity, list->count + 1)) return false;
 *     list->jobs[list->count++] = job; */
#ifndef WARMSTART_CORE_VECTOR_H
#define WARMSTART_CORE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `needed` items in all. false: memory is short or there would be too many, and nothing has changed. Too
 * many are UINT32_MAX: items are counted and numbered by 32 bits, and UINT32_MAX stands for no number. `needed` is
 * evaluated twice. */
#define WS_RESERVE(items, capacity, needed) \
    ((needed) <= (capacity) || ws_vector_grow(&(items), sizeof *(items), &(capacity), (needed)))

/* What WS_RESERVE calls when there is not enough room. items: the address of the pointer to the items. */
bool ws_vector_grow(void *items, size_t item_size, size_t *capacity, size_t needed);

/* A copy of the bytes, followed by a NUL, for free(). NULL without memory. */
void *ws_bytes_copy(const void *bytes, size_t size);

#endif
