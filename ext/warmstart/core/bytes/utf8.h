/* Decodes UTF-8 one character at a time. Who calls: path_case.c, the bindings' paths.c. */
#ifndef WARMSTART_CORE_UTF8_H
#define WARMSTART_CORE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define WS_REPLACEMENT_CHARACTER 0xFFFD

/* Returns how many bytes the character at `bytes` has, from 1 to `size`. `size` must not be 0. For an invalid sequence
 * *character is U+FFFD, and the result is the number of bytes that Windows replaces by one U+FFFD. */
size_t ws_utf8_decode(const char *bytes, size_t size, uint32_t *character);

#endif
