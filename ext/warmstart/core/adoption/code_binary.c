#include "core/adoption/code_binary.h"

#include <string.h>

bool
ws_binary_header_read(const uint8_t *binary, size_t size, ws_binary_header *header)
{
#ifdef WS_BINARY_MAJOR
    if (size < sizeof *header) return false;
    memcpy(header, binary, sizeof *header);
    if (memcmp(header->magic, "YARB", 4) != 0) return false;
    if (header->major != WS_BINARY_MAJOR || header->minor != WS_BINARY_MINOR) return false;
    if (header->size > size || header->object_list > header->size || header->object_list % sizeof(uint32_t))
        return false;
    if (header->iseq_list > header->size) return false;
    return header->object_count <= (header->size - header->object_list) / sizeof(uint32_t) &&
           header->iseq_count <= (header->size - header->iseq_list) / sizeof(uint32_t);
#else
    (void)binary, (void)size, (void)header;
    return false;
#endif
}

bool
ws_binary_read_value(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    if (*at >= end) return false;
    unsigned first = **at, size = 1;
    while (size < WS_BINARY_VALUE_MAXIMUM && !(first & (1u << (size - 1)))) size++;
    if ((size_t)(end - *at) < size) return false;
    uint64_t number = size < WS_BINARY_VALUE_MAXIMUM ? first >> size : 0;
    for (unsigned i = 1; i < size; i++) number = number << 8 | (*at)[i];
    *at += size;
    *value = number;
    return true;
}

size_t
ws_binary_write_value(uint8_t *at, uint64_t value)
{
    unsigned more = 0; /* bytes behind the first */
    while (more < WS_BINARY_VALUE_MAXIMUM - 1 && value >> (7 - more) > 0) {
        for (unsigned i = more; i > 0; i--) at[i + 1] = at[i];
        at[1] = (uint8_t)value;
        value >>= 8;
        more++;
    }
    at[0] = (uint8_t)((value << 1 | 1) << more);
    return more + 1;
}
