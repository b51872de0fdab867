/* A decoder of UTF-8 that never fails; see utf8.h. */
#include "core/bytes/utf8.h"

#include <stdbool.h>

/* Returns how many bytes follow this first byte. *minimum is the lowest code point that needs so many bytes. */
static size_t
following(unsigned char first, uint32_t *bits, uint32_t *minimum)
{
    if (first >= 0xC2 && first <= 0xDF) {
        *bits = first & 0x1F, *minimum = 0x80;
        return 1;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        *bits = first & 0x0F, *minimum = 0x800;
        return 2;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        *bits = first & 0x07, *minimum = 0x10000;
        return 3;
    }
    return 0;
}

/* Can these leading bits still become a valid character when `missing` more bytes follow? */
static bool
is_possible(uint32_t bits, size_t missing, uint32_t minimum)
{
    uint32_t least = bits << (6 * missing), most = least | (((uint32_t)1 << (6 * missing)) - 1);

    return most >= minimum && least <= 0x10FFFF && !(least >= 0xD800 && most <= 0xDFFF);
}

size_t
ws_utf8_decode(const char *bytes, size_t size, uint32_t *character)
{
    uint32_t bits = 0, minimum = 0;
    unsigned char first = (unsigned char)bytes[0];
    size_t count = following(first, &bits, &minimum);

    *character = first;
    if (first < 0x80) return 1;
    *character = WS_REPLACEMENT_CHARACTER;
    for (size_t offset = 1; offset <= count; offset++) {
        if (offset >= size || ((unsigned char)bytes[offset] & 0xC0) != 0x80) return offset;
        bits = bits << 6 | ((unsigned char)bytes[offset] & 0x3F);
        if (!is_possible(bits, count - offset, minimum)) return offset + 1;
    }
    if (count > 0) *character = bits;
    return count + 1;
}
