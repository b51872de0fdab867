/* Does a Ruby source spell a path in a literal? See spelling.c. */
#ifndef WARMSTART_CORE_SPELLING_H
#define WARMSTART_CORE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* May a literal of this source contain the path, which consists of visible ASCII characters? False is a proof that none
 * does; true may be wrong. */
bool ws_may_spell(const uint8_t *source, size_t size, const char *path);

#endif
