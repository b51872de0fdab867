/* Compiled code at another path: of a gem or an application that has moved. See relocation.c. */
#ifndef WARMSTART_CORE_RELOCATION_H
#define WARMSTART_CORE_RELOCATION_H

#include <stddef.h>
#include <stdint.h>

/* Where a file lies: the path that Ruby gives its code, and the realpath. Both end with NUL. */
typedef struct ws_place {
    const char *path, *realpath;
} ws_place;

/* Makes from the binary of a file's code, which was compiled at one place, the binary that a compilation of the same
 * contents at another place would give. The source must not spell the old path in a literal (ws_may_spell).
 *
 * @return the new binary, which the caller frees, and *new_size; or NULL and *reason: why this cannot be done exactly.
 *   Then the file has to be compiled. */
uint8_t *
ws_relocate(const uint8_t *binary, size_t size, ws_place from, ws_place to, size_t *new_size, const char **reason);

#endif
