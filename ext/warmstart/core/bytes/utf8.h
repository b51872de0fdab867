/* UTF-8, character by character. Who calls: path_case.c, the bindings' paths.c. */
#ifndef WARMSTART_CORE_UTF8_H
#define WARMSTART_CORE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define WS_REPLACEMENT_CHARACTER 0xFFFD

/* Bytes of the character at `bytes` (1 at least, size at the most; size must not be 0). Of an invalid sequence: as many
 * as Windows makes one U+FFFD of, which *character becomes then. */
size_t ws_utf8_decode(const char *bytes, size_t size, uint32_t *character);

#endif
