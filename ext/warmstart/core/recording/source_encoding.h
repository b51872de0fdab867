/* The encoding that a source file's magic comment names. */
#ifndef WARMSTART_CORE_SOURCE_ENCODING_H
#define WARMSTART_CORE_SOURCE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* May Ruby load an encoding's library when it compiles this source? Then Ruby provides a feature ("enc/koi8_r.so"),
 * which code from the image would not do. In doubt the answer is yes. */
bool ws_source_loads_encoding(const uint8_t *bytes, size_t size);

#endif
