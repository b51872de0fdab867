/* The encoding that a source file's magic comment names. */
#ifndef WARMSTART_CORE_SOURCE_ENCODING_H
#define WARMSTART_CORE_SOURCE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* May compiling this source load an encoding's library? Ruby then provides a feature ("enc/koi8_r.so") that code from
 * the image would not. In doubt: yes. */
bool ws_source_loads_encoding(const uint8_t *bytes, size_t size);

#endif
